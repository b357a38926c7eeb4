"""Toolscore: the score, and the metrics it is made of."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.parity.nesting import nested

from callscore import NotScorable, ToolCall
from callscore.parity import tool_scorer

F1 = {"name": "f", "arguments": {"a": 1}}
F2 = {"name": "f", "arguments": {"a": 2}}
G = {"name": "g", "arguments": {}}
NAMELESS = {"name": "", "arguments": {}}
PERFECT = 0.9999999999999999


def calls(names: str) -> list[dict[str, Any]]:
    return [{"name": name, "arguments": {}} for name in names]


def test_a_perfect_case_has_not_quite_one() -> None:
    assert tool_scorer.score([F1, G], [F1, G]) == PERFECT
    assert tool_scorer.score([], []) == PERFECT


def test_a_wrong_argument_has_seven_tenths() -> None:
    assert tool_scorer.score([F1], [F2]) == 0.7000000000000001


def test_no_call_at_all_has_a_tenth_for_not_being_redundant() -> None:
    assert tool_scorer.score([F1], []) == 0.1
    assert tool_scorer.score([], [F1]) == 0.0


def test_all_numbers_of_a_case() -> None:
    found = tool_scorer.evaluate([F1, G], [F1, F1, {"name": "c", "arguments": {"z": 2}}])

    assert msgspec.to_builtins(found) == {
        "score": 0.6666666666666666,
        "grade": "D",
        "invocation_accuracy": 0.0,
        "selection_accuracy": 0.6666666666666666,
        "argument": {"precision": 1.0, "recall": 1.0, "f1": 1.0},
        "sequence": {
            "edit_distance": 2.0,
            "normalized_distance": 0.6666666666666666,
            "sequence_accuracy": 0.33333333333333337,
        },
        "tool_correctness": 0.5,
        "trajectory_accuracy": 0.3333333333333333,
        "step_match_rate": 0.5,
        "path_efficiency": 0.6666666666666666,
        "redundant_rate": 0.6666666666666666,
        "identical_rate": 0.3333333333333333,
        "required_call_recall": 0.5,
    }


def test_the_numbers_alone_are_those_of_the_whole() -> None:
    expected, actual = [F1, G, G], [G, F2, F2, F1, G]
    whole = tool_scorer.evaluate(expected, actual)

    alone = {metric.__name__: metric(expected, actual) for metric in tool_scorer.METRICS}

    shared = alone.keys() & set(whole.__struct_fields__)
    assert {name: alone[name] for name in shared} == {name: getattr(whole, name) for name in shared}
    assert alone["argument_f1"] == whole.argument.f1
    assert alone["sequence_accuracy"] == whole.sequence.sequence_accuracy


@pytest.mark.parametrize(
    ("expected", "actual", "grade"),
    [
        (calls("ab"), calls("ab"), "A"),
        (calls("abc"), calls("acb"), "B"),
        ([F1], [F2], "C"),
        (calls("a"), calls("ab"), "D"),
        (calls("a"), calls("b"), "F"),
    ],
)
def test_grades(expected: Any, actual: Any, grade: str) -> None:
    assert tool_scorer.evaluate(expected, actual).grade == grade


def test_eight_and_nine_tenths_miss_their_grade_by_a_bit() -> None:
    swapped = tool_scorer.evaluate(calls("ab"), calls("ba"))
    missing = tool_scorer.evaluate(calls("ab"), calls("a"))

    assert (swapped.score, swapped.grade) == (0.7999999999999999, "C")
    assert (missing.score, missing.grade) == (0.8999999999999999, "B")


def test_strict_wants_the_same_type() -> None:
    one, other = [F1], [{"name": "f", "arguments": {"a": 1.0}}]

    assert tool_scorer.score(one, other) == PERFECT
    assert tool_scorer.score(one, other, strict=True) == 0.7000000000000001
    assert tool_scorer.argument_f1(one, other) == 1.0
    assert tool_scorer.argument_f1(one, other, strict=True) == 0.0


def test_missing_calls_do_not_lower_the_selection() -> None:
    assert tool_scorer.selection_accuracy(calls("abc"), calls("a")) == 1.0
    assert tool_scorer.selection_accuracy(calls("a"), calls("aaab")) == 0.75


def test_a_missing_tool_is_counted_twice_by_invocation() -> None:
    assert tool_scorer.invocation_accuracy(calls("ab"), calls("a")) == 0.25


def test_a_tool_that_is_expected_twice_has_to_be_called_once() -> None:
    assert tool_scorer.tool_correctness(calls("aab"), calls("abx")) == 1.0


def test_one_call_in_front_makes_all_positions_wrong() -> None:
    assert tool_scorer.tool_correctness(calls("abc"), calls("xabc"), strict_order=True) == 0.0
    assert tool_scorer.tool_correctness(calls("abc"), calls("abx"), strict_order=True) == 2 / 3
    assert tool_scorer.tool_correctness(calls("a"), calls("ab"), strict_order=True) == 1.0
    assert tool_scorer.step_match_rate(calls("abc"), calls("xabc")) == 0.0


def test_calls_with_arguments_are_found_in_any_order() -> None:
    assert tool_scorer.tool_correctness_with_args([F1, F2], [F2, G, F1]) == 1.0
    assert tool_scorer.tool_correctness_with_args([F1, F1], [F1, F2]) == 0.5


def test_what_is_not_checked_can_take_what_another_needs() -> None:
    assert tool_scorer.tool_correctness_with_args([ToolCall("f"), F1], [F1, F2]) == 0.5


def test_a_call_without_arguments_is_not_one_with_none() -> None:
    assert tool_scorer.tool_correctness_with_args([ToolCall("f", {})], [ToolCall("f")]) == 0.0


def test_names_may_vary_where_it_is_said() -> None:
    expected, actual = calls_named("get_weather", "Search"), calls_named("search", "Get-Weather")

    assert tool_scorer.partial_trajectory(expected, actual) == 0.0
    assert tool_scorer.partial_trajectory(expected, actual, allow_tool_name_variations=True) == 1.0
    assert tool_scorer.partial_trajectory(calls("aab"), calls("bax")) == 2 / 3


def calls_named(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "arguments": {}} for name in names]


def test_the_trajectory_is_the_steps_times_the_efficiency() -> None:
    extra = {"name": "f", "arguments": {"a": 1, "b": 2}}

    assert tool_scorer.step_match_rate([F1, G], [extra, G, G, G]) == 1.0
    assert tool_scorer.path_efficiency([F1, G], [extra, G, G, G]) == 0.5
    assert tool_scorer.trajectory_accuracy([F1, G], [extra, G, G, G]) == 0.5
    assert tool_scorer.path_efficiency([], [G]) == 1.0


def test_a_call_that_is_expected_twice_is_still_a_repetition() -> None:
    assert tool_scorer.identical_rate([F1, F1], [F1, F1]) == 0.5
    assert tool_scorer.redundant_rate([F1, F1], [F1, F1]) == 0.0


def test_a_call_that_failed_is_not_completed() -> None:
    failed = ToolCall("f", {"a": 1}, failed=True)

    assert tool_scorer.required_call_recall([F1], [failed]) == 0.0
    assert tool_scorer.required_call_recall([F1], [failed, ToolCall("f", {"a": 2})]) == 1.0
    assert tool_scorer.required_call_recall([], [F1]) is None
    assert tool_scorer.evaluate([F1], [failed]).required_call_recall == 0.0


@pytest.mark.parametrize("metric", tool_scorer.METRICS, ids=lambda metric: metric.__name__)
def test_a_tool_without_a_name_is_not_scored(metric: Any) -> None:
    with pytest.raises(NotScorable, match="no name"):
        metric([G], [NAMELESS])
    with pytest.raises(NotScorable, match="no name"):
        metric([NAMELESS], [G])


@pytest.mark.parametrize(
    "metric",
    [
        metric
        for metric in tool_scorer.METRICS
        if metric not in {tool_scorer.required_call_recall, tool_scorer.score}
    ],
    ids=lambda metric: metric.__name__,
)
def test_nothing_for_nothing_is_right(metric: Any) -> None:
    is_a_rate_of_waste = metric in {tool_scorer.redundant_rate, tool_scorer.identical_rate}

    assert metric([], []) == (0.0 if is_a_rate_of_waste else 1.0)


@pytest.mark.parametrize(
    "metric",
    [
        tool_scorer.score,
        tool_scorer.argument_f1,
        tool_scorer.step_match_rate,
        tool_scorer.identical_rate,
        tool_scorer.tool_correctness_with_args,
    ],
    ids=lambda metric: metric.__name__,
)
def test_what_is_nested_too_deep_is_not_scored(metric: Any) -> None:
    one, other = ({"name": "f", "arguments": {"a": nested()}} for _ in range(2))

    with pytest.raises(NotScorable):
        metric([one], [other])
