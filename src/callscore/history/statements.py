"""The statements that are made thousands of times, built once."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from callscore.history.tables import (
    answers,
    baselines,
    evaluations,
    judgements,
    payloads,
    results,
    runs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, CursorResult, Dialect, Select, Table

__all__ = [
    "ANSWER",
    "ANSWER_IN_RUN",
    "EVALUATIONS",
    "JUDGEMENT",
    "KNOWN_PAYLOADS",
    "NUMBER",
    "RESULTS",
    "RESULTS_OF_CASE",
    "Insert",
    "Inserts",
    "add_rows",
    "add_run",
    "inserts_for",
    "prepared",
]


# As many values as every SQLite takes in one statement.
_MOST_VALUES = 900


_INSERTS = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class Insert(Struct, frozen=True):
    """A statement that adds rows, as text that the driver of a database takes.

    Attributes:
        text: the statement.
        names: which columns the driver wants, one after the other; empty where it wants names.
    """

    text: str
    names: tuple[str, ...]


class Inserts(Struct, frozen=True):
    """What adds rows, in the words of one kind of database.

    Attributes:
        payload: keeps a payload, unless it is there.
        evaluation: keeps an evaluation, in place of one of the same number.
        answer: keeps an answer.
        result: keeps a result, in place of one of the same case and trial.
        judgement: keeps a judgement, in place of an earlier one.
        baseline: keeps a baseline, in place of an earlier one of the same name.
    """

    payload: Insert
    evaluation: Insert
    answer: Insert
    result: Insert
    judgement: Insert
    baseline: Insert


@lru_cache(maxsize=8)
def inserts_for(dialect: Dialect) -> Inserts:
    """What adds rows in SQLite or PostgreSQL."""
    insert: Any = _INSERTS[dialect.name]

    def adding(table: Table) -> Insert:
        return _compiled(insert(table), table, dialect)

    def replacing(table: Table, *key: str) -> Insert:
        statement = insert(table)
        others = {name: statement.excluded[name] for name in _given(table) if name not in key}
        return _compiled(
            statement.on_conflict_do_update(index_elements=key, set_=others), table, dialect
        )

    return Inserts(
        payload=_compiled(insert(payloads).on_conflict_do_nothing(), payloads, dialect),
        evaluation=replacing(evaluations, "run", "number"),
        answer=adding(answers),
        result=replacing(results, "run", "evaluation", "case_id", "trial"),
        judgement=replacing(judgements, "key"),
        baseline=replacing(baselines, "name"),
    )


def _given(table: Table) -> list[str]:
    """The columns of a row that are not numbered by the database itself."""
    own = table.autoincrement_column
    return [column.name for column in table.columns if column is not own]


def _compiled(statement: Any, table: Table, dialect: Dialect) -> Insert:
    # Inline, or some databases would give back the number of each row, which nobody wants.
    compiled = statement.inline().compile(dialect=dialect, column_keys=_given(table))
    return Insert(str(compiled), tuple(compiled.positiontup or ()))


def add_rows(connection: Connection, insert: Insert, rows: Sequence[dict[str, Any]]) -> None:
    """Add rows, in the transaction that is under way.

    The driver is given them as they are: looking at each value once more takes SQLAlchemy longer
    than the database takes to write it. Where it can, it is given many in one statement: between two
    statements it lets go of the interpreter, which it gets back only when the others let it.
    """
    if not insert.names:
        if rows:
            connection.exec_driver_sql(insert.text, list(rows))
        return
    values_of = itemgetter(*insert.names)
    most = _MOST_VALUES // len(insert.names)
    for start in range(0, len(rows), most):
        some = rows[start : start + most]
        values = tuple([value for row in some for value in values_of(row)])
        connection.exec_driver_sql(_for_many(insert, len(some)), values)


def add_run(connection: Connection, row: dict[str, Any]) -> bool:
    """Add a run, in the transaction that is under way; whether no other has its id."""
    insert: Any = _INSERTS[connection.dialect.name](runs)
    adding = insert.values(row).on_conflict_do_nothing(index_elements=["id"])
    counted = adding.execution_options(preserve_rowcount=True)
    return bool(connection.execute(counted).rowcount)


@lru_cache(maxsize=512)
def _for_many(insert: Insert, count: int) -> str:
    """The statement for so many rows at once."""
    row = f"({', '.join('?' * len(insert.names))})"
    return insert.text.replace(f"VALUES {row}", f"VALUES {', '.join([row] * count)}")


def prepared(
    connection: Connection, query: Select[*tuple[Any, ...]], given: dict[str, Any]
) -> CursorResult[*tuple[Any, ...]]:
    """What a query gives that is one of a few; it spares what SQLAlchemy does for each query.

    The values are as the driver of the database gives them: truth values may be numbers.
    """
    text, names, known = _prepared(query, connection.dialect)
    values: Any = known | given
    if names:
        values = tuple([values[name] for name in names])
    return connection.exec_driver_sql(text, values)


@lru_cache(maxsize=64)
def _prepared(
    query: Select[*tuple[Any, ...]], dialect: Dialect
) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """The text of a query, the order that its values have, and those that it brings itself."""
    compiled = query.compile(dialect=dialect)
    return str(compiled), tuple(compiled.positiontup or ()), dict(compiled.params)


NUMBER = select(runs.c.number).where(runs.c.id == bindparam("id"))

KNOWN_PAYLOADS = select(payloads.c.digest).where(
    payloads.c.digest.in_(bindparam("digests", expanding=True))
)

JUDGEMENT = select(judgements.c.answer).where(judgements.c.key == bindparam("key"))

_tools = payloads.alias("tools")
EVALUATIONS = (
    select(evaluations, _tools.c.body.label("tools_body"))
    .outerjoin(_tools, evaluations.c.tools == _tools.c.digest)
    .where(evaluations.c.run == bindparam("run"))
    .order_by(evaluations.c.number)
)


def _results() -> Select[Any]:
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


_all_results = _results()
RESULTS = (
    _all_results.where(results.c.number > bindparam("after"))
    .order_by(results.c.number)
    .limit(bindparam("limit"))
)
RESULTS_OF_CASE = _all_results.where(results.c.case_id == bindparam("case")).order_by(
    results.c.evaluation, results.c.trial
)

_answers = (
    select(answers, payloads.c.body.label("answer_body"), runs.c.id.label("run_id"))
    .outerjoin(payloads, answers.c.answer == payloads.c.digest)
    .outerjoin(runs, answers.c.run == runs.c.number)
    .where(answers.c.question == bindparam("question"), answers.c.trial == bindparam("trial"))
    .order_by(answers.c.number.desc())
    .limit(1)
)
ANSWER = _answers.where(answers.c.source == bindparam("source"))
ANSWER_IN_RUN = _answers.where(answers.c.run == bindparam("run"))
