"""The evaluator inside Phoenix evals: data frames, and single rows."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pandas as pd
import pytest
from phoenix.evals import async_evaluate_dataframe, bind_evaluator, evaluate_dataframe
from tests.stacks.samples import CASES, EXPECTED, OPTIONS, WORDS, messages

import callscore
from callscore.adapters.phoenix import tool_calls
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Callable

QUIET: dict[str, Any] = {"hide_tqdm_bar": True, "exit_on_error": False, "max_retries": 0}


def _frame(text: Callable[[Any], Any] = lambda value: value) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "case": list(CASES),
            "expected": [text(expected) for expected, _ in CASES.values()],
            "output": [text(messages(calls)) for _, calls in CASES.values()],
        }
    )


def _scores(frame: pd.DataFrame) -> dict[str, Any]:
    return dict(zip(frame["case"], frame["tool_calls_score"], strict=True))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_row_has_the_score_of_score(options: Any) -> None:
    frame = evaluate_dataframe(dataframe=_frame(), evaluators=[tool_calls(**options)], **QUIET)

    for name, found in _scores(frame).items():
        expected, calls = CASES[name]
        alone = callscore.score(expected, messages(calls), **options)
        assert (found["score"], found["explanation"]) == (alone.f1, str(alone)), name
        assert found["label"] == ("pass" if alone.passed else "fail")
        assert found["metadata"]["missed"] == len(alone.missed)
        assert found["kind"] == "code"


def test_columns_of_json_text_count_and_so_does_the_asynchronous_runner() -> None:
    frame = _frame(lambda value: msgspec.json.encode(value).decode())

    evaluated = asyncio.run(
        async_evaluate_dataframe(dataframe=frame, evaluators=[tool_calls()], hide_tqdm_bar=True)
    )

    assert {name: found["score"] for name, found in _scores(evaluated).items()} == {
        name: callscore.score(expected, messages(calls)).f1
        for name, (expected, calls) in CASES.items()
    }


def test_the_columns_can_be_named() -> None:
    row = {"trace": {"messages": messages(CASES["correct"][1])}, "gold": {"calls": EXPECTED}}
    mapping = {"output": "trace.messages", "expected": "gold"}
    evaluator = bind_evaluator(
        evaluator=tool_calls(name="calls", expected_key="calls"), input_mapping=mapping
    )

    (found,) = evaluator.evaluate(row)

    assert (found.name, found.score) == ("calls", 1)


def test_arrays_of_parquet_files_count() -> None:
    (found,) = tool_calls().evaluate({"output": np.array(EXPECTED), "expected": EXPECTED})

    assert found.score == 1


@pytest.mark.parametrize(
    ("output", "expected", "problem"),
    [
        (WORDS, EXPECTED, "does not say .* Let 'output' be"),
        (WORDS, [], "does not say .* Let 'output' be"),
        ({"answer": WORDS}, EXPECTED, "key 'answer'. Let 'output' be"),
        (float("nan"), EXPECTED, "actual: "),
        ([], float("nan"), "no reference"),
        ([], None, "no reference"),
        ([], WORDS, "expected: "),
    ],
    ids=["words", "words for none", "an object", "nothing", "NaN", "no reference", "another"],
)
def test_a_row_that_cannot_be_scored_fails_with_a_reason(
    output: Any, expected: Any, problem: str
) -> None:
    frame = pd.DataFrame({"output": [output], "expected": [expected]}, dtype=object)

    evaluated = evaluate_dataframe(dataframe=frame, evaluators=[tool_calls()], **QUIET)

    details = evaluated["tool_calls_execution_details"][0]
    assert "tool_calls_score" not in evaluated
    assert details["status"] == "FAILED"
    assert re.search(problem, details["exceptions"][0].replace("\\'", "'"))


def test_a_missing_column_is_an_error() -> None:
    with pytest.raises(Exception, match="expected"):
        tool_calls().evaluate({"output": []})


@pytest.mark.parametrize("options", [{"treshold": 1}, {"mode": "loose"}])
def test_options_are_checked_before_a_row_runs(options: Any) -> None:
    with pytest.raises(InvalidSettings):
        tool_calls(**options)
