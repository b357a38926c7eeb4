"""Removes old runs and unreferenced payloads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing, suppress
from functools import cache
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
from callscore.history.records import RunRecord
from callscore.history.rows import run_records

if TYPE_CHECKING:
    from callscore.history.database import AnyConnection
    from callscore.history.store import Store

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
        bytes: the size of these payloads, and of what the results have themselves.
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
    with ExitStack() as locks:

        @cache
        def lock(run: str) -> bool:
            taken = store.lock(run)
            locks.callback(taken.release)
            return taken.take()

        with store.reading() as connection:
            # What is damaged may refer to payloads that seem to be unused.
            if is_sqlite(connection) and fetch_all(connection, _CHECK) != [("ok",)]:
                raise DamagedHistoryError("the file is damaged")
            old = _removable_runs(connection, keep, lock)
            sizes = _sizes(connection, list(old))  # takes long: others can write meanwhile
        if not is_dry:
            with store.writing() as connection:
                # Another process may have set a baseline since then, or rescored a run.
                still = _removable_runs(connection, keep, lock)
                old = {number: run for number, run in old.items() if number in still}
                _delete(connection, list(old))
    found = CleanupResult(runs=tuple(old.values()), **sizes)
    if not is_dry and store.path is not None and (found.runs or found.payloads):
        # Return free space to the disk; a server does this itself. While others are reading, or
        # without room for a copy on the disk, the file keeps its size and its free pages are reused.
        with (
            suppress(UnusableStore),
            readable_errors(store.place),
            closing(store.connect()) as connection,
        ):
            for statement in _VACUUM:
                execute(connection, statement)
    return found


def _removable_runs(
    connection: AnyConnection, keep: int, lock: Callable[[str], bool]
) -> dict[int, RunRecord]:
    """The runs that may be removed, oldest first, by row number.

    Those that are not finished are locked: another process may be about to resume them.
    """
    saved = run_queries.all_runs(connection)
    named = {number for number, _ in saved.baselines.values()}
    records = dict(zip([row[0] for row in saved.rows], run_records(saved.rows), strict=True))
    kept = {*list(records)[:keep], *named}
    for number, run in records.items():
        if number not in kept and run.status != "finished":
            is_recent = time() - run.started_at < _TRUSTED_SECONDS
            if (is_recent and run.status == "running") or not lock(run.id):
                kept.add(number)
    by_id = {run.id: number for number, run in records.items()}
    for number in tuple(kept):  # the runs whose answers they score again, and so on
        parent = by_id.get(records[number].parent or "")
        while parent is not None and parent not in kept:
            kept.add(parent)
            parent = by_id.get(records[parent].parent or "")
    return {number: run for number, run in reversed(records.items()) if number not in kept}


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


def _sizes(connection: AnyConnection, removed: list[int]) -> dict[str, int]:
    """The results of runs, and the payloads that are unreferenced once these runs are removed."""
    [(results, own_size)] = fetch_all(
        connection,
        "SELECT count(*), coalesce(sum(length(body)), 0) FROM results"  # noqa: S608  (numbers)
        f" WHERE run IN ({_list(removed)})",
    )
    [(payloads, size)] = fetch_all(
        connection,
        "SELECT count(*), coalesce(sum(length(body)), 0) FROM payloads"  # noqa: S608  (our names)
        f" WHERE digest IN ({_unreferenced(removed)})",
    )
    return {"results": results, "payloads": payloads, "bytes": int(size + own_size)}


def _delete(connection: AnyConnection, removed: list[int]) -> None:
    """Delete runs, and payloads that only they use.

    Answers that another run reuses stay, and belong to no run any more.
    """
    these = _list(removed)
    for condition in (
        f"payloads WHERE digest IN ({_unreferenced(removed)})",
        f"answers WHERE run IN ({these}) AND question NOT IN ({_reused_questions(removed)})",
        f"results WHERE run IN ({these})",
        f"runs WHERE number IN ({these})",
    ):
        execute(connection, f"DELETE FROM {condition}")  # noqa: S608  (our names, and numbers)
