"""The pairing against the rule it follows, tried out over all pairings."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.equality import equal
from callscore.core.pairing import match_calls
from callscore.core.scoring import score_calls
from callscore.core.settings import Mode, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

Calls = tuple[ToolCall, ...]
Pairing = list[tuple[int, int]]

STRICT = Settings()
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
