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
from callscore.core.rules import ABSENT, FailedPart, Matcher, Verdict, check_matcher
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context
from callscore.core.value_comparison import compare_value as compare_values
from callscore.errors import InvalidCall

CONTEXT = make_context(Settings(), Budget(10**12))
ITEMS = st.integers(0, 4) | st.builds(
    lambda low, span: Matcher("$gte", low, {"$lte": low + span}),
    st.integers(0, 4),
    st.integers(0, 3),
)


def verdict(wanted: list[Any], given: Any) -> Verdict:
    return compare_value(Matcher("$unordered", wanted), given, CONTEXT)


def test_how_often_an_item_stands_there_counts() -> None:
    assert verdict([1, 1, 2], [1, 2, 1]).matched
    assert not verdict([1, 1, 2], [1, 2, 2]).matched


def test_items_are_equal_as_json_says() -> None:
    assert verdict([1, {"a": 1, "b": [2]}], [{"b": [2.0], "a": 1}, 1.0]).matched
    assert not verdict([1], [True]).matched


def test_those_without_a_partner_are_the_parts() -> None:
    found = verdict([1, 2, 3], [3, 4, 1, 5])

    assert found.parts == (
        FailedPart(1, 2, ABSENT),
        FailedPart(1, ABSENT, 4),
        FailedPart(3, ABSENT, 5),
    )
    assert found.value == pytest.approx(4 / 7)


def test_two_empty_arrays_are_the_same() -> None:
    assert verdict([], []).matched
    assert not verdict([], [1]).matched


@pytest.mark.parametrize("given", [None, "ab", {"a": 1}, 5])
def test_only_an_array_has_items(given: Any) -> None:
    assert verdict([1], given) == Verdict(matched=False, value=0.0)


def test_a_rule_gives_way_to_one_that_has_no_other_choice() -> None:
    low, high, any_ = Matcher("$lt", 2), Matcher("$gt", 2), Matcher("$any")

    assert verdict([any_, low, high], [1, 3, 9]).matched
    assert verdict([any_, high, low], [9, 1, 3]).matched
    assert verdict([any_, any_, 1], [1, 2, 3]).matched


def test_a_rule_that_finds_nothing_is_a_part() -> None:
    high = Matcher("$gt", 5)

    found = verdict([high, 1, high], [1, 7, 2])

    assert found.parts == (FailedPart(2, high, ABSENT), FailedPart(2, ABSENT, 2))


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


@pytest.mark.parametrize("value", [None, {"a": 1}, "ab", 5])
def test_its_value_is_a_list(value: Any) -> None:
    assert check_matcher(Matcher("$unordered", value)) is not None


def test_objects_that_are_nearly_alike_are_one_difference() -> None:
    wanted = [{"id": 1, "amount": 5}, Matcher("$subset", {"id": 2, "amount": 6}), "x"]
    given = [{"id": 2, "amount": 7, "more": 0}, {"id": 1, "amount": 9}, "y"]

    found = verdict(wanted, given)

    assert found.parts == (
        FailedPart(0, wanted[0], given[1]),
        FailedPart(1, wanted[1], given[0]),
        FailedPart(2, "x", ABSENT),
        FailedPart(2, ABSENT, "y"),
    )
    assert found.value == 0


def test_of_several_that_are_nearly_alike_the_closest_is_shown() -> None:
    wanted = [{"a": 1, "b": 2, "c": 3}]
    given = [{"a": 1, "b": 0, "c": 0}, {"a": 1, "b": 2, "c": 0}]

    assert verdict(wanted, given).parts == (
        FailedPart(0, wanted[0], given[1]),
        FailedPart(0, ABSENT, given[0]),
    )


def test_among_very_many_nothing_is_set_against_each_other() -> None:
    wanted = [{"a": 1, "b": n} for n in range(11)]
    given = [{"a": 1, "b": -n} for n in range(1, 12)]

    parts = verdict(wanted, given).parts

    assert len(parts) == 22
    assert all(part.expected is ABSENT or part.actual is ABSENT for part in parts)


def test_an_item_that_may_be_absent_needs_no_partner_but_takes_one() -> None:
    optional = Matcher("$optional", 2)

    assert verdict([1, optional], [1]).matched
    assert verdict([optional, 1], [1, 2]).matched
    assert verdict([Matcher("$absent"), 1], [1]).matched
    assert verdict([1, optional], [1, 3]).parts == (FailedPart(1, ABSENT, 3),)
    assert verdict([1, optional], []).parts == (FailedPart(0, 1, ABSENT),)
    assert verdict([1, optional], [3]).value == 0


def test_an_item_that_needs_a_partner_comes_before_one_that_does_not() -> None:
    either = Matcher("$optional", Matcher("$one_of", [1, 2]))
    low, high = Matcher("$lt", 2), Matcher("$gt", 1)

    assert verdict([either, low], [1]).matched
    assert verdict([either, low], [1, 2]).matched
    assert verdict([either, high, low], [2, 1]).matched
    assert verdict([either, either, low], [2, 1]).matched


@given(
    st.lists(ITEMS, max_size=4),
    st.lists(ITEMS, max_size=2),
    st.lists(st.integers(0, 6), max_size=5),
)
def test_it_matches_where_some_way_to_leave_out_what_may_be_absent_does(
    wanted: list[Any], optional: list[Any], given: list[int]
) -> None:
    may_be = [Matcher("$optional", item) for item in optional]
    chosen = [[], *[[item] for item in optional], optional]

    assert verdict([*may_be, *wanted], given).matched == any(
        verdict([*wanted, *some], given).matched for some in chosen
    )


def test_many_rules_that_fit_many_items_take_a_while_but_not_forever() -> None:
    numbers = list(range(300))
    at_least = [Matcher("$gte", number) for number in numbers]

    assert verdict(at_least, numbers[::-1]).matched
    assert not verdict(at_least, [*numbers[1:], 0.5][::-1]).parts
    assert len(verdict(at_least, [*numbers[1:-1], 0, 0]).parts) == 2


def test_thousands_of_objects_in_another_order_take_little_time() -> None:
    wanted = [
        Matcher("$subset", {"id": n, "tags": Matcher("$unordered", [n])}) for n in range(3000)
    ]
    given = [{"id": n, "tags": [n]} for n in range(3000)]
    others = [{"id": n, "tags": [n], "more": 1} for n in range(1, 3001)]

    assert verdict(wanted, given[::-1]).matched
    assert len(verdict(wanted, others[::-1]).parts) == 2
    assert not verdict(wanted, [{"id": -n} for n in range(1, 3001)]).matched


def test_too_many_comparisons_are_refused() -> None:
    rules = [Matcher("$gte", number, {"$lte": number}) for number in range(20)]
    few = make_context(Settings(), Budget(2000))

    with pytest.raises(InvalidCall, match=r"stopped at '\$unordered|stopped at '\$gte'"):
        compare_value(Matcher("$unordered", rules), [*range(10, 20), *range(10)], few)
    assert verdict(rules, [*range(20)]).matched


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


def test_what_lies_very_deep_is_looked_at_as_it_is() -> None:
    deep: Any = [Matcher("$any")]
    plain: Any = [1]
    for _ in range(30):
        deep, plain = [deep], [plain]

    assert verdict([deep, Matcher("$any")], [2, plain]).matched
