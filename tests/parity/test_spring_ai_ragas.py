"""Spring AI Ragas."""

from __future__ import annotations

from functools import partial
from math import nan
from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import InvalidSettings, ToolCall
from callscore.parity.spring_ai_ragas import tool_call_accuracy

strict = tool_call_accuracy
flexible = partial(tool_call_accuracy, mode="flexible")


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


def g(**arguments: Any) -> dict[str, Any]:
    return {"name": "g", "arguments": arguments}


def test_a_case_without_reference_is_not_scored() -> None:
    assert strict([], []) is None
    assert flexible([], [f()]) is None


def test_no_calls_score_nothing() -> None:
    assert strict([f()], []) == 0.0


def test_strict_is_the_f1_of_calls_that_are_the_same() -> None:
    assert strict([f(a=1), g()], [g(), f(a=1)]) == 1.0
    assert strict([f(a=1), g()], [f(a=1)]) == 2 / 3
    assert strict([f(a=1)], [f(a=1, b=2)]) == 0.0
    assert strict([f(a=1)], [g(a=1)]) == 0.0


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1), (1.5, 1.5), (nan, nan), (None, None), (2**70, 2**70), ([1, {"a": None}],) * 2],
)
def test_values_that_java_takes_for_equal(left: Any, right: Any) -> None:
    assert strict([f(a=left)], [f(a=right)]) == 1.0


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (1, True),
        (1, "1"),
        (0.0, -0.0),
        (nan, 1.0),
        (2**53, 2**53 + 1),
        ([1], [1, 2]),
        ([1, 2], [2, 1]),
        ([], {}),
        ({"a": 1}, {"b": 1}),
    ],
)
def test_values_that_java_does_not_take_for_equal(left: Any, right: Any) -> None:
    assert strict([f(a=left)], [f(a=right)]) == 0.0


def test_flexible_wants_a_share_of_the_arguments_of_the_reference() -> None:
    reference, made = [f(a=1, b=2, c=3)], [f(a=1, b=2, c=9, d=4)]

    assert flexible(reference, made) == 0.0
    assert flexible(reference, made, argument_match_threshold=0.6) == 1.0
    assert flexible([f(a=1)], [f(a=1, b=2)]) == 1.0


def test_a_reference_without_arguments_is_half_matched_by_any() -> None:
    assert flexible([f()], [f()]) == 1.0
    assert flexible([f()], [f(a=1)]) == 0.0
    assert flexible([f()], [f(a=1)], argument_match_threshold=0.5) == 1.0


def test_null_never_matches_in_flexible_mode() -> None:
    assert strict([f(a=None)], [f(a=None)]) == 1.0
    assert flexible([f(a=None)], [f(a=None)]) == 0.0


def test_a_threshold_of_nothing_still_wants_a_match() -> None:
    assert flexible([f(a=1)], [f(a=2)], argument_match_threshold=0.0) == 0.0


def test_each_call_takes_the_reference_that_it_matches_best() -> None:
    assert flexible([f(a=1, b=2), f(a=1, b=3)], [f(a=1, b=3), f(a=1, b=2)]) == 1.0


def test_an_earlier_call_takes_the_reference_that_a_later_one_matches_alone() -> None:
    references, made = [f(a=1), f(a=1, b=2)], [f(a=1, b=2), f(a=1, b=9)]

    # The second reference would do for the first call as well, but the first comes first.
    assert flexible(references, made) == 0.5
    assert flexible(references, made[::-1]) == 1.0


def test_arguments_that_were_not_given_are_none() -> None:
    assert strict([ToolCall("f")], [{"name": "f", "arguments": {}}]) == 1.0
    assert flexible([{"name": "f"}], [ToolCall("f")]) == 1.0


def test_values_of_any_depth_are_compared() -> None:
    assert strict([f(a=nested())], [f(a=nested())]) == 1.0


def test_a_mode_that_does_not_exist_is_named() -> None:
    with pytest.raises(InvalidSettings, match="strict, flexible"):
        tool_call_accuracy([], [], mode="STRICT")  # type: ignore[arg-type]  # the mistake
