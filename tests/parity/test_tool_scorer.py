"""Toolscore: the score, and the metrics it is made of."""

from __future__ import annotations

import functools
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.parity.nesting import nested

from callscore import NotScorable, ToolCall
from callscore.parity import tool_scorer
from callscore.parity.tool_scorer import (
    ArgumentScores,
    SequenceScores,
    _argument_scores,
    _efficiency,
    _found_share,
    _invoked_share,
    _redundant_share,
    _repeated_share,
    _selected_share,
    _sequence_scores,
    _steps_share,
    _tools_share,
)

if TYPE_CHECKING:
    from collections.abc import Callable

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
    with pytest.raises(NotScorable, match="without a tool name"):
        metric([G], [NAMELESS])
    with pytest.raises(NotScorable, match="without a tool name"):
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


# How Toolscore counts arguments.

Sides = dict[str, Any] | None
NAN = float("nan")


def f(**arguments: Any) -> tuple[str, Sides]:
    return "f", arguments


UNCHECKED: tuple[str, Sides] = ("f", None)


def scores(expected: list[Any], actual: list[Any], *, strict: bool = False) -> ArgumentScores:
    return _argument_scores(expected, actual, strict=strict)


def is_same(wanted: Any, given: Any, *, strict: bool = False) -> bool:
    return scores([f(a=wanted)], [f(a=given)], strict=strict).f1 == 1.0


def test_arguments_are_counted_over_all_calls() -> None:
    found = scores([f(a=1, b=2), ("g", {"x": 1})], [f(a=1, b=3, c=4), ("g", {"x": 1})])

    assert found == ArgumentScores(2 / 4, 2 / 3, 0.5714285714285715)


def test_a_missing_call_costs_recall_and_an_extra_call_no_precision() -> None:
    assert scores([f(a=1), ("g", {"x": 1})], [f(a=1)]).recall == 0.5
    assert scores([f(a=1)], [f(a=1), ("g", {"x": 1}), f(a=2)]) == ArgumentScores(1.0, 1.0, 1.0)


def test_one_empty_side_is_none_right_and_two_are_all_right() -> None:
    assert scores([f(a=1)], []).f1 == 0.0
    assert scores([], [f()]).f1 == 0.0
    assert scores([], []).f1 == 1.0


def test_nothing_to_count_is_all_right_if_a_call_is_paired() -> None:
    assert scores([f()], [f()]).f1 == 1.0
    assert scores([f()], [("f", None)]).f1 == 1.0
    assert scores([UNCHECKED], [f(a=1)]).f1 == 1.0
    assert scores([f()], [("g", {})]).f1 == 0.0


def test_none_expected_and_some_given_is_none_right() -> None:
    assert scores([f()], [f(a=1)]) == ArgumentScores(0.0, 0.0, 0.0)
    assert scores([f(a=1)], [f()]) == ArgumentScores(0.0, 0.0, 0.0)


def test_the_best_pairing_is_found_where_the_first_is_not() -> None:
    expected = [f(a=1, b=1), f(a=1, b=2)]

    assert scores(expected, [f(a=1, b=2), f(a=1, b=1)]).f1 == 1.0
    assert scores([f(a=1), f(a=1, b=2)], [f(a=1, b=2), f(a=1)]).f1 == 1.0


def test_of_equally_good_calls_the_first_is_taken() -> None:
    assert scores([f(a=1)], [f(a=1), f(a=1, b=2)]).precision == 1.0
    assert scores([f(a=1)], [f(a=1, b=2), f(a=1)]).precision == 0.5


def test_of_equally_good_expectations_the_first_goes_without() -> None:
    assert scores([f(), UNCHECKED], [f(a=1, b=2)]).f1 == 1.0
    assert scores([UNCHECKED, f()], [f(a=1, b=2)]).f1 == 0.0


def test_beyond_twelve_actual_calls_the_first_takes_the_best_that_is_left() -> None:
    expected, actual = [f(a=1), f(a=1, b=2)], [f(a=1, b=2), f(a=1)]
    others = [f() for _ in range(10)]

    assert scores(expected, actual + others).f1 == 1.0
    greedy = scores(expected, [*actual, *others, f()])
    assert greedy == ArgumentScores(2 / 3, 2 / 3, 2 / 3)


def test_beyond_twelve_actual_calls_there_may_be_more_expected_ones() -> None:
    found = scores([f(a=1)] * 16, [f(a=1)] * 13)

    assert found == ArgumentScores(1.0, 13 / 16, 0.896551724137931)


