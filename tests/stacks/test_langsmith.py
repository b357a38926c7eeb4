"""The evaluator inside LangSmith: experiments with `evaluate` that upload nothing."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from langsmith import Client, aevaluate, evaluate, traceable
from langsmith.schemas import Example
from tests.stacks.samples import CASES, EXPECTED, OPTIONS, WORDS, messages

import callscore
from callscore.adapters.langsmith import tool_calls
from callscore.errors import InvalidSettings

# Nothing listens there. `aevaluate` would send the runs of the target although it uploads no results.
CLIENT = Client(api_url="http://127.0.0.1:9", api_key="none", tracing_sampling_rate=0)


def _example(name: str, outputs: Any, metadata: Any = None) -> Any:
    now = datetime.now(UTC)
    return Example(
        id=uuid4(),
        dataset_id=uuid4(),
        inputs={"case": name},
        outputs=outputs,
        metadata=metadata,
        created_at=now,
        modified_at=now,
    )


def _examples() -> list[Any]:
    return [_example(name, {"expected_calls": expected}) for name, (expected, _) in CASES.items()]


def _results(rows: Any) -> dict[str, Any]:
    """The results of each example by key."""
    return {
        row["example"].inputs["case"]: {
            result.key: result for result in row["evaluation_results"]["results"]
        }
        for row in rows
    }


def _evaluated(target: Any, examples: list[Any], *evaluators: Any) -> dict[str, Any]:
    rows = evaluate(
        target,
        data=examples,
        evaluators=evaluators or [tool_calls()],
        upload_results=False,
        client=CLIENT,
    )
    return _results(rows)


def _returned(inputs: dict[str, Any]) -> Any:
    return {"answer": WORDS, "messages": messages(CASES[inputs["case"]][1])}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_example_has_the_score_of_score(options: Any) -> None:
    found = _evaluated(_returned, _examples(), tool_calls(**options))

    assert set(found) == set(CASES)
    for name, results in found.items():
        expected, calls = CASES[name]
        alone = callscore.score(expected, messages(calls), **options)
        result = results["tool_calls"]
        assert (result.score, result.comment) == (alone.f1, str(alone)), name
        assert result.metadata["passed"] == alone.passed


async def _returned_later(inputs: dict[str, Any]) -> Any:
    return _returned(inputs)


def test_the_evaluator_works_in_asynchronous_experiments() -> None:
    import asyncio

    async def run() -> Any:
        rows = await aevaluate(
            _returned_later,
            data=_examples(),
            evaluators=[tool_calls()],
            upload_results=False,
            client=CLIENT,
        )
        return [row async for row in rows]

    found = _results(asyncio.run(run()))

    assert {name: results["tool_calls"].score for name, results in found.items()} == {
        name: callscore.score(expected, messages(calls)).f1
        for name, (expected, calls) in CASES.items()
    }


def test_an_output_that_is_not_an_object_counts() -> None:
    found = _evaluated(lambda inputs: _returned(inputs)["messages"], _examples())

    assert (found["correct"]["tool_calls"].score, found["wrong"]["tool_calls"].score) == (1, 0)


# --- targets that answer in words ------------------------------------------------------------------


@traceable(run_type="tool")
def get_weather(city: str, unit: str) -> str:
    return f"18 {unit} in {city}"


@traceable(run_type="tool")
def save() -> str:
    return "saved"


@traceable(run_type="tool")
def translate(text: str) -> str:
    return text


@traceable(run_type="llm", name="model")
def _ask(calls: list[tuple[str, str]]) -> Any:
    return messages(calls)[1]


def _agent(inputs: dict[str, Any]) -> Any:
    """An agent whose tools are traced, in a run of its own."""

    @traceable(name="agent")
    def run(calls: list[tuple[str, str]]) -> str:
        for name, arguments in calls:
            globals()[name](**msgspec.json.decode(arguments))
        return WORDS

    return {"answer": run(CASES[inputs["case"]][1])}


def test_the_calls_of_a_target_that_answers_in_words_are_in_its_child_runs() -> None:
    called = [
        example
        for example in _examples()
        if CASES[example.inputs["case"]][1] and example.inputs["case"] != "malformed arguments"
    ]

    found = _evaluated(_agent, called)

    for name, results in found.items():
        expected, calls = CASES[name]
        alone = callscore.score(expected, messages(calls))
        assert results["tool_calls"].score == alone.f1, name


def test_a_traced_model_that_asks_for_no_call_made_none() -> None:
    def target(inputs: dict[str, Any]) -> Any:
        _ask(CASES[inputs["case"]][1])
        return {"answer": WORDS}

    names = ("nothing called", "rightly nothing called")
    examples = [_example(name, {"expected": CASES[name][0]}) for name in names]

    found = _evaluated(target, examples)

    assert [found[name]["tool_calls"].score for name in names] == [0, 1]


def test_the_place_of_the_calls_can_be_chosen() -> None:
    def target(inputs: dict[str, Any]) -> Any:
        _agent(inputs)
        return {"messages": messages([])}

    both = [tool_calls(), tool_calls(name="output", calls_from="output")]

    found = _evaluated(target, [_example("correct", {"expected": EXPECTED})], *both)
    silent = _evaluated(
        lambda _: {"answer": WORDS},
        [_example("correct", {"expected": []})],
        tool_calls(calls_from="trace"),
    )

    assert {key: result.score for key, result in found["correct"].items()} == {
        "tool_calls": 1,
        "output": 0,
    }
    assert silent["correct"]["tool_calls"].score == 1


# --- references and errors -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "outputs", "metadata"),
    [
        ({}, {"answer": WORDS}, {"expected_tool_calls": EXPECTED}),
        ({"expected_key": "gold"}, {"answer": WORDS, "gold": EXPECTED}, None),
        ({}, {"tool_calls": msgspec.json.encode(EXPECTED).decode()}, None),
    ],
    ids=["metadata", "a key that is named", "text"],
)
def test_the_expected_calls_can_be_in_several_places(
    options: Any, outputs: Any, metadata: Any
) -> None:
    examples = [_example("correct", outputs, metadata)]

    found = _evaluated(_returned, examples, tool_calls(**options))

    assert found["correct"]["tool_calls"].score == 1


def _fails(_: Any) -> Any:
    raise ValueError("the model is not there")


@pytest.mark.parametrize(
    ("outputs", "target", "problem"),
    [
        (
            {"expected": EXPECTED},
            lambda _: {"answer": WORDS},
            "key .*answer.* Let the target return",
        ),
        ({"expected": []}, lambda _: WORDS, "does not say .* Let the target return"),
        ({"expected": EXPECTED}, _fails, "the target failed.*the model is not there"),
        (None, _returned, "no reference"),
        ({"answer": WORDS}, _returned, "expected: "),
    ],
    ids=["an object", "words", "a target that fails", "no reference", "another reference"],
)
def test_an_example_that_cannot_be_scored_has_feedback_with_an_error(
    outputs: Any, target: Any, problem: str
) -> None:
    found = _evaluated(target, [_example("correct", outputs)])

    result = found["correct"]["tool_calls"]
    assert (result.score, result.extra) == (None, {"error": True})
    assert re.search(problem, result.comment)


@pytest.mark.parametrize("options", [{"treshold": 1}, {"calls_from": "runs"}])
def test_options_are_checked_before_an_example_runs(options: Any) -> None:
    with pytest.raises(InvalidSettings):
        tool_calls(**options)
