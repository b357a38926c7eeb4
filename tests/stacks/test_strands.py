"""The evaluator inside Strands Evals: an experiment shows the score of `callscore.score`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from strands_evals import Case, Experiment
from strands_evals.types.trace import (
    AgentInvocationSpan,
    Session,
    SpanInfo,
    ToolCall,
    ToolExecutionSpan,
    ToolResult,
    Trace,
)
from tests.stacks.sample_runs import FLEXIBLE, SAMPLES, Sample

from callscore.adapters.strands import tool_calls

if TYPE_CHECKING:
    from collections.abc import Callable

BY_NAME = {sample.name: sample for sample in SAMPLES}
READABLE = [sample for sample in SAMPLES if sample.name != "malformed"]


def report_of(cases: list[Any], evaluator: Any, trajectory: Callable[[Sample], Any]) -> Any:
    def task(case: Any) -> dict[str, Any]:
        return {"output": "It is sunny.", "trajectory": trajectory(BY_NAME[case.name])}

    return Experiment(cases=cases, evaluators=[evaluator]).run_evaluations(task)


def as_case(sample: Sample) -> Any:
    return Case(name=sample.name, input="?", expected_trajectory=sample.expected)


def strands_messages(sample: Sample) -> list[dict[str, Any]]:
    uses: list[Any] = [
        {"toolUse": {"toolUseId": str(number), "name": call["name"], "input": call["arguments"]}}
        for number, call in enumerate(sample.actual)
    ]
    return [
        {"role": "user", "content": [{"text": "?"}]},
        {"role": "assistant", "content": uses or [{"text": "Done."}]},
    ]


def session(sample: Sample) -> Session:
    now = datetime(2026, 11, 15, tzinfo=UTC)
    info = SpanInfo(trace_id="t", span_id="s", session_id="x", start_time=now, end_time=now)
    agent = AgentInvocationSpan(
        span_info=info, user_prompt="?", agent_response="Done.", available_tools=[]
    )
    tools = [
        ToolExecutionSpan(
            span_info=info,
            tool_call=ToolCall(name=call["name"], arguments=call["arguments"]),
            tool_result=ToolResult(content="ok"),
        )
        for call in sample.actual
    ]
    trace = Trace(trace_id="t", session_id="x", spans=[agent, *tools])
    return Session(session_id="x", traces=[trace])


@pytest.mark.parametrize("options", [{}, FLEXIBLE])
@pytest.mark.parametrize("trajectory", [lambda sample: sample.actual, strands_messages, session])
def test_an_experiment_shows_the_score_of_score(trajectory: Any, options: Any) -> None:
    samples = READABLE if trajectory is session else SAMPLES

    report = report_of(list(map(as_case, samples)), tool_calls(**options), trajectory)

    alone = [sample.score(**options) for sample in samples]
    assert report.scores == [score.f1 for score in alone]
    assert report.test_passes == [score.passed for score in alone]
    assert report.reasons == [str(score) for score in alone]
    assert {case["evaluator"] for case in report.cases} == {"tool_calls"}
    (first,) = report.detailed_results[0]
    assert (first.label, first.metadata["correct"]) == ("pass", 2)


def test_the_expected_calls_can_be_in_the_metadata() -> None:
    sample = SAMPLES[0]
    case = Case(name=sample.name, input="?", metadata={"expected_calls": sample.expected})
    named = Case(
        name=sample.name, input="?", expected_trajectory=[], metadata={"gold": sample.expected}
    )

    assert report_of([case], tool_calls(), lambda sample: sample.actual).scores == [1]
    assert report_of([named], tool_calls(expected_key="gold"), session).scores == [1]


@pytest.mark.parametrize(
    ("expected", "trajectory", "problem"),
    [
        (None, [], "expected: the case has no reference"),
        ([], None, "actual: the output does not say which tools were called"),
        ([{"arguments": {}}], [], "expected[0]"),
    ],
    ids=["no reference", "prose", "invalid reference"],
)
def test_strands_shows_errors_as_reasons(expected: Any, trajectory: Any, problem: str) -> None:
    case = Case(name="correct", input="?", expected_trajectory=expected)

    report = report_of([case], tool_calls(), lambda _: trajectory)

    assert report.reasons[0].startswith(f"Evaluator error: {problem}")
    assert report.test_passes == [False]


def test_two_evaluators_have_two_names() -> None:
    case = as_case(SAMPLES[2])
    both = [tool_calls(), tool_calls(name="flexible", **FLEXIBLE)]

    report = Experiment(cases=[case], evaluators=both).run_evaluations(
        lambda _: {"output": "", "trajectory": SAMPLES[2].actual}
    )

    shown = {
        row["evaluator"]: score for row, score in zip(report.cases, report.scores, strict=True)
    }
    assert shown == {"tool_calls": 0, "flexible": 1}
