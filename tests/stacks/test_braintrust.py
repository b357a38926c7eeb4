"""The scorer inside Braintrust and autoevals: `Eval` without logs, spans, and direct calls."""

from __future__ import annotations

import asyncio
import re
import sys
from typing import Any

import msgspec
import pytest
from autoevals import Score as AutoevalsScore
from braintrust import Eval, flush, traced
from braintrust.logger import _internal_with_memory_background_logger
from braintrust.test_helpers import init_test_logger
from braintrust.trace import SpanData
from tests.stacks.samples import CASES, EXPECTED, OPTIONS, WORDS, messages

import callscore
from callscore.adapters.braintrust import tool_calls
from callscore.errors import InvalidCall, InvalidSettings


def _rows() -> list[Any]:
    return [{"input": name, "expected": expected} for name, (expected, _) in CASES.items()]


def _returned(name: str) -> Any:
    return {"answer": WORDS, "messages": messages(CASES[name][1])}


def _evaluated(rows: list[Any], task: Any, *scores: Any) -> dict[str, Any]:
    found = Eval(
        "weather", data=rows, task=task, scores=list(scores) or [tool_calls()], no_send_logs=True
    )
    return {result.input: result for result in found.results}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_row_has_the_score_of_score(options: Any) -> None:
    found = _evaluated(_rows(), _returned, tool_calls(**options))

    assert {name: result.scores for name, result in found.items()} == {
        name: {"tool_calls": callscore.score(expected, messages(calls), **options).f1}
        for name, (expected, calls) in CASES.items()
    }


def test_the_scorer_can_be_called_as_a_scorer_of_autoevals() -> None:
    expected, calls = CASES["one missed"]
    alone = callscore.score(expected, messages(calls))
    scorer = tool_calls(name="calls")

    found = [
        scorer(messages(calls), expected),
        scorer.eval(output=messages(calls), expected=expected),
        asyncio.run(scorer.eval_async(output=messages(calls), expected=expected)),
    ]

    for score in found:
        assert (score.name, score.score) == ("calls", alone.f1)
        assert score.metadata["explanation"] == str(alone)
        assert score.metadata["missed"] == 1


def test_autoevals_alone_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "callscore.adapters.braintrust"
    monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "braintrust", None)

    module: Any = __import__(name, fromlist=["tool_calls"])

    assert isinstance(module.tool_calls()([], []), AutoevalsScore)


# --- tasks that answer in words ---------------------------------------------------------------------


@traced(type="tool")
def get_weather(city: str, unit: str) -> str:
    return f"18 {unit} in {city}"


@traced(type="tool")
def save() -> str:
    return "saved"


@traced(type="tool")
def translate(text: str) -> str:
    return text


class _Trace:
    """The spans of a task, as the trace of `Eval` has them."""

    def __init__(self, name: str) -> None:
        with _internal_with_memory_background_logger() as memory:
            logger = init_test_logger("weather")
            with logger.start_span(name="task"):
                for tool, arguments in CASES[name][1]:
                    globals()[tool](**msgspec.json.decode(arguments))
            flush()
            self._rows = memory.pop()

    async def get_spans(self, span_type: list[str] | None = None) -> list[Any]:
        spans = [SpanData.from_dict(row) for row in reversed(self._rows)]
        return [span for span in spans if span.span_attributes.get("type") in (span_type or ())]


def test_the_calls_of_a_task_that_answers_in_words_are_in_its_spans() -> None:
    scorer = tool_calls(calls_from="trace", order="exact")

    for name, (expected, calls) in CASES.items():
        if name != "malformed arguments":
            found = asyncio.run(scorer.eval_async(WORDS, expected, trace=_Trace(name)))

            alone = callscore.score(expected, messages(calls), order="exact")
            assert found.score == alone.f1, name


def test_without_a_trace_the_spans_are_missing() -> None:
    scorer = tool_calls(calls_from="trace")

    with pytest.raises(InvalidCall, match="eval_async"):
        scorer(WORDS, EXPECTED)
    with pytest.raises(InvalidCall, match="no trace"):
        asyncio.run(scorer.eval_async(WORDS, EXPECTED))


# --- references and errors --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "row"),
    [
        ({}, {"expected": WORDS, "metadata": {"expected_calls": EXPECTED}}),
        ({"expected_key": "gold"}, {"expected": {"answer": WORDS, "gold": EXPECTED}}),
    ],
    ids=["metadata", "a key that is named"],
)
def test_the_expected_calls_can_be_in_several_places(options: Any, row: Any) -> None:
    found = _evaluated([{"input": "correct", **row}], _returned, tool_calls(**options))

    assert found["correct"].scores == {"tool_calls": 1}


@pytest.mark.parametrize(
    ("row", "output", "problem"),
    [
        ({"expected": EXPECTED}, WORDS, "does not say .* Let the task return"),
        ({"expected": []}, WORDS, "does not say .* Let the task return"),
        ({"expected": EXPECTED}, {"answer": WORDS}, "key 'answer'. Let the task return"),
        ({"expected": EXPECTED}, None, "actual: "),
        ({}, [], "no reference"),
        ({"expected": WORDS}, [], "expected: "),
    ],
    ids=["words", "words for none", "an object", "nothing", "no reference", "another reference"],
)
def test_a_row_that_cannot_be_scored_has_no_score_and_an_error(
    row: Any, output: Any, problem: str
) -> None:
    found = _evaluated([{"input": "correct", **row}], lambda _: output)["correct"]

    assert found.scores == {}
    assert re.search(problem, found.metadata["scorer_errors"]["tool_calls"])


def test_a_row_that_cannot_be_scored_is_not_in_the_average() -> None:
    """As the page warns."""
    rows: list[Any] = [{"input": "correct", "expected": EXPECTED}, {"input": "correct"}]

    found = Eval("weather", data=rows, task=_returned, scores=[tool_calls()], no_send_logs=True)

    assert found.summary.scores["tool_calls"].score == 1


@pytest.mark.parametrize("options", [{"treshold": 1}, {"calls_from": "spans"}])
def test_options_are_checked_before_a_row_runs(options: Any) -> None:
    with pytest.raises(InvalidSettings):
        tool_calls(**options)
