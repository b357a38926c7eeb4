"""Results."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.results import (
    CaseScore,
    CaseTrials,
    CaseValues,
    EvaluationResults,
    Failure,
    MetricValue,
    Noted,
    Results,
    RunResults,
    ScorerResult,
    Usage,
    answer_passes,
)
from callscore.core.score import Score
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary
from callscore.words.plain_data import results_to_dict


@pytest.mark.parametrize(
    ("trial", "label"), [(None, "task-7"), (0, "task-7 #0"), ("b", "task-7 #b")]
)
def test_a_case_goes_by_its_id_and_its_trial(trial: int | str | None, label: str) -> None:
    case = CaseScore(id="task-7", score=score_calls((), (), DEFAULT), trial=trial)

    assert case.label == label


def test_what_was_not_scored_is_counted_as_nothing_unless_it_is_named() -> None:
    results = Results(settings=DEFAULT, summary=Summary(), not_run=Noted(2, ("a", "b")))

    assert (results.not_run.count, results.not_run.names) == (2, ("a", "b"))
    others = (results.not_scored, results.without_reference, results.repeated, results.skipped)
    assert (*others, results.stopped) == (Noted(),) * 5
    assert Noted() == Noted(0, ())


@pytest.mark.parametrize("name", ["not_scored", "not_run", "without_reference", "skipped"])
def test_whatever_is_not_a_scored_case_is_worth_a_note(name: str) -> None:
    results = Results(settings=DEFAULT, summary=Summary())

    assert not results.has_notes
    assert replace(results, **{name: Noted(1, ("a",))}).has_notes
    assert not replace(results, repeated=Noted(1, ("a",))).has_notes  # it was scored, too


def test_results_are_printed_on_one_line() -> None:
    summary = Summary(pass_mark=0.5)
    for made in ("f", "g"):
        summary.add(score_calls((ToolCall("f", {}),), (ToolCall(made, {}),), DEFAULT))

    results = Results(settings=DEFAULT, summary=summary)

    assert str(results) == "Macro F1: 50.0% | Cases: 2 | Passed: 1 | Exact: 1"


def test_results_of_nothing_are_printed_without_a_number() -> None:
    results = Results(settings=DEFAULT, summary=Summary())

    assert str(results) == "Macro F1: - | Cases: 0 | Passed: 0 | Exact: 0"


def test_results_give_themselves_as_plain_data() -> None:
    results = Results(settings=DEFAULT, summary=Summary(), stopped=Noted(1, ("a:3: not JSON",)))

    assert results.to_dict() == results_to_dict(results)


NOTHING = Results(settings=DEFAULT, summary=Summary())


def evaluation(name: str, variant: str | None = None, **fields: object) -> EvaluationResults:
    found = EvaluationResults(name=name, place="eval_a.py", results=NOTHING, variant=variant)
    return replace(found, **fields)


def test_what_answers_cost_adds_up() -> None:
    assert Usage(1, 20, 3) + Usage(2, 5, 7) == Usage(3, 25, 10)
    assert Usage() + Usage(1, 2, 3) == Usage(1, 2, 3)


@pytest.mark.parametrize(("trial", "label"), [(None, "sum"), (2, "sum #2")])
def test_a_failure_goes_by_the_case_and_the_trial(trial: int | None, label: str) -> None:
    assert Failure(case="sum", kind="raised", problem="no", trial=trial).label == label


@pytest.mark.parametrize(
    ("mean", "fail_under", "is_below"),
    [
        (0.5, None, False),
        (0.5, 0.5, False),
        (0.5, 0.51, True),
        (None, None, False),
        (None, 0.1, True),  # no number is not enough
        (None, 0.0, False),  # any score is accepted, and so is none
    ],
)
def test_a_scorer_is_below_where_its_mean_is_below_fail_under(
    mean: float | None, fail_under: float | None, is_below: bool
) -> None:
    assert ScorerResult(name="accuracy", mean=mean, fail_under=fail_under).is_below is is_below


@pytest.mark.parametrize(("passed", "is_flaky"), [(0, False), (1, True), (2, True), (3, False)])
def test_a_case_is_flaky_that_passes_now_and_then(passed: int, is_flaky: bool) -> None:
    assert CaseTrials("sum", 3, passed).is_flaky is is_flaky


def test_an_evaluation_goes_by_its_name_and_its_variant() -> None:
    assert evaluation("assistant").label == "assistant"
    assert evaluation("assistant", "gpt-4.1").label == "assistant [gpt-4.1]"


def test_a_run_names_every_scorer_that_is_below_fail_under() -> None:
    low = ScorerResult(name="accuracy", mean=0.5, fail_under=0.9)
    high = ScorerResult(name="exact", mean=0.95, fail_under=0.9)
    run = RunResults(
        evaluations=(
            evaluation("a", "old", scorers=(low, high)),
            evaluation("b", scorers=(high,)),
            evaluation("c", scorers=(low,)),
        )
    )

    assert run.below == ("a [old]: accuracy", "c: accuracy")


def test_a_run_counts_the_cases_without_an_answer() -> None:
    run = RunResults(evaluations=(evaluation("a", errors=2), evaluation("b", errors=1)))

    assert run.errors == 3
    assert RunResults().errors == 0


HIGH, LOW, NONE = MetricValue("a", 1.0), MetricValue("b", 0.4), MetricValue("c", None, "no text")


@pytest.mark.parametrize(
    ("values", "pass_mark", "passed"),
    [
        ((HIGH,), 1.0, True),
        ((HIGH, LOW), 1.0, False),
        ((HIGH, LOW), 0.4, True),
        ((HIGH, NONE), 1.0, True),  # who has no number has no say
        ((NONE,), 1.0, None),
        ((), 1.0, None),
    ],
)
def test_an_answer_passes_where_every_scorer_with_a_number_is_content(
    values: tuple[MetricValue, ...], pass_mark: float, passed: bool | None
) -> None:
    assert answer_passes(values, pass_mark) is passed


def test_an_answer_does_not_pass_where_a_scorer_is_broken() -> None:
    broken = MetricValue("d", None, "it raises KeyError", is_broken=True)

    assert answer_passes((HIGH, broken), 0.0) is False
    assert answer_passes((broken,), 0.0) is False


def test_no_number_makes_up_for_a_forbidden_call() -> None:
    assert answer_passes((HIGH,), 0.0, has_forbidden=True) is False
    assert answer_passes((), 0.0, has_forbidden=True) is False


def test_a_case_to_show_passes_by_what_its_scorers_say() -> None:
    call = (ToolCall("f", {}),)
    missed = Score(call, (), 0)
    each = evaluation("a")

    assert each.passes(CaseScore(id="x", score=missed, metrics=(HIGH,))) is True
    assert each.passes(CaseScore(id="x", score=missed, metrics=(LOW,))) is False
    assert each.passes(CaseValues(id="x", values=(HIGH,))) is True
    forbidden = Score((), call, 0, forbidden=(0,))
    assert each.passes(CaseScore(id="x", score=forbidden, metrics=(HIGH,))) is False


@pytest.mark.parametrize(("trial", "label"), [(None, "sum"), (2, "sum #2")])
def test_a_case_without_expectations_goes_by_its_id_and_its_trial(
    trial: int | None, label: str
) -> None:
    assert CaseValues(id="sum", trial=trial).label == label


def test_a_run_counts_the_answers_with_forbidden_calls() -> None:
    summary = Summary()
    summary.add(Score((), (ToolCall("rm", {}),), 0, forbidden=(0,)))
    summary.add(Score((), (), 0))
    each = evaluation("a", results=Results(settings=DEFAULT, summary=summary))

    assert RunResults(evaluations=(each, evaluation("b"))).forbidden == 1


def test_a_run_can_be_had_as_plain_data() -> None:
    assert RunResults(id="r", evaluations=(evaluation("a"),)).to_dict()["id"] == "r"
