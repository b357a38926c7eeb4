"""The metric for Google ADK: invocations as turns, and options in the criterion."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall, InvalidSettings

EXPECTED = [("search", {"query": "AI news"}), ("save", {})]
ACTUAL = [("search", {"query": "AI news"}), ("translate", {})]


class Invocation(Recorded):
    intermediate_data: Any

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {"intermediate_data": self.intermediate_data}


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    modules: dict[str, dict[str, Any]] = {
        "google.adk.evaluation.eval_rubrics": {"RubricScore": Recorded},
        "google.adk.evaluation.evaluator": {
            "EvalStatus": SimpleNamespace(PASSED="passed", FAILED="failed"),
            "EvaluationResult": Recorded,
            "PerInvocationResult": Recorded,
        },
    }
    return imported(monkeypatch, "google_adk", modules)


def invocation(calls: list[Any] | None) -> Invocation:
    if calls is None:
        return Invocation(intermediate_data=None)
    uses = [{"name": name, "args": values} for name, values in calls]
    return Invocation(intermediate_data={"tool_uses": uses})


def asked(threshold: float | None = None, **options: Any) -> Recorded:
    criterion = None if threshold is None else Recorded(threshold=threshold, model_extra=options)
    return Recorded(criterion=criterion)


def test_a_conversation_has_the_score_of_score(adapter: Any) -> None:
    metric = adapter.tool_calls(name="calls")

    result = metric(asked(1.0), [invocation(ACTUAL)], [invocation(EXPECTED)], None)

    alone = callscore.score(EXPECTED, ACTUAL)
    (only,) = result.per_invocation_results
    (explained,) = result.overall_rubric_scores
    assert (result.overall_score, result.overall_eval_status) == (alone.f1, "failed")
    assert (only.score, only.eval_status) == (alone.f1, "failed")
    assert (explained.rubric_id, explained.score) == ("calls", alone.f1)
    assert str(alone) in explained.rationale
    assert metric.__name__ == "calls"


def test_invocations_are_turns(adapter: Any) -> None:
    expected, actual = [EXPECTED, ACTUAL], [ACTUAL, EXPECTED]

    result = adapter.metric(
        asked(0.5), list(map(invocation, actual)), list(map(invocation, expected))
    )

    assert result.overall_score == 0.5
    assert [each.score for each in result.per_invocation_results] == [0.5, 0.5]
    assert result.overall_eval_status == "passed"


@pytest.mark.parametrize(
    ("criterion", "status"),
    [(asked(0.5), "passed"), (asked(0.6), "failed"), (asked(), "failed")],
)
def test_the_threshold_of_the_criterion_decides(adapter: Any, criterion: Any, status: str) -> None:
    result = adapter.metric(criterion, [invocation(ACTUAL)], [invocation(EXPECTED)])

    assert result.overall_eval_status == status


def test_options_are_in_the_criterion(adapter: Any) -> None:
    with_coverage = asked(1.0, preset="coverage")

    result = adapter.metric(with_coverage, [invocation(EXPECTED + ACTUAL)], [invocation(EXPECTED)])

    assert result.overall_eval_status == "passed"
    with pytest.raises(InvalidSettings, match="prset"):
        adapter.metric(asked(1.0, prset="x"), [], [])


@pytest.mark.parametrize(
    ("expected", "problem"),
    [
        (None, "a scenario, and no conversation"),
        ([], "0 invocations, but the agent has 1"),
        ([invocation(None)], "invocation 1 has no 'intermediate_data'"),
    ],
)
def test_a_missing_reference_is_an_error(adapter: Any, expected: Any, problem: str) -> None:
    with pytest.raises(InvalidCall, match=problem):
        adapter.tool_calls()(asked(1.0), [invocation([])], expected)
