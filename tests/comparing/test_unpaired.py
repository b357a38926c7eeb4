"""Runs compared by their totals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.comparing.comparison import compare_sides
from callscore.comparing.gating import gate
from callscore.comparing.sides import (
    CaseOutcome,
    EvaluationSide,
    Side,
    SideTotals,
    TrialOutcome,
)
from callscore.comparing.unpaired import difference_of_totals
from callscore.errors import InvalidSettings


def totals(passed: int, failed: int, **fields: Any) -> SideTotals:
    values = {value: times for value, times in ((1.0, passed), (0.0, failed)) if times}
    return SideTotals(
        cases=passed + failed,
        trials=passed + failed,
        passed=passed,
        failed=failed,
        shares=values,
        scores=values,
        **fields,
    )


def a_side(run: str, *found: SideTotals, saved: Any = "failing", **fields: Any) -> Side:
    evaluations = [
        EvaluationSide(name=f"log{number}", number=number, totals=each, **fields)
        for number, each in enumerate(found)
    ]
    return Side(label=run, run=run, saved_cases=saved, evaluations=tuple(evaluations))


def a_case(name: str, *passed: bool, **fields: Any) -> CaseOutcome:
    trials = [TrialOutcome(passed=each, f1=float(each), **fields) for each in passed]
    return CaseOutcome(id=name, trials=tuple(trials))


@pytest.mark.parametrize(
    ("before", "after", "exact"),
    [((1000, 0), (995, 5), 0.0623), ((18, 2), (11, 9), 0.0310), ((95, 5), (85, 15), 0.0316)],
)
def test_the_p_value_is_close_to_the_exact_test_of_fisher(
    before: tuple[int, int], after: tuple[int, int], exact: float
) -> None:
    found = difference_of_totals("passed", totals(*before), totals(*after))

    assert found.p_value == pytest.approx(exact, rel=0.35)


@given(
    before=st.dictionaries(
        st.sampled_from([0.0, 0.5, 2 / 3, 1.0]), st.integers(1, 500), min_size=1
    ),
    after=st.dictionaries(st.sampled_from([0.0, 0.5, 2 / 3, 1.0]), st.integers(1, 500), min_size=1),
)
def test_an_interval_has_the_difference_and_agrees_with_the_verdict(
    before: dict[float, int], after: dict[float, int]
) -> None:
    found = difference_of_totals("f1", SideTotals(scores=before), SideTotals(scores=after))

    assert found.interval is not None
    assert found.change is not None
    low, high = found.interval
    assert low - 1e-9 <= found.change <= high + 1e-9
    assert found.p_value is None or 0.0 <= found.p_value <= 1.0
    if found.verdict in ("no evidence", "not enough data"):
        assert low <= 0 <= high


def test_the_failing_cases_are_never_taken_for_all() -> None:
    failing = tuple([a_case(f"c{each}", False) for each in range(10)])
    sides = [a_side(run, totals(990, 10), cases=failing) for run in ("a", "b")]

    found = compare_sides(*sides)

    assert (found.main.before, found.main.after, found.main.cases) == (0.99, 0.99, 1000)


def test_the_files_of_one_run_are_compared_with_all_files_of_another_as_one() -> None:
    before = a_side("a", totals(50, 0), totals(40, 10))
    after = a_side("b", totals(80, 20))

    found = compare_sides(before, after)

    assert (found.main.before, found.main.after, found.fewer_cases) == (0.9, 0.8, 0)
    assert "compared together" in found.notes[1].text("en")


def test_totals_that_are_missing_are_refused() -> None:
    broken = Side(
        label="a", run="a", saved_cases="failing", evaluations=(EvaluationSide(name="log0"),)
    )

    with pytest.raises(InvalidSettings, match="its totals are missing"):
        compare_sides(broken, a_side("b", totals(1, 1)))


# --- the gate -----------------------------------------------------------------------------------


def reasons(before: Side, after: Side) -> list[tuple[str, int]]:
    return [(each.kind, each.count) for each in gate(compare_sides(before, after)).reasons]


@pytest.mark.parametrize("fail_on", ["broken", "any"])
def test_a_gate_on_every_case_is_refused(fail_on: Any) -> None:
    found = compare_sides(a_side("a", totals(9, 1)), a_side("b", totals(9, 1)))

    with pytest.raises(InvalidSettings, match="--save-cases all"):
        gate(found, fail_on)


def test_without_cases_more_forbidden_calls_of_a_tool_close_the_gate() -> None:
    before = a_side("a", totals(900, 100, forbidden={"rm": 1, "cp": 2}), saved="none")
    after = a_side("b", totals(900, 100, forbidden={"rm": 2, "cp": 2}), saved="none")

    found = compare_sides(before, after)

    assert [(each.case, each.tools, each.before, each.after) for each in found.alarms] == [
        ("", ("rm",), 1, 2)
    ]
    assert gate(found).reasons[0].cases == ("log0: rm",)


def test_more_schema_errors_close_the_gate_if_both_runs_were_checked() -> None:
    checked = a_side("a", totals(900, 100, faults=1))
    worse, unchecked = a_side("b", totals(900, 100, faults=2)), a_side("c", totals(900, 100))

    assert reasons(checked, worse) == [("schema", 1)]
    assert reasons(worse, checked) == reasons(unchecked, worse) == []
