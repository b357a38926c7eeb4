"""Runs compared by their totals."""

from __future__ import annotations

from collections import Counter
from random import Random
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
from callscore.comparing.unpaired import difference_of_totals, pooled_totals
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


def whole_side(run: str, *cases: CaseOutcome) -> Side:
    return Side(label=run, run=run, evaluations=(EvaluationSide(name="log0", cases=cases),))


def a_case(name: str, *passed: bool, **fields: Any) -> CaseOutcome:
    trials = [TrialOutcome(passed=each, f1=float(each), **fields) for each in passed]
    return CaseOutcome(id=name, trials=tuple(trials))


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ((900, 100), (850, 150), "regressed"),
        ((850, 150), (900, 100), "improved"),
        ((900, 100), (895, 105), "no evidence"),
        ((9, 1), (8, 2), "not enough data"),
        ((10, 0), (10, 0), "not enough data"),
        ((1_000_000, 0), (1_000_000, 0), "no evidence"),
        ((10, 0), (0, 10), "regressed"),
    ],
)
def test_a_verdict_is_about_more_than_chance(
    before: tuple[int, int], after: tuple[int, int], verdict: str
) -> None:
    found = difference_of_totals("passed", totals(*before), totals(*after))

    assert found.verdict == verdict
    assert found.before == before[0] / sum(before)
    assert found.after == after[0] / sum(after)
    assert found.method == "two-sample z"


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
    assert 0.0 <= (found.p_value or 0.0) <= 1.0
    if found.verdict in ("no evidence", "not enough data"):
        assert low <= 0 <= high


def test_equal_runs_are_rarely_told_apart() -> None:
    random = Random(5)
    found = 0
    for _ in range(400):
        sides = [Counter(random.choices([1.0, 0.5, 0.0], [90, 6, 4], k=300)) for _ in range(2)]
        first, second = [SideTotals(scores=dict(side)) for side in sides]
        found += difference_of_totals("f1", first, second).verdict in ("improved", "regressed")

    assert found <= 0.08 * 400


def test_without_a_number_on_one_side_nothing_is_compared() -> None:
    found = difference_of_totals("f1", totals(5, 5), SideTotals(cases=3, trials=3))

    assert (found.cases, found.change, found.verdict) == (0, None, "not enough data")


def test_pooled_totals_are_sums() -> None:
    found = pooled_totals([totals(3, 1, faults=2), totals(4, 0, forbidden={"rm": 1})])

    assert (found.cases, found.passed, found.failed) == (8, 7, 1)
    assert (found.shares, found.faults, found.forbidden) == ({1.0: 7, 0.0: 1}, 2, {"rm": 1})


def test_two_runs_without_every_case_are_compared_by_their_totals() -> None:
    found = compare_sides(a_side("a", totals(900, 100)), a_side("b", totals(800, 200)))

    assert found.is_totals
    assert (found.verdict, found.main.measure) == ("regressed", "passed")
    assert [each.measure for each in found.others] == ["f1"]
    assert (found.before.cases, found.before.passed, found.after.failed) == (1000, 900, 200)
    assert (found.changes, found.same, found.missing) == ((), 0, ())
    assert "--save-cases all" in found.notes[0].text("en")


def test_a_run_with_every_case_is_compared_by_its_totals_with_one_without() -> None:
    whole = whole_side("a", *[a_case(f"c{each}", each > 0, each > 0) for each in range(20)])

    found = compare_sides(whole, a_side("b", totals(0, 20)))

    assert (found.main.before, found.main.after) == (0.95, 0.0)
    assert (found.before.cases, found.before.trials, found.before.is_repeated) == (20, 40, True)
    assert found.verdict == "regressed"


def test_the_failing_cases_are_never_taken_for_all() -> None:
    failing = tuple([a_case(f"c{each}", False) for each in range(10)])
    sides = [a_side(run, totals(990, 10), cases=failing) for run in ("a", "b")]

    found = compare_sides(*sides)

    assert (found.main.before, found.main.after, found.main.cases) == (0.99, 0.99, 1000)


def test_evaluations_are_matched_by_name() -> None:
    before = a_side("a", totals(9, 1), totals(90, 10))
    after = Side(
        label="b",
        run="b",
        saved_cases="failing",
        evaluations=(
            EvaluationSide(name="log1", number=0, totals=totals(80, 20)),
            EvaluationSide(name="new", number=1, totals=totals(0, 5)),
        ),
    )

    found = compare_sides(before, after)

    assert (found.main.before, found.main.after) == (0.9, 0.8)
    assert found.evaluations == ("log1",)
    assert found.fewer_cases == 5


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


def test_a_scorer_needs_every_case() -> None:
    sides = a_side("a", totals(9, 1)), a_side("b", totals(8, 2))

    with pytest.raises(InvalidSettings, match=r"'bfcl' needs every case.*--save-cases all"):
        compare_sides(*sides, measure="bfcl")
    assert compare_sides(*sides, measure="accuracy").main.change == pytest.approx(-0.1)


# --- the gate -----------------------------------------------------------------------------------


def reasons(before: Side, after: Side) -> list[tuple[str, int]]:
    return [(each.kind, each.count) for each in gate(compare_sides(before, after)).reasons]


def test_the_gate_is_open_for_equal_totals() -> None:
    assert reasons(a_side("a", totals(900, 100)), a_side("b", totals(900, 100))) == []


def test_the_gate_is_closed_for_a_loss() -> None:
    found = reasons(a_side("a", totals(900, 100)), a_side("b", totals(800, 200)))

    assert [kind for kind, _ in found] == ["regressed"]


def test_the_gate_is_closed_if_there_are_fewer_cases() -> None:
    assert reasons(a_side("a", totals(900, 100)), a_side("b", totals(899, 99))) == [("missing", 2)]


@pytest.mark.parametrize("fail_on", ["broken", "any"])
def test_a_gate_on_every_case_is_refused(fail_on: Any) -> None:
    found = compare_sides(a_side("a", totals(9, 1)), a_side("b", totals(9, 1)))

    with pytest.raises(InvalidSettings, match="--save-cases all"):
        gate(found, fail_on)


def test_a_run_is_not_compared_with_itself() -> None:
    side = a_side("a", totals(900, 100))

    assert ("same run", 0) in reasons(side, side)


def forbidding(name: str, count: int) -> CaseOutcome:
    return a_case(name, False, forbidden=count, tools={"rm": (0, 0, 0, count, count)})


def test_a_new_forbidden_call_in_a_saved_case_closes_the_gate() -> None:
    before = a_side("a", totals(8, 2, forbidden={"rm": 1}), cases=(forbidding("x", 1),))
    after = a_side("b", totals(8, 2, forbidden={"rm": 1}), cases=(forbidding("y", 1),))

    found = compare_sides(before, after)

    assert [(each.kind, each.case, each.tools) for each in found.alarms] == [
        ("forbidden", "y", ("rm",))
    ]
    assert reasons(before, after) == [("forbidden", 1)]


def test_the_same_forbidden_calls_do_not_close_the_gate() -> None:
    sides = [
        a_side(run, totals(8, 2, forbidden={"rm": 1}), cases=(forbidding("x", 1),))
        for run in ("a", "b")
    ]

    assert reasons(*sides) == []


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
