"""The numbers of trials of saved cases, against a plain way to find them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from callscore import Case, score
from callscore.core.results import CaseTrials, Failure, Result
from callscore.core.settings import DEFAULT
from callscore.core.totals import Totals, summary_payload
from callscore.engines.trial_numbers import TrialNumbers

EXACT = score([{"name": "get", "arguments": {}}], [{"name": "get", "arguments": {}}])
WRONG = score([{"name": "get", "arguments": {}}], [])


def result(name: str, trial: int | str | None = None, kind: str = "passed") -> Result:
    case = Case(id=name, trial=trial)
    if kind == "error":
        failure = Failure(case=name, kind="missing", problem="no answer")
        return Result(case=case, status="error", failure=failure)
    if kind == "undecided":
        return Result(case=case, status="not_scored")
    found = EXACT if kind == "passed" else WRONG
    return Result(case=case, score=found, passed=found.passed)


results = st.builds(
    result,
    st.sampled_from(["a", "b", "c"]),
    st.one_of(st.none(), st.integers(-1, 4), st.just("x")),
    st.sampled_from(["passed", "failed", "error", "undecided"]),
)


def test_a_repeated_case_gets_the_next_free_number() -> None:
    numbers = TrialNumbers()
    asked = [("a", None), ("b", 2), ("a", None), ("b", 2), ("b", None), ("a", None), ("b", None)]
    assert [numbers.add(result(*each)) for each in asked] == [1, 2, 2, 3, 1, 3, 4]
    assert len(numbers) == 2


@given(st.lists(results, max_size=30))
def test_numbers_and_totals_are_those_of_results_with_their_trials(found: list[Result]) -> None:
    numbers, brief, whole = TrialNumbers(), Totals(DEFAULT, {}), Totals(DEFAULT, {})
    taken: set[tuple[str, int]] = set()
    for each in found:
        own = each.case.trial
        trial = own if isinstance(own, int) and own >= 1 else 1
        while (each.case.id, trial) in taken:
            trial += 1
        taken.add((each.case.id, trial))
        assert numbers.add(each) == trial
        case = Case(id=each.case.id, trial=trial)
        whole.add(
            Result(
                case=case,
                status=each.status,
                score=each.score,
                passed=each.passed,
                failure=each.failure,
            )
        )
        brief.add_briefly(each, ())
    expected = whole.evaluation({"name": "file", "place": ""})
    brief.summary.trials = numbers.outcomes()
    counted = brief.evaluation({"name": "file", "place": ""}, cases=len(numbers))
    assert counted.results.summary.macro_f1_interval == expected.results.summary.macro_f1_interval
    is_repeated = any(each.trials > 1 for each in expected.trials)
    assert set(numbers.decided()) == (set(expected.trials) if is_repeated else set())
    ignored = {"passed_share", "decided_cases", "cases"}  # they follow from the trials
    assert {
        name: value for name, value in summary_payload([counted]).items() if name not in ignored
    } == {name: value for name, value in summary_payload([expected]).items() if name not in ignored}


def test_a_case_without_a_decision_is_no_trial() -> None:
    numbers = TrialNumbers()
    for kind in ("undecided", "passed", "error"):
        numbers.add(result("a", kind=kind))
    numbers.add(result("b", kind="undecided"))
    assert numbers.decided() == (CaseTrials("a", 2, 1),)
    assert numbers.outcomes() == {"a": {(1, 1, 1, 0): 1}}
