"""The evaluator inside Langfuse: experiments with `run_experiment` that send nothing."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from langfuse import Langfuse
from tests.stacks.samples import CASES, EXPECTED, OPTIONS, WORDS, messages

import callscore
from callscore.adapters.langfuse import tool_calls
from callscore.errors import InvalidSettings

CLIENT = Langfuse(
    public_key="none",
    secret_key="none",  # noqa: S106  (nothing is sent)
    base_url="http://127.0.0.1:9",
    tracing_enabled=False,
)


def _items() -> list[Any]:
    return [{"input": name, "expected_output": expected} for name, (expected, _) in CASES.items()]


def _returned(*, item: Any, **_: Any) -> Any:
    return messages(CASES[item["input"]][1])


def _evaluated(items: list[Any], task: Any, *evaluators: Any) -> dict[str, Any]:
    """The evaluations of each item by name."""
    result = CLIENT.run_experiment(
        name="weather", data=items, task=task, evaluators=list(evaluators) or [tool_calls()]
    )
    return {
        found.item["input"]: {evaluation.name: evaluation for evaluation in found.evaluations}
        for found in result.item_results
    }


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_item_has_the_score_of_score(options: Any) -> None:
    found = _evaluated(_items(), _returned, tool_calls(**options))

    assert set(found) == set(CASES)
    for name, evaluations in found.items():
        expected, calls = CASES[name]
        alone = callscore.score(expected, messages(calls), **options)
        result = evaluations["tool_calls"]
        assert (result.value, result.comment) == (alone.f1, str(alone)), name
        assert result.metadata["passed"] == alone.passed


def test_the_evaluator_works_with_an_asynchronous_task() -> None:
    async def task(*, item: Any, **_: Any) -> Any:
        return {"answer": WORDS, "messages": _returned(item=item)}

    found = _evaluated(_items(), task, tool_calls(name="calls"))

    assert (found["correct"]["calls"].value, found["wrong"]["calls"].value) == (1, 0)


@pytest.mark.parametrize(
    ("options", "item"),
    [
        ({}, {"expected_output": WORDS, "metadata": {"expected_calls": EXPECTED}}),
        ({"expected_key": "gold"}, {"metadata": {"gold": EXPECTED}}),
        ({}, {"expected_output": {"answer": WORDS, "tool_calls": EXPECTED}}),
    ],
    ids=["metadata", "a key that is named", "an object"],
)
def test_the_expected_calls_can_be_in_several_places(options: Any, item: Any) -> None:
    found = _evaluated([{"input": "correct", **item}], _returned, tool_calls(**options))

    assert found["correct"]["tool_calls"].value == 1


@pytest.mark.parametrize(
    ("item", "output", "problem"),
    [
        ({"expected_output": EXPECTED}, WORDS, "does not say .* Let the task return"),
        ({"expected_output": []}, WORDS, "does not say .* Let the task return"),
        ({"expected_output": EXPECTED}, {"answer": WORDS}, "key 'answer'. Let the task return"),
        ({"expected_output": EXPECTED}, None, "actual: "),
        ({}, [], "no reference"),
        ({"expected_output": WORDS}, [], "expected: "),
    ],
    ids=["words", "words for none", "an object", "nothing", "no reference", "another reference"],
)
def test_an_item_that_cannot_be_scored_has_no_score_and_an_error_in_the_log(
    item: Any, output: Any, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, logger="langfuse")

    found = _evaluated([{"input": "correct", **item}], lambda **_: output)

    assert found == {"correct": {}}
    assert re.search(problem, caplog.text)


@pytest.mark.parametrize("options", [{"treshold": 1}, {"mode": "loose"}])
def test_options_are_checked_before_an_item_runs(options: Any) -> None:
    with pytest.raises(InvalidSettings):
        tool_calls(**options)
