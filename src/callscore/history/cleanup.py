"""Removes old runs, and the payloads that nothing refers to any more."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from time import time
from typing import TYPE_CHECKING

from msgspec import Struct

from callscore.errors import InvalidSettings, UnusableStore
from callscore.history.database import sort_in_memory, vacuum
from callscore.history.encoding import run_records
from callscore.history.queries import (
    all_runs,
    baseline_numbers,
    count_results,
    delete_runs,
    delete_unused_payloads,
    freed_payloads,
    has_reused_answers,
    parents_in_use,
    runs_by_numbers,
    unused_digests,
)
from callscore.history.records import RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    from callscore.history.store import Store

__all__ = ["CleanupResult", "remove_old_runs"]

# So many runs are removed in one transaction: whoever wants to write should not wait for long.
_RUNS_PER_TRANSACTION = 20
# And so many payloads; for each lot, what refers to any is looked through once.
_PAYLOADS_PER_TRANSACTION = 50_000
# A run that says it is under way is believed for a day, and then only if a process is at it.
_TRUSTED_SECONDS = 86_400.0
# Milliseconds to wait for others before the file is left as long as it is.
_VACUUM_TIMEOUT_MS = 1_000


class CleanupResult(Struct, frozen=True, kw_only=True):
    """What was removed, or would be removed by a dry run.

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


def remove_old_runs(store: Store, keep: int, *, is_dry: bool) -> CleanupResult:
    """Remove all but the newest runs, their answers, and payloads that only they use.

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
    old = _removable_runs(store, keep)
    if is_dry:
        with store.reading() as connection:
            sort_in_memory(connection)
            return _preview(connection, old)
    removed, count = _remove_runs(store, old)
    payload_count, size = _remove_payloads(store)
    if removed or payload_count:
        _shrink_file(store)
    return CleanupResult(runs=removed, results=count, payloads=payload_count, bytes=size)


# --- which runs ------------------------------------------------------------------------------


def _removable_runs(store: Store, keep: int) -> dict[int, RunRecord]:
    """The runs that may be removed, oldest first, by row number."""
    with store.reading() as connection:
        rows = all_runs(connection)
        named = baseline_numbers(connection)
    records = dict(zip([row.number for row in rows], run_records(rows), strict=True))
    by_id = {run.id: number for number, run in records.items()}
    newest = list(records)[:keep]
    staying = {*newest, *named}
    staying |= {
        number
        for number, run in records.items()
        if number not in staying and run.status == "running" and _is_active(store, run)
    }
    staying = _with_parents(staying, records, by_id)
    return {number: run for number, run in reversed(records.items()) if number not in staying}


def _is_active(store: Store, run: RunRecord) -> bool:
    if time() - run.started_at < _TRUSTED_SECONDS:
        return True
    lock = store.lock(run.id)
    if not lock.take():
        return True
    lock.release()
    return False


def _with_parents(
    numbers: Iterable[int], records: dict[int, RunRecord], by_id: dict[str, int]
) -> set[int]:
    """The runs, the runs whose answers they score again, and so on."""
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


def _preview(connection: Connection, old: dict[int, RunRecord]) -> CleanupResult:
    payload_count, size = freed_payloads(connection, list(old))
    return CleanupResult(
        runs=tuple(old.values()),
        results=count_results(connection, list(old)),
        payloads=payload_count,
        bytes=size,
    )


# --- removing --------------------------------------------------------------------------------


def _remove_runs(store: Store, old: dict[int, RunRecord]) -> tuple[tuple[RunRecord, ...], int]:
    """Remove runs; those that are removed, and how many results they had."""
    removed: list[RunRecord] = []
    count = 0
    numbers = list(reversed(old))  # what is scored again goes before the run that has its answers
    with store.reading() as connection:
        has_taken = has_reused_answers(connection, numbers)
    for start in range(0, len(numbers), _RUNS_PER_TRANSACTION):
        some = {number: old[number] for number in numbers[start : start + _RUNS_PER_TRANSACTION]}
        with _locked(store, some) as free, store.writing(is_alone=True) as connection:
            going = _still_removable(connection, free)
            count += delete_runs(connection, going, numbers if has_taken else None)
        removed += [old[number] for number in going]
    return tuple(reversed(removed)), count


@contextmanager
def _locked(store: Store, some: dict[int, RunRecord]) -> Iterator[dict[int, RunRecord]]:
    """The runs that no process is writing; they stay locked inside the block."""
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


def _still_removable(connection: Connection, some: dict[int, RunRecord]) -> list[int]:
    """The runs that can still be removed: another process may have started to need one."""
    named = baseline_numbers(connection)
    same = {
        row.number
        for row in runs_by_numbers(connection, some)
        if (row.id, row.status) == (some[row.number].id, some[row.number].status)
    }
    going = [number for number in some if number in same - named]
    while needed := parents_in_use(connection, {some[number].id: number for number in going}):
        going = [number for number in going if number not in needed]
    return going


def _remove_payloads(store: Store) -> tuple[int, int]:
    """Remove unreferenced payloads; returns how many, and their size in bytes."""
    with store.reading() as connection:
        sort_in_memory(connection)
        digests = unused_digests(connection)
    count = size = 0
    for start in range(0, len(digests), _PAYLOADS_PER_TRANSACTION):
        with store.writing(is_alone=True) as connection:
            some = delete_unused_payloads(
                connection, digests[start : start + _PAYLOADS_PER_TRANSACTION]
            )
        count, size = count + some[0], size + some[1]
    return count, size


def _shrink_file(store: Store) -> None:
    """Return free space to the disk (VACUUM); a server does this itself."""
    if store.path is None:
        return
    # Where others are reading, or the disk has no room for a copy, the file takes its room again
    # when something is written. Nobody should wait long for that.
    with suppress(UnusableStore), store.reading() as connection:
        vacuum(connection, _VACUUM_TIMEOUT_MS)
