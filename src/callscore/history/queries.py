"""The SQL over results, answers, judgements and payloads: functions of a connection.

What is read is verified, see `checksums.py`.
"""

from __future__ import annotations

from functools import lru_cache, partial
from operator import itemgetter
from time import time
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.history.checksums import damaged_row
from callscore.history.counting import in_case_order
from callscore.history.database import (
    Insert,
    fetch_all,
    insert_into,
    insert_row,
    insert_rows,
    is_sqlite,
)
from callscore.history.records import (
    AnswerRecord,
    Bodies,
    answer_record,
    answer_values,
    clean_text,
    compressed,
    json_bytes,
    may_compress,
    pack_digest,
    result_record,
    result_values,
)
from callscore.history.tables import (
    ANSWER_CHECKS,
    ANSWERS,
    BASELINES,
    EVALUATIONS,
    JUDGEMENT_CHECKS,
    JUDGEMENTS,
    PAYLOADS,
    RESULT_CHECKS,
    RESULTS,
    AnswerRow,
    ResultRow,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from callscore.history.database import AnyConnection
    from callscore.history.records import ResultRecord
    from callscore.history.run_queries import SavedRun

__all__ = [
    "answer_in_run",
    "answered_questions",
    "answers_of_run",
    "inserts_for",
    "judgement_by_key",
    "newest_answer",
    "page_of_results",
    "payload_bodies",
    "result_columns",
    "result_rows",
    "results_by_number",
    "results_of_case",
    "rows_from",
    "save_baseline",
    "save_evaluation",
    "save_judgement",
    "save_payloads",
    "save_rows",
]


# --- inserts ----------------------------------------------------------------------------------


class Inserts(Struct, frozen=True):
    """The INSERT statements of one kind of database.

    An existing payload is left as it is; an existing evaluation, result, judgement or baseline is
    replaced.
    """

    payload: Insert
    evaluation: Insert
    answer: Insert
    result: Insert
    judgement: Insert
    baseline: Insert


@lru_cache(maxsize=2)
def inserts_for(*, is_sqlite: bool) -> Inserts:
    """The INSERT statements for SQLite or PostgreSQL."""
    insert = partial(insert_into, is_sqlite=is_sqlite)
    return Inserts(
        payload=insert(PAYLOADS, conflict=()),
        evaluation=insert(EVALUATIONS, conflict=("run", "number")),
        answer=insert(ANSWERS),
        result=insert(RESULTS, conflict=("run", "evaluation", "case_id", "trial")),
        judgement=insert(JUDGEMENTS, conflict=("key",)),
        baseline=insert(BASELINES, conflict=("name",)),
    )


def _inserts(connection: AnyConnection) -> Inserts:
    return inserts_for(is_sqlite=is_sqlite(connection))


_JUDGEMENT = f"{JUDGEMENTS.select} FROM judgements WHERE key = :key"

# The results of a run with the bodies of their payloads.
_WITH_BODIES = f"""
{RESULTS.select}, asked_for.body, answered.body, called.body, compared.body FROM results
LEFT OUTER JOIN payloads AS asked_for ON results.payload = asked_for.digest
LEFT OUTER JOIN payloads AS answered ON results.answer = answered.digest
LEFT OUTER JOIN payloads AS called ON results.calls = called.digest
LEFT OUTER JOIN payloads AS compared ON results.comparison = compared.digest
WHERE results.run = :run
"""
_IN_ORDER = " ORDER BY results.number LIMIT :limit"
_PAGE = f"{_WITH_BODIES} AND results.number > :after"

_ANSWERS = f"""
{ANSWERS.select}, payloads.body, runs.id FROM answers
LEFT OUTER JOIN payloads ON answers.answer = payloads.digest
LEFT OUTER JOIN runs ON answers.run = runs.number
"""
_ANSWER = f"{_ANSWERS} WHERE answers.question = :question AND answers.trial = :trial"
_NEWEST = " ORDER BY answers.number DESC LIMIT 1"


# --- results of a run -------------------------------------------------------------------------

# The number of values that every SQLite accepts in one statement, less a few for other parameters.
_MAX_VALUES = 800


def page_of_results(
    connection: AnyConnection, run: SavedRun, evaluation: int | None, *, after: int, limit: int
) -> list[Any]:
    """Some results of a run, in the order they were first written, with the bodies of their payloads.

    `after` is the number of the last result of the previous page.
    """
    values = {"run": run.number, "after": after, "limit": limit}
    query = _PAGE
    if evaluation is not None:
        query += " AND results.evaluation = :evaluation"
        values["evaluation"] = evaluation
    rows = list(map(ResultRow._make, fetch_all(connection, query + _IN_ORDER, values)))
    RESULT_CHECKS.verify_all(rows, run.id)
    return rows


def results_of_case(
    connection: AnyConnection, run: SavedRun, case: str, trial: int | None, evaluation: int | None
) -> list[ResultRecord]:
    """The results of one case of a run, ordered by evaluation and trial."""
    wanted = clean_text(case)
    key_of = result_columns("number", "evaluation", "case_id", "trial")
    # All results: of a case whose row was changed there would be fewer trials.
    numbers = [
        number
        for number, of, case_id, which in map(key_of, result_rows(connection, run))
        if case_id == wanted
        and (trial is None or which == trial)
        and (evaluation is None or of == evaluation)
    ]
    found = results_by_number(connection, run, numbers)
    return sorted(found.values(), key=lambda record: (record.evaluation, record.trial))


def results_by_number(
    connection: AnyConnection, run: SavedRun, numbers: Sequence[int]
) -> dict[int, ResultRecord]:
    """The results of a run with these numbers."""
    found: dict[int, ResultRecord] = {}
    for start in range(0, len(numbers), _MAX_VALUES):
        some = numbers[start : start + _MAX_VALUES]
        names, values = _placeholders(some)
        query = f"{_WITH_BODIES} AND results.number IN ({names}){_IN_ORDER}"
        values |= {"run": run.number, "limit": len(some)}
        for row in map(ResultRow._make, fetch_all(connection, query, values)):
            RESULT_CHECKS.verify(row, run.id)
            found[row.number] = result_record(row, run.id)
    if len(found) != len(set(numbers)):
        raise damaged_row(f"run {run.id}: a result")
    return found


def payload_bodies(connection: AnyConnection, digests: Sequence[bytes]) -> dict[bytes, bytes]:
    """The stored bodies of payloads, by their digests; those that are missing are left out."""
    found: dict[bytes, bytes] = {}
    for start in range(0, len(digests), _MAX_VALUES):
        names, values = _placeholders(digests[start : start + _MAX_VALUES])
        query = f"SELECT digest, body FROM payloads WHERE digest IN ({names})"  # noqa: S608  (placeholders)
        found.update(fetch_all(connection, query, values))
    return found


def _placeholders(values: Sequence[Any]) -> tuple[str, dict[str, Any]]:
    """The names of values in a query, and the values by their names."""
    given = {f"value_{at}": value for at, value in enumerate(values)}
    return ", ".join([f":{name}" for name in given]), given


def answered_questions(connection: AnyConnection, run: SavedRun) -> set[tuple[bytes, int]]:
    """The questions of a run that have an answer: the stored digest, and the trial."""
    query = f"{ANSWERS.select} FROM answers WHERE run = :run"
    rows = fetch_all(connection, query, {"run": run.number})
    for row in rows:
        ANSWER_CHECKS.verify(row, run.id)
    question, trial = ANSWERS.positions["question"], ANSWERS.positions["trial"]
    return {(bytes(row[question]), row[trial]) for row in rows}


# --- answers and judgements -------------------------------------------------------------------


def newest_answer(
    connection: AnyConnection, question: str, source: str, trial: int
) -> AnswerRecord | None:
    """The newest answer to a question in any run."""
    values = {"question": pack_digest(question), "source": pack_digest(source), "trial": trial}
    rows = fetch_all(connection, f"{_ANSWER} AND answers.source = :source{_NEWEST}", values)
    return _verified_answer(rows[0]) if rows else None


def answer_in_run(
    connection: AnyConnection, number: int, question: str, trial: int
) -> AnswerRecord | None:
    """The answer to a question that was asked in the run of this number."""
    values = {"run": number, "question": pack_digest(question), "trial": trial}
    rows = fetch_all(connection, f"{_ANSWER} AND answers.run = :run{_NEWEST}", values)
    return _verified_answer(rows[0]) if rows else None


def _verified_answer(row: Sequence[Any]) -> AnswerRecord:
    """A row, with the body of its payload and the id of its run, as an answer."""
    named = AnswerRow._make(row)
    ANSWER_CHECKS.verify(named, named.run_id or "")
    return answer_record(named)


def answers_of_run(
    connection: AnyConnection, run: str, *, after: int, limit: int
) -> list[tuple[int, AnswerRecord]]:
    """Some answers of the run of this id in order, each with its number; `after` is the last number before."""
    query = f"{_ANSWERS} WHERE runs.id = :run AND answers.number > :after"
    values = {"run": run, "after": after, "limit": limit}
    rows = fetch_all(connection, f"{query} ORDER BY answers.number LIMIT :limit", values)
    return [(row[0], _verified_answer(row)) for row in rows]


def judgement_by_key(connection: AnyConnection, key: str) -> Any | None:
    """What a judge answered; None if it was not asked."""
    rows = fetch_all(connection, _JUDGEMENT, {"key": clean_text(key)})
    if not rows:
        return None
    JUDGEMENT_CHECKS.verify(rows[0])
    return msgspec.json.decode(rows[0][JUDGEMENTS.positions["answer"]])


def save_judgement(connection: AnyConnection, key: str, model: str, answer: Any) -> None:
    """Store the answer of a judge, in place of an earlier one."""
    row = {
        "key": clean_text(key),
        "model": clean_text(model),
        "answer": json_bytes(answer).decode(),
        "saved_at": time(),
    }
    JUDGEMENT_CHECKS.sign(row)
    insert_row(connection, _inserts(connection).judgement, row)


# --- writing answers, results and payloads ----------------------------------------------------

# Far below the number of values that databases accept in one statement.
_DIGESTS_PER_QUERY = 500


# The rows of answers, the rows of results, and the payloads of both.
NewRows = tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], Bodies]


