"""Where two runs differ: tags and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.comparing.sides_made_up import a_case, an_error, scored

from callscore.comparing.differences import slices_of
from callscore.comparing.matching import MatchedCase, paired_values

if TYPE_CHECKING:
    from callscore.comparing.differences import Slice
    from callscore.comparing.sides import CaseOutcome, TrialOutcome

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
