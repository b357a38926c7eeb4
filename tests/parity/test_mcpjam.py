"""MCPJam."""

from __future__ import annotations

from functools import partial
from math import nan
from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import InvalidSettings, ToolCall
from callscore.parity.mcpjam import ToolCallMatch, evaluate_tool_calls, passed

exact = partial(passed, argument_matching="exact")


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


def g(**arguments: Any) -> dict[str, Any]:
    return {"name": "g", "arguments": arguments}


def test_calls_are_found_anywhere_and_extra_ones_are_free() -> None:
    assert passed([f(), g()], [g(), f(), f()]) is True
    assert passed([f(), g()], [f()]) is False


def test_strict_looks_at_the_same_position_alone() -> None:
    match = evaluate_tool_calls([f(a=1), g()], [f(a=2), f(a=1), g()], tool_call_order="strict")

    assert match == ToolCallMatch(passed=False, missing=(1,), extra=(1, 2), mismatched=((0, 0),))
    assert passed([f(), g()], [f(), g(), f()], tool_call_order="strict") is True
    assert passed([f(), g()], [f()], tool_call_order="strict") is False


def test_superset_wants_the_order_and_lets_others_stand_in_between() -> None:
    superset = partial(evaluate_tool_calls, tool_call_order="superset")

    assert superset([f(), g()], [f(), f(), g()]) == ToolCallMatch(passed=True, extra=(1,))
    assert superset([f(), g()], [g(), f()]) == ToolCallMatch(passed=False, missing=(1,), extra=(0,))
    assert superset([g(), f(a=1), g()], [f(a=1), g(), f(a=2), g()]) == ToolCallMatch(
        passed=False, missing=(2,), extra=(0, 3), mismatched=((1, 2),)
    )


def test_what_is_left_is_paired_by_name_as_a_mismatch() -> None:
    match = evaluate_tool_calls([f(a=1), g()], [f(a=2), f(a=3)])

    assert match == ToolCallMatch(passed=False, missing=(1,), extra=(1,), mismatched=((0, 0),))


def test_calls_are_paired_in_the_order_in_which_they_are_expected() -> None:
    assert passed([f(a=1), f(a=1, b=2)], [f(a=1, b=2), f(a=1)]) is False
    assert passed([f(a=1, b=2), f(a=1)], [f(a=1, b=2), f(a=1)]) is True


def test_partial_matching_lets_a_call_have_more_arguments() -> None:
    assert passed([f(a=1)], [f(a=1.0, b=2)]) is True
    assert passed([f()], [f(a=1)]) is True
    assert passed([f(a=1)], [f(b=1)]) is False
    assert passed([f(a={"b": 1})], [f(a={"b": 1, "c": 2})]) is False


def test_exact_matching_does_not_and_ignoring_takes_any() -> None:
    assert exact([f(a=1)], [f(a=1)]) is True
    assert exact([f(a=1)], [f(a=1, b=2)]) is False
    assert passed([f(a=1)], [f(b=2)], argument_matching="ignore") is True


@pytest.mark.parametrize(
    ("word", "accepted", "refused"),
    [
        ("any", None, None),
        ("String", "x", 1),
        (" number\ufeff", 1.5, True),
        ("BOOLEAN", False, 0),
        ("object", {}, []),
        ("array", [], {}),
        ("null", None, 0),
    ],
)
def test_some_words_stand_for_a_type(word: str, accepted: Any, refused: Any) -> None:
    assert passed([f(a=word)], [f(a=accepted)]) is True
    assert passed([f(a=word)], [f(a=refused)]) is (word == "any")
    assert passed([f(a=word)], [f()]) is False
    assert exact([f(a=word)], [f(a=accepted)]) is False


def test_every_call_has_what_all_objects_inherit() -> None:
    assert passed([f(toString="any")], [f()]) is True
    assert passed([f(toString="object")], [f()]) is False
    assert passed([f(toString={})], [f()]) is False
    assert passed([f(__proto__={})], [f()]) is True
    assert passed([f(__proto__={})], [f(__proto__=1)]) is False


def test_what_is_not_finite_is_null_and_integers_are_doubles() -> None:
    assert exact([f(a=nan)], [f(a=None)]) is True
    assert exact([f(a=2**53)], [f(a=2**53 + 1)]) is True


def test_extra_calls_can_be_limited() -> None:
    assert passed([f()], [f(), g()], max_extra_tool_calls=0) is False
    assert passed([f()], [f(), g()], max_extra_tool_calls=1) is True


def test_a_case_without_calls_fails_even_where_none_is_expected() -> None:
    assert passed([], []) is False
    assert passed([], [f()]) is True
    assert evaluate_tool_calls([f(), g()], []) == ToolCallMatch(passed=False, missing=(0, 1))


def test_a_negative_test_passes_without_calls() -> None:
    assert passed([f()], [], is_negative_test=True) is True
    assert evaluate_tool_calls([f()], [f()], is_negative_test=True) == ToolCallMatch(
        passed=False, extra=(0,)
    )


def test_arguments_that_were_not_given_are_none() -> None:
    assert exact([ToolCall("f")], [f()]) is True
    assert exact([f()], [ToolCall("f")]) is True


def test_values_of_any_depth_are_compared() -> None:
    assert passed([f(a=nested())], [f(a=nested())]) is True


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"tool_call_order": "any"}, "ignore, strict, superset"),
        ({"argument_matching": "all"}, "partial, exact, ignore"),
        ({"max_extra_tool_calls": -1}, "≥ 0"),
    ],
)
def test_a_value_that_an_option_cannot_have_is_named(options: Any, complaint: str) -> None:
    with pytest.raises(InvalidSettings, match=complaint):
        passed([], [], **options)
