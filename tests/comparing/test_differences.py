"""From numbers to a difference and its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.comparing.sides_made_up import a_case, an_error, scored

from callscore.comparing.differences import (
    difference_between,
    measure_difference,
    slices_of,
    with_verdict,
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


def test_a_clear_drop_has_regressed() -> None:
    found = difference_between("passed", [PASS] * 80 + [DOWN] * 18 + [UP] * 2)

    assert (found.verdict, found.method) == ("regressed", "exact McNemar")
    assert (found.cases, found.up, found.down) == (100, 2, 18)
    assert (found.before, found.after) == (0.98, 0.82)
    assert found.change == pytest.approx(-0.16)
    assert found.interval is not None
    assert found.interval.low < -0.16 < found.interval.high < 0
    assert found.p_value == pytest.approx(0.0004025, rel=1e-3)


def test_few_flips_among_many_cases_are_no_evidence() -> None:
    found = difference_between("passed", [PASS] * 195 + [DOWN] * 3 + [UP] * 2)

    assert found.verdict == "no evidence"
    assert found.smallest is not None
    assert found.smallest < 0.1


def test_too_few_cases_or_too_much_noise_are_not_enough_data() -> None:
    few = difference_between("passed", [PASS] * 18 + [DOWN] * 2)
    noisy = difference_between("passed", [PASS] * 100 + [DOWN] * 50 + [UP] * 50)

    assert few.verdict == noisy.verdict == "not enough data"
    assert few.smallest is not None
    assert few.smallest > 0.1
    assert noisy.smallest is not None
    assert noisy.smallest > 0.1


def test_five_cases_that_all_break_could_show_nothing() -> None:
    found = difference_between("passed", [DOWN] * 5)

    assert (found.verdict, found.smallest) == ("not enough data", None)
    assert found.p_value == pytest.approx(0.0625)


def test_no_case_in_common_is_not_enough_data() -> None:
    found = difference_between("passed", [])

    assert (found.verdict, found.cases, found.change) == ("not enough data", 0, None)


def test_what_the_exact_test_does_not_believe_zero_explains_as_well() -> None:
    found = difference_between("passed", [PASS] * 195 + [DOWN] * 5)

    assert found.p_value == pytest.approx(0.0625)
    assert found.interval is not None
    assert found.interval.high == 0


def test_shares_of_trials_are_tested_by_the_bootstrap() -> None:
    third, two = (1.0, 2 / 3), (2 / 3, 1 / 3)

    found = difference_between("passed", [PASS] * 150 + [third] * 20 + [two] * 10)

    assert (found.verdict, found.method) == ("regressed", "paired bootstrap")
    assert found.down == 30
    assert found.change == pytest.approx(-1 / 18)


def test_cases_that_move_a_little_let_a_suite_see_small_differences() -> None:
    flips = difference_between("f1", [PASS] * 60 + [DOWN, UP] * 20)
    steps = difference_between("f1", [PASS] * 60 + [(1.0, 0.5), (0.5, 1.0)] * 20)

    assert flips.smallest is not None
    assert steps.smallest == pytest.approx(flips.smallest / 2, rel=0.1)
    assert (flips.verdict, steps.verdict) == ("not enough data", "no evidence")


@pytest.mark.parametrize("cases", [6, 20, 60])
def test_however_little_the_cases_move_few_of_them_say_little(cases: int) -> None:
    found = difference_between("tone", [(0.51, 0.5), (0.5, 0.51)] * (cases // 2))

    assert found.verdict == "not enough data"
    assert found.smallest == smallest_effect(cases, 0.0)


def test_one_case_that_moves_a_little_does_not() -> None:
    nothing = difference_between("f1", [PASS] * 50)

    assert difference_between("f1", [PASS] * 49 + [(1.0, 0.75)]).smallest == nothing.smallest


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


def test_one_of_many_needs_to_be_clearer() -> None:
    found = measure_difference("passed", [PASS] * 80 + [DOWN] * 7)

    alone, among = with_verdict(found, 0.0156), with_verdict(found, 0.31, tests=20)

    assert (alone.verdict, among.verdict) == ("regressed", "not enough data")
    assert alone.smallest is not None
    assert among.smallest is not None
    assert among.smallest > alone.smallest
    assert among.interval is not None
    assert among.interval.high == 0


def test_where_nothing_is_to_be_said_there_is_no_p_value() -> None:
    found = with_verdict(measure_difference("passed", [DOWN] * 3), None)

    assert (found.p_value, found.verdict) == (None, "not enough data")


# Where two runs differ: tags and tools.

RIGHT, WRONG, MISSED, EXTRA = (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0)


def calling(**tools: tuple[int, int, int, int, int]) -> TrialOutcome:
    return scored(tools=tools)


def matched(before: CaseOutcome, after: CaseOutcome, times: int = 1) -> list[MatchedCase]:
    return [MatchedCase("weather", before, after)] * times


def slices(cases: list[MatchedCase], measure: str = "passed") -> dict[str, Slice]:
    return {each.name: each for each in slices_of(cases, paired_values(cases, measure), measure)}


def test_a_tag_is_compared_over_its_cases_by_the_measure() -> None:
    tagged = matched(a_case("a", True, tags=("slow",)), a_case("a", False, tags=("slow",)), 20)
    cases = [*tagged, *matched(a_case("b", True), a_case("b", True), 30)]

    found = slices(cases)["slow"]

    assert (found.kind, found.difference.measure, found.difference.cases) == ("tag", "passed", 20)
    assert found.difference.verdict == "regressed"


def test_a_tag_of_either_run_counts() -> None:
    cases = matched(a_case("a", True, tags=("old",)), a_case("a", True, tags=("new", "new")))

    assert {name: each.difference.cases for name, each in slices(cases).items()} == {
        "old": 1,
        "new": 1,
    }


def test_a_case_without_numbers_is_in_no_tag() -> None:
    cases = matched(a_case("a", None, tags=("slow",)), a_case("a", True, tags=("slow",)))

    assert slices(cases) == {}


def test_a_tool_is_compared_by_the_f1_of_its_calls() -> None:
    half = calling(search=(1, 0, 1, 0, 0))
    cases = matched(a_case("a", calling(search=RIGHT)), a_case("a", half), 10)

    found = slices(cases)["search"]

    assert (found.kind, found.difference.measure) == ("tool", "f1")
    assert found.difference.before == 1
    assert found.difference.after == pytest.approx(2 / 3)
    assert found.difference.method == "paired bootstrap"


def test_where_every_call_is_right_or_wrong_the_exact_test_is_taken() -> None:
    cases = matched(a_case("a", calling(search=RIGHT)), a_case("a", calling(search=WRONG)), 10)

    assert slices(cases)["search"].difference.method == "exact McNemar"


def test_a_tool_that_is_not_called_any_more_where_nobody_wants_it_is_right() -> None:
    cases = matched(a_case("a", calling(delete=EXTRA)), a_case("a", calling()))

    found = slices(cases)["delete"].difference

    assert (found.before, found.after) == (0, 1)


def test_a_trial_without_an_answer_missed_the_calls_that_were_expected() -> None:
    cases = matched(a_case("a", calling(search=RIGHT, delete=EXTRA)), a_case("a", an_error()))

    found = slices(cases)

    assert found["search"].difference.after == 0
    assert "delete" not in found


def test_trials_are_meaned() -> None:
    cases = matched(
        a_case("a", calling(search=RIGHT), calling(search=MISSED), calling(search=RIGHT)),
        a_case("a", calling(search=RIGHT), an_error(), an_error()),
    )

    found = slices(cases)["search"].difference

    assert found.before == pytest.approx(2 / 3)
    assert found.after == pytest.approx(1 / 3)


def test_where_one_run_has_not_counted_the_calls_there_are_no_tools() -> None:
    cases = matched(a_case("a", calling(search=RIGHT)), a_case("a", True))

    assert slices(cases) == {}


def test_a_slice_of_five_cases_has_no_p_value() -> None:
    few = matched(a_case("a", True, tags=("few",)), a_case("a", False, tags=("few",)), 5)
    six = matched(a_case("b", True, tags=("six",)), a_case("b", False, tags=("six",)), 6)

    found = slices([*few, *six])

    assert found["few"].difference.p_value is None
    assert found["six"].difference.p_value == pytest.approx(0.03125)


def test_p_values_are_corrected_for_all_slices_together() -> None:
    broken = matched(a_case("a", True, tags=("six",)), a_case("a", False, tags=("six",)), 6)
    fine = matched(a_case("b", calling(search=RIGHT)), a_case("b", calling(search=RIGHT)), 6)

    found = slices([*broken, *fine])

    assert found["six"].difference.p_value == pytest.approx(0.0625)
    assert found["six"].difference.verdict == "not enough data"
    assert found["six"].difference.interval is not None
    assert found["six"].difference.interval.high == 0
