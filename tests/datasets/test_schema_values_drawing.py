"""Calls that tools' schemas accept."""

from __future__ import annotations

from random import Random

from callscore import Tool
from callscore.datasets.schema_values import changed_arguments, random_call, two_different_calls

FREE = Tool("f", None, {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"const": 1}}, "required": ["a", "b"]})  # fmt: skip
FIXED = Tool("g", None, {"type": "object", "properties": {"b": {"const": 1}}, "required": ["b"]})


def test_a_call_has_the_name_of_the_tool() -> None:
    call = random_call(FREE, Random(0))

    assert call.name == "f"
    assert set(call.arguments or {}) == {"a", "b"}


def test_other_arguments_differ_in_one_place() -> None:
    given = {"a": 1, "b": 1}

    others = changed_arguments(FREE, given, Random(0))

    assert others is not None
    assert others["a"] != 1
    assert others["b"] == 1


def test_where_every_argument_is_fixed_there_are_no_others() -> None:
    assert changed_arguments(FIXED, {"b": 1}, Random(0)) is None


def test_two_calls_are_of_two_tools_or_differ() -> None:
    both = two_different_calls([FREE, FIXED], Random(0))
    alone = two_different_calls([FREE], Random(0))

    assert both is not None
    assert alone is not None
    assert [call.name for call in both] == ["f", "g"]
    assert alone[0].arguments != alone[1].arguments


def test_a_tool_that_can_be_called_in_one_way_gives_no_two_calls() -> None:
    assert two_different_calls([FIXED], Random(0)) is None
