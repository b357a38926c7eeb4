"""Calls that failed and were made again, just so, although nothing had changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.checks.sameness import same_calls
from callscore.core.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.call import ToolCall

__all__ = ["unchanged_retries"]


def unchanged_retries(calls: Sequence[ToolCall]) -> tuple[Fault, ...]:
    """One fault for each call that is the same as one that failed, with no success in between.

    What succeeds may have changed something, or taught the agent something, and then the same call
    can be a good idea. Calls of one step are made at once: none of them knows of the others.
    """
    failed: dict[int, int] = {}  # by the first call that is the same, the latest that failed
    found: list[Fault] = []
    for index, (call, first) in enumerate(zip(calls, same_calls(calls), strict=True)):
        since = failed.get(first)
        if since is not None and not _is_same_step(calls[since], call):
            found.append(Fault("retry_unchanged", call.name, index, since=since))
        if call.failed:
            failed[first] = index
        else:
            failed.clear()
    return tuple(found)


def _is_same_step(left: ToolCall, right: ToolCall) -> bool:
    return left.step is not None and left.step == right.step
