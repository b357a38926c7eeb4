"""Calls that were made before, just so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.checks.sameness import same_calls
from callscore.core.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.call import ToolCall

__all__ = ["repeated_calls"]


def repeated_calls(calls: Sequence[ToolCall]) -> tuple[Fault, ...]:
    """One fault for each call that has the name and the arguments of an earlier one."""
    return tuple(
        [
            Fault("repeat", calls[index].name, index, since=first)
            for index, first in enumerate(same_calls(calls))
            if first != index
        ]
    )
