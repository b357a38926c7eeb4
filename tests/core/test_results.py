"""Results."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.results import (
    EvaluationResults,
    MetricValue,
    Result,
    Results,
    RunResults,
    ScorerResult,
    answer_passes,
)
from callscore.core.score import Score
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary


def test_results_of_nothing_are_printed_without_a_number() -> None:
    results = Results(settings=DEFAULT, summary=Summary())

    assert str(results) == "Macro F1: - | Cases: 0 | Passed: 0 | Exact: 0"


NOTHING = Results(settings=DEFAULT, summary=Summary())


def evaluation(name: str, variant: str | None = None, **fields: object) -> EvaluationResults:
    found = EvaluationResults(name=name, place="eval_a.py", results=NOTHING, variant=variant)
    return replace(found, **fields)


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


def test_a_run_counts_the_answers_with_forbidden_calls() -> None:
    summary = Summary()
    summary.add(Score((), (ToolCall("rm", {}),), 0, forbidden=(0,)))
    summary.add(Score((), (), 0))
    each = evaluation("a", results=Results(settings=DEFAULT, summary=summary))

    assert RunResults(evaluations=(each, evaluation("b"))).forbidden == 1


def test_a_run_can_be_had_as_plain_data() -> None:
    assert RunResults(id="r", evaluations=(evaluation("a"),)).to_dict()["id"] == "r"


@pytest.mark.parametrize(("trial", "label"), [(None, "sum"), (2, "sum #2")])
def test_a_case_without_expectations_goes_by_its_id_and_its_trial(
    trial: int | None, label: str
) -> None:
    assert Result(case=Case(id="sum", trial=trial)).label == label
