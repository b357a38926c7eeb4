"""What holds for every score, whatever the calls are."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Mode, Order, Settings

if TYPE_CHECKING:
    from callscore.core.score import Score

Calls = tuple[ToolCall, ...]

ORDERS: list[Order] = ["any", "in_order", "exact"]
THRESHOLDS = st.sampled_from([0, 0.3, 0.5, 0.8, 1])


def settings_in(orders: list[Order]) -> st.SearchStrategy[Settings]:
    return st.builds(
        Settings,
        mode=st.sampled_from(Mode),
        argument_match_threshold=THRESHOLDS,
        order=st.sampled_from(orders),
        extra_arguments=st.sampled_from(["ignore", "count"]),
    )


SETTINGS, ANY_ORDER = settings_in(ORDERS), settings_in(["any"])
# Few tools, keys and values: calls are often the same, nearly the same, or equal by chance.
NAMES = st.sampled_from(["search", "search", "book", "поиск"])
VALUES = st.recursive(
    st.sampled_from([0, 1, 1.0, True, "1", None, float("nan")]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner),
    max_leaves=3,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES)
PLAIN = st.builds(ToolCall, NAMES, ARGUMENTS)
ACCEPTING = st.builds(ToolCall, NAMES)
UNREADABLE = st.builds(ToolCall, NAMES, raw=st.just("{"), error=st.just("unexpected end"))
RANDOMS = st.randoms(use_true_random=False)


def calls(call: st.SearchStrategy[ToolCall], max_size: int = 6) -> st.SearchStrategy[Calls]:
    return st.lists(call, max_size=max_size).map(tuple)


EXPECTED = calls(PLAIN | PLAIN | PLAIN | ACCEPTING)
ACTUAL = calls(PLAIN | PLAIN | PLAIN | UNREADABLE)


@st.composite
def repeating_sides(draw: st.DrawFn) -> tuple[Calls, Calls]:
    """Two sides that have most of their calls in common, some of them more than once."""
    pool = draw(st.lists(PLAIN, min_size=1, max_size=4))
    side = st.lists(st.sampled_from(pool), max_size=8).map(tuple)
    return draw(side), draw(side)


SIDES = st.tuples(EXPECTED, ACTUAL) | repeating_sides()


def numbers(score: Score) -> dict[str, Any]:
    return {
        "correct": len(score.correct),
        "incorrect": len(score.incorrect),
        "missed": len(score.missed),
        "extra": len(score.extra),
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
        "tool_selection": score.tool_selection,
    }


def reordered(value: Any) -> Any:
    """The same value with the keys of every object in the other order."""
    if isinstance(value, dict):
        return {key: reordered(member) for key, member in reversed(value.items())}
    return [reordered(member) for member in value] if isinstance(value, list) else value


def shuffled(side: Calls, random: Random) -> Calls:
    return tuple(random.sample(side, len(side)))


@given(SIDES, ANY_ORDER, RANDOMS)
def test_the_order_of_either_side_does_not_matter_where_any_order_is_allowed(
    sides: tuple[Calls, Calls], settings: Settings, random: Random
) -> None:
    expected, actual = sides
    result = numbers(score_calls(expected, actual, settings))

    assert numbers(score_calls(shuffled(expected, random), actual, settings)) == result
    assert numbers(score_calls(expected, shuffled(actual, random), settings)) == result


@given(SIDES, SETTINGS)
def test_the_order_of_keys_does_not_matter(sides: tuple[Calls, Calls], settings: Settings) -> None:
    expected, actual = sides
    same = tuple(
        ToolCall(call.name, reordered(call.arguments), raw=call.raw, error=call.error)
        for call in actual
    )

    score, other = (score_calls(expected, side, settings) for side in (actual, same))

    assert numbers(other) == numbers(score)
    assert [(pair.expected_index, pair.actual_index) for pair in other.correct] == [
        (pair.expected_index, pair.actual_index) for pair in score.correct
    ]


@given(calls(PLAIN), calls(PLAIN), st.sampled_from(ORDERS))
def test_swapping_the_sides_swaps_precision_and_recall(
    expected: Calls, actual: Calls, order: Order
) -> None:
    settings = Settings(order=order)

    score = score_calls(expected, actual, settings)
    swapped = score_calls(actual, expected, settings)

    assert (swapped.precision, swapped.recall) == (score.recall, score.precision)
    assert (swapped.f1, swapped.tool_selection) == (score.f1, score.tool_selection)
    if order == "any":  # else a greater overlap, which looks at one side, may cost a pair
        assert (len(swapped.missed), len(swapped.extra)) == (len(score.extra), len(score.missed))


@given(SIDES, SETTINGS)
def test_every_call_is_counted_once(sides: tuple[Calls, Calls], settings: Settings) -> None:
    expected, actual = sides

    score = score_calls(expected, actual, settings)

    pairs = score.correct + score.incorrect
    assert len(pairs) + len(score.missed) == len(expected) == score.total_expected
    assert len(pairs) + len(score.extra) == len(actual) == score.total_actual
    rows, columns = (
        {getattr(p, f"{side}_index") for p in pairs} for side in ("expected", "actual")
    )
    assert len(rows) == len(columns) == len(pairs)
    assert score.missed == tuple(call for row, call in enumerate(expected) if row not in rows)
    assert score.extra == tuple(call for col, call in enumerate(actual) if col not in columns)
    for pair in pairs:
        assert pair.expected is expected[pair.expected_index]
        assert pair.actual is actual[pair.actual_index]
        assert pair.expected.name == pair.actual.name


@given(SIDES, SETTINGS)
def test_all_rates_are_shares(sides: tuple[Calls, Calls], settings: Settings) -> None:
    score = score_calls(*sides, settings)

    for rate in (score.precision, score.recall, score.f1, score.tool_selection):
        assert 0 <= rate <= 1
    assert score.f1 <= score.tool_selection
    assert score.is_exact is (score.f1 == 1)
    assert score.argument_accuracy is None or 0 <= score.argument_accuracy <= 1


@given(SIDES, ANY_ORDER)
def test_making_a_missed_call_after_all_never_lowers_the_score(
    sides: tuple[Calls, Calls], settings: Settings
) -> None:
    expected, actual = sides
    score = score_calls(expected, actual, settings)

    for missed in score.missed:
        made = ToolCall(missed.name, missed.arguments or {})
        assert score_calls(expected, (*actual, made), settings).f1 >= score.f1


@given(SIDES, THRESHOLDS, st.sampled_from(ORDERS), st.sampled_from(["ignore", "count"]))
def test_flexible_never_scores_lower_than_strict(
    sides: tuple[Calls, Calls], threshold: float, order: Order, extra_arguments: Any
) -> None:
    flexible = Settings(
        mode=Mode.FLEXIBLE,
        argument_match_threshold=threshold,
        order=order,
        extra_arguments=extra_arguments,
    )

    assert score_calls(*sides, flexible).f1 >= score_calls(*sides, Settings(order=order)).f1


@given(SIDES, SETTINGS)
def test_a_stricter_order_never_scores_higher(
    sides: tuple[Calls, Calls], settings: Settings
) -> None:
    def f1(order: Order) -> float:
        return score_calls(
            *sides,
            Settings(
                mode=settings.mode,
                argument_match_threshold=settings.argument_match_threshold,
                extra_arguments=settings.extra_arguments,
                order=order,
            ),
        ).f1

    assert f1("exact") <= f1("in_order") <= f1("any")


@given(calls(PLAIN | ACCEPTING), SETTINGS)
def test_calls_scored_against_themselves_are_perfect(side: Calls, settings: Settings) -> None:
    score = score_calls(side, side, settings)

    assert score.score == score.precision == score.recall == score.tool_selection == 1
    assert score.is_exact
    assert [pair.differences for pair in score.correct] == [()] * len(side)


@given(SIDES)
def test_strict_pairs_are_correct_exactly_when_nothing_differs(
    sides: tuple[Calls, Calls],
) -> None:
    score = score_calls(*sides, DEFAULT)

    assert all(pair.differences == () for pair in score.correct)
    assert all(pair.differences for pair in score.incorrect)


@pytest.mark.parametrize("mode", list(Mode))
@examples(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_many_tied_calls_score_the_same_in_any_order(mode: Mode, seed: int) -> None:
    random = Random(seed)
    settings = Settings(mode=mode, argument_match_threshold=0.5)

    def side() -> Calls:
        return tuple(ToolCall("f", {key: random.randint(0, 2) for key in "abc"}) for _ in range(40))

    expected, actual = side(), side()

    result = numbers(score_calls(expected, actual, settings))

    assert numbers(score_calls(shuffled(expected, random), actual, settings)) == result
    swapped = score_calls(actual, expected, settings)
    assert (len(swapped.correct), swapped.f1) == (result["correct"], result["f1"])
