"""Removes old runs and unreferenced payloads."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, closing, suppress
from time import time
from typing import TYPE_CHECKING

from msgspec import Struct

from callscore.errors import InvalidSettings, UnusableStore
from callscore.history import run_queries
from callscore.history.database import (
    DamagedHistoryError,
    execute,
    fetch_all,
    is_sqlite,
    readable_errors,
)
from callscore.history.locks import is_unlocked
from callscore.history.records import RunRecord
from callscore.history.rows import run_records

if TYPE_CHECKING:
    from callscore.history.database import AnyConnection
    from callscore.history.store import Store

# Runs removed in one transaction: other writers should not wait for long.
_RUNS_PER_TRANSACTION = 20
# A run marked as running counts as active for a day, afterwards only if a process has locked it.
_TRUSTED_SECONDS = 86_400.0
_CHECK = "PRAGMA quick_check(1)"
# Waits for other processes for a second.
_VACUUM = ("PRAGMA busy_timeout = 1000", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)")


class CleanupResult(Struct, frozen=True, kw_only=True):
    """What was removed, or would be removed by a dry run.

    Attributes:
        runs: the runs, oldest first.
        results: the number of their results.
        payloads: the number of payloads that only these runs use.
        bytes: the size of these payloads.
    """

    runs: tuple[RunRecord, ...] = ()
    results: int = 0
    payloads: int = 0
    bytes: int = 0


def remove_old_runs(store: Store, keep: int, *, is_dry: bool) -> CleanupResult:
    """Remove all but the newest runs, their answers, and payloads that only they use.

    Baselines, active runs, runs whose answers a remaining run scores again, answers that a remaining
    run reuses, and judgements are kept. A dry run only reports what would be removed.

    Raises:
        InvalidSettings: `keep` is negative.
    """
    if keep < 0:
        raise InvalidSettings(f"keep: {keep} is not a number of runs. Use 0 or more")
    with store.reading() as connection:
        # What is damaged may refer to payloads that seem to be unused.
        if is_sqlite(connection) and fetch_all(connection, _CHECK) != [("ok",)]:
            raise DamagedHistoryError("the file is damaged")
        if is_dry:
            old = _removable_runs(store, connection, keep)
            payload_count, size = _freed_payloads(connection, list(old))
            count = _count_results(connection, old)
            return CleanupResult(
                runs=tuple(old.values()), results=count, payloads=payload_count, bytes=size
            )
    removed, count = _remove_runs(store, keep)
    payload_count, size = _remove_payloads(store)
    if store.path is not None and (removed or payload_count):
        # Return free space to the disk; a server does this itself. While others are reading, or
        # without room for a copy on the disk, the file keeps its size and its free pages are reused.
        with (
            suppress(UnusableStore),
            readable_errors(store.place),
            closing(store.connect()) as connection,
        ):
            for statement in _VACUUM:
                execute(connection, statement)
    return CleanupResult(runs=removed, results=count, payloads=payload_count, bytes=size)


def _removable_runs(
    store: Store, connection: AnyConnection, keep: int, busy: Iterable[int] = ()
) -> dict[int, RunRecord]:
    """The runs that may be removed, oldest first, by row number; `busy` ones are kept."""
    saved = run_queries.all_runs(connection)
    named = {number for number, _ in saved.baselines.values()}
    records = dict(zip([row[0] for row in saved.rows], run_records(saved.rows), strict=True))
    kept = {*list(records)[:keep], *named, *busy}
    for number, run in records.items():
        if number not in kept and run.status == "running":
            is_recent = time() - run.started_at < _TRUSTED_SECONDS
            if is_recent or not is_unlocked(store, run):
                kept.add(number)
    kept = _with_parents(kept, records)
    return {number: run for number, run in reversed(records.items()) if number not in kept}


def _with_parents(numbers: Iterable[int], records: dict[int, RunRecord]) -> set[int]:
    """The runs, the runs whose answers they score again, and so on."""
    by_id = {run.id: number for number, run in records.items()}
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


def _remove_runs(store: Store, keep: int) -> tuple[tuple[RunRecord, ...], int]:
    """Remove runs; returns those that were removed, and the number of their results.

    Which ones is found again in every transaction: another process may have started to need one.
    """
    removed: list[RunRecord] = []
    busy: set[int] = set()
    count = 0
    while True:
        with ExitStack() as locks, store.writing() as connection:
            old = _removable_runs(store, connection, keep, busy)
            # Rescored runs before the run that has their answers.
            batch = dict(list(reversed(old.items()))[:_RUNS_PER_TRANSACTION])
            taken = {number for number, run in batch.items() if not _lock(locks, store, run)}
            busy |= taken
            if taken:
                continue
            count += _delete_runs(connection, list(batch), list(old))
        if not batch:
            return tuple(reversed(removed)), count
        removed += batch.values()


def _lock(locks: ExitStack, store: Store, run: RunRecord) -> bool:
    """Lock a run that could be resumed; returns False if another process is writing it."""
    if run.status == "finished":
        return True
    lock = store.lock(run.id)
    locks.callback(lock.release)
    return lock.take()


def _remove_payloads(store: Store) -> tuple[int, int]:
    """Remove unreferenced payloads; returns how many, and their size in bytes."""
    with store.writing() as connection:
        freed = _freed_payloads(connection, [])
        if freed != (0, 0):
            execute(connection, f"DELETE FROM payloads WHERE digest IN ({_unreferenced([])})")  # noqa: S608  (our names)
    return freed


# --- the SQL: numbers of runs are part of it, there may be more than a database accepts as values ---------

# Columns that refer to payloads.
_PAYLOAD_COLUMNS = {
    "results": ("payload", "answer"),
    "evaluations": ("tools",),
    "answers": ("answer",),
}


def _list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers)) or "NULL"


def _reused_questions(removed: Iterable[int]) -> str:
    """The questions whose answers a remaining run reuses instead of asking again."""
    others = f"run NOT IN ({_list(removed)})" if removed else "true"
    return f"SELECT question FROM results WHERE is_reused AND question IS NOT NULL AND {others}"  # noqa: S608  (numbers)


def _unreferenced(removed: Iterable[int]) -> str:
    """The digests of payloads that are unreferenced once these runs are removed."""
    is_kept = f"run NOT IN ({_list(removed)})" if removed else "true"
    is_answer_kept = f"(run IS NULL OR {is_kept} OR question IN ({_reused_questions(removed)}))"
    referring = [
        f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL"  # noqa: S608  (our names)
        f" AND {is_answer_kept if table == 'answers' else is_kept}"
        for table, columns in _PAYLOAD_COLUMNS.items()
        for column in columns
    ]
    return " EXCEPT ".join(["SELECT digest FROM payloads", *referring])


def _freed_payloads(connection: AnyConnection, removed: Iterable[int]) -> tuple[int, int]:
    """The number and total size of the payloads that are unreferenced once these runs are removed."""
    query = (
        "SELECT count(*), coalesce(sum(length(body)), 0) FROM payloads"  # noqa: S608  (our names)
        f" WHERE digest IN ({_unreferenced(removed)})"
    )
    [(count, size)] = fetch_all(connection, query)
    return count, int(size)


def _count_results(connection: AnyConnection, numbers: Iterable[int]) -> int:
    query = f"SELECT count(*) FROM results WHERE run IN ({_list(numbers)})"  # noqa: S608  (numbers)
    [(count,)] = fetch_all(connection, query)
    return int(count)


def _delete_runs(connection: AnyConnection, numbers: list[int], all_removed: list[int]) -> int:
    """Delete runs; returns the number of their results.

    Answers that a run other than `all_removed` reuses stay, and belong to no run any more.
    """
    if not numbers:
        return 0
    these = _list(numbers)
    execute(
        connection,
        f"DELETE FROM answers WHERE run IN ({these})"  # noqa: S608  (numbers)
        f" AND question NOT IN ({_reused_questions(all_removed)})",
    )
    count = execute(connection, f"DELETE FROM results WHERE run IN ({these})")  # noqa: S608  (numbers)
    execute(connection, f"DELETE FROM runs WHERE number IN ({these})")  # noqa: S608  (numbers)
    return count
