"""The evaluator beside those of agentevals and openevals, and inside LangSmith's `evaluate`."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from agentevals.trajectory.match import create_trajectory_match_evaluator
from langchain_core.messages import AIMessage, HumanMessage
from langsmith import Client, evaluate
from langsmith.schemas import Example
from openevals.types import EvaluatorResult, SimpleEvaluator
from tests.stacks.sample_runs import FLEXIBLE, SAMPLES, Sample

import callscore
from callscore.adapters.agentevals import tool_calls


def as_reference(sample: Sample) -> list[dict[str, Any]]:
    return Sample(sample.name, [], sample.expected).messages


@pytest.mark.parametrize("options", [{}, FLEXIBLE])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_result_is_the_score_of_score(sample: Sample, options: Any) -> None:
    evaluator: SimpleEvaluator = tool_calls(**options)
    alone = sample.score(**options)

    for outputs in (sample.actual, sample.messages, {"messages": sample.messages}):
        for reference in (sample.expected, {"tool_calls": sample.expected}, as_reference(sample)):
            result = evaluator(inputs="?", outputs=outputs, reference_outputs=reference)

            assert (result["key"], result["score"]) == ("tool_calls", alone.f1)
            assert result["metadata"]["passed"] == alone.passed
            assert set(result) <= set(EvaluatorResult.__annotations__)


def test_messages_of_langchain_are_read() -> None:
    calls = [{"name": "save", "args": {"path": "a.txt"}, "id": "1", "type": "tool_call"}]
    outputs = [HumanMessage("?"), AIMessage("", tool_calls=calls)]

    result = tool_calls()(outputs=outputs, reference_outputs=[("save", {"path": "a.txt"})])

    assert result["score"] == 1
    assert '= save(path="a.txt")' in result["comment"]


def test_the_evaluator_has_the_parameters_and_result_keys_of_agentevals() -> None:
    theirs = create_trajectory_match_evaluator(trajectory_match_mode="unordered")
    sample = SAMPLES[0]
    given = {"outputs": sample.messages, "reference_outputs": as_reference(sample)}

    assert theirs(**given)["score"] is True
    assert tool_calls()(**given)["score"] == 1
    assert set(theirs(**given)) == set(tool_calls()(**given))
    kinds = {parameter.kind for parameter in inspect.signature(tool_calls()).parameters.values()}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}


def evaluated(samples: list[Sample], evaluator: Any, target: Any) -> dict[str, Any]:
    """The results of LangSmith's runner, without a server."""
    dataset, now = uuid4(), datetime(2026, 11, 15, tzinfo=UTC)
    examples = [
        Example(
            id=uuid4(),
            dataset_id=dataset,
            created_at=now,
            inputs={"name": sample.name},
            outputs={"expected_calls": sample.expected},
        )
        for sample in samples
    ]
    client = Client(api_url="http://127.0.0.1:9", api_key="unused", auto_batch_tracing=False)
    rows = evaluate(
        target, data=examples, evaluators=[evaluator], client=client, upload_results=False
    )
    return {row["example"].inputs["name"]: row["evaluation_results"]["results"][0] for row in rows}


def test_an_evaluation_of_langsmith_shows_the_score_of_score() -> None:
    by_name = {sample.name: sample for sample in SAMPLES}

    rows = evaluated(
        list(SAMPLES),
        tool_calls(name="calls"),
        lambda inputs: {"messages": by_name[inputs["name"]].messages},
    )

    assert {name: row.score for name, row in rows.items()} == {
        sample.name: sample.score().f1 for sample in SAMPLES
    }
    assert {row.key for row in rows.values()} == {"calls"}
    assert rows["wrong"].comment.startswith("Score 0.0%")


def test_langsmith_shows_an_error_as_a_comment_without_a_score() -> None:
    rows = evaluated([SAMPLES[0]], tool_calls(), lambda _: {"answer": "It is sunny."})

    assert rows["correct"].score is None
    assert "Pass the messages of the agent" in rows["correct"].comment


@pytest.mark.parametrize(
    ("outputs", "reference", "problem"),
    [
        ("It is sunny.", [], r"Pass the messages"),
        ([], None, "no reference"),
        (None, [], "actual"),
        ([], {"messages": [{"arguments": {}}]}, "expected"),
    ],
)
def test_unreadable_or_missing_outputs_and_references_raise_invalid_call(
    outputs: Any, reference: Any, problem: str
) -> None:
    with pytest.raises(callscore.InvalidCall, match=problem):
        tool_calls()(outputs=outputs, reference_outputs=reference)
