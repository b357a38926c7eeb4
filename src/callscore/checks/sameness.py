"""Which calls are the same call: one number for all that have the same name and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.equality import fingerprint
from callscore.core.malformed import NOT_CAPTURED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.call import ToolCall

__all__ = ["same_calls"]


def same_calls(calls: Sequence[ToolCall]) -> list[int]:
    """For each call the position of the first call that is the same; its own where it is the first.

    Arguments are the same as JSON equality has it, and unreadable ones where their text is. A call
    of which nobody wrote down the arguments is the same as no other.
    """
    first: dict[str, int] = {}
    return [
        index if call.error == NOT_CAPTURED else first.setdefault(_text(call), index)
        for index, call in enumerate(calls)
    ]


def _text(call: ToolCall) -> str:
    arguments = call.raw if call.error is not None else call.arguments or {}
    return fingerprint([call.name, arguments])
