"""Whether a run has left cases out because somebody told it to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.errors import UnknownRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.history.records import RunRecord
    from callscore.history.store import Store

__all__ = ["is_partial", "lineage"]

# What makes a run ask only some of the cases, among the arguments that it keeps.
_SELECTIONS = ("keyword", "tags", "limit", "cases")
# What a run of files calls `cases` are the files.
_FILES = "score"


def is_partial(run: RunRecord, others: Mapping[str, RunRecord]) -> bool:
    """Whether a run left cases out; what was scored again left out what its answers' run left out.

    Args:
        run: the run.
        others: runs by their ids, those that it has its answers from among them.
    """
    seen: set[str] = set()
    current: RunRecord | None = run
    while current is not None and current.id not in seen:
        if current.command != _FILES and any(map(current.arguments.get, _SELECTIONS)):
            return True
        seen.add(current.id)
        current = others.get(current.parent or "")
    return False


def lineage(store: Store, run: RunRecord) -> dict[str, RunRecord]:
    """A run, the one that it has its answers from, and so on, by their ids, as far as they are kept."""
    found: dict[str, RunRecord] = {}
    current: RunRecord | None = run
    while current is not None and current.id not in found:
        found[current.id] = current
        try:
            current = store.find(current.parent, resolve=None) if current.parent else None
        except UnknownRun:
            current = None
    return found
