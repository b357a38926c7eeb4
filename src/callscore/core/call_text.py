"""A call on one line, in bounded room: `get_weather(city="Oslo")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.malformed import NOT_CAPTURED
from callscore.core.text import (
    ELLIPSIS,
    clip,
    display_width,
    escape,
    render_arguments,
    render_value,
)

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

__all__ = ["arguments_text", "call_text", "name_text"]


def call_text(call: ToolCall, *, limit: int) -> str:
    """The call as one would write it, in at most `limit` columns."""
    name = name_text(call.name, limit=limit)
    return clip(name + arguments_text(call, limit=limit - display_width(name)), limit)


def name_text(name: str, *, limit: int) -> str:
    """The name of a tool in at most `limit` columns."""
    return clip(escape(name[: limit + 1]), limit)


def arguments_text(call: ToolCall, *, limit: int) -> str:
    """The arguments of a call in their brackets; they take `limit` columns, or a few more."""
    limit = max(limit - len("()"), 1)
    if call.error == NOT_CAPTURED:
        inside = "?"
    elif call.error is not None:
        inside = render_value(call.raw, limit=limit)
    elif call.arguments is None:
        inside = ELLIPSIS
    else:
        inside = render_arguments(call.arguments, limit=limit)
    return f"({inside})"
