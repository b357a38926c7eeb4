"""The evaluator inside Pydantic Evals: datasets of tasks that return calls, and of agents with spans."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_evals import Case, Dataset
from tests.stacks.samples import CASES, EXPECTED, OPTIONS, WORDS, messages

import callscore
from callscore.adapters.pydantic_evals import ToolCalls, tool_calls
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from pathlib import Path

trace.set_tracer_provider(TracerProvider())
Agent.instrument_all()


def _evaluated(cases: list[Any], task: Any, *evaluators: Any) -> dict[str, Any]:
    dataset: Any = Dataset(name="weather", cases=cases, evaluators=evaluators or [tool_calls()])
    report = dataset.evaluate_sync(task, progress=False)
    assert not report.failures
    return {case.name: case for case in report.cases}


def _all_cases() -> list[Any]:
    return [
        Case(name=name, inputs=name, expected_output=expected)
        for name, (expected, _) in CASES.items()
    ]


def _returned(name: str) -> Any:
    return messages(CASES[name][1])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_case_has_the_score_of_score(options: Any) -> None:
    found = _evaluated(_all_cases(), _returned, tool_calls(**options))

    assert set(found) == set(CASES)
    for name, case in found.items():
        expected, calls = CASES[name]
        alone = callscore.score(expected, messages(calls), **options)
        result = case.scores["tool_calls"]
        assert (result.value, result.reason) == (alone.f1, str(alone)), name


# --- agents that answer in words ------------------------------------------------------------------


class _City(BaseModel):
    """A structured answer, which could be mistaken for a call."""

    name: str
    arguments: str = ""


def _agent(name: str, output: Any = str) -> Any:
    """An agent that makes the calls of a case in one step, and then answers."""

    def answer(said: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        wanted = [ToolCallPart(*call) for call in CASES[name][1]]
        if len(said) == 1 and wanted:
            return ModelResponse(parts=wanted)
        if info.output_tools:
            call = ToolCallPart(info.output_tools[0].name, {"name": "Paris"})
            return ModelResponse(parts=[call])
        return ModelResponse(parts=[TextPart(WORDS)])

    agent: Any = Agent(FunctionModel(answer), output_type=output)

    @agent.tool_plain
    def get_weather(city: str, unit: str) -> str:
        return f"18 {unit} in {city}"

    @agent.tool_plain
    def save() -> str:
        return "saved"

    @agent.tool_plain
    def translate(text: str) -> str:
        return text

    return agent


async def _answered(name: str) -> Any:
    return (await _agent(name).run("How is the weather?")).output


@pytest.mark.parametrize("calls_from", [None, "trace"])
def test_the_calls_of_an_agent_that_answers_in_words_are_in_its_spans(calls_from: Any) -> None:
    whole = [case for case in _all_cases() if case.name != "malformed arguments"]

    found = _evaluated(whole, _answered, tool_calls(calls_from=calls_from))

    for name, case in found.items():
        expected, calls = CASES[name]
        assert case.output == WORDS
        alone = callscore.score(expected, messages(calls))
        assert case.scores["tool_calls"].value == alone.f1, name


def test_a_structured_answer_is_not_a_call() -> None:
    async def task(name: str) -> Any:
        return (await _agent(name, _City).run("How is the weather?")).output

    cases = [Case(name="correct", inputs="correct", expected_output=EXPECTED)]

    found = _evaluated(cases, task, tool_calls(preset="coverage"))

    assert found["correct"].output == _City(name="Paris")
    assert found["correct"].scores["tool_calls"].value == 1


def test_spans_without_calls_are_no_calls_if_they_are_asked_for() -> None:
    cases = [Case(name="one", inputs="one", expected_output=EXPECTED)]

    found = _evaluated(cases, lambda _: WORDS, tool_calls(calls_from="trace"))

    assert found["one"].scores["tool_calls"].value == 0


def test_the_output_counts_in_place_of_the_spans_if_it_is_asked_for() -> None:
    async def task(name: str) -> Any:
        await _answered(name)
        return []

    cases = [Case(name="correct", inputs="correct", expected_output=EXPECTED)]

    found = _evaluated(cases, task, tool_calls(), tool_calls(name="output", calls_from="output"))

    values = {name: result.value for name, result in found["correct"].scores.items()}
    assert values == {"tool_calls": 1, "output": 0}


def test_the_messages_of_pydantic_ai_can_be_returned() -> None:
    async def task(name: str) -> Any:
        return (await _agent(name).run("How is the weather?")).all_messages()

    cases = [Case(name="correct", inputs="correct", expected_output=EXPECTED)]

    found = _evaluated(cases, task, tool_calls(calls_from="output"))

    assert found["correct"].scores["tool_calls"].value == 1


# --- references, errors and files -----------------------------------------------------------------


class _Notes(BaseModel):
    expected_calls: list[Any]


@pytest.mark.parametrize(
    ("options", "metadata"),
    [
        ({}, {"expected_calls": EXPECTED}),
        ({}, _Notes(expected_calls=EXPECTED)),
        ({"expected_key": "gold"}, {"gold": EXPECTED}),
    ],
    ids=["a known key", "a model", "a key that is named"],
)
def test_the_expected_calls_can_be_in_the_metadata(options: Any, metadata: Any) -> None:
    case = Case(name="correct", inputs="correct", expected_output=WORDS, metadata=metadata)

    found = _evaluated([case], _returned, tool_calls(**options))

    assert found["correct"].scores["tool_calls"].value == 1


@pytest.mark.parametrize(
    ("expected", "output", "problem"),
    [
        (EXPECTED, WORDS, "does not say which tools were called: 'It is 18 .*Let the task return"),
        ([], WORDS, "does not say which tools were called: 'It is 18 .*Let the task return"),
        (EXPECTED, {"answer": WORDS}, "with the key 'answer'. Let the task return"),
        (EXPECTED, None, "actual"),
        (None, [], "no reference"),
        (WORDS, [], "expected: "),
    ],
    ids=["words", "words for none", "an object", "nothing", "no reference", "another reference"],
)
def test_a_case_that_cannot_be_scored_is_a_failure_of_the_evaluator(
    expected: Any, output: Any, problem: str
) -> None:
    case = Case(name="one", inputs="one", expected_output=expected)

    found = _evaluated([case], lambda _: output)

    assert not found["one"].scores
    (failure,) = found["one"].evaluator_failures
    assert failure.name == "tool_calls"
    assert re.search(problem, failure.error_message)


def test_a_case_that_cannot_be_scored_is_not_in_the_average() -> None:
    """As the page warns."""
    cases = [
        Case(name="correct", inputs="correct", expected_output=EXPECTED),
        Case(name="bad", inputs="correct"),
    ]
    dataset: Any = Dataset(name="weather", cases=cases, evaluators=[tool_calls()])

    report = dataset.evaluate_sync(_returned, progress=False)

    assert report.averages().scores == {"tool_calls": 1}


@pytest.mark.parametrize("options", [{"treshold": 1}, {"calls_from": "spans"}])
def test_options_are_checked_before_a_case_runs(options: Any) -> None:
    with pytest.raises(InvalidSettings):
        tool_calls(**options)


def test_a_dataset_with_the_evaluator_is_written_and_read(tmp_path: Path) -> None:
    kind: Any = Dataset[str, Any, Any]
    made = tool_calls(name="soft", preset="flexible")
    path = tmp_path / "weather.yaml"

    kind(name="weather", cases=_all_cases(), evaluators=[made]).to_file(path)
    read = kind.from_file(path, custom_evaluator_types=[ToolCalls])

    assert read.evaluators == [made]
    report = read.evaluate_sync(_returned, progress=False)
    scores = {case.name: case.scores["soft"].value for case in report.cases}
    assert scores == {
        name: callscore.score(expected, messages(calls), preset="flexible").f1
        for name, (expected, calls) in CASES.items()
    }
