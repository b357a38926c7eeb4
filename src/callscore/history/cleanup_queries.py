"""The SQL of a cleanup: what only some runs refer to, and how it is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
)

from callscore.history.schema import answers, evaluations, payloads, results, runs

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "count_results",
    "delete_runs",
    "delete_unused_payloads",
    "freed_payloads",
    "has_reused_answers",
    "parents_in_use",
    "unused_digests",
]

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
    return list(connection.execute(_unreferenced_payloads()).scalars())


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
    deleted = connection.execute(delete(results).where(results.c.run.in_(_LITERAL_NUMBERS)), values)
    connection.execute(delete(runs).where(runs.c.number.in_(_LITERAL_NUMBERS)), values)
    return deleted.rowcount


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