def rows_from(
    records: Iterable[AnswerRecord | ResultRecord], numbers: Mapping[str, int]
) -> NewRows:
    """The records as rows with checksums, given the numbers of their runs."""
    new_answers: list[tuple[Any, ...]] = []
    new_results: list[tuple[Any, ...]] = []
    bodies: Bodies = {}
    for record in records:
        if isinstance(record, AnswerRecord):
            number = numbers.get(record.run)
            values = answer_values(record, bodies)
            checksum = ANSWER_CHECKS.checksum(values, "" if number is None else record.run)
            new_answers.append((number, *values, checksum))
        else:
            values = result_values(record, bodies)
            checksum = RESULT_CHECKS.checksum(values, record.run)
            new_results.append((numbers[record.run], *values, checksum))
    return new_answers, new_results, bodies


def save_rows(connection: AnyConnection, rows: NewRows) -> None:
    """Insert all rows in the current transaction."""
    answers, results, bodies = rows
    inserts = _inserts(connection)
    save_payloads(connection, bodies)
    insert_rows(connection, inserts.answer, answers)
    insert_rows(connection, inserts.result, results)


def save_evaluation(connection: AnyConnection, row: dict[str, Any], bodies: Bodies) -> None:
    """Insert the row of an evaluation, or replace it, with its payloads."""
    save_payloads(connection, bodies)
    insert_row(connection, _inserts(connection).evaluation, row)


