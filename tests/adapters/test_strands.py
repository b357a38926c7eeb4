"""The evaluator for Strands Evals: lists, messages and sessions as trajectories."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = [("search", {"query": "AI news"}), ("save", {})]
ACTUAL = [("search", {"query": "AI news"}), ("translate", {})]


class Evaluator:
    def __init__(self, name: str) -> None:
        self.name = name


class Session(Recorded):
    pass


class ToolSpan(Recorded):
    pass


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    modules: dict[str, dict[str, Any]] = {
        "strands_evals.evaluators": {"Evaluator": Evaluator},
        "strands_evals.types.evaluation": {"EvaluationOutput": Recorded},
        "strands_evals.types.trace": {"Session": Session, "ToolExecutionSpan": ToolSpan},
    }
    return imported(monkeypatch, "strands", modules)


def case(**values: Any) -> Recorded:
    empty = {
        "actual_trajectory": None,
        "expected_trajectory": None,
        "actual_output": "It is sunny.",
        "metadata": None,
    }
    return Recorded(**{**empty, **values})


def session(calls: list[Any]) -> Session:
    spans = [ToolSpan(tool_call=Recorded(name=name, arguments=values)) for name, values in calls]
    return Session(traces=[Recorded(spans=[Recorded(), *spans])])


def messages(calls: list[Any]) -> list[dict[str, Any]]:
    uses: list[Any] = [{"toolUse": {"name": name, "input": values}} for name, values in calls]
    return [{"role": "assistant", "content": uses or [{"text": "It is sunny."}]}]


@pytest.mark.parametrize("calls", [ACTUAL, EXPECTED, []], ids=["partly", "correct", "nothing"])
@pytest.mark.parametrize("trajectory", [list, session, messages])
def test_a_case_has_the_score_of_score(adapter: Any, trajectory: Any, calls: Any) -> None:
    evaluator = adapter.tool_calls(name="calls")
    data = case(expected_trajectory=EXPECTED, actual_trajectory=trajectory(calls))

    (output,) = evaluator.evaluate(data)
    (same,) = asyncio.run(evaluator.evaluate_async(data))

    alone = callscore.score(EXPECTED, calls)
    assert (output.score, output.test_pass) == (alone.f1, alone.passed)
    assert (output.reason, output.label) == (str(alone), "pass" if alone.passed else "fail")
    assert output.metadata["correct"] == len(alone.correct)
    assert vars(same) == vars(output)
    assert evaluator.name == "calls"


def test_messages_with_typed_blocks_are_those_of_others(adapter: Any) -> None:
    block = {"type": "tool_use", "id": "1", "name": "search", "input": {"query": "AI news"}}
    data = case(
        expected_trajectory=EXPECTED,
        actual_trajectory=[{"role": "assistant", "content": [block]}],
    )

    (output,) = adapter.tool_calls().evaluate(data)

    assert output.score == callscore.score(EXPECTED, ACTUAL[:1]).f1


def test_the_output_counts_if_there_is_no_trajectory(adapter: Any) -> None:
    (output,) = adapter.tool_calls().evaluate(case(expected_trajectory=[], actual_output=ACTUAL))

    assert output.score == 0


@pytest.mark.parametrize("key", [None, "gold"])
def test_the_expected_calls_can_be_in_the_metadata(adapter: Any, key: str | None) -> None:
    data = case(metadata={key or "expected": ACTUAL}, actual_trajectory=ACTUAL)

    (output,) = adapter.tool_calls(expected_key=key).evaluate(data)

    assert output.score == 1


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"actual_trajectory": ACTUAL}, "no reference"),
        ({"expected_trajectory": EXPECTED}, "as 'trajectory'"),
        ({"expected_trajectory": EXPECTED, "actual_output": None}, "actual"),
    ],
)
def test_a_missing_side_is_an_error(adapter: Any, values: Any, problem: str) -> None:
    with pytest.raises(InvalidCall, match=problem):
        adapter.tool_calls().evaluate(case(**values))