@pytest.mark.parametrize(
    ("wanted", "given", "leniently", "strictly"),
    [
        (1, 1, True, True),
        (1, 1.0, True, False),
        (True, 1, True, False),
        (2**53 + 1, float(2**53), True, False),
        (2**53 + 1, 2**53, True, False),
        (" Paris\u00a0", "Paris", True, False),
        ("Paris", "paris", False, False),
        (1, "1", False, False),
        ("1", 1, False, False),
        (None, None, True, True),
        (None, False, False, False),
        ([1], [1.0], True, False),
        ([" a"], ["a"], False, False),
        ({"a": [1]}, {"a": [1]}, True, True),
        ({"a": 1}, {"a": True}, True, False),
        ({"a": 1}, {"b": 1}, False, False),
        ([1], [1, 2], False, False),
        ((1,), [1], False, False),
        ({}, [], False, False),
        (NAN, NAN, False, False),
        (10**400, 10**400, True, True),
        (10**400, "1", False, False),
        ("1", 10**400, False, False),
    ],
)
def test_which_values_are_the_same(
    wanted: Any, given: Any, leniently: bool, strictly: bool
) -> None:
    assert is_same(wanted, given) is leniently
    assert is_same(wanted, given, strict=True) is strictly


def test_nan_inside_of_a_value_is_itself_unless_strict() -> None:
    value = [NAN]

    assert is_same(value, [NAN]) is True
    assert is_same(value, value, strict=True) is False


@pytest.mark.parametrize("other", [1, 1.5, True, float("inf"), -(10**400)], ids=str)
def test_an_integer_that_no_float_can_hold_is_not_compared(other: Any) -> None:
    with pytest.raises(NotScorable, match="float"):
        is_same(10**400, other)
    with pytest.raises(NotScorable, match="float"):
        is_same(other, 10**400)
    assert is_same(10**400, other, strict=True) is False


def test_it_is_not_compared_even_in_a_pair_that_is_not_made() -> None:
    with pytest.raises(NotScorable):
        scores([f(a=1), f(a=10**400)], [f(a=1), f(a=10**400)])


@pytest.mark.parametrize("strict", [False, True])
def test_what_is_nested_too_deep_is_not_compared(strict: bool) -> None:
    with pytest.raises(NotScorable, match="recursion"):
        is_same(nested(), nested(), strict=strict)


def test_twelve_calls_of_one_tool_are_paired_as_by_trying_everything() -> None:
    random = Random(5)
    for _ in range(150):
        expected, actual = ([_call(random) for _ in range(random.randint(1, 5))] for _ in range(2))
        assert scores(expected, actual).precision == _tried(expected, actual)


def _call(random: Random) -> tuple[str, Sides]:
    keys = random.sample("abcd", random.randrange(5))
    return ("f", {key: random.randrange(2) for key in keys}) if random.random() < 0.8 else UNCHECKED


def _tried(expected: list[tuple[str, Sides]], actual: list[tuple[str, Sides]]) -> float:
    """The precision by all pairings: most pairs, most right, then the first that goes without."""

    @functools.cache
    def best(row: int, used: frozenset[int]) -> tuple[int, int, tuple[int | None, ...]]:
        if row == len(expected):
            return 0, 0, ()
        pairs, right, rest = best(row + 1, used)
        found: tuple[int, int, tuple[int | None, ...]] = (pairs, right, (None, *rest))
        for column in sorted(set(range(len(actual))) - used):
            pairs, right, rest = best(row + 1, used | {column})
            right += _right(expected[row][1], actual[column][1])
            if (pairs + 1, right) > found[:2]:
                found = (pairs + 1, right, (column, *rest))
        return found

    _, right, columns = best(0, frozenset())
    counted = sum(
        len(actual[column][1] or {})
        for (_, wanted), column in zip(expected, columns, strict=True)
        if column is not None and wanted is not None
    )
    if not counted and not any(wanted for _, wanted in expected):
        return 1.0
    return right / counted if counted else 0.0


def _right(wanted: Sides, given: Sides) -> int:
    return len((wanted or {}).items() & (given or {}).items())


def test_steps_want_the_expected_arguments_and_mind_no_others() -> None:
    assert _steps_share([f(a=1), f(b=2)], [f(a=1, c=3), f(b=1)]) == 0.5
    assert _steps_share([f(a=None)], [f()]) == 0.0
    assert _steps_share([f(a=1)], [("f", None)]) == 0.0
    assert _steps_share([UNCHECKED, f()], [f(a=1), ("f", None)]) == 1.0
    assert _steps_share([f(a=" x")], [f(a="x")]) == 0.0
    assert _steps_share([], []) == 1.0
    assert _steps_share([], [f()]) == 0.0
    with pytest.raises(NotScorable, match="recursion"):
        _steps_share([f(a=nested())], [f(a=nested())])


