"""What answers a call of one of the tools that a model made, on any stack."""

from __future__ import annotations

from os import PathLike
from typing import Any

from callscore.api import read_calls
from callscore.core.wording import fault_text
from callscore.errors import CallscoreError, InvalidCall, UnknownFormat
from callscore.formats.calls import NAMES, is_pair
from callscore.formats.objects import plain as plain_object
from callscore.integrations.agent_tool import TOOLS, answer, error_text, tool_named

__all__ = ["handle"]

_CALL = '{"name": "score_tool_calls", "arguments": {...}}'
_NO_CALL = f"there is no call in this. Hand over one such as {_CALL}."
# In what some stacks wrap a call that stands among other parts of an answer.
_WRAPPERS = ("functionCall", "function_call", "toolUse", "tool_use")
_PREFIX = "tool-"  # with which a part of a message in Vercel's AI SDK names its tool


def handle(call: Any) -> dict[str, Any]:
    """Run the tool that a model has called, and return what goes back to the model.

    It does not raise: a call that is wrong is answered with what to do instead. It reads no files.
    It runs here, for as long as it takes: who does not trust what is compared sets a limit around it.

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
    if isinstance(value, PathLike):
        raise InvalidCall(f"a path is no call, and no file is read. Hand over one such as {_CALL}.")
    try:
        calls = read_calls(_unwrapped(value))
    except UnknownFormat as error:
        raise InvalidCall(_NO_CALL) from error
    if len(calls) > 1:
        problem = f"there are {len(calls)} calls in this. Hand over one call at a time."
        raise InvalidCall(problem)
    if not calls:
        raise InvalidCall(_NO_CALL)
    (call,) = calls
    if call.error is not None:
        problem = f"{call.name}: {fault_text(call.error)}"
        raise InvalidCall(f"{problem}. Make the call again with one JSON object as its arguments.")
    return call.name, call.arguments or {}


def _unwrapped(value: Any) -> Any:
    if isinstance(value, str | bytes | bytearray):
        return value
    value = plain_object(value)
    if is_pair(value):
        return {"name": value[0], "arguments": value[1]}
    if not isinstance(value, dict):
        return value
    inner = [value[key] for key in _WRAPPERS if isinstance(value.get(key), dict)]
    return _spelled_out(inner[0] if len(inner) == 1 else value)


def _spelled_out(call: dict[str, Any]) -> dict[str, Any]:
    """The call with what goes without saying: arguments, if only none, and a name."""
    kind = call.get("type")
    if isinstance(kind, str) and kind.removeprefix(_PREFIX) in TOOLS:
        return {"name": kind.removeprefix(_PREFIX), "arguments": call.get("input")}
    is_name = len(call) == 1 and any(call.get(key) in [*TOOLS] for key in NAMES)
    return {**call, "arguments": {}} if is_name else call
