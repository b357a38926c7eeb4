"""How Toolscore counts arguments."""

from __future__ import annotations

import functools
from random import Random
from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import NotScorable
from callscore.parity.tool_scorer import (
    ArgumentScores,
    _argument_scores,
    _equal_share,
    _repeated_share,
    _steps_share,
)

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
    assert _equal_share([f(a=1), f(a=1)], [f(a=1.0), ("g", {"a": 1})]) == 0.5
    assert _equal_share([], []) == 1.0
    assert _equal_share([], [f()]) == 0.0
    with pytest.raises(NotScorable, match="recursion"):
        _equal_share([f(a=nested())], [f(a=nested())])


def test_repetitions_have_the_same_text() -> None:
    assert _repeated_share([f(a=1, b=2), f(b=2, a=1), f(a=1.0, b=2)]) == 1 / 3
    assert _repeated_share([f(a={"x": 1, "y": 2}), f(a={"y": 2, "x": 1})]) == 0.5
    assert _repeated_share([f(), ("f", None)]) == 0.5
    assert _repeated_share([f(), ("g", {})]) == 0.0
    assert _repeated_share([]) == 0.0
    with pytest.raises(NotScorable, match="JSON"):
        _repeated_share([f(a=10**5000)])
