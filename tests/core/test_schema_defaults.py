"""An argument with the default of the tool's schema may be given or left out."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Group, Times
from callscore.core.rules import Matcher
from callscore.core.scoring import score_calls
from callscore.core.settings import ArgumentRule, Settings

EQUAL = Settings(schema_defaults="equal")
SEARCH = Tool(
    "search",
    parameters={
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "sort": {"default": None},
            "flags": {"default": {"deep": False}},
        },
    },
)
TOOLS = {"search": SEARCH}


def f1(expected: Any, actual: Any, settings: Settings = EQUAL, tools: Any = TOOLS) -> float:
    wanted = expected if isinstance(expected, tuple) else (ToolCall("search", expected),)
    made = actual if isinstance(actual, tuple) else (ToolCall("search", actual),)
    return score_calls(wanted, made, settings, tools).f1


@pytest.mark.parametrize(
    ("expected", "actual", "result"),
    [
        ({"query": "x"}, {"query": "x", "limit": 10}, 1.0),
        ({"query": "x", "limit": 10}, {"query": "x"}, 1.0),
        ({"query": "x", "limit": 10.0}, {"query": "x"}, 1.0),
        ({"query": "x", "limit": 10}, {"query": "x", "limit": 10}, 1.0),
        ({"query": "x"}, {"query": "x", "sort": None, "flags": {"deep": False}}, 1.0),
        ({"query": "x"}, {"query": "x", "limit": 11}, 0.0),
        ({"query": "x", "limit": 11}, {"query": "x"}, 0.0),
        ({"query": "x", "limit": 10}, {"query": "x", "limit": 11}, 0.0),
        ({"query": "x", "limit": "10"}, {"query": "x"}, 0.0),
        ({"query": "x"}, {"query": "x", "other": 10}, 0.0),
        ({"query": "x"}, {}, 0.0),
        ({}, {"limit": 10}, 1.0),
        (None, {"limit": 3}, 1.0),
    ],
)
def test_a_default_may_be_given_or_left_out(expected: Any, actual: Any, result: float) -> None:
    assert f1(expected, actual) == result


def test_without_the_setting_or_the_definition_it_is_a_difference() -> None:
    sides = {"query": "x"}, {"query": "x", "limit": 10}

    assert f1(*sides, settings=Settings()) == 0
    assert f1(*sides, tools={}) == 0
    assert f1(*sides, tools={"other": SEARCH}) == 0


@pytest.mark.parametrize(
    "parameters",
    [None, {}, {"properties": None}, {"properties": ["limit"]}, {"properties": {"limit": True}}],
)
def test_a_schema_without_defaults_changes_nothing(parameters: Any) -> None:
    tools = {"search": Tool("search", parameters=parameters)}

    assert f1({"query": "x"}, {"query": "x", "limit": 10}, tools=tools) == 0


def test_each_pair_is_compared_on_its_own() -> None:
    expected = (
        ToolCall("search", {"query": "x", "limit": 10}),
        ToolCall("search", {"query": "y"}),
        ToolCall("search", {"query": "z", "limit": 5}),
    )
    actual = (
        ToolCall("search", {"query": "x"}),
        ToolCall("search", {"query": "y", "limit": 10}),
        ToolCall("search", {"query": "z"}),
    )

    score = score_calls(expected, actual, EQUAL, TOOLS)

    assert ([pair.is_correct for pair in score.correct], len(score.incorrect)) == ([True] * 2, 1)


def test_a_rule_for_the_argument_stays_as_it_is_written() -> None:
    at_least = {"query": "x", "limit": Matcher("$gte", 5)}

    assert f1(at_least, {"query": "x"}) == 0
    assert f1(at_least, {"query": "x", "limit": 10}) == 1
    assert f1({"query": Matcher("$any", True)}, {"query": "x", "limit": 10}) == 1


def test_defaults_work_in_groups_and_repeats() -> None:
    call = ToolCall("search", {"query": "x"})
    actual = (ToolCall("search", {"query": "x", "limit": 10}),)

    assert f1((Group("one_of", (ToolCall("a", {}), call)),), actual) == 1
    assert f1((Times(call, 2, 2),), actual * 2) == 1
    assert (
        f1((Group("turn", (call,)),), (ToolCall("search", {"query": "x", "limit": 10}, turn=0),))
        == 1
    )


def test_names_are_compared_as_the_settings_say() -> None:
    settings = Settings(schema_defaults="equal", strip_prefix=("mcp__*__",))
    made = (ToolCall("mcp__web__search", {"query": "x", "limit": 10}),)
    wanted = (ToolCall("search", {"query": "x"}),)

    for name in ("search", "mcp__web__search"):
        assert f1(wanted, made, settings, {name: SEARCH}) == 1
        assert f1(made, wanted, settings, {name: SEARCH}) == 1


@pytest.mark.parametrize(
    ("wanted", "made", "limit", "result"),
    [
        ("search", "a__search", 1, 1.0),
        ("search", "a__search", 2, 0.0),
        ("search", "b__search", 2, 1.0),
        ("search", "b__search", 1, 0.0),
        ("b__search", "b__search", 2, 1.0),
        # What is a default for one of them is a value for the other.
        ("a__search", "b__search", 2, 0.0),
        ("search", "c__search", 1, 0.0),
    ],
)
def test_of_tools_with_one_compared_name_the_called_one_has_the_default(
    wanted: str, made: str, limit: int, result: float
) -> None:
    settings = Settings(schema_defaults="equal", strip_prefix=("a__", "b__", "c__"))
    tools = {
        name: Tool(name, parameters={"properties": {"limit": {"default": default}}})
        for name, default in (("a__search", 1), ("b__search", 2))
    }

    actual = (ToolCall(made, {"limit": limit}),)

    assert f1((ToolCall(wanted, {}),), actual, settings, tools) == result


def test_an_ignored_argument_is_not_compared_because_of_its_default() -> None:
    settings = Settings(schema_defaults="equal", arguments=(ArgumentRule("*.limit", "ignore"),))
    given = (ToolCall("search", {"limit": 10}), ToolCall("search", {"limit": 3}))
    left_out = (ToolCall("search", {}), ToolCall("search", {}))

    assert f1(left_out, given, settings) == 1
    assert f1((given[0],) * 2, (given[1], left_out[0]), settings) == 1


def test_a_rule_of_the_settings_applies_to_a_default_as_well() -> None:
    settings = Settings(schema_defaults="equal", arguments=(ArgumentRule("*.unit", "text"),))
    tools = {"f": Tool("f", parameters={"properties": {"unit": {"default": "Celsius"}}})}
    expected = (ToolCall("f", {"unit": "Celsius"}),) * 2

    assert (
        f1(expected, (ToolCall("f", {"unit": "celsius"}), ToolCall("f", {})), settings, tools) == 1
    )
    assert f1(expected, (ToolCall("f", {"unit": "kelvin"}), ToolCall("f", {})), settings, tools) < 1


@pytest.mark.parametrize("extra_arguments", ["ignore", "count"])
def test_in_flexible_mode_a_default_is_a_match(extra_arguments: Any) -> None:
    settings = Settings(
        mode="flexible",
        argument_match_threshold=1,
        schema_defaults="equal",
        extra_arguments=extra_arguments,
    )

    assert f1({"query": "x"}, {"query": "x", "limit": 10}, settings) == 1
    assert f1({"query": "x", "limit": 10}, {"query": "x"}, settings) == 1
    assert f1({"query": "x", "limit": 10}, {"query": "y"}, settings) == 0


def test_in_flexible_mode_a_default_that_only_the_agent_gives_changes_no_share() -> None:
    settings = Settings(mode="flexible", argument_match_threshold=0.6, schema_defaults="equal")
    expected = {"query": "x", "page": 1}

    assert f1(expected, {"query": "x", "page": 2}, settings) == 0
    assert f1(expected, {"query": "x", "page": 2, "limit": 10}, settings) == 0
    assert f1({}, {"limit": 10}, settings) == 1  # without any, unexpected ones are half of a match


def test_unreadable_arguments_stay_unreadable() -> None:
    unreadable = ToolCall("search", None, raw="{", error="truncated_json")

    score = score_calls((ToolCall("search", {"limit": 10}),), (unreadable,), EQUAL, TOOLS)

    assert (len(score.incorrect), score.f1) == (1, 0)
