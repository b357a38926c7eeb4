"""What answers a call of one of the tools that a model made, on any stack."""

from __future__ import annotations

from typing import Any

from callscore.api import read_calls
from callscore.core.wording import fault_text
from callscore.errors import CallscoreError, InvalidCall, UnknownFormat
from callscore.formats.objects import plain
from callscore.integrations.agent_tool import answer, error_text, tool_named

__all__ = ["handle"]

_CALL = '{"name": "score_tool_calls", "arguments": {...}}'
# In what some stacks wrap a call that stands among other parts of an answer.
_WRAPPERS = ("functionCall", "function_call", "toolUse", "tool_use")


def handle(call: Any) -> dict[str, Any]:
    """Run the tool that a model has called, and return what goes back to the model.

    It does not raise: a call that is wrong is answered with what to do instead.

    Args:
        call: one call, as the stack has it: an object of an SDK, data, or JSON text. An answer of a
            model that makes one call will do.

    Returns:
        The fields of the tool's output, or `{"error": "..."}`. It is plain data: whoever sends text
        encodes it as JSON.
    """
    try:
        name, arguments = _read(call)
        tool = tool_named(name)
    except CallscoreError as error:
        return {"error": error_text(error)}
    return answer(tool, arguments).content


def _read(value: Any) -> tuple[str, dict[str, Any]]:
    try:
        calls = read_calls(_unwrapped(value))
    except UnknownFormat as error:
        raise InvalidCall(f"there is no call in this. Hand over one such as {_CALL}.") from error
    if len(calls) != 1:
        found = f"are {len(calls)} calls" if calls else "is no call"
        raise InvalidCall(f"there {found} in this. Hand over one call at a time.")
    (call,) = calls
    if call.error is not None:
        problem = f"{call.name}: {fault_text(call.error)}"
        raise InvalidCall(f"{problem}. Make the call again with one JSON object as its arguments.")
    return call.name, call.arguments or {}


def _unwrapped(value: Any) -> Any:
    if isinstance(value, str | bytes | bytearray):
        return value
    value = plain(value)
    inner = [value[key] for key in _WRAPPERS if key in value] if isinstance(value, dict) else []
    return inner[0] if len(inner) == 1 and isinstance(inner[0], dict) else value