def test_equal_calls_are_found_once() -> None:
    share = tool_scorer.tool_correctness_with_args

    assert share([f(a=1), f(a=1)], [f(a=1.0), ("g", {"a": 1})]) == 0.5
    assert share([], []) == 1.0
    assert share([], [f()]) == 0.0
    with pytest.raises(NotScorable, match="recursion"):
        share([f(a=nested())], [f(a=nested())])


def test_repetitions_have_the_same_text() -> None:
    assert _repeated_share([f(a=1, b=2), f(b=2, a=1), f(a=1.0, b=2)]) == 1 / 3
    assert _repeated_share([f(a={"x": 1, "y": 2}), f(a={"y": 2, "x": 1})]) == 0.5
    assert _repeated_share([f(), ("f", None)]) == 0.5
    assert _repeated_share([f(), ("g", {})]) == 0.0
    assert _repeated_share([]) == 0.0
    with pytest.raises(NotScorable, match="JSON"):
        _repeated_share([f(a=10**5000)])


# What Toolscore counts by names alone.

placed_share = functools.partial(tool_scorer.tool_correctness, strict_order=True)


@pytest.mark.parametrize("share", [_found_share, _invoked_share, placed_share, _tools_share])
def test_nothing_expected_is_right_if_nothing_is_given(
    share: Callable[[list[str], list[str]], float],
) -> None:
    assert share([], []) == 1.0
    assert share([], ["a"]) == 0.0


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [("", "", 1.0), ("a", "", 0.0), ("", "a", 0.0), ("ab", "a", 1.0), ("ab", "aac", 2 / 3)],
)
def test_selected(expected: str, actual: str, share: float) -> None:
    assert _selected_share(list(expected), list(actual)) == share


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [
        ("", "", 1.0),
        ("", "a", 0.0),
        ("a", "", 0.0),
        ("ab", "aab", 1.0),
        ("ab", "a", 0.25),
        ("abcd", "abx", 0.125),
        ("abc", "abxx", 0.3333333333333333),
        ("abc", "abcxy", 0.6666666666666666),
        ("ab", "cd", 0.0),
    ],
)
def test_invoked(expected: str, actual: str, share: float) -> None:
    assert _invoked_share(list(expected), list(actual)) == share


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [("", "", 1.0), ("", "a", 0.0), ("a", "", 0.0), ("aab", "ax", 0.5), ("ab", "xba", 1.0)],
)
def test_tools(expected: str, actual: str, share: float) -> None:
    assert _tools_share(list(expected), list(actual)) == share


@pytest.mark.parametrize(
    ("expected", "actual", "scores"),
    [
        ("", "", (0.0, 0.0, 1.0)),
        ("ab", "ab", (0.0, 0.0, 1.0)),
        ("ab", "", (2.0, 1.0, 0.0)),
        ("", "abc", (3.0, 1.0, 0.0)),
        ("ab", "aac", (2.0, 0.6666666666666666, 0.33333333333333337)),
        ("ab", "ba", (2.0, 1.0, 0.0)),
        ("abcd", "bcd", (1.0, 0.25, 0.75)),
    ],
)
def test_sequences(expected: str, actual: str, scores: tuple[float, float, float]) -> None:
    assert _sequence_scores(list(expected), list(actual)) == SequenceScores(*scores)


def test_names_of_several_letters_are_compared_whole() -> None:
    found = _sequence_scores(["search", "book"], ["search", "books", "погода"])

    assert found.edit_distance == 2.0


def test_a_name_stands_at_its_position_or_not() -> None:
    assert placed_share(list("abc"), list("abx")) == 2 / 3
    assert placed_share(list("abc"), list("xabc")) == 0.0


def test_names_are_shared_as_often_as_both_have_them() -> None:
    assert _found_share(list("aab"), list("abbx")) == 2 / 3
    assert _redundant_share(list("aab"), list("abbx")) == 0.5
    assert _redundant_share(["a"], []) == 0.0


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [("", "", 1.0), ("", "a", 1.0), ("a", "", 0.0), ("ab", "abc", 2 / 3), ("ab", "a", 1.0)],
)
def test_efficiency(expected: str, actual: str, share: float) -> None:
    assert _efficiency(expected, actual) == share


def test_a_name_without_what_may_vary() -> None:
    share = functools.partial(tool_scorer.partial_trajectory, allow_tool_name_variations=True)

    assert share(["Get_Wea-ther"], ["getweather"]) == 1.0
    assert share(["web search"], ["websearch"]) == 0.0
    assert share(["ẞ"], ["ß"]) == 1.0
    assert share(["ß"], ["ss"]) == 0.0
