"""Calls that a model wrote as JSON: one object, a list of them, or several one after another.

What cannot be parsed is still a call, of the tool whose name can be seen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.malformed import INVALID, NOT_AN_OBJECT, TRUNCATED, Malformed, excerpt
from callscore.formats.arguments import raw_text, read_arguments
from callscore.formats.calls import ARGUMENTS, IDS
from callscore.formats.shape import first

if TYPE_CHECKING:
    from callscore.formats.transcript import Transcript

__all__ = ["begins_call", "json_values", "take_json", "take_values"]

_NAMES = ("name", "tool_name", "toolName", "tool", "function_name")
_BETWEEN = re.compile(r"[\s;,]*")
# How a call begins: with its name, and next its arguments.
_HEAD = re.compile(
    r"""\s*\{\s*(?:["']type["']\s*:\s*["']function["']\s*,\s*)?"""
    r"""["'](?:name|tool_name|function)["']\s*:\s*["'](?P<name>[^"'\\]+)["']\s*"""
    r"""(?:,\s*["'](?:arguments|parameters|args|input)["']\s*:\s*(?P<arguments>.*))?""",
    re.DOTALL,
)
_PLAIN = 2  # a call that has a name and arguments, and nothing else


def begins_call(text: str) -> bool:
    """Whether a text begins as a call does, even if it breaks off or is no JSON further on."""
    head = _HEAD.match(text)
    return head is not None and head["arguments"] is not None


def json_values(text: str) -> tuple[list[Any], str]:
    """The JSON values that stand one after another, and the text from where that ends.

    Between them may be white space, a semicolon or a comma.
    """
    try:
        return [msgspec.json.decode(text)], ""
    except (ValueError, RecursionError):
        return _values_in_turn(text)


def _values_in_turn(text: str) -> tuple[list[Any], str]:
    from json import JSONDecoder  # noqa: TID251  (it tells where a value ends)

    find_end = JSONDecoder().raw_decode
    values: list[Any] = []
    start = _after_gap(text, 0)
    try:
        while start < len(text):
            end = find_end(text, start)[1]
            values.append(msgspec.json.decode(text[start:end]))  # by the same rules as elsewhere
            start = _after_gap(text, end)
    except (ValueError, RecursionError):
        pass
    return values, text[start:]


def _after_gap(text: str, start: int) -> int:
    gap = _BETWEEN.match(text, start)
    return gap.end() if gap else start


def take_json(text: str, transcript: Transcript, *, is_closed: bool = True) -> None:
    """Write down the calls that a text spells as JSON.

    Args:
        text: an object, a list of objects, or several objects.
        transcript: where to.
        is_closed: whether a mark says where the text ends, so that nothing else belongs there.
    """
    text = text.strip()
    values, rest = json_values(text)
    if not values and text[:1] == "[" and read_arguments(text).error == TRUNCATED:
        values, rest = json_values(text[1:])  # those that are there before the list breaks off
    if not values or (rest and is_closed and rest[0] not in "{["):
        _take_broken(text, transcript, is_closed=is_closed)
        return
    if len(values) == 1 and not rest and _take_plain(text, values[0], transcript):
        return
    take_values(values, transcript)
    if rest and rest[0] in "{[":
        _take_broken(rest, transcript, is_closed=is_closed)


def _take_plain(text: str, value: Any, transcript: Transcript) -> bool:
    """Write down a call from its text, so that a key that is there twice does not go unseen."""
    head = _HEAD.match(text)
    if head is None or head["arguments"] is None or len(value) != _PLAIN:
        return False
    transcript.call(head["name"], head["arguments"].rstrip().removesuffix("}"))
    return True


def take_values(values: list[Any], transcript: Transcript) -> None:
    """Write down the calls that decoded values are, and those in lists among them."""
    for value in values:
        for item in value if isinstance(value, list) else [value]:
            _take_value(item, transcript)


def _take_value(value: Any, transcript: Transcript) -> None:
    if isinstance(value, dict):
        function = value.get("function")
        inner = function if isinstance(function, dict) else value
        name = first(inner, *_NAMES) or function
        transcript.call(name, first(inner, *ARGUMENTS), first(value, *IDS))
    else:
        transcript.call(None, Malformed(raw_text(value) or "", NOT_AN_OBJECT))


def _take_broken(text: str, transcript: Transcript, *, is_closed: bool) -> None:
    error = read_arguments(text).error or (INVALID if is_closed else TRUNCATED)
    head = _HEAD.match(text.removeprefix("["))
    name = head["name"] if head else None
    arguments = head["arguments"] if head else None
    if arguments is None:
        transcript.call(name, Malformed(excerpt(text), error))
        return
    if error != TRUNCATED:
        arguments = arguments.rstrip().removesuffix("}")
    transcript.call(name, arguments, error=error)
