"""`$unordered`: one to one, whatever the order."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.arguments import apply_settings, grade_calls
from callscore.core.budget import MAX_STEPS, Budget
from callscore.core.call import ToolCall
from callscore.core.rules import Matcher, Verdict
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context
from callscore.core.value_comparison import compare_value as compare_values

CONTEXT = make_context(Settings(), Budget(10**12))
ITEMS = st.integers(0, 4) | st.builds(
    lambda low, span: Matcher("$gte", low, {"$lte": low + span}),
    st.integers(0, 4),
    st.integers(0, 3),
)


def verdict(wanted: list[Any], given: Any) -> Verdict:
    return compare_value(Matcher("$unordered", wanted), given, CONTEXT)


@given(st.lists(ITEMS, max_size=5), st.lists(st.integers(0, 6), max_size=5))
def test_no_other_assignment_pairs_more(wanted: list[Any], given: list[int]) -> None:
    padded = given + [None] * len(wanted)
    most = max(
        sum(compare_values(*pair, CONTEXT).matched for pair in zip(wanted, order, strict=False))
        for order in set(permutations(padded, len(wanted)))
    )

    found = verdict(wanted, given)

    assert found.matched == (len(wanted) == len(given) == most)
    assert len(found.parts) == len(wanted) + len(given) - 2 * most


def test_ten_thousand_plain_items_and_as_many_rules_in_order_take_little_time() -> None:
    numbers = list(range(10_000))
    ruled = [Matcher("$gte", number, {"$lte": number}) for number in numbers]

    assert verdict(numbers, numbers[::-1]).matched
    assert verdict(ruled, numbers).matched


@given(
    st.lists(ITEMS, max_size=4),
    st.lists(ITEMS, max_size=2),
    st.lists(st.integers(0, 6), max_size=5),
)
def test_an_unordered_list_matches_if_some_choice_of_its_optional_items_does(
    wanted: list[Any], optional: list[Any], given: list[int]
) -> None:
    may_be = [Matcher("$optional", item) for item in optional]
    chosen = [[], *[[item] for item in optional], optional]

    assert verdict([*may_be, *wanted], given).matched == any(
        verdict([*wanted, *some], given).matched for some in chosen
    )


@pytest.mark.slow
def test_many_rules_that_fit_many_items_take_a_while_but_not_forever() -> None:
    numbers = list(range(300))
    at_least = [Matcher("$gte", number) for number in numbers]

    assert verdict(at_least, numbers[::-1]).matched
    assert not verdict(at_least, [*numbers[1:], 0.5][::-1]).parts
    assert len(verdict(at_least, [*numbers[1:-1], 0, 0]).parts) == 2


@pytest.mark.slow
def test_thousands_of_objects_in_another_order_take_little_time() -> None:
    wanted = [
        Matcher("$subset", {"id": n, "tags": Matcher("$unordered", [n])}) for n in range(3000)
    ]
    given = [{"id": n, "tags": [n]} for n in range(3000)]
    others = [{"id": n, "tags": [n], "more": 1} for n in range(1, 3001)]

    assert verdict(wanted, given[::-1]).matched
    assert len(verdict(wanted, others[::-1]).parts) == 2
    assert not verdict(wanted, [{"id": -n} for n in range(1, 3001)]).matched


def test_arrays_within_arrays_are_compared_without_trying_all_pairs() -> None:
    def nested(depth: int, number: int) -> Any:
        return number if not depth else [nested(depth - 1, 4 * number + at) for at in range(4)]

    def turned(value: Any) -> Any:
        return [turned(item) for item in reversed(value)] if isinstance(value, list) else value

    budget = Budget()
    settings = Settings(arrays="unordered")
    wanted = apply_settings(ToolCall("f", {"a": nested(5, 0)}), settings, budget)
    other = nested(5, 0)
    other[3][3][3][3][3] = -1

    assert grade_calls(wanted, ToolCall("f", {"a": turned(nested(5, 0))}), settings)[0]
    assert not grade_calls(wanted, ToolCall("f", {"a": other}), settings)[0]
    assert MAX_STEPS - budget.left < 100_000


VALUES = st.recursive(
    st.sampled_from([0, 1, 1.0, True]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_sorting_finds_what_trying_all_pairs_finds(left: Any, right: Any) -> None:
    settings = Settings(arrays="unordered")

    def matches(expected: Any) -> bool:
        call = apply_settings(ToolCall("f", {"a": expected}), settings)
        return grade_calls(call, ToolCall("f", {"a": right}), settings)[0]

    # A rule that accepts anything but the one item that is added on both sides keeps the items
    # from being sorted.
    call = apply_settings(ToolCall("f", {"a": [left, Matcher("$type", "null")]}), settings)
    paired = grade_calls(call, ToolCall("f", {"a": [None, right]}), settings)[0]

    assert matches(left) == paired
