"""Plain questions for calls."""

from __future__ import annotations

from random import Random

import pytest

from callscore import Tool, ToolCall
from callscore.datasets.questions import (
    question_for_calls,
    question_forbidding,
    question_in_order,
    question_without_calls,
    tool_purpose,
)

WEATHER = Tool("getWeather", "Get the weather of a city. Uses a service.")
SUM = Tool("add_numbers", "Adds two numbers.")
TOOLS = {tool.name: tool for tool in (WEATHER, SUM)}


@pytest.mark.parametrize(
    ("tool", "purpose"),
    [
        (WEATHER, "get the weather of a city"),
        (SUM, "add two numbers"),
        (Tool("f", "Searches the web"), "search the web"),
        (Tool("f", "Copies a file"), "copy a file"),
        (Tool("f", "Process a refund"), "process a refund"),
        (Tool("get_user", "The details of a user."), "get user"),
        (Tool("get_user", "x" * 200), "get user"),
        (Tool("get_user"), "get user"),
        (Tool("¡!"), "¡!"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_a_tool_has_a_purpose_that_can_be_asked_for(tool: Tool, purpose: str) -> None:
    assert tool_purpose(tool) == purpose


@pytest.mark.parametrize("seed", range(10))
def test_every_value_is_said(seed: int) -> None:
    arguments = {
        "city": "Paris",
        "days": 3,
        "tags": ["a", "b"],
        "note": "a, b",
        "deep": {"x": None},
    }

    text = question_for_calls([ToolCall("getWeather", arguments)], TOOLS, Random(seed))

    assert "get the weather of a city" in text.lower()
    assert 'city: Paris, days: 3, tags: ["a","b"], note: "a, b", deep: {"x":null}' in text


def test_a_call_without_arguments_has_no_list_of_them() -> None:
    text = question_for_calls([ToolCall("getWeather", {})], TOOLS, Random(0))

    assert "(" not in text


def test_several_calls_are_asked_for_together() -> None:
    calls = [ToolCall("getWeather", {"city": "Paris"}), ToolCall("add_numbers", {"a": 1})]

    text = question_for_calls(calls, TOOLS, Random(0))

    assert "Also: " in text
    assert "Paris" in text
    assert "a: 1" in text


def test_an_order_is_said() -> None:
    calls = [ToolCall("getWeather", {"city": "Paris"}), ToolCall("add_numbers", {"a": 1})]

    text = question_in_order(calls, TOOLS, Random(0))

    assert text.startswith("First: ")
    assert text.index("Paris") < text.index("Then: ") < text.index("a: 1")


def test_what_must_not_be_done_is_said() -> None:
    assert question_forbidding("Hi!", SUM) == "Hi! You must not add two numbers."


def test_where_nothing_is_to_be_called_a_tool_may_still_be_talked_about() -> None:
    texts = {question_without_calls([WEATHER], Random(seed)) for seed in range(100)}

    assert any("get the weather of a city" in text for text in texts)
    assert any("get the weather of a city" not in text for text in texts)
    assert question_without_calls([], Random(0))
