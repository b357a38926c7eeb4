"""A tool call, a tool definition, and malformed JSON.

Malformed JSON is kept as text and never repaired. An error inside a value marks every object and
array around it, so that a case can still be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from callscore.core.large_number import number_from_text

AGENT = "agent"  # the caller of a call that has none


class ToolCall(Struct, frozen=True, gc=False, omit_defaults=True, repr_omit_defaults=True):
    """One call of a tool.

    Attributes:
        name: the name of the tool, as in the trace; empty if the trace has an empty name or none.
        arguments: the argument object. None in an expected call matches any arguments.
        id: the id of the call in the trace; not always unique.
        step: the number of the assistant message; calls of one message share it.
        result: the result of the tool.
        failed: whether the result is an error.
        raw: the arguments as written, if they are not a JSON object.
        error: why they are not, as one of the words in `callscore.core.call` or in the words of
            the trace. Such a call is paired by name and is never correct.
        kind: `hosted` for a tool that the provider runs, `mcp` for a tool of an MCP server.
        caller: who made the call, if not the agent: `user`, `subagent` or `code`.
        positional: whether the arguments have no names, and are named by their positions.
        warning: a problem of arguments that can be read: `duplicate_keys`,
            `double_encoded`, `python_repr` (not JSON, but what Python prints).
        turn: the number of the message of the user that it follows, from 0, where a user asks again
            after an answer. None if the trace does not say, or has only one such turn and is not
            compared with expected ones.
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
    turn: int | None = None


class DecodedCalls(tuple[ToolCall, ...]):
    """Calls that were decoded from JSON with nothing but names and arguments, and without rules.

    Any encoder of JSON writes their values as they are: none is nested deeply, and no integer is
    very large.
    """

    __slots__ = ()


Effect = Literal["read", "write"]


class Tool(Struct, frozen=True, gc=False, omit_defaults=True):
    """The definition of one tool.

    Attributes:
        name: the name of the tool.
        description: the description for the model.
        parameters: the JSON Schema of its arguments; None if the trace has none.
        effect: whether it only reads or may change something; None if unknown.
    """

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    effect: Effect | None = None


# What can be wrong with the arguments of a call, as `ToolCall.error` has it.
INVALID = "invalid_json"
TRUNCATED = "truncated_json"
CONCATENATED = "concatenated_json"
NOT_AN_OBJECT = "not_an_object"
TOO_DEEP = "nested_too_deeply"
NOT_CAPTURED = "not_captured"  # not recorded, unlike a call without arguments

MAX_EXCERPT = 2000  # characters of a text that are kept


class Malformed(Struct, frozen=True, gc=False):
    """A value that is not JSON although it is clear where it begins and ends.

    Attributes:
        raw: its text, shortened.
        problem: why it is not JSON, as half a sentence.
    """

    raw: str
    problem: str


class FaultyObject(dict[str, Any]):
    """A JSON object with something malformed in it, at whatever depth."""

    __slots__ = ("fault",)

    def __init__(self, members: dict[str, Any], fault: Malformed) -> None:
        super().__init__(members)
        self.fault = fault


class FaultyArray(list[Any]):
    """A JSON array with something malformed in it, at whatever depth."""

    __slots__ = ("fault",)

    def __init__(self, items: list[Any], fault: Malformed) -> None:
        super().__init__(items)
        self.fault = fault


def malformed_part(value: object) -> Malformed | None:
    """What is malformed in a value; None if nothing is."""
    if isinstance(value, FaultyObject | FaultyArray):
        return value.fault
    return value if isinstance(value, Malformed) else None


def excerpt(text: str) -> str:
    """The beginning of a text, always printable; `…` marks that the end was cut off."""
    kept = text if len(text) <= MAX_EXCERPT else text[:MAX_EXCERPT] + "…"
    return kept.encode("utf-8", "backslashreplace").decode()


_NOT_SPACE = re.compile(r"[^ \t\r\n]")


def split_concatenated_objects(
    text: str, *, parse_int: Callable[[str], Any] = number_from_text
) -> list[dict[str, Any]]:
    """The JSON objects in a text of several; empty if the text holds anything else.

    `parse_int` converts digits to a number; callers that only count objects skip that.
    """
    from json import JSONDecoder  # noqa: TID251  (it tells where a value ends)

    decode = JSONDecoder(
        parse_constant=_reject_constant, parse_int=parse_int, parse_float=number_from_text
    ).raw_decode
    found: list[dict[str, Any]] = []
    try:
        end = 0
        while begin := _NOT_SPACE.search(text, end):
            value, end = decode(text, begin.start())
            if not isinstance(value, dict):
                return []
            found.append(value)
    except (ValueError, RecursionError):
        return []
    return found


def _reject_constant(constant: str) -> Any:
    raise ValueError(constant)
