"""Calls held against the definitions of the tools."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.checks.tool_schema import (
    close_schema,
    count_checked_calls,
    schema_faults,
    tools_by_call_name,
    unknown_arguments,
    usable_tools,
)
from callscore.core.budget import Budget
from callscore.core.call import NOT_CAPTURED, TRUNCATED, Tool, ToolCall
from callscore.core.settings import Settings
from callscore.errors import InvalidSettings

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "unit": {"enum": ["C", "F"]},
        "guests": {"type": "array", "items": {"required": ["name"]}},
    },
    "required": ["city"],
}
TOOLS = {
    "weather": Tool("weather", parameters=SCHEMA),
    "now": Tool("now"),
    "log": Tool("log", parameters={"type": "object"}),
}


def test_who_makes_up_names_without_end_is_not_asked_what_was_meant() -> None:
    calls = [ToolCall(f"weather{number}") for number in range(30)]

    faults = schema_faults([*calls, ToolCall("weather" * 1000)], TOOLS)

    assert [fault.required for fault in faults] == ["weather"] * 20 + [None] * 11


def test_of_schemas_that_differ_none_is_of_use() -> None:
    read, write = Tool("f", None, {"type": "object"}, "read"), Tool("f", None, SCHEMA, "write")

    assert usable_tools([read, read]) == ({"f": read}, {})
    usable, problems = usable_tools([read, write])
    assert usable == {"f": Tool("f")}
    assert problems["f"].startswith("it has several different definitions")


@pytest.mark.parametrize(
    ("call", "is_checked"),
    [
        (ToolCall("weather", {"city": "Oslo"}), True),
        (ToolCall("weather"), True),
        (ToolCall("nowhere"), True),
        (ToolCall("nowhere", kind="hosted"), False),
        (ToolCall("now"), False),
        (ToolCall("now", error=TRUNCATED), True),
        (ToolCall("weather", error=NOT_CAPTURED), False),
        (ToolCall("weather", {"0": "Oslo"}, positional=True), False),
    ],
)
def test_calls_are_checked_where_it_can_be_told_whether_they_are_valid(
    call: ToolCall, is_checked: bool
) -> None:
    assert count_checked_calls([call, call], TOOLS) == (2 if is_checked else 0)


def test_ten_thousand_calls_are_checked_in_one_go() -> None:
    calls = [ToolCall("weather", {"city": "Oslo", "days": number % 9}) for number in range(10_000)]

    faults = schema_faults(calls, TOOLS)

    assert len(faults) == sum(number % 9 in {0, 8} for number in range(10_000))


# Which arguments a schema knows.

A: dict[str, Any] = {"properties": {"a": {}}}


def _unknown(schema: Any, *names: str) -> list[str] | None:
    """The names that a schema does not know; None where it knows of more than it names."""
    known = close_schema(schema)
    return None if known is None else unknown_arguments(known, dict.fromkeys(names, 1), Budget())


def test_parts_of_a_strange_form_say_nothing() -> None:
    assert _unknown({**A, "allOf": 3, "patternProperties": [], "dependencies": 4}, "b") == ["b"]


def test_names_beyond_unicode_can_be_made_up() -> None:
    assert _unknown({**A, "patternProperties": {"^x": {}}}, "\ud800") == ["\ud800"]


# Which definition a call is held against where less than whole names is compared.

COMPARED_NAMES_SCHEMA: dict[str, Any] = {"type": "object"}
OTHER: dict[str, Any] = {"type": "object", "properties": {}}
ONE, TWO = Tool("mcp__a__book", None, COMPARED_NAMES_SCHEMA), Tool("mcp__b__book", None, OTHER)
SETTINGS = Settings(strip_prefix=("mcp__*__",))


def _by_call(*names: str, tools: tuple[Tool, ...] = (ONE, TWO)) -> dict[str, Tool]:
    return tools_by_call_name(names, {tool.name: tool for tool in tools}, SETTINGS)


def test_a_name_that_can_mean_tools_that_differ_is_refused_with_their_names() -> None:
    with pytest.raises(InvalidSettings, match="'mcp__a__book' and 'mcp__b__book' have different"):
        _by_call("book")


def test_tools_that_take_the_same_are_no_reason_to_refuse_a_name() -> None:
    same = Tool("mcp__b__book", "x", COMPARED_NAMES_SCHEMA, "read")

    assert _by_call("book", tools=(ONE, same))["book"] == ONE
