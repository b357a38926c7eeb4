"""Clears old runs away, and what nobody refers to any more."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from time import time
from typing import TYPE_CHECKING, Any

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
)

from callscore.errors import InvalidSettings, UnusableStore
from callscore.history.records import RunRecord
from callscore.history.rows import run_records
from callscore.history.run_rows import baseline_numbers, runs_by_numbers, stored_runs
from callscore.history.tables import answers, evaluations, payloads, results, runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    from callscore.history.store import Store

__all__ = ["Cleared", "clear_runs"]

# So many runs are removed in one transaction: whoever wants to write should not wait for long.
_RUNS_AT_ONCE = 20
# And so many payloads; for each lot, what refers to any is looked through once.
_PAYLOADS_AT_ONCE = 50_000
# A run that says it is under way is believed for a day, and then only if a process is at it.
_BELIEVED = 86_400.0
# Milliseconds to wait for others before the file is left as long as it is.
_PATIENCE = 1_000

# Numbers stand in the statement itself, for there may be more than a database takes as values.
_NUMBERS: BindParameter[int] = bindparam("numbers", expanding=True, literal_execute=True)
_GOING: BindParameter[int] = bindparam("going", expanding=True, literal_execute=True)

# Where the digest of a payload may stand.
_REFERENCES = (
    results.c.payload,
    results.c.answer,
    results.c.calls,
    results.c.comparison,
    evaluations.c.tools,
    answers.c.answer,
)

_unused = Table(
    "callscore_unused",
    MetaData(),
    Column("digest", LargeBinary(16), primary_key=True),
    prefixes=["TEMPORARY"],
)


class Cleared(Struct, frozen=True, kw_only=True):
    """What was cleared away, or would be.

    Attributes:
        runs: the runs, the oldest first.
        results: how many results they have.
        payloads: how many texts nobody refers to without them.
        bytes: how much room these take.
    """

    runs: tuple[RunRecord, ...] = ()
    results: int = 0
    payloads: int = 0
    bytes: int = 0


def clear_runs(store: Store, keep: int, *, is_dry: bool) -> Cleared:
    """Remove all but the newest runs, with their answers, and every text that only they have.

    Baselines stay, runs that are under way, and those whose answers a run that stays scores again.
    So do answers that a run that stays has taken over, and what judges have said.

    Args:
        store: the history.
        keep: how many of the newest runs stay.
        is_dry: whether to say only what would be removed.

    Raises:
        InvalidSettings: fewer than no runs are to stay.
    """
    if keep < 0:
        raise InvalidSettings(f"keep: {keep} runs cannot stay; 0 or more can")
    old = _old_runs(store, keep)
    if is_dry:
        with store.reading() as connection:
            _use_memory(connection)
            return _foreseen(connection, old)
    removed, count = _remove(store, old)
    payload_count, size = _sweep(store)
    if removed or payload_count:
        _make_small(store)
    return Cleared(runs=removed, results=count, payloads=payload_count, bytes=size)


# --- which runs ------------------------------------------------------------------------------


def _old_runs(store: Store, keep: int) -> dict[int, RunRecord]:
    """The runs that may go, the oldest first, by their numbers."""
    with store.reading() as connection:
        rows = stored_runs(connection)
        named = baseline_numbers(connection)
    records = dict(zip([row.number for row in rows], run_records(rows), strict=True))
    by_id = {run.id: number for number, run in records.items()}
    newest = list(records)[:keep]
    staying = {*newest, *named}
    staying |= {
        number
        for number, run in records.items()
        if number not in staying and run.status == "running" and _is_under_way(store, run)
    }
    staying = _with_parents(staying, records, by_id)
    return {number: run for number, run in reversed(records.items()) if number not in staying}


def _is_under_way(store: Store, run: RunRecord) -> bool:
    if time() - run.started_at < _BELIEVED:
        return True
    lock = store.lock(run.id)
    if not lock.take():
        return True
    lock.release()
    return False


def _with_parents(
    numbers: Iterable[int], records: dict[int, RunRecord], by_id: dict[str, int]
) -> set[int]:
    """The runs, those whose answers they score again, and so on."""
    found: set[int] = set()
    waiting = [number for number in numbers if number in records]
    while waiting:
        number = waiting.pop()
        if number in found:
            continue
        found.add(number)
        parent = by_id.get(records[number].parent or "")
        if parent is not None:
            waiting.append(parent)
    return found


# --- what would go ---------------------------------------------------------------------------


def _foreseen(connection: Connection, old: dict[int, RunRecord]) -> Cleared:
    payload_count, size = _freed(connection, list(old))
    return Cleared(
        runs=tuple(old.values()),
        results=_count_results(connection, list(old)),
        payloads=payload_count,
        bytes=size,
    )


def _count_results(connection: Connection, numbers: list[int]) -> int:
    """How many results runs have."""
    query = select(func.count()).select_from(results).where(results.c.run.in_(_NUMBERS))
    return connection.execute(query, {"numbers": numbers}).scalar_one()


def _freed(connection: Connection, numbers: list[int]) -> tuple[int, int]:
    """How many payloads nothing refers to without these runs, and how much room they take."""
    gone = _unreferenced(_NUMBERS).subquery()
    sizes = select(func.count(), func.sum(func.length(payloads.c.body))).join_from(
        gone, payloads, gone.c.digest == payloads.c.digest
    )
    count, size = connection.execute(sizes, {"numbers": numbers}).one()
    return count, int(size or 0)


def _unused_digests(connection: Connection) -> list[bytes]:
    """The digests of the payloads that nothing refers to."""
    return list(map(bytes, connection.execute(_unreferenced()).scalars()))


def _unreferenced(removed: Any = None) -> Any:
    """The digests of the payloads that nothing refers to, once these runs are removed."""
    referring = [select(column).where(column.is_not(None)) for column in _REFERENCES]
    if removed is not None:
        referring = [
            query.where(_stays(column, removed))
            for query, column in zip(referring, _REFERENCES, strict=True)
        ]
    return except_(select(payloads.c.digest), *referring)


def _stays(column: Any, removed: Any) -> Any:
    """Whether a row stays when runs are removed."""
    if column.table is answers:
        return or_(answers.c.run.is_(None), answers.c.run.not_in(removed), _is_taken_over(removed))
    return column.table.c.run.not_in(removed)


def _is_taken_over(removed: Any) -> Any:
    """Whether a run that stays has taken an answer over, and did not ask again."""
    return answers.c.question.in_(_taken_over(removed))


def _taken_over(removed: Any) -> Any:
    return select(results.c.question).where(results.c.is_reused, results.c.run.not_in(removed))


def _has_taken_over(connection: Connection, removed: list[int]) -> bool:
    """Whether a run that stays has taken any answer over."""
    some = _taken_over(_NUMBERS).limit(1)
    return connection.execute(some, {"numbers": removed}).first() is not None


# --- removing --------------------------------------------------------------------------------


def _remove(store: Store, old: dict[int, RunRecord]) -> tuple[tuple[RunRecord, ...], int]:
    """Remove runs; those that are removed, and how many results they had."""
    removed: list[RunRecord] = []
    count = 0
    numbers = list(reversed(old))  # what is scored again goes before the run that has its answers
    with store.reading() as connection:
        has_taken = _has_taken_over(connection, numbers)
    for start in range(0, len(numbers), _RUNS_AT_ONCE):
        some = {number: old[number] for number in numbers[start : start + _RUNS_AT_ONCE]}
        with _held(store, some) as free, store.writing(is_alone=True) as connection:
            going = _still_going(connection, free)
            count += _remove_some(connection, going, numbers if has_taken else None)
        removed += [old[number] for number in going]
    return tuple(reversed(removed)), count


@contextmanager
def _held(store: Store, some: dict[int, RunRecord]) -> Iterator[dict[int, RunRecord]]:
    """Those of the runs that no process is at, and none begins with meanwhile."""
    with ExitStack() as held:
        free = {}
        for number, run in some.items():
            if run.status != "finished":  # what is finished does not go on
                lock = store.lock(run.id)
                if not lock.take():
                    continue
                held.callback(lock.release)
            free[number] = run
        yield free


def _still_going(connection: Connection, some: dict[int, RunRecord]) -> list[int]:
    """Those of the runs that may still go: somebody may have begun to need one since."""
    named = baseline_numbers(connection)
    same = {
        row.number
        for row in runs_by_numbers(connection, some)
        if (row.id, row.status) == (some[row.number].id, some[row.number].status)
    }
    going = [number for number in some if number in same - named]
    while needed := _needed(connection, {some[number].id: number for number in going}):
        going = [number for number in going if number not in needed]
    return going


def _needed(connection: Connection, going: dict[str, int]) -> set[int]:
    """Those of the runs whose answers a run that stays scores again, by their numbers."""
    children = select(runs.c.number, runs.c.parent).where(runs.c.parent.in_(list(going)))
    numbers = set(going.values())
    return {going[row.parent] for row in connection.execute(children) if row.number not in numbers}


def _remove_some(connection: Connection, some: list[int], going: list[int] | None) -> int:
    """Remove runs; how many results they had.

    Args:
        connection: where they are kept.
        some: their numbers.
        going: those of all that go, where others may have taken their answers over.
    """
    given = {"numbers": some}
    unwanted = delete(answers).where(answers.c.run.in_(_NUMBERS))
    if going is None:
        connection.execute(unwanted, given)
    else:
        connection.execute(unwanted.where(~_is_taken_over(_GOING)), given | {"going": going})
    gone = connection.execute(delete(results).where(results.c.run.in_(_NUMBERS)), given)
    connection.execute(delete(runs).where(runs.c.number.in_(_NUMBERS)), given)
    return gone.rowcount


def _sweep(store: Store) -> tuple[int, int]:
    """Remove the payloads that nothing refers to; how many they were, and how much room they took."""
    with store.reading() as connection:
        _use_memory(connection)
        digests = _unused_digests(connection)
    count = size = 0
    for start in range(0, len(digests), _PAYLOADS_AT_ONCE):
        with store.writing(is_alone=True) as connection:
            some = _sweep_some(connection, digests[start : start + _PAYLOADS_AT_ONCE])
        count, size = count + some[0], size + some[1]
    return count, size


def _sweep_some(connection: Connection, digests: list[bytes]) -> tuple[int, int]:
    """Remove payloads, unless somebody refers to them by now."""
    _unused.create(connection)
    connection.execute(insert(_unused), [{"digest": digest} for digest in digests])
    candidates = select(_unused.c.digest)
    for column in _REFERENCES:
        used = select(column).where(column.in_(candidates))
        connection.execute(delete(_unused).where(_unused.c.digest.in_(used)))
    unused = payloads.c.digest.in_(candidates)
    sizes = select(func.count(), func.sum(func.length(payloads.c.body))).where(unused)
    count, size = connection.execute(sizes).one()
    connection.execute(delete(payloads).where(unused))
    _unused.drop(connection)
    return count, int(size or 0)


def _use_memory(connection: Connection) -> None:
    """Let a long list of digests be sorted in memory, where a disk would take minutes."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA temp_store = MEMORY")


def _make_small(store: Store) -> None:
    """Give the room back to the disk; a server does that by itself."""
    if store.path is None:
        return
    # Where others are reading, or the disk has no room for a copy, the file takes its room again
    # when something is written. Nobody should wait long for that.
    with suppress(UnusableStore), store.reading() as connection:
        _vacuum(connection, _PATIENCE)


def _vacuum(connection: Connection, patience: int) -> None:
    """Write the file anew without gaps; wait at most so many milliseconds for others."""
    before = connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one()
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {patience}")
    try:
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {before}")