def save_baseline(connection: AnyConnection, row: dict[str, Any]) -> None:
    """Insert the row of a baseline, or replace it."""
    insert_row(connection, _inserts(connection).baseline, row)


def save_payloads(connection: AnyConnection, bodies: Bodies) -> None:
    """Insert the payloads that do not exist yet.

    A query first is faster than compressing payloads that exist already, or sending them to a server.
    It runs in the transaction that writes the references, so that no cleanup can remove them in between.
    """
    digests = sorted(bodies)  # in one order, so that concurrent writers cannot deadlock
    asked = digests
    if is_sqlite(connection):  # finds out by itself, and small ones are not compressed
        asked = [digest for digest in digests if may_compress(bodies[digest])]
    existing: set[bytes] = set()
    for start in range(0, len(asked), _DIGESTS_PER_QUERY):
        some = tuple(asked[start : start + _DIGESTS_PER_QUERY])
        # Many values: drivers find those without names much faster.
        query = _existing_query(len(some), is_sqlite=is_sqlite(connection))
        existing.update([bytes(digest) for (digest,) in fetch_all(connection, query, some)])
    new = [(digest, compressed(bodies[digest])) for digest in digests if digest not in existing]
    insert_rows(connection, _inserts(connection).payload, new)


@lru_cache(maxsize=512)
def _existing_query(count: int, *, is_sqlite: bool) -> str:
    marks = ", ".join(["?" if is_sqlite else "%s"] * count)
    return f"SELECT digest FROM payloads WHERE digest IN ({marks})"  # noqa: S608  (only marks)


# --- all results of a run, without payloads ---------------------------------------------------

_RESULT_ROWS = f"{RESULTS.select} FROM results WHERE run = :run"


def result_rows(connection: AnyConnection, run: SavedRun) -> Sequence[Any]:
    """All results of a run in the order of its cases, with the columns of `results`."""
    rows = fetch_all(connection, _RESULT_ROWS, {"run": run.number})
    checksums = RESULT_CHECKS.verify_all(rows, run.id)
    if run.seal is not None:
        run.seal.require_results(run.id, checksums)
    return in_case_order(rows, _POSITION)


_POSITION = RESULTS.positions["position"]


def result_columns(*names: str) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """A function that returns these columns of a row of `result_rows`."""
    return itemgetter(*[RESULTS.positions[name] for name in names])
