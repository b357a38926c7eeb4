"""The calls and groups that a model sends, made ready for the reader.

Models put JSON into texts, and fill in every field that a schema offers, if only with nothing.
"""

from __future__ import annotations

from typing import Any

import msgspec

from callscore.errors import InvalidCall
from callscore.formats.calls import NAMES
from callscore.formats.describing import describe
from callscore.formats.expectations import FORBID, GROUPS, TIMES
from callscore.integrations.limits import MOST_CALLS, require_bounded, require_few_items

__all__ = ["CALLS", "DEFINITIONS", "unpacked_calls", "unpacked_tools"]

CALLS = '[{"tool": ..., "args": {...}}]'
DEFINITIONS = '[{"name": ..., "parameters": {a JSON Schema}}], or only the names, ["search"]'

_WHOLE = {"expected": CALLS, "actual": CALLS, "tools": DEFINITIONS}
_PARTS = (*GROUPS, FORBID)
_NOTHING: tuple[Any, ...] = (None, [], {}, "")
# What a group may be sent with, and what it says there.
_IDLE: dict[str, tuple[Any, ...]] = {
    "tool": _NOTHING,
    "args": (*_NOTHING, "{}"),
    TIMES: (*_NOTHING, 1),
}


def unpacked_calls(value: Any, where: str) -> Any:
    """A side with JSON that came as text taken for what it says, and without fields that say nothing.

    Args:
        value: what was sent.
        where: what to call it in messages: `expected`.

    Raises:
        InvalidCall: there is a text that is no JSON, or there are too many calls.
    """
    value = _whole(value, where)
    if isinstance(value, list):
        require_few_items(len(value), where)
    return _members(value, where)


def unpacked_tools(value: Any) -> Any:
    """The definitions of tools, likewise; any text that is no JSON is the name of one.

    Raises:
        InvalidCall: there is a text that is no JSON.
    """
    value = _whole(value, "tools")
    if not isinstance(value, list):
        return value
    return [_from_text(item, f"tools[{index}]") for index, item in enumerate(value)]


def _whole(value: Any, where: str) -> Any:
    return _decoded(value, where) if isinstance(value, str) else value


def _members(value: Any, where: str) -> Any:
    """One item, or a list of them."""
    value = _from_text(value, where)
    if isinstance(value, list):
        return [_item(item, f"{where}[{index}]") for index, item in enumerate(value)]
    return _item(value, where)


def _item(item: Any, where: str) -> Any:
    item = _from_text(item, where)
    if not isinstance(item, dict):
        return item
    item = _tidied(item)
    _require_few_times(item.get(TIMES), where)
    if any(name in item for name in NAMES):
        return item
    return {
        key: _members(value, f"{where}.{key}") if key in GROUPS else value
        for key, value in item.items()
    }


def _tidied(item: dict[str, Any]) -> dict[str, Any]:
    """An item without fields that say nothing; one that has no others stays as it is."""
    idle = {key for key in (*_PARTS, TIMES) if key in item and item[key] is None}
    parts = [key for key in _PARTS if key in item]
    filled = [key for key in parts if item[key] not in _NOTHING]
    is_call = any(item.get(name) for name in NAMES)
    if is_call or filled:
        idle.update(key for key in parts if key not in filled)
    if filled and not is_call:
        idle.update(key for key, values in _IDLE.items() if key in item and item[key] in values)
    return {key: value for key, value in item.items() if key not in idle} if idle else item


def _require_few_times(times: Any, where: str) -> None:
    bounds = times.values() if isinstance(times, dict) else [times]
    if any(isinstance(bound, int | float) and bound > MOST_CALLS for bound in bounds):
        problem = f"at most {MOST_CALLS:,} calls can be compared here; got {describe(times)}"
        raise InvalidCall(f"{where}.{TIMES}: {problem}.")


def _from_text(value: Any, where: str) -> Any:
    """A text that can only be meant as JSON; any other is the name of a tool."""
    is_json = isinstance(value, str) and value.lstrip().startswith(("{", "["))
    return _decoded(value, where) if is_json else value


def _decoded(text: str, where: str) -> Any:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        wanted = _WHOLE.get(where, "JSON")
        raise InvalidCall(f"{where}: give {wanted}; got the text {describe(text)}.") from error
    require_bounded(value)
    return value
