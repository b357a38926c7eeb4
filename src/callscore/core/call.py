"""One call of a tool."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

__all__ = ["ToolCall"]


class ToolCall(Struct, frozen=True, gc=False, omit_defaults=True, repr_omit_defaults=True):
    """One tool invocation.

    Attributes:
        name: the tool, spelled as the trace spells it.
        arguments: the argument object. None in an expected call accepts any arguments.
        id: the id that the trace gives the call; ids are not unique in real traces.
        step: calls of one assistant message share it.
        result: what the tool answered.
        failed: whether that answer was an error.
        raw: what stood in place of the arguments, where that is not a JSON object.
        error: why it is not, as one of the words in `callscore.core.malformed` or in the words of
            the trace. Such a call is paired by name and is never correct.
        kind: `server` for a tool that the provider runs itself, `mcp` for one of an MCP server.
        caller: who made the call, where that is not the agent: `user`, `subagent` or `code`.
        positional: whether the arguments had no names, and are named by their positions.
        warning: what is odd about arguments that could be read: `duplicate_keys`,
            `double_encoded`, `python_repr` (not JSON, but what Python prints).
    """

    name: str
    arguments: dict[str, Any] | None = None
    id: str | None = None
    step: int | None = None
    result: Any = None
    failed: bool | None = None
    raw: str | None = None
    error: str | None = None
    kind: str | None = None
    caller: str | None = None
    positional: bool = False
    warning: str | None = None
