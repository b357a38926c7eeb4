"""What a model sends to the tools, read with errors that say what to send instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from msgspec import Struct

from callscore.api import tools_by_name
from callscore.core.call import ToolCall
from callscore.core.expectation import Expected, Forbidden, Group, Times
from callscore.core.nearest import meant_by
from callscore.core.presets import PRESETS
from callscore.core.settings import DEFAULT, Order, Settings, settings_from
from callscore.core.tool import Tool
from callscore.errors import InvalidCall, InvalidSettings, UnknownFormat
from callscore.formats.calls import read_calls
from callscore.formats.describing import describe
from callscore.formats.sides import read_side, read_wanted
from callscore.formats.trace import wanted_for
from callscore.integrations.input_items import (
    CALLS,
    DEFINITIONS,
    unpacked_calls,
    unpacked_tools,
)
from callscore.integrations.input_words import in_words_of_the_schema, refuse_judges
from callscore.integrations.limits import require_bounded, require_few, require_few_items

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "CHECK_FIELDS",
    "MODES",
    "ORDERS",
    "SCORE_FIELDS",
    "CheckInput",
    "ScoreInput",
    "read_check_input",
    "read_score_input",
]

MODES = PRESETS
ORDERS: tuple[str, ...] = get_args(Order)
SCORE_FIELDS = ("expected", "actual", "mode", "threshold", "order", "tools")
CHECK_FIELDS = ("actual", "tools")

_WITH_THRESHOLD = "flexible"
_REQUIRED = {
    "expected": f"give the calls that should be made: {CALLS}, or [] where no tool should be called",
    "actual": f"give the calls that were made: {CALLS}, or [] where none was",
}


class ScoreInput(Struct, frozen=True):
    """What is to be scored.

    Attributes:
        expected: the calls, and groups of calls, that should be made.
        actual: the calls that were made.
        settings: how they are compared.
        tools: the tools that were offered, by name; None where nobody said.
    """

    expected: tuple[Expected, ...]
    actual: tuple[ToolCall, ...]
    settings: Settings
    tools: dict[str, Tool] | None


class CheckInput(Struct, frozen=True):
    """What is to be checked without a reference.

    Attributes:
        actual: the calls that were made.
        tools: the tools that were offered, by name; None where nobody said.
    """

    actual: tuple[ToolCall, ...]
    tools: dict[str, Tool] | None


def read_score_input(arguments: Any) -> ScoreInput:
    """The input of `score_tool_calls` and of `explain_score`.

    Raises:
        InvalidCall: something is missing, misspelled, too large, or no calls at all.
        InvalidSettings: an option has a value that it cannot have.
    """
    given = _fields(arguments, SCORE_FIELDS)
    settings = settings_from(
        {"order": _choice(given, "order", ORDERS), "argument_match_threshold": _threshold(given)},
        preset=_choice(given, "mode", MODES),
    )
    tools = _tools(given)
    expected = _read_expected(given)
    return ScoreInput(expected, _read_actual(given, tools), settings, tools)


def read_check_input(arguments: Any) -> CheckInput:
    """The input of `check_tool_calls`.

    Raises:
        InvalidCall: something is missing, misspelled, too large, or no calls at all.
        InvalidSettings: the definitions of the tools cannot be used.
    """
    given = _fields(arguments, CHECK_FIELDS)
    tools = _tools(given)
    return CheckInput(_read_actual(given, tools), tools)


def _fields(arguments: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """The fields that have a value; for null is what many send for an option that they leave out."""
    if not isinstance(arguments, dict):
        raise InvalidCall(
            f"the input is an object with {_listed(known)}; got {describe(arguments)}."
        )
    for side in _REQUIRED:
        if isinstance(arguments.get(side), list):  # which is quick, where the rest is not
            require_few_items(len(arguments[side]), side)
    require_bounded(arguments)
    for name in arguments:
        if name not in known:
            hint = meant_by(name, known) or f". There are {_listed(known)}."
            raise InvalidCall(f"there is no field {describe(name)}{hint}")
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in known:
        if name in _REQUIRED and name not in given:
            raise InvalidCall(f"{name}: {_REQUIRED[name]}.")
    return given


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _choice(given: dict[str, Any], field: str, choices: tuple[str, ...]) -> str:
    value = given.get(field, choices[0])
    if value not in choices:
        hint = meant_by(value, choices) or "."
        problem = f"{field}: {describe(value)} is not one of {', '.join(choices)}{hint}"
        raise InvalidSettings(problem)
    return str(value)


def _threshold(given: dict[str, Any]) -> float:
    value = given.get("threshold", DEFAULT.argument_match_threshold)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidSettings(f"threshold: {describe(value)} is not a number from 0 to 1.")
    if "threshold" in given and given.get("mode") != _WITH_THRESHOLD:
        problem = f'it goes with mode {_WITH_THRESHOLD} alone. Send "mode": "{_WITH_THRESHOLD}"'
        raise InvalidSettings(f"threshold: {problem} beside it, or leave it out.")
    return value


def _tools(given: dict[str, Any]) -> dict[str, Tool] | None:
    if "tools" not in given:
        return None
    try:
        return tools_by_name(unpacked_tools(given["tools"]))
    except UnknownFormat as error:
        problem = f"there are no definitions of tools in it. Give {DEFINITIONS}"
        raise InvalidCall(f"tools: {problem}.") from error
    except InvalidSettings as error:
        raise InvalidSettings(f"tools: {error}") from error


def _read_expected(given: dict[str, Any]) -> tuple[Expected, ...]:
    value = unpacked_calls(given["expected"], "expected")
    with in_words_of_the_schema():
        try:
            expected = read_wanted(value, where="expected", spelled=True)
        except UnknownFormat:  # the reader of calls says best what is wrong
            expected = read_calls(value, side="expected", where="expected")
    refuse_judges(expected)
    require_few(sum(map(_count, expected)), "expected")
    return expected


def _count(item: Expected) -> int:
    """How many calls an item may stand for."""
    if isinstance(item, Times):
        return item.least if item.most is None else item.most
    if isinstance(item, Group):
        return sum(map(_count, item.members))
    return 0 if isinstance(item, Forbidden) else 1


def _read_actual(given: dict[str, Any], tools: dict[str, Tool] | None) -> tuple[ToolCall, ...]:
    value = unpacked_calls(given["actual"], "actual")
    wanted = wanted_for(tools=() if tools is None else tools.values())
    with in_words_of_the_schema():
        try:
            actual = read_side(value, side="actual", where="actual", wanted=wanted)
        except UnknownFormat:
            actual = read_calls(value, side="actual", where="actual")
    require_few(len(actual), "actual")
    return actual
