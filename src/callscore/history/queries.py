"""The SQL over results, answers, judgements and payloads: functions of a connection.

What is read is verified, see `checksums.py`.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from time import time
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from sqlalchemy import (
    BindParameter,
    Column,
    LargeBinary,
    MetaData,
    Table,
    bindparam,
    delete,
    except_,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from callscore.history.checksums import damaged_row
from callscore.history.database import (
    Insert,
    compile_insert,
    execute_compiled,
    insert_rows,
    written_columns,
)
from callscore.history.records import (
    AnswerRecord,
    Bodies,
    answer_record,
    answer_row,
    clean_text,
    compressed,
    json_bytes,
    pack_digest,
    result_record,
    result_row,
)
from callscore.history.schema import (
    ANSWER_CHECKS,
    JUDGEMENT_CHECKS,
    RESULT_CHECKS,
    answers,
    baselines,
    evaluations,
    judgements,
    payloads,
    results,
    runs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Dialect, Row, Select

    from callscore.history.records import ResultRecord
    from callscore.history.run_queries import SavedRun

__all__ = [
    "ANSWERS_OF_RUN",
    "ANSWERS_PER_PAGE",
    "INSERTS",
    "answer_in_run",
    "answered_questions",
    "count_results",
    "delete_runs",
    "delete_unused_payloads",
    "freed_payloads",
    "has_reused_answers",
    "inserts_for",
    "judgement_by_key",
    "newest_answer",
    "page_of_results",
    "parents_in_use",
    "result_columns",
    "result_rows",
    "results_by_number",
    "results_of_case",
    "rows_from",
    "save_judgement",
    "save_payloads",
    "save_rows",
    "unused_digests",
    "verified_answer",
]


# --- inserts ----------------------------------------------------------------------------------

INSERTS = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class Inserts(Struct, frozen=True):
    """The INSERT statements of one database dialect.

    An existing payload is left as it is; an existing evaluation, result, judgement or baseline is
    replaced.
    """

    payload: Insert
    evaluation: Insert
    answer: Insert
    result: Insert
    judgement: Insert
    baseline: Insert


@lru_cache(maxsize=8)
def inserts_for(dialect: Dialect) -> Inserts:
    """The INSERT statements for SQLite or PostgreSQL."""
    insert: Any = INSERTS[dialect.name]

    def adding(table: Table) -> Insert:
        return compile_insert(insert(table), table, dialect)

    def replacing(table: Table, *key: str) -> Insert:
        statement = insert(table)
        others = {
            name: statement.excluded[name] for name in written_columns(table) if name not in key
        }
        return compile_insert(
            statement.on_conflict_do_update(index_elements=key, set_=others), table, dialect
        )

    return Inserts(
        payload=compile_insert(insert(payloads).on_conflict_do_nothing(), payloads, dialect),
        evaluation=replacing(evaluations, "run", "number"),
        answer=adding(answers),
        result=replacing(results, "run", "evaluation", "case_id", "trial"),
        judgement=replacing(judgements, "key"),
        baseline=replacing(baselines, "name"),
    )


EXISTING_PAYLOADS = select(payloads.c.digest).where(
    payloads.c.digest.in_(bindparam("digests", expanding=True))
)

JUDGEMENT = select(judgements).where(judgements.c.key == bindparam("key"))


def _results_query() -> Select[Any]:
    names = ("asked_for", "answered", "called", "compared")
    asked, answered, called, compared = (payloads.alias(name) for name in names)
    return (
        select(
            results,
            asked.c.body.label("payload_body"),
            answered.c.body.label("answer_body"),
            called.c.body.label("calls_body"),
            compared.c.body.label("comparison_body"),
        )
        .outerjoin(asked, results.c.payload == asked.c.digest)
        .outerjoin(answered, results.c.answer == answered.c.digest)
        .outerjoin(called, results.c.calls == called.c.digest)
        .outerjoin(compared, results.c.comparison == compared.c.digest)
        .where(results.c.run == bindparam("run"))
    )


_results_of_run = _results_query()
RESULTS = (
    _results_of_run.where(results.c.number > bindparam("after"))
    .order_by(results.c.number)
    .limit(bindparam("limit"))
)
RESULTS_OF_CASE = _results_of_run.where(results.c.case_id == bindparam("case")).order_by(
    results.c.evaluation, results.c.trial
)

_answers_query = (
    select(answers, payloads.c.body.label("answer_body"), runs.c.id.label("run_id"))
    .outerjoin(payloads, answers.c.answer == payloads.c.digest)
    .outerjoin(runs, answers.c.run == runs.c.number)
    .where(answers.c.question == bindparam("question"), answers.c.trial == bindparam("trial"))
    .order_by(answers.c.number.desc())
    .limit(1)
)
ANSWER_BY_QUESTION = _answers_query.where(answers.c.source == bindparam("source"))
ANSWER_IN_RUN = _answers_query.where(answers.c.run == bindparam("run"))


# --- results of a run -------------------------------------------------------------------------

# The number of values that every SQLite accepts in one statement, less a few for other parameters.
_MAX_VALUES = 800


def page_of_results(
    connection: Connection, run: SavedRun, evaluation: int | None, *, after: int, limit: int
) -> list[Row[Any]]:
    """Some results of a run, in the order they were first written, with the bodies of their payloads.

    `after` is the number of the last result of the previous page.
    """
    query = RESULTS if evaluation is None else RESULTS.where(results.c.evaluation == evaluation)
    values = {"run": run.number, "after": after, "limit": limit}
    rows = list(connection.execute(query, values).all())
    for row in rows:
        RESULT_CHECKS.verify(row, run.id)
    return rows


def results_of_case(
    connection: Connection, run: SavedRun, case: str, trial: int | None, evaluation: int | None
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
    connection: Connection, run: SavedRun, numbers: Sequence[int]
) -> dict[int, ResultRecord]:
    """The results of a run with these numbers."""
    found: dict[int, ResultRecord] = {}
    for start in range(0, len(numbers), _MAX_VALUES):
        some = numbers[start : start + _MAX_VALUES]
        query = RESULTS.where(results.c.number.in_(some))
        values = {"run": run.number, "after": -1, "limit": len(some)}
        for row in connection.execute(query, values):
            RESULT_CHECKS.verify(row, run.id)
            found[row.number] = result_record(row, run.id)
    if len(found) != len(set(numbers)):
        raise damaged_row(f"run {run.id}: a result")
    return found


def answered_questions(connection: Connection, run: SavedRun) -> set[tuple[bytes, int]]:
    """The questions of a run that have an answer: the stored digest, and the trial."""
    rows = connection.execute(select(answers).where(answers.c.run == run.number)).all()
    for row in rows:
        ANSWER_CHECKS.verify(row, run.id)
    return {(bytes(row.question), row.trial) for row in rows}


# --- answers and judgements -------------------------------------------------------------------


def newest_answer(
    connection: Connection, question: str, source: str, trial: int
) -> AnswerRecord | None:
    """The newest answer to a question in any run."""
    values = {"question": pack_digest(question), "source": pack_digest(source), "trial": trial}
    row = connection.execute(ANSWER_BY_QUESTION, values).first()
    return None if row is None else verified_answer(row)


def answer_in_run(
    connection: Connection, number: int, question: str, trial: int
) -> AnswerRecord | None:
    """The answer to a question that was asked in the run of this number."""
    values = {"run": number, "question": pack_digest(question), "trial": trial}
    row = connection.execute(ANSWER_IN_RUN, values).first()
    return None if row is None else verified_answer(row)


def verified_answer(row: Row[Any]) -> AnswerRecord:
    """A row, with the body of its payload and the id of its run, as an answer."""
    ANSWER_CHECKS.verify(row, row.run_id or "")
    return answer_record(row)


def judgement_by_key(connection: Connection, key: str) -> Any | None:
    """What a judge answered; None if it was not asked."""
    row = connection.execute(JUDGEMENT, {"key": clean_text(key)}).first()
    if row is None:
        return None
    JUDGEMENT_CHECKS.verify(row)
    return msgspec.json.decode(row.answer)


def save_judgement(connection: Connection, key: str, model: str, answer: Any) -> None:
    """Store the answer of a judge, in place of an earlier one."""
    row = {
        "key": clean_text(key),
        "model": clean_text(model),
        "answer": json_bytes(answer).decode(),
        "saved_at": time(),
    }
    JUDGEMENT_CHECKS.sign(row)
    insert_rows(connection, inserts_for(connection.dialect).judgement, [row])


# --- writing answers, results and payloads ----------------------------------------------------

# Far below the number of values that databases accept in one statement.
_DIGESTS_PER_QUERY = 500


# The rows of answers, the rows of results, and the payloads of both.
NewRows = tuple[list[dict[str, Any]], list[dict[str, Any]], Bodies]


def rows_from(
    records: Iterable[AnswerRecord | ResultRecord], numbers: Mapping[str, int]
) -> NewRows:
    """The records as rows with checksums, given the numbers of their runs."""
    new_answers: list[dict[str, Any]] = []
    new_results: list[dict[str, Any]] = []
    bodies: Bodies = {}
    for record in records:
        if isinstance(record, AnswerRecord):
            number = numbers.get(record.run)
            row = answer_row(record, number, bodies)
            new_answers.append(ANSWER_CHECKS.sign(row, "" if number is None else record.run))
        else:
            row = result_row(record, numbers[record.run], bodies)
            new_results.append(RESULT_CHECKS.sign(row, record.run))
    return new_answers, new_results, bodies


def save_rows(connection: Connection, rows: NewRows) -> None:
    """Insert all rows in the current transaction."""
    answers, results, bodies = rows
    inserts = inserts_for(connection.dialect)
    save_payloads(connection, bodies)
    insert_rows(connection, inserts.answer, answers)
    insert_rows(connection, inserts.result, results)


def save_payloads(connection: Connection, bodies: Bodies) -> None:
    """Insert the payloads that do not exist yet.

    A query first is faster than compressing payloads that exist already. It runs in the transaction
    that writes the references, so that no cleanup can remove them in between.
    """
    digests = sorted(bodies)  # in one order, so that concurrent writers cannot deadlock
    existing: set[bytes] = set()
    for start in range(0, len(digests), _DIGESTS_PER_QUERY):
        values = {"digests": digests[start : start + _DIGESTS_PER_QUERY]}
        existing.update(map(bytes, connection.execute(EXISTING_PAYLOADS, values).scalars()))
    new = [
        {"digest": digest, "body": compressed(bodies[digest])}
        for digest in digests
        if digest not in existing
    ]
    insert_rows(connection, inserts_for(connection.dialect).payload, new)


# --- all results of a run, without payloads ---------------------------------------------------

_RESULT_ROWS = select(results).where(results.c.run == bindparam("run"))


def result_rows(connection: Connection, run: SavedRun) -> Sequence[Any]:
    """All results of a run in the order of its cases, with the columns of `results`."""
    # Tuples of the driver: SQLAlchemy rows of many columns are slow.
    values = {"run": run.number}
    rows = execute_compiled(connection, _RESULT_ROWS, values).cursor.fetchall()
    verify, name = RESULT_CHECKS.verify, run.id
    checksums = [verify(row, name) for row in rows]
    if run.seal is not None:
        run.seal.require_results(name, checksums)
    return sorted(rows, key=_case_order)


def _case_order(row: Sequence[Any]) -> tuple[int, int]:
    # Results of files have no position: they are written in the order of the cases.
    number, position = row[0], row[_POSITION]
    return (number if position is None else position), number


_POSITIONS = {column.name: at for at, column in enumerate(results.columns)}
_POSITION = _POSITIONS["position"]


def result_columns(*names: str) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """A function that returns these columns of a row of `result_rows`."""
    return itemgetter(*[_POSITIONS[name] for name in names])


# --- exports ----------------------------------------------------------------------------------

ANSWERS_PER_PAGE = 200
ANSWERS_OF_RUN: Select[Any] = (
    select(answers, payloads.c.body.label("answer_body"), runs.c.id.label("run_id"))
    .join(runs, answers.c.run == runs.c.number)
    .outerjoin(payloads, answers.c.answer == payloads.c.digest)
    .where(runs.c.id == bindparam("run"), answers.c.number > bindparam("after"))
    .order_by(answers.c.number)
    .limit(ANSWERS_PER_PAGE)
)

# --- cleanup ----------------------------------------------------------------------------------

# Numbers are part of the statement: there may be more than a database accepts as values.
_LITERAL_NUMBERS: BindParameter[int] = bindparam("numbers", expanding=True, literal_execute=True)
_ALL_REMOVED: BindParameter[int] = bindparam("all_removed", expanding=True, literal_execute=True)

# Columns that refer to payloads.
_PAYLOAD_COLUMNS = (
    results.c.payload,
    results.c.answer,
    results.c.calls,
    results.c.comparison,
    evaluations.c.tools,
    answers.c.answer,
)

_unused_payloads = Table(
    "callscore_unused",
    MetaData(),
    Column("digest", LargeBinary(16), primary_key=True),
    prefixes=["TEMPORARY"],
)


def count_results(connection: Connection, numbers: list[int]) -> int:
    """The number of results of the runs."""
    query = select(func.count()).select_from(results).where(results.c.run.in_(_LITERAL_NUMBERS))
    return connection.execute(query, {"numbers": numbers}).scalar_one()


def freed_payloads(connection: Connection, numbers: list[int]) -> tuple[int, int]:
    """The number and total size of the payloads that only these runs refer to."""
    freed = _unreferenced_payloads(_LITERAL_NUMBERS).subquery()
    sizes = select(func.count(), func.sum(func.length(payloads.c.body))).join_from(
        freed, payloads, freed.c.digest == payloads.c.digest
    )
    count, size = connection.execute(sizes, {"numbers": numbers}).one()
    return count, int(size or 0)


def unused_digests(connection: Connection) -> list[bytes]:
    """The digests of unreferenced payloads."""
    found = list(connection.execute(_unreferenced_payloads()).scalars())
    if not all(isinstance(each, bytes) for each in found):
        raise damaged_row("a saved case or answer")
    return found


def _unreferenced_payloads(removed: Any = None) -> Any:
    """The digests of payloads that are unreferenced once these runs are removed."""
    referring = [select(column).where(column.is_not(None)) for column in _PAYLOAD_COLUMNS]
    if removed is not None:
        referring = [
            query.where(_is_kept(column.table, removed))
            for query, column in zip(referring, _PAYLOAD_COLUMNS, strict=True)
        ]
    return except_(select(payloads.c.digest), *referring)


def _is_kept(table: Any, removed: Any) -> Any:
    """Whether a row remains when runs are removed."""
    is_of_other_run = table.c.run.not_in(removed)
    if table is answers:
        return or_(answers.c.run.is_(None), is_of_other_run, _is_reused(removed))
    return is_of_other_run


def _is_reused(removed: Any) -> Any:
    """Whether a remaining run reuses an answer instead of asking again."""
    return answers.c.question.in_(_reused_questions(removed))


def _reused_questions(removed: Any) -> Any:
    return select(results.c.question).where(results.c.is_reused, results.c.run.not_in(removed))


def has_reused_answers(connection: Connection, removed: list[int]) -> bool:
    """Whether a remaining run reuses any answer."""
    query = _reused_questions(_LITERAL_NUMBERS).limit(1)
    return connection.execute(query, {"numbers": removed}).first() is not None


def parents_in_use(connection: Connection, removed: dict[str, int]) -> set[int]:
    """The runs whose answers a remaining run scores again."""
    children = select(runs.c.number, runs.c.parent).where(runs.c.parent.in_(list(removed)))
    numbers = set(removed.values())
    rows = connection.execute(children)
    return {removed[row.parent] for row in rows if row.number not in numbers}


def delete_runs(connection: Connection, numbers: list[int], all_removed: list[int] | None) -> int:
    """Delete runs; returns the number of their results.

    `all_removed` are all runs of this cleanup, if others may reuse their answers.
    """
    values = {"numbers": numbers}
    unwanted = delete(answers).where(answers.c.run.in_(_LITERAL_NUMBERS))
    if all_removed is None:
        connection.execute(unwanted, values)
    else:
        unused = unwanted.where(~_is_reused(_ALL_REMOVED))
        connection.execute(unused, values | {"all_removed": all_removed})
    _release_answers(connection, numbers)
    deleted = connection.execute(delete(results).where(results.c.run.in_(_LITERAL_NUMBERS)), values)
    connection.execute(delete(runs).where(runs.c.number.in_(_LITERAL_NUMBERS)), values)
    return deleted.rowcount


def _release_answers(connection: Connection, numbers: list[int]) -> None:
    """Answers that other runs reuse no longer belong to a run."""
    query = select(answers, runs.c.id.label("run_id")).join(runs, answers.c.run == runs.c.number)
    of_runs = query.where(answers.c.run.in_(_LITERAL_NUMBERS))
    for row in connection.execute(of_runs, {"numbers": numbers}).all():
        ANSWER_CHECKS.verify(row, row.run_id)
        checksum = ANSWER_CHECKS.sign(row._asdict())["checksum"]
        one = update(answers).where(answers.c.number == row.number)
        connection.execute(one.values(run=None, checksum=checksum))


def delete_unused_payloads(connection: Connection, digests: list[bytes]) -> tuple[int, int]:
    """Delete payloads that are still unreferenced; returns their number and total size."""
    _unused_payloads.create(connection)
    connection.execute(insert(_unused_payloads), [{"digest": digest} for digest in digests])
    candidates = select(_unused_payloads.c.digest)
    for column in _PAYLOAD_COLUMNS:
        used = select(column).where(column.in_(candidates))
        connection.execute(delete(_unused_payloads).where(_unused_payloads.c.digest.in_(used)))
    unused = payloads.c.digest.in_(candidates)
    sizes = select(func.count(), func.sum(func.length(payloads.c.body))).where(unused)
    count, size = connection.execute(sizes).one()
    connection.execute(delete(payloads).where(unused))
    _unused_payloads.drop(connection)
    return count, int(size or 0)
