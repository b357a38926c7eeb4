"""Whether a process is still at a run that did not come to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callscore.history.records import RunRecord
    from callscore.history.store import Store

__all__ = ["is_left"]


def is_left(store: Store, run: RunRecord) -> bool:
    """Whether a run says that it is under way, and no process is at it: its own was ended."""
    if run.status != "running":
        return False
    lock = store.lock(run.id)
    if not lock.take():
        return False
    lock.release()
    return True
