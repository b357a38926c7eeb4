"""Bounds: exact, and refused where nothing is between them."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from callscore.core.budget import Budget
from callscore.core.rules import Matcher, check_matcher, describe_value
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))


@pytest.mark.parametrize(
    ("key", "fitting"),
    [("$gt", {2}), ("$gte", {1, 2}), ("$lt", {0}), ("$lte", {0, 1})],
)
def test_a_bound_is_one(key: str, fitting: set[int]) -> None:
    found = {given for given in (0, 1, 2) if compare_value(Matcher(key, 1), given, CONTEXT).matched}

    assert found == fitting


def test_integers_and_floats_compare_exactly() -> None:
    matcher = Matcher("$gt", 9007199254740992.0)

    assert compare_value(matcher, 9007199254740993, CONTEXT).matched
    assert compare_value(matcher, 10**400, CONTEXT).matched


@pytest.mark.parametrize("given", [True, "2", None, [2], nan])
def test_what_is_no_number_is_within_no_bounds(given: Any) -> None:
    assert not compare_value(Matcher("$gt", 0), given, CONTEXT).matched


@pytest.mark.parametrize("bound", ["1", None, True, nan, inf, [1]])
def test_a_bound_is_a_number(bound: Any) -> None:
    assert check_matcher(Matcher("$gt", bound)) is not None
    assert check_matcher(Matcher("$gt", 0, {"$lt": bound})) is not None


@pytest.mark.parametrize(
    ("value", "options", "problem"),
    [
        (5, {"$lte": 1}, "no number satisfies both '$gt' and '$lte'."),
        (1, {"$lte": 1}, "no number satisfies both '$gt' and '$lte'."),
        (0, {"$gte": 2, "$lt": 2}, "no number satisfies both '$gte' and '$lt'."),
    ],
)
def test_bounds_that_leave_nothing_are_refused(
    value: int, options: dict[str, int], problem: str
) -> None:
    assert check_matcher(Matcher("$gt", value, options)) == problem


def test_bounds_that_leave_one_number_are_not() -> None:
    assert check_matcher(Matcher("$gte", 1, {"$lte": 1})) is None


def test_both_bounds_are_described() -> None:
    assert describe_value(Matcher("$gt", 1, {"$lte": 5})) == "$gt 1, $lte 5"
