"""The metric inside Google ADK: `AgentEvaluator` shows the score of `callscore.score`."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from google.adk.evaluation.agent_evaluator import AgentEvaluator
from google.adk.evaluation.eval_case import Invocation
from google.adk.evaluation.eval_config import EvalConfig
from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.evaluator import EvalStatus
from google.adk.evaluation.local_eval_set_results_manager import LocalEvalSetResultsManager
from tests.stacks.sample_runs import FLEXIBLE, SAMPLES, Sample

import callscore
from callscore.adapters.google_adk import metric, tool_calls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The arguments of a call of Gemini are always an object.
READABLE = [sample for sample in SAMPLES if sample.name != "malformed"]

AGENT = """
from google.adk.agents import BaseAgent
from google.adk.events import Event
from google.genai.types import Content, FunctionCall, Part

from tests.stacks.sample_runs import SAMPLES

CALLS = {sample.name: sample.actual for sample in SAMPLES}


class Scripted(BaseAgent):
    async def _run_async_impl(self, ctx):
        question = ctx.user_content.parts[0].text
        parts = [
            Part(function_call=FunctionCall(name=call["name"], args=call["arguments"]))
            for call in CALLS[question]
        ]
        for said in (parts, [Part(text="Done.")]):
            yield Event(
                invocation_id=ctx.invocation_id,
                author=self.name,
                content=Content(role="model", parts=said),
            )


root_agent = Scripted(name="scripted")
"""

METRICS = """
from callscore.adapters.google_adk import tool_calls

