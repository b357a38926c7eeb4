"""The SQL over results, answers, judgements and payloads: functions of a connection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import time
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.history.database import (
    DamagedHistoryError,
    fetch_all,
    fetch_pages,
    insert_into,
    insert_rows,
    is_sqlite,
)
from callscore.history.records import AnswerRecord, ResultRecord, clean_text, json_bytes
from callscore.history.rows import (
    COMPRESSED_FROM,
    Bodies,
    answer_record,
    answer_row,
    compressed,
    is_payload,
    result_record,
    result_row,
)
from callscore.history.tables import (
    ANSWERS,
    EVALUATIONS,
    JUDGEMENTS,
    PAYLOADS,
    RESULTS,
    AnswerRow,
    ResultRow,
)

if TYPE_CHECKING:
    from callscore.history.database import AnyConnection
    from callscore.history.run_queries import SavedRun

# An existing result is replaced, and a payload that is damaged.
_INSERT_PAYLOAD = (
    f"{insert_into(PAYLOADS, conflict=('digest',))} WHERE payloads.body <> excluded.body"
)
# Without the bodies that take longer to check than to be read by the few who need them.
_EXISTING_PAYLOADS = (
    "SELECT digest, CASE WHEN length(body) < 1000 THEN body END FROM payloads WHERE digest IN"
)
_INSERT_ANSWER = insert_into(ANSWERS)
_INSERT_RESULT = insert_into(RESULTS, conflict=("run", "evaluation", "case_id", "trial"))

# The results of a run: whole, with the bodies of their payloads; or without these and without what is long.
_WHOLE = f"""
{RESULTS.select}, asked_for.body, answered.body FROM results
LEFT OUTER JOIN payloads AS asked_for ON results.payload = asked_for.digest
LEFT OUTER JOIN payloads AS answered ON results.answer = answered.digest
WHERE results.run = ?
"""
_LONG = ("payload", "answer", "body")
_LIGHT = (
    f"SELECT {', '.join('NULL' if name in _LONG else name for name in RESULTS.names)}, NULL, NULL"  # noqa: S608  (our names)
    " FROM results WHERE results.run = ?"
)

_ANSWERS = f"""
{ANSWERS.select}, payloads.body, runs.id FROM answers
LEFT OUTER JOIN payloads ON answers.answer = payloads.digest
LEFT OUTER JOIN runs ON answers.run = runs.number
"""
_NEWEST = " ORDER BY answers.number DESC LIMIT 1"


# --- results of a run -------------------------------------------------------------------------

# The number of values that every SQLite accepts in one statement, less a few for other parameters.
_MAX_VALUES = 800


def results_of_cases(
    connection: AnyConnection, run: SavedRun, cases: Iterable[str]
) -> dict[tuple[int, str], list[ResultRecord]]:
    """The trials of some cases of a run, by the number of the evaluation and the id."""
    require_results(connection, run)
    names = sorted(set(map(clean_text, cases)))
    # Sorted here: sorted by the database, SQLite would search the whole run for one case.
    in_order = sorted(
        _results_where(connection, run, "case_id", names),
        key=lambda pair: (pair[1].evaluation, pair[1].trial, pair[0]),
    )
    found: dict[tuple[int, str], list[ResultRecord]] = {}
    for _, record in in_order:
        found.setdefault((record.evaluation, record.case), []).append(record)
    return found


def results_by_number(
    connection: AnyConnection, run: SavedRun, numbers: Sequence[int], *, is_light: bool = False
) -> dict[int, ResultRecord]:
    """The results of a run with these numbers; if `is_light`, without their cases, answers and calls."""
    found = dict(_results_where(connection, run, "number", numbers, is_light=is_light))
    if len(found) != len(set(numbers)):
        raise DamagedHistoryError(f"run {run.id}: a result is missing")
    return found


def light_results_where(
    connection: AnyConnection, run: SavedRun, condition: str, value: float, *, limit: int
) -> list[tuple[int, ResultRecord]]:
    """The first results of a run that fulfil a condition with one value, as if `is_light`, with their numbers."""
    query = f"{_LIGHT} AND {condition} ORDER BY number LIMIT ?"
    return _numbered(fetch_all(connection, query, [run.number, value, limit]), run)


def _results_where(
    connection: AnyConnection,
    run: SavedRun,
    column: str,
    wanted: Sequence[Any],
    *,
    is_light: bool = False,
) -> Iterator[tuple[int, ResultRecord]]:
    """The results of a run that have one of these values in a column, in any order, with their numbers."""
    select = _LIGHT if is_light else _WHOLE
    for start in range(0, len(wanted), _MAX_VALUES):
        some = wanted[start : start + _MAX_VALUES]
        query = f"{select} AND results.{column} IN ({_marks(some)})"
        yield from _numbered(fetch_all(connection, query, [run.number, *some]), run)


def _numbered(rows: Iterable[Any], run: SavedRun) -> list[tuple[int, ResultRecord]]:
    return [(row[0], result_record(ResultRow._make(row), run.id)) for row in rows]


def _marks(values: Sequence[Any]) -> str:
    """The places of values in a statement."""
    return ", ".join("?" * len(values))


def answered_questions(connection: AnyConnection, run: SavedRun) -> set[tuple[str, int]]:
    """The questions of a run that have an answer: the digest, and the trial."""
    query = "SELECT question, trial FROM answers WHERE run = :run"
    return {(row[0], row[1]) for row in fetch_all(connection, query, {"run": run.number})}


# --- answers and judgements -------------------------------------------------------------------


def newest_answer(
    connection: AnyConnection, question: str, source: str, trial: int
) -> AnswerRecord | None:
    """The newest answer to a question in any run."""
    where = "answers.question = ? AND answers.trial = ? AND answers.source = ?"
    return next(iter(_answers(connection, f"{where}{_NEWEST}", question, trial, source)), None)


def answer_in_run(
    connection: AnyConnection, number: int, question: str, trial: int
) -> AnswerRecord | None:
    """The answer to a question that was asked in the run of this number."""
    where = "answers.question = ? AND answers.trial = ? AND answers.run = ?"
    return next(iter(_answers(connection, f"{where}{_NEWEST}", question, trial, number)), None)


def answers_of_run(connection: AnyConnection, run: SavedRun) -> list[AnswerRecord]:
    """The answers of a run in order."""
    return _answers(connection, "answers.run = ? ORDER BY answers.number", run.number)


def _answers(connection: AnyConnection, where: str, *values: Any) -> list[AnswerRecord]:
    rows = fetch_all(connection, f"{_ANSWERS} WHERE {where}", values)
    return [answer_record(AnswerRow._make(row)) for row in rows]


def judgement_by_key(connection: AnyConnection, key: str) -> Any | None:
    """What a judge answered; None if it was not asked."""
    rows = fetch_all(connection, "SELECT answer FROM judgements WHERE key = ?", [clean_text(key)])
    return msgspec.json.decode(rows[0][0]) if rows else None


def save_judgement(connection: AnyConnection, key: str, model: str, answer: Any) -> None:
    """Store the answer of a judge, in place of an earlier one."""
    row = (clean_text(key), clean_text(model), json_bytes(answer).decode(), time())
    insert_rows(connection, insert_into(JUDGEMENTS, conflict=("key",)), [row])


# --- writing answers, results and payloads ----------------------------------------------------

# The rows of answers, the rows of results, and the payloads of both.
NewRows = tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], Bodies]


def rows_from(
    records: Iterable[AnswerRecord | ResultRecord], numbers: Mapping[str, int]
) -> NewRows:
    """The records as rows, given the numbers of their runs."""
    new_answers: list[tuple[Any, ...]] = []
    new_results: list[tuple[Any, ...]] = []
    bodies: Bodies = {}
    for record in records:
        if isinstance(record, AnswerRecord):
            number = numbers.get(record.run)
            new_answers.append(answer_row(record, number, bodies))
        else:
            new_results.append(result_row(record, numbers[record.run], bodies))
    return new_answers, new_results, bodies


def save_rows(connection: AnyConnection, rows: NewRows) -> None:
    """Insert all rows in the current transaction."""
    answers, results, bodies = rows
    save_payloads(connection, bodies)
    insert_rows(connection, _INSERT_ANSWER, answers)
    insert_rows(connection, _INSERT_RESULT, results)


def save_evaluation(connection: AnyConnection, row: dict[str, Any], bodies: Bodies) -> None:
    """Insert the row of an evaluation, or replace it, with its payloads."""
    save_payloads(connection, bodies)
    insert = insert_into(EVALUATIONS, conflict=("run", "number"))
    insert_rows(connection, insert, [tuple(map(row.get, EVALUATIONS.written))])


def save_payloads(connection: AnyConnection, bodies: Bodies) -> None:
    """Insert the payloads that do not exist yet, and replace damaged ones, unless these are long.

    A query first is faster than compressing payloads that exist already, or sending them to a server.
    It runs in the transaction that writes the references, so that no cleanup can remove them in between.
    """
    digests = sorted(bodies)  # in one order, so that concurrent writers cannot deadlock
    asked = digests
    if is_sqlite(connection):  # finds out by itself, and small ones are not compressed
        asked = [digest for digest in digests if len(bodies[digest]) >= COMPRESSED_FROM]
    existing: set[bytes] = set()
    for start in range(0, len(asked), _MAX_VALUES):
        some = asked[start : start + _MAX_VALUES]
        # Many values: drivers find those without names much faster.
        rows = fetch_all(connection, f"{_EXISTING_PAYLOADS} ({_marks(some)})", some)
        existing.update(
            [digest for digest, body in rows if body is None or is_payload(body, digest)]
        )
    new = [(digest, compressed(bodies[digest])) for digest in digests if digest not in existing]
    insert_rows(connection, _INSERT_PAYLOAD, new)


# --- all results of a run, without payloads ---------------------------------------------------


_ORDER = "evaluation, coalesce(position, number), number"


def result_rows(
    connection: AnyConnection, run: SavedRun, *columns: str, order: str = _ORDER
) -> Iterator[Any]:
    """These columns of all results of a run, in the order of its cases; some are read at a time.

    Results of files have no position: they are written in the order of the cases.
    """
    query = f"SELECT {', '.join(columns)} FROM results WHERE run = ? ORDER BY {order}"  # noqa: S608  (our names)
    count = 0
    for rows in fetch_pages(connection, query, [run.number]):
        count += len(rows)
        yield from rows
    run.require_results(count)


def counted_results(connection: AnyConnection, run: SavedRun) -> Iterator[Any]:
    """What is counted of all results of a run, the trials of a case together; some are read at a time."""
    columns = ("evaluation", "case_id", "status", "passed", "f1", "tags")
    return result_rows(connection, run, *columns, order="case_id, evaluation")


def highest_trials(connection: AnyConnection, run: SavedRun) -> dict[int, int]:
    """The highest trial of each evaluation of a run, by its number."""
    require_results(connection, run)
    query = "SELECT evaluation, max(trial) FROM results WHERE run = :run GROUP BY evaluation"
    return dict(fetch_all(connection, query, {"run": run.number}))


def require_results(connection: AnyConnection, run: SavedRun) -> None:
    """Refuse a run that has not all the results that it had when it ended."""
    query = "SELECT count(*) FROM results WHERE run = :run"
    [(count,)] = fetch_all(connection, query, {"run": run.number})
    run.require_results(count)
