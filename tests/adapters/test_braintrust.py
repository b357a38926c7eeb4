"""The scorer for Braintrust and autoevals: where it finds both sides, and what it returns."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = [("get_weather", {"city": "Paris"}), ("save", {})]
ACTUAL = [("get_weather", {"city": "Paris"})]
WORDS = "It is 18 degrees."


class Scorer:
    pass


@pytest.fixture(params=["braintrust", "autoevals"])
def adapter(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Any:
    both: dict[str, dict[str, dict[str, Any]]] = {
        "braintrust": {
            "braintrust": {"Score": Recorded},
            "braintrust.score": {"Scorer": Scorer},
        },
        "autoevals": {"autoevals": {"Score": Recorded, "Scorer": Scorer}},
    }
    return imported(monkeypatch, "braintrust", both[request.param])


class Trace:
    """A trace with two spans of tools, the later one first."""

    async def get_spans(self, span_type: list[str]) -> list[Any]:
        assert span_type == ["tool"]
        return [
            span("save", None, metrics={"start": 2.0}, error="the disk is full"),
            span("get_weather", {"city": "Paris"}, metrics={"start": 1.0}),
        ]


def span(name: str, given: Any, *, metrics: Any, error: str | None = None) -> Any:
    return SimpleNamespace(
        span_attributes={"name": name, "type": "tool"},
        input=given,
        output="done",
        error=error,
        metrics=metrics,
    )


def test_a_row_has_the_score_of_score(adapter: Any) -> None:
    alone = callscore.score(EXPECTED, ACTUAL, preset="flexible")
    scorer = adapter.tool_calls(name="calls", preset="flexible")

    found = [
        scorer._run_eval_sync(ACTUAL, EXPECTED, input="?"),
        asyncio.run(scorer._run_eval_async(ACTUAL, EXPECTED, trace=Trace())),
    ]

    for score in found:
        assert (score.name, score.score) == ("calls", alone.f1)
        assert score.metadata["explanation"] == str(alone)
        assert (score.metadata["missed"], score.metadata["passed"]) == (1, False)
    assert scorer._name() == "calls"


def test_spans_count_if_they_are_chosen(adapter: Any) -> None:
    scorer = adapter.tool_calls(calls_from="trace", order="exact")

    found = asyncio.run(scorer._run_eval_async(WORDS, EXPECTED, trace=Trace()))

    assert found.score == 1


def test_spans_that_are_chosen_must_be_there(adapter: Any) -> None:
    scorer = adapter.tool_calls(calls_from="trace")

    with pytest.raises(InvalidCall, match="eval_async"):
        scorer._run_eval_sync(ACTUAL, EXPECTED)
    with pytest.raises(InvalidCall, match="no trace"):
        asyncio.run(scorer._run_eval_async(ACTUAL, EXPECTED))


def test_the_expected_calls_can_be_in_the_metadata(adapter: Any) -> None:
    scorer = adapter.tool_calls(expected_key="gold")

    assert scorer._run_eval_sync(ACTUAL, WORDS, metadata={"gold": ACTUAL}).score == 1


@pytest.mark.parametrize(
    ("output", "expected", "problem"),
    [(WORDS, EXPECTED, "Let the task return"), ([], None, "no reference")],
)
def test_an_answer_in_words_or_a_missing_reference_is_an_error(
    adapter: Any, output: Any, expected: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        adapter.tool_calls()._run_eval_sync(output, expected)