flexible = tool_calls(preset="flexible", argument_match_threshold=0.5)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "scripted").mkdir()
    (tmp_path / "scripted" / "__init__.py").write_text("from . import agent\n")
    (tmp_path / "scripted" / "agent.py").write_text(AGENT)
    (tmp_path / "my_metrics.py").write_text(METRICS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("scripted", "scripted.agent", "my_metrics"):
        sys.modules.pop(name, None)


def invocation(question: str, calls: list[Any] | None) -> dict[str, Any]:
    uses = [{"name": call["name"], "args": call["arguments"]} for call in calls or []]
    data = {} if calls is None else {"intermediate_data": {"tool_uses": uses}}
    return {"user_content": {"role": "user", "parts": [{"text": question}]}, **data}


def cases_of(samples: list[Sample]) -> EvalSet:
    cases = [
        {"eval_id": sample.name, "conversation": [invocation(sample.name, sample.expected)]}
        for sample in samples
    ]
    return EvalSet.model_validate({"eval_set_id": "samples", "eval_cases": cases})


def config_of(criterion: Any, function: str = "callscore.adapters.google_adk.metric") -> EvalConfig:
    document = {
        "criteria": {"tool_calls": criterion},
        "custom_metrics": {"tool_calls": {"code_config": {"name": function}}},
    }
    return EvalConfig.model_validate_json(msgspec.json.encode(document))


def evaluated(folder: Path, eval_set: EvalSet, config: EvalConfig) -> tuple[str, dict[str, Any]]:
    """What the evaluator says in the end, and the result of the metric by eval case."""
    manager = LocalEvalSetResultsManager(agents_dir=str(folder))
    said = ""
    try:
        asyncio.run(
            AgentEvaluator.evaluate_eval_set(
                agent_module="scripted",
                eval_set=eval_set,
                eval_config=config,
                num_runs=1,
                print_detailed_results=False,
                app_name="app",
                eval_set_results_manager=manager,
            )
        )
    except AssertionError as error:
        said = str(error)
    (name,) = manager.list_eval_set_results("app")
    cases = manager.get_eval_set_result("app", name).eval_case_results
    metrics = {case.eval_id: case.overall_eval_metric_results[0] for case in cases}
    return said, metrics


@pytest.mark.parametrize(
    ("config", "options"),
    [
        (config_of(1.0), {}),
        (config_of({"threshold": 1.0, **FLEXIBLE}), FLEXIBLE),
        (config_of(1.0, "my_metrics.flexible"), FLEXIBLE),
    ],
    ids=["strict", "options in the criterion", "a function of the user"],
)
def test_an_evaluation_shows_the_score_of_score(folder: Path, config: Any, options: Any) -> None:
    said, metrics = evaluated(folder, cases_of(READABLE), config)

    alone = {sample.name: sample.score(**options) for sample in READABLE}
    assert {name: found.score for name, found in metrics.items()} == {
        name: score.f1 for name, score in alone.items()
    }
    assert {name: found.eval_status is EvalStatus.PASSED for name, found in metrics.items()} == {
        name: score.passed for name, score in alone.items()
    }
    assert "tool_calls for scripted Failed. Expected 1.0, but got 0.5." in said
    (explained,) = metrics["wrong"].details.rubric_scores
    assert (explained.rubric_id, explained.score) == ("tool_calls", 0)
    assert "get_time" in explained.rationale


def test_the_threshold_of_the_criterion_decides(folder: Path) -> None:
    said, metrics = evaluated(folder, cases_of([SAMPLES[1]]), config_of(0.5))

    assert said == ""
    assert metrics["partly"].eval_status is EvalStatus.PASSED


def test_invocations_are_the_turns_of_a_conversation(folder: Path) -> None:
    right, wrong = SAMPLES[0], SAMPLES[3]
    conversation = [invocation(each.name, each.expected) for each in (right, wrong)]
    case = {"eval_id": "two", "conversation": conversation}
    eval_set = EvalSet.model_validate({"eval_set_id": "samples", "eval_cases": [case]})

    _, metrics = evaluated(folder, eval_set, config_of(1.0))

    together = callscore.score(right.expected + wrong.expected, right.actual + wrong.actual)
    assert metrics["two"].score == together.f1
    assert "first wrong turn 2 of 2" in metrics["two"].details.rubric_scores[0].rationale


def test_rules_for_arguments_are_options(folder: Path) -> None:
    rules = {"threshold": 1.0, "arguments": {"get_weather.unit": "ignore"}}

    _, metrics = evaluated(folder, cases_of([SAMPLES[2]]), config_of(rules))

    assert metrics["argument"].score == 1


@pytest.mark.parametrize(
    ("calls", "criterion", "problem"),
    [
        (None, 1.0, "invocation 1 has no 'intermediate_data'"),
        ([], {"threshold": 1.0, "prset": "flexible"}, "unknown option 'prset'"),
    ],
    ids=["no reference", "invalid option"],
)
def test_adk_logs_an_error_and_does_not_evaluate(
    folder: Path, calls: Any, criterion: Any, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    case = {"eval_id": "one", "conversation": [invocation("correct", calls)]}
    eval_set = EvalSet.model_validate({"eval_set_id": "samples", "eval_cases": [case]})

    said, metrics = evaluated(folder, eval_set, config_of(criterion))

    assert (metrics["one"].score, metrics["one"].eval_status) == (None, EvalStatus.NOT_EVALUATED)
    assert "tool_calls for scripted was not evaluated" in said
    assert problem in caplog.text


def test_a_scenario_has_no_expected_calls() -> None:
    calls = [Invocation.model_validate(invocation("?", []))]
    asked = EvalMetric(metric_name="tool_calls", criterion=BaseCriterion(threshold=1.0))

    with pytest.raises(callscore.InvalidCall, match="a scenario, and no conversation"):
        metric(asked, calls, None, None)
    with pytest.raises(callscore.InvalidCall, match="expected: 0 invocations"):
        metric(asked, calls, [])


def test_without_a_criterion_the_pass_mark_decides() -> None:
    expected, actual = [
        [Invocation.model_validate(invocation("?", calls))]
        for calls in (SAMPLES[1].expected, SAMPLES[1].actual)
    ]
    asked = EvalMetric(metric_name="tool_calls")

    passed = tool_calls(pass_mark=0.5)(asked, actual, expected)
    failed = tool_calls()(asked, actual, expected)

    assert passed.overall_eval_status is EvalStatus.PASSED
    assert failed.overall_eval_status is EvalStatus.FAILED


def test_invalid_options_are_an_error_when_the_metric_is_made() -> None:
    with pytest.raises(callscore.InvalidSettings):
        tool_calls(mode="loose")
    with pytest.raises(callscore.InvalidSettings, match="expected_key"):
        tool_calls(expected_key="gold")
