"""Reads the input of the tools, within limits, with errors that state what to send instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, get_args

import msgspec
from msgspec import Struct

from callscore.api import tools_by_name
from callscore.core.call import Tool, ToolCall
from callscore.core.case import Expected, Forbidden, Group, Times
from callscore.core.rules import Matcher
from callscore.core.settings import (
    DEFAULT,
    PRESETS,
    Order,
    Settings,
    resolve_aliases,
    settings_from,
)
from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import InvalidCall, InvalidSettings, UnknownFormat
from callscore.formats.calls import NAME_KEYS, read_calls
from callscore.formats.case_fields import EXPECTED_STATE_FIELD, STATE_FIELDS
from callscore.formats.case_sides import numbered_for, options_for, read_expected_side, read_side
from callscore.formats.case_turns import actual_with_state, expected_with_state
from callscore.formats.expectations import FORBID, GROUPS, TIMES
from callscore.formats.shape import describe
from callscore.formats.trace import read_options_for

LARGEST = 1_000_000  # characters, plus one for every value
DEEPEST = 100  # levels; JSON decoders fail not far beyond
MOST_CALLS = 1_000  # on each side

_ATOMS = (str, int, float, type(None))  # a boolean is an integer here
_BITS_PER_DIGIT = 3


def require_bounded(value: Any) -> None:
    """Refuse an input that is too large or too deep, or that is not JSON."""
    size = 0
    level = [value]
    for _ in range(DEEPEST + 1):
        size += sum(map(_weight, level))
        if size > LARGEST:
            raise InvalidCall(
                f"the input is too large: the limit is {LARGEST:,} characters. Send fewer calls, or "
                "shorten long values in the same way on both sides."
            )
        level = [member for item in level for member in _members(item)]
        if not level:
            return
    raise InvalidCall(
        f"the input is nested too deeply: the limit is {DEEPEST} levels. Flatten the arguments, or "
        "send the deep ones as JSON text on both sides."
    )


def _weight(value: Any) -> int:
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, int):
        return 1 + value.bit_length() // _BITS_PER_DIGIT
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise InvalidCall("the input is not JSON: the keys of objects must be strings.")
        return 1 + sum(map(len, value))
    return 1


def _members(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, _ATOMS):
        kind = type(value).__qualname__
        raise InvalidCall(f"the input is not JSON: it contains a {kind}. Send plain data.")
    return []


def require_few(count: int, side: str, what: str = "calls") -> None:
    """Refuse a side with too many calls, or items."""
    if count > MOST_CALLS:
        raise InvalidCall(
            f"{side}: got {count:,} {what}, the limit is {MOST_CALLS:,}. Send them in parts, or run "
            "`callscore score` on a file."
        )


CALLS = '[{"tool": ..., "args": {...}}]'
DEFINITIONS = '[{"name": ..., "parameters": {a JSON Schema}}], or only the names, ["search"]'

_EXAMPLES = {"expected": CALLS, "actual": CALLS, "tools": DEFINITIONS}
_GROUP_FIELDS = (*GROUPS, FORBID)
_EMPTY_VALUES: tuple[Any, ...] = (None, [], {}, "")
# Fields that models send with a group, and their empty values.
_EMPTY_GROUP_FIELDS: dict[str, tuple[Any, ...]] = {
    "tool": _EMPTY_VALUES,
    "args": (*_EMPTY_VALUES, "{}"),
    TIMES: (*_EMPTY_VALUES, 1),
}


def unpacked_calls(value: Any, where: str) -> Any:
    """A side with JSON text decoded, and without empty fields; `where` is its name in messages.

    Raises:
        InvalidCall: a text is not JSON, or there are too many calls.
    """
    if isinstance(value, str):
        value = _decoded(value, where)
    if isinstance(value, list):
        require_few(len(value), where, "items")
    return _items(value, where)


def unpacked_tools(value: Any) -> Any:
    """The definitions of tools with JSON text decoded; other text in the list is a name."""
    if isinstance(value, str):
        value = _decoded(value, "tools")
    if not isinstance(value, list):
        return value
    return [_from_text(item, f"tools[{index}]") for index, item in enumerate(value)]


def _items(value: Any, where: str) -> Any:
    """One item, or a list of them."""
    value = _from_text(value, where)
    if isinstance(value, list):
        return [_item(item, f"{where}[{index}]") for index, item in enumerate(value)]
    return _item(value, where)


def _item(item: Any, where: str) -> Any:
    item = _from_text(item, where)
    if not isinstance(item, dict):
        return item
    item = _without_empty_fields(item)
    times = item.get(TIMES)
    bounds = times.values() if isinstance(times, dict) else [times]
    if any(isinstance(bound, int | float) and bound > MOST_CALLS for bound in bounds):
        problem = f"got {describe(times)}, the limit is {MOST_CALLS:,} calls"
        raise InvalidCall(f"{where}.{TIMES}: {problem}.")
    if any(name in item for name in NAME_KEYS):
        return item
    return {
        key: _items(value, f"{where}.{key}") if key in GROUPS else value
        for key, value in item.items()
    }


def _without_empty_fields(item: dict[str, Any]) -> dict[str, Any]:
    """An item without its empty fields, unless it has no others."""
    idle = {key for key in (*_GROUP_FIELDS, TIMES) if key in item and item[key] is None}
    parts = [key for key in _GROUP_FIELDS if key in item]
    filled = [key for key in parts if item[key] not in _EMPTY_VALUES]
    is_call = any(item.get(name) for name in NAME_KEYS)
    if is_call or filled:
        idle.update(key for key in parts if key not in filled)
    if filled and not is_call:
        idle.update(
            key
            for key, values in _EMPTY_GROUP_FIELDS.items()
            if key in item and item[key] in values
        )
    return {key: value for key, value in item.items() if key not in idle} if idle else item


def _from_text(value: Any, where: str) -> Any:
    """Decode a text that begins like JSON; any other is the name of a tool."""
    is_json = isinstance(value, str) and value.lstrip().startswith(("{", "["))
    return _decoded(value, where) if is_json else value


def _decoded(text: str, where: str) -> Any:
    try:
        value = msgspec.json.decode(str(text))  # the decoder refuses other kinds of text
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        example = _EXAMPLES.get(where, "JSON")
        raise InvalidCall(f"{where}: expected {example}, got the text {describe(text)}.") from error
    require_bounded(value)
    return value


# Parts of messages about case files, and their texts for a model.
_RESPELLED = {
    "a call needs a name, as in": "a call needs a tool, as in",
    '{"name": ..., "arguments": {...}}': '{"tool": ..., "args": {...}}',
    "Put the arguments under 'arguments'": "Put the arguments under 'args'",
    "leave out 'arguments'": "leave out 'args'",
}
_ARGUMENTS_PATH = re.compile(
    rf"((?:expected|actual)(?:\[\d+\]|\.(?:{'|'.join(GROUPS)}))*)\.arguments\b"
)
_JUDGE = "$judge"
_NO_JUDGE = (
    f"'{_JUDGE}' is not supported here, since no model is called. Use $contains, $regex or $text"
)


@contextmanager
def errors_in_schema_terms() -> Iterator[None]:
    """Respell the `InvalidCall` that is raised inside."""
    try:
        yield
    except InvalidCall as error:
        message = _ARGUMENTS_PATH.sub(r"\1.args", str(error), count=1)
        for text, new in _RESPELLED.items():
            message = message.replace(text, new)
        raise InvalidCall(message) from error


def refuse_judges(expected: Iterable[Expected]) -> None:
    """Refuse rules for which a model would be asked."""
    for index, item in enumerate(expected):
        for place in _judges_in(item, f"expected[{index}]"):
            raise InvalidCall(f"{place}: {_NO_JUDGE}.")


def _judges_in(item: Expected, where: str) -> Iterator[str]:
    if isinstance(item, Group):
        for index, member in enumerate(item.members):
            inner = "" if item.kind == "optional" else f"[{index}]"
            yield from _judges_in(member, f"{where}.{item.kind}{inner}")
    elif not isinstance(item, Forbidden):
        call = item.call if isinstance(item, Times) else item
        yield from _judges_at(call.arguments, f"{where}.args")


def _judges_at(value: Any, where: str) -> Iterator[str]:
    if isinstance(value, Matcher):
        if value.key == _JUDGE:
            yield where
        yield from _judges_at(value.value, f"{where}.{value.key}")
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _judges_at(member, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for index, member in enumerate(value):
            yield from _judges_at(member, f"{where}[{index}]")


MODES = PRESETS
ORDERS: tuple[str, ...] = get_args(Order)
_THRESHOLD = "argument_match_threshold"
SCORE_FIELDS = ("expected", "actual", "mode", _THRESHOLD, "order", "tools", *STATE_FIELDS)
CHECK_FIELDS = ("actual", "tools")

_WITH_THRESHOLD = "flexible"
_REQUIRED = {
    "expected": f"missing. Send the expected calls: {CALLS}, or [] if no tool should be called",
    "actual": f"missing. Send the actual calls: {CALLS}, or [] if no tool was called",
}


class ScoreInput(Struct, frozen=True):
    """The input of `score_tool_calls`; `tools` is None if they are unknown."""

    expected: tuple[Expected, ...]
    actual: tuple[ToolCall, ...]
    settings: Settings
    tools: dict[str, Tool] | None


class CheckInput(Struct, frozen=True):
    """The input of `check_tool_calls`; `tools` is None if they are unknown."""

    actual: tuple[ToolCall, ...]
    tools: dict[str, Tool] | None


def read_score_input(arguments: Any) -> ScoreInput:
    """Read the input of `score_tool_calls` and of `explain_score`.

    Raises:
        InvalidCall: something is missing, misspelled, too large, or not calls.
        InvalidSettings: an option has an invalid value.
    """
    given = _fields(arguments, SCORE_FIELDS)
    mode = _choice(given, "mode", MODES)
    options: dict[str, Any] = {_THRESHOLD: _threshold(given, mode)}
    if "order" in given:  # otherwise that of the preset
        options["order"] = _choice(given, "order", ORDERS)
    settings = settings_from(options, preset=mode)
    tools = _tools(given)
    states = {field: _from_text(given.get(field), field) for field in STATE_FIELDS}
    expected = _read_expected(given) if "expected" in given else None
    with errors_in_schema_terms():
        wanted = expected_with_state(expected, states) or ()
        made = actual_with_state(_read_actual(given, tools, wanted), states) or ()
    refuse_judges(wanted)
    return ScoreInput(wanted, made, settings, tools)


def read_check_input(arguments: Any) -> CheckInput:
    """Read the input of `check_tool_calls`, with the same errors."""
    given = _fields(arguments, CHECK_FIELDS)
    tools = _tools(given)
    return CheckInput(_read_actual(given, tools), tools)


def _fields(arguments: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """The fields that are not null, which many models send for an option that they leave out."""
    if not isinstance(arguments, dict):
        raise InvalidCall(f"expected an object with {_listed(known)}, got {describe(arguments)}.")
    for side in _REQUIRED:
        if isinstance(arguments.get(side), list):  # this check is fast, the others are not
            require_few(len(arguments[side]), side, "items")
    require_bounded(arguments)
    arguments = resolve_aliases(arguments)
    for name in arguments:
        if name not in known:
            raise InvalidCall(f"unknown field {describe(name)}{suggestion_or_choices(name, known)}")
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in known:
        is_about_state = name == "expected" and EXPECTED_STATE_FIELD in given
        if name in _REQUIRED and name not in given and not is_about_state:
            raise InvalidCall(f"{name}: {_REQUIRED[name]}.")
    return given


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _choice(given: dict[str, Any], field: str, choices: tuple[str, ...]) -> str:
    """The value of a field, in any case; the first choice if it is not given."""
    value = given.get(field, choices[0])
    chosen = value.lower() if isinstance(value, str) else None
    if chosen not in choices:
        hint = suggestion_or_choices(value, choices)
        raise InvalidSettings(f"{field}: unknown value {describe(value)}{hint}")
    return str(chosen)


def _threshold(given: dict[str, Any], mode: str) -> float:
    value = given.get(_THRESHOLD, DEFAULT.argument_match_threshold)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        problem = f"expected a number from 0 to 1, got {describe(value)}"
        raise InvalidSettings(f"{_THRESHOLD}: {problem}.")
    if _THRESHOLD in given and mode != _WITH_THRESHOLD:
        problem = f"it has no effect in mode {mode!r}"
        advice = f'Send "mode": "{_WITH_THRESHOLD}" with it, or leave it out'
        raise InvalidSettings(f"{_THRESHOLD}: {problem}. {advice}.")
    return value


def _tools(given: dict[str, Any]) -> dict[str, Tool] | None:
    if "tools" not in given:
        return None
    try:
        return tools_by_name(unpacked_tools(given["tools"]))
    except UnknownFormat as error:
        problem = f"no tool definitions found. Send {DEFINITIONS}"
        raise InvalidCall(f"tools: {problem}.") from error
    except InvalidSettings as error:
        raise InvalidSettings(f"tools: {error}") from error


def _read_expected(given: dict[str, Any]) -> tuple[Expected, ...]:
    value = unpacked_calls(given["expected"], "expected")
    with errors_in_schema_terms():
        try:
            expected = read_expected_side(value, where="expected", spelled=True)
        except UnknownFormat:  # the reader of calls has the best message
            expected = read_calls(value, side="expected", where="expected")
    require_few(sum(map(_count, expected)), "expected")
    return expected


def _count(item: Expected) -> int:
    """The maximum number of calls of an item."""
    if isinstance(item, Times):
        return item.least if item.most is None else item.most
    if isinstance(item, Group):
        return sum(map(_count, item.members))
    return 0 if isinstance(item, Forbidden) else 1


def _read_actual(
    given: dict[str, Any],
    tools: dict[str, Tool] | None,
    expected: tuple[Expected, ...] = (),
) -> tuple[ToolCall, ...]:
    value = unpacked_calls(given["actual"], "actual")
    # An agent reads errors, and can send something else; a note it would overlook.
    read_options = read_options_for(tools=() if tools is None else tools.values(), strict=True)
    read_options = options_for(expected, read_options)
    with errors_in_schema_terms():
        try:
            actual = read_side(value, side="actual", where="actual", read_options=read_options)
        except UnknownFormat:
            actual = read_calls(value, side="actual", where="actual")
    require_few(len(actual), "actual")
    return numbered_for(expected, actual)
