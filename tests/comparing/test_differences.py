"""From numbers to a difference and its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.comparing.sides_made_up import a_case, an_error, scored

from callscore.comparing.differences import (
    difference_between,
    slices_of,
)
from callscore.comparing.paired_statistics import smallest_effect
from callscore.comparing.sides import MatchedCase, paired_values

if TYPE_CHECKING:
    from callscore.comparing.differences import Slice
    from callscore.comparing.sides import CaseOutcome, TrialOutcome

PASS, DOWN, UP, FAIL = (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)
MIRRORED = {
    "improved": "regressed",
    "regressed": "improved",
    "no evidence": "no evidence",
    "not enough data": "not enough data",
}

shares = st.integers(0, 4).map(lambda number: number / 4)
flipped = st.lists(st.sampled_from([PASS, DOWN, UP, FAIL]), min_size=1, max_size=200)
graded = st.lists(st.tuples(shares, shares), min_size=1, max_size=80)


def test_the_interval_touches_zero_where_the_exact_test_is_not_significant() -> None:
    found = difference_between("passed", [PASS] * 195 + [DOWN] * 5)

    assert found.p_value == pytest.approx(0.0625)
    assert found.interval is not None
    assert found.interval.high == 0


@pytest.mark.parametrize("cases", [6, 20, 60])
def test_however_little_the_cases_move_few_of_them_say_little(cases: int) -> None:
    found = difference_between("tone", [(0.51, 0.5), (0.5, 0.51)] * (cases // 2))

    assert found.verdict == "not enough data"
    assert found.smallest == smallest_effect(cases, 0.0)


@given(flipped | graded)
def test_swapping_the_runs_mirrors_the_verdict(pairs: list[tuple[float, float]]) -> None:
    found = difference_between("f1", pairs)

    swapped = difference_between("f1", [(after, before) for before, after in pairs])

    assert swapped.verdict == MIRRORED[found.verdict]
    assert (swapped.up, swapped.down) == (found.down, found.up)
    assert swapped.smallest == found.smallest
    assert swapped.p_value == pytest.approx(found.p_value, rel=1e-5, abs=1e-12)
    assert found.interval is not None
    mirrored = (-found.interval.high, -found.interval.low)
    assert swapped.interval == pytest.approx(mirrored, abs=1e-6)


@given(flipped | graded)
def test_the_p_value_the_interval_and_the_verdict_say_the_same(
    pairs: list[tuple[float, float]],
) -> None:
    found = difference_between("f1", pairs)

    assert found.p_value is not None
    assert found.interval is not None
    is_decided = found.verdict in ("improved", "regressed")
    assert is_decided == (found.p_value < 0.05)
    assert is_decided == (not found.interval.low <= 0 <= found.interval.high)
    assert found.change is not None
    if is_decided:
        assert (found.verdict == "improved") == (found.change > 0)


@given(flipped | graded, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(
    pairs: list[tuple[float, float]], random: object
) -> None:
    shuffled = random.sample(pairs, len(pairs))  # type: ignore[attr-defined]  # a Random

    assert difference_between("f1", shuffled) == difference_between("f1", pairs)


# Where two runs differ: tags and tools.

RIGHT, WRONG, MISSED, EXTRA = (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0)


def calling(**tools: tuple[int, int, int, int, int]) -> TrialOutcome:
    return scored(tools=tools)


def matched(before: CaseOutcome, after: CaseOutcome, times: int = 1) -> list[MatchedCase]:
    return [MatchedCase("weather", before, after)] * times


def slices(cases: list[MatchedCase], measure: str = "passed") -> dict[str, Slice]:
    return {each.name: each for each in slices_of(cases, paired_values(cases, measure), measure)}


def test_a_tool_that_is_not_called_any_more_where_nobody_wants_it_is_right() -> None:
    cases = matched(a_case("a", calling(delete=EXTRA)), a_case("a", calling()))

    found = slices(cases)["delete"].difference

    assert (found.before, found.after) == (0, 1)


def test_a_trial_without_an_answer_missed_the_calls_that_were_expected() -> None:
    cases = matched(a_case("a", calling(search=RIGHT, delete=EXTRA)), a_case("a", an_error()))

    found = slices(cases)

    assert found["search"].difference.after == 0
    assert "delete" not in found


def test_p_values_are_corrected_for_all_slices_together() -> None:
    broken = matched(a_case("a", True, tags=("six",)), a_case("a", False, tags=("six",)), 6)
    fine = matched(a_case("b", calling(search=RIGHT)), a_case("b", calling(search=RIGHT)), 6)

    found = slices([*broken, *fine])

    assert found["six"].difference.p_value == pytest.approx(0.0625)
    assert found["six"].difference.verdict == "not enough data"
    assert found["six"].difference.interval is not None
    assert found["six"].difference.interval.high == 0
