"""The evaluator for LangSmith: where it finds both sides, and the feedback that it returns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = [("get_weather", {"city": "Paris"}), ("save", {})]
ACTUAL = [("get_weather", {"city": "Paris"})]
WORDS = "It is 18 degrees."


class DynamicRunEvaluator:
    def __init__(self, function: Any) -> None:
        self.function = function


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    modules: dict[str, dict[str, Any]] = {
        "langsmith.evaluation": {"EvaluationResult": Recorded},
        "langsmith.evaluation.evaluator": {"DynamicRunEvaluator": DynamicRunEvaluator},
    }
    return imported(monkeypatch, "langsmith", modules)


def run(*children: Any, kind: str = "chain", error: str | None = None, **fields: Any) -> Any:
    return Recorded(
        id=f"{kind}-{len(children)}",
        trace_id="trace",
        run_type=kind,
        child_runs=list(children),
        error=error,
        start_time="2026-11-15T12:00:00",
        **fields,
    )


TOOL = run(kind="tool", name="get_weather", inputs={"city": "Paris"}, outputs={"output": "18"})


def evaluated(
    adapter: Any, outputs: Any, made: Any, reference: Any, metadata: Any = None, **options: Any
) -> Any:
    example = SimpleNamespace(outputs=reference, metadata=metadata)
    return adapter.tool_calls(**options).function(outputs, made, example)


def test_an_example_has_the_score_of_score(adapter: Any) -> None:
    alone = callscore.score(EXPECTED, ACTUAL, preset="flexible")
    reference = {"expected_calls": EXPECTED}

    found = evaluated(
        adapter, {"output": ACTUAL}, run(), reference, name="calls", preset="flexible"
    )

    assert (found.key, found.score, found.comment) == ("calls", alone.f1, str(alone))
    assert (found.metadata["missed"], found.metadata["passed"]) == (1, False)


def test_errors_are_shown_under_the_key_of_the_feedback(adapter: Any) -> None:
    assert adapter.tool_calls(name="calls").feedback_keys == ["calls"]


@pytest.mark.parametrize("calls_from", [None, "trace"])
def test_child_runs_count_before_an_answer_in_words(adapter: Any, calls_from: Any) -> None:
    made = run(run(TOOL, name="agent", inputs={}), name="target", inputs={})

    found = evaluated(
        adapter, {"answer": WORDS}, made, {"expected": EXPECTED}, calls_from=calls_from
    )

    assert found.score == callscore.score(EXPECTED, ACTUAL).f1


def test_the_outputs_count_if_they_are_chosen(adapter: Any) -> None:
    found = evaluated(adapter, {"tool_calls": []}, run(TOOL), {"expected": []}, calls_from="output")

    assert found.score == 1


def test_the_expected_calls_can_be_in_the_metadata(adapter: Any) -> None:
    metadata = {"expected_tools": ACTUAL}

    found = evaluated(adapter, {"output": ACTUAL}, run(), {"answer": WORDS}, metadata)

    assert found.score == 1


@pytest.mark.parametrize(
    ("outputs", "made", "reference", "problem"),
    [
        ({"answer": WORDS}, run(), {"expected": []}, "key 'answer'. Let the target return"),
        ({"output": None}, run(error="boom"), {"expected": []}, "the target failed.*boom"),
        ({"output": []}, run(), {}, "no reference"),
    ],
    ids=["words", "a target that fails", "no reference"],
)
def test_an_answer_in_words_a_failed_target_or_a_missing_reference_is_an_error(
    adapter: Any, outputs: Any, made: Any, reference: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        evaluated(adapter, outputs, made, reference)
