"""The pairing against the rule it follows, tried out over all pairings."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.equality import equal
from callscore.core.pairing import is_correct_pair, match_calls
from callscore.core.scoring import score_calls
from callscore.core.settings import Mode, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Calls = tuple[ToolCall, ...]
Pairing = list[tuple[int, int]]

STRICT = Settings()
FLEXIBLE = Settings(mode=Mode.FLEXIBLE)
EVERY_SETTING = [
    Settings(
        mode=mode, order=order, extra_arguments=extra_arguments, argument_match_threshold=threshold
    )
    for mode, thresholds in ((Mode.STRICT, [0.8]), (Mode.FLEXIBLE, [0, 0.3, 0.5, 0.8, 1]))
    for order in ("any", "in_order", "exact")
    for extra_arguments in ("ignore", "count")
    for threshold in thresholds
]


def pairings(expected: Calls, actual: Calls, settings: Settings) -> Iterator[Pairing]:
    """Every pairing that joins equal names and that the order allows."""

    def extend(row: int, free: frozenset[int]) -> Iterator[Pairing]:
        if row == len(expected):
            yield []
            return
        yield from extend(row + 1, free)
        for column in free:
            if expected[row].name == actual[column].name:
                for rest in extend(row + 1, free - {column}):
                    yield [(row, column), *rest]

    for pairing in extend(0, frozenset(range(len(actual)))):
        crosses = any(left[1] > right[1] for left, right in pairwise(pairing))
        shifted = any(row != column for row, column in pairing)
        if not (crosses and settings.order != "any") and not (
            shifted and settings.order == "exact"
        ):
            yield pairing


def overlap(expected: ToolCall, actual: ToolCall, settings: Settings) -> Fraction:
    wanted, given_ = expected.arguments, actual.arguments or {}
    if actual.error is not None:
        return Fraction(0)
    if wanted is None or equal(wanted, given_):
        return Fraction(1)
    matched = sum(key in given_ and equal(wanted[key], given_[key]) for key in wanted)
    if settings.extra_arguments == "count":
        return Fraction(matched, len(wanted | given_))
    return Fraction(matched, len(wanted)) if wanted else Fraction(1, 2)


def is_equal(expected: ToolCall, actual: ToolCall) -> bool:
    if actual.error is not None or expected.arguments is None:
        return False
    return equal(expected.arguments, actual.arguments or {})


def counts_as_correct(expected: ToolCall, actual: ToolCall, settings: Settings) -> bool:
    if actual.error is not None:
        return False
    if expected.arguments is None or is_equal(expected, actual):
        return True
    near = float(overlap(expected, actual, settings)) >= settings.argument_match_threshold
    return settings.mode == Mode.FLEXIBLE and near


def best_pairing(expected: Calls, actual: Calls, settings: Settings) -> Pairing:
    """The one that the rule names, found by looking at all of them."""

    def rank(pairing: Pairing) -> tuple[int, int, Fraction, int, list[int]]:
        pairs = [(expected[row], actual[column]) for row, column in pairing]
        columns = dict(pairing)
        return (
            -sum(counts_as_correct(*pair, settings) for pair in pairs),
            -sum(is_equal(*pair) for pair in pairs),
            -sum((overlap(*pair, settings) for pair in pairs), Fraction(0)),
            -len(pairs),
            [columns.get(row, len(actual)) for row in range(len(expected))],
        )

    return min(pairings(expected, actual, settings), key=rank)


NAMES = st.sampled_from("fffgh")
VALUES = st.sampled_from([0, 0, 1, 1, 2, 1.0, True, "1", None])
# Overlaps of many sizes, too: thirds, quarters and fifths must add up exactly.
ARGUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES) | st.dictionaries(
    st.sampled_from("abcde"), st.integers(0, 1), min_size=3
)
EXPECTED = st.builds(ToolCall, NAMES, ARGUMENTS | ARGUMENTS | ARGUMENTS | st.none())
UNREADABLE = st.builds(ToolCall, NAMES, raw=st.just("{"), error=st.just("unexpected end"))
ACTUAL = st.builds(ToolCall, NAMES, ARGUMENTS | ARGUMENTS | ARGUMENTS | st.none()) | UNREADABLE


@examples(max_examples=1500)
@given(
    st.lists(EXPECTED, max_size=5).map(tuple),
    st.lists(ACTUAL, max_size=5).map(tuple),
    st.sampled_from(EVERY_SETTING),
)
def test_the_pairing_equals_brute_force_over_all_pairings_ties_included(
    expected: Calls, actual: Calls, settings: Settings
) -> None:
    best = best_pairing(expected, actual, settings)

    score = score_calls(expected, actual, settings)
    from_the_start = match_calls(expected, actual, 0, settings, Budget())

    assert [(row, column) for row, column, _ in from_the_start] == best
    assert [right for _, _, right in from_the_start] == [
        counts_as_correct(expected[row], actual[column], settings) for row, column in best
    ]
    for pairs, are_correct in ((score.correct, True), (score.incorrect, False)):
        assert [(pair.expected_index, pair.actual_index) for pair in pairs] == [
            (row, column) for row, column, right in from_the_start if right is are_correct
        ]


@pytest.mark.parametrize("settings", EVERY_SETTING)
def test_tied_calls_of_one_tool_are_paired_as_brute_force_pairs_them(settings: Settings) -> None:
    random = Random(7)

    def calls() -> Calls:
        return tuple(
            ToolCall("f", {"a": random.randint(0, 1), "b": random.randint(0, 1)}) for _ in range(5)
        )

    for _ in range(3):
        expected, actual = calls(), calls()

        matches = match_calls(expected, actual, 0, settings, Budget())

        assert [match[:2] for match in matches] == best_pairing(expected, actual, settings)


def pairs_of(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], settings: Settings
) -> Pairing:
    return [
        (row, column) for row, column, _ in match_calls(expected, actual, 0, settings, Budget())
    ]


def numbered(*numbers: int) -> list[ToolCall]:
    return [ToolCall("f", {"n": number}) for number in numbers]


def test_an_equal_pair_gives_way_where_two_near_ones_are_worth_more() -> None:
    expected = [
        ToolCall("f", dict(zip("abcde", values, strict=True)))
        for values in ([1, 2, 3, 4, 5], [1, 2, 3, 4, 9])
    ]
    actual = [
        ToolCall("f", dict(zip("abcde", values, strict=True)))
        for values in ([1, 2, 3, 4, 5], [8, 2, 3, 4, 5])
    ]

    assert match_calls(expected, actual, 0, FLEXIBLE, Budget()) == [(0, 1, True), (1, 0, True)]
    assert match_calls(expected, actual, 0, STRICT, Budget()) == [(0, 0, True), (1, 1, False)]


def test_an_equal_pair_is_kept_where_two_others_overlap_more() -> None:
    lenient = Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0)
    ones = dict.fromkeys("abcdefghij", 1)
    expected = [ToolCall("f", ones), ToolCall("f", {"a": 1})]
    actual = [ToolCall("f", ones), ToolCall("f", ones | {"a": 2})]

    # All pairs are correct here. Crossed, they overlap by 9/10 and 1; so, by 1 and 0.
    assert match_calls(expected, actual, 0, lenient, Budget()) == [(0, 0, True), (1, 1, True)]


def test_a_call_is_set_against_the_closest_candidate() -> None:
    expected = [ToolCall("f", {"city": "Paris", "days": 3})]
    actual = [ToolCall("f", {"city": "Rome"}), ToolCall("f", {"city": "Paris", "days": 2})]

    assert match_calls(expected, actual, 0, STRICT, Budget()) == [(0, 1, False)]


def test_two_calls_are_paired_straight_unless_they_are_closer_crossed() -> None:
    def calls(*pairs: tuple[int, int]) -> list[ToolCall]:
        return [ToolCall("f", {"a": first, "b": second}) for first, second in pairs]

    straight, crossed = [(0, 0), (1, 1)], [(0, 1), (1, 0)]
    expected = calls((1, 2), (3, 4))
    for settings in (STRICT, FLEXIBLE):
        for actual, found in [
            (calls((1, 2), (9, 9)), straight),
            (calls((9, 9), (3, 4)), straight),
            (calls((3, 4), (9, 9)), crossed),
            (calls((9, 9), (1, 2)), crossed),
            (calls((3, 9), (1, 9)), crossed),
            (calls((1, 9), (3, 9)), straight),
            (calls((9, 9), (8, 8)), straight),
        ]:
            assert pairs_of(expected, actual, settings) == found
    accepting = [ToolCall("f"), ToolCall("f", {"a": 1, "b": 2})]
    assert pairs_of(accepting, calls((1, 2), (9, 9)), STRICT) == crossed


def test_of_several_candidates_the_first_equal_one_is_taken() -> None:
    assert pairs_of(numbered(1), numbered(2, 1, 1), STRICT) == [(0, 1)]
    assert pairs_of(numbered(2, 1, 1), numbered(1), FLEXIBLE) == [(1, 0)]


def test_the_call_that_fits_worst_is_left_over() -> None:
    expected, actual = numbered(1, 2, 3), numbered(3, 1)
    near = [ToolCall("f", {"n": number, "m": 0}) for number in (3, 1)]

    assert pairs_of(expected, actual, STRICT) == [(0, 1), (2, 0)]
    assert match_calls(expected, near, 0, STRICT, Budget()) == [(0, 1, False), (2, 0, False)]
    assert match_calls(expected, near, 0, FLEXIBLE, Budget()) == [(0, 1, True), (2, 0, True)]


def test_identical_copies_are_paired_in_order() -> None:
    assert pairs_of(numbered(1, 1), numbered(1, 1, 1), STRICT) == [(0, 0), (1, 1)]
    assert pairs_of(numbered(1, 1, 1), numbered(1, 1), STRICT) == [(0, 0), (1, 1)]


def test_which_of_two_copies_is_the_equal_one_is_decided_by_position() -> None:
    # Either copy could be it; the first expected call takes the earliest call that leaves a best.
    assert pairs_of(numbered(1, 1), numbered(2, 1), STRICT) == [(0, 0), (1, 1)]
    assert pairs_of(numbered(2, 1), numbered(1, 1), STRICT) == [(0, 0), (1, 1)]
    assert pairs_of(numbered(1, 2, 1), numbered(3, 4, 1), STRICT) == [(0, 0), (1, 1), (2, 2)]


def test_pairs_cross_only_where_the_order_allows() -> None:
    expected, actual = numbered(1, 2, 3), numbered(2, 3, 1)

    assert pairs_of(expected, actual, STRICT) == [(0, 2), (1, 0), (2, 1)]
    assert pairs_of(expected, actual, Settings(order="in_order")) == [(1, 0), (2, 1)]
    assert pairs_of(expected, actual, Settings(order="exact")) == [(0, 0), (1, 1), (2, 2)]


@pytest.mark.parametrize("order", ["any", "in_order", "exact"])
def test_tools_of_other_names_are_never_paired(order: Any) -> None:
    assert (
        match_calls([ToolCall("f", {})], [ToolCall("g", {})], 0, Settings(order=order), Budget())
        == []
    )


def test_a_call_that_cannot_be_read_is_paired_by_name_and_not_correct() -> None:
    unreadable = ToolCall("f", raw="{", error="unexpected end")

    assert match_calls(numbered(1), [unreadable], 0, STRICT, Budget()) == [(0, 0, False)]
    assert match_calls([ToolCall("f")], [unreadable], 0, STRICT, Budget()) == [(0, 0, False)]
    assert not is_correct_pair(ToolCall("f", {}), unreadable, FLEXIBLE)


def test_calls_that_cannot_be_read_are_not_copies_of_one_another() -> None:
    unreadable = ToolCall("f", raw="{", error="unexpected end")

    for copies in (2, 20):  # few are compared one by one, many by their fingerprints
        expected = [*numbered(*range(copies)), ToolCall("f", {})]
        actual = [unreadable] * copies + [ToolCall("f")]

        matches = match_calls(expected, actual, 0, STRICT, Budget())

        assert matches[-1] == (copies, copies, True)
        assert [right for _, _, right in matches] == [False] * copies + [True]


def test_many_shuffled_calls_find_their_equals_and_the_rest_the_closest() -> None:
    random = Random(3)
    expected = [ToolCall("f", {"n": number, "m": number % 7}) for number in range(2000)]
    actual = random.sample(expected, len(expected))
    actual[10] = ToolCall("f", {"m": actual[10].arguments["m"], "n": -1})  # type: ignore[index]
    actual[20] = ToolCall("f", {"m": -1, "n": actual[20].arguments["n"]})  # type: ignore[index]

    matches = match_calls(expected, actual, 0, STRICT, Budget())

    assert len(matches) == 2000
    assert sum(right for _, _, right in matches) == 1998
    for row, column, right in matches:
        arguments, others = expected[row].arguments or {}, actual[column].arguments or {}
        assert right is (arguments == others)
        assert arguments.items() & others.items()


def test_a_long_list_of_strict_calls_is_paired_as_a_short_one() -> None:
    # 9 x 9 calls go by fingerprints, 8 x 8 by comparison; a call of its own kind changes nothing.
    random = Random(5)
    for _ in range(30):
        expected = numbered(*(random.randint(0, 3) for _ in range(8)))
        actual = numbered(*(random.randint(0, 3) for _ in range(8)))

        few = match_calls(expected, actual, 0, STRICT, Budget())
        many = match_calls(expected + numbered(9), actual + numbered(9), 0, STRICT, Budget())

        assert many == [*few, (8, 8, True)]
