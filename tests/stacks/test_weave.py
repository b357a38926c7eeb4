"""The scorer inside Weave: an evaluation shows the score of `callscore.score`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import weave
from tests.stacks.sample_runs import FLEXIBLE, SAMPLES, Sample

from callscore.adapters.weave import tool_calls

OUTPUTS: dict[str, Any] = {sample.name: sample.messages for sample in SAMPLES}


def answer(question: str) -> Any:
    return OUTPUTS.get(question, "It is sunny.")


agent = weave.op(answer)


def evaluation(rows: list[dict[str, Any]], *scorers: Any) -> Any:
    return weave.Evaluation(dataset=rows, scorers=list(scorers))


def scores_of(rows: list[dict[str, Any]], scorer: Any) -> list[Any]:
    results = asyncio.run(evaluation(rows, scorer).get_eval_results(agent))
    return [row["scores"]["tool_calls"] for row in results.rows]


def as_row(sample: Sample) -> dict[str, Any]:
    return {"question": sample.name, "expected": sample.expected}


@pytest.mark.parametrize("options", [{}, FLEXIBLE])
def test_an_evaluation_shows_the_score_of_score(options: Any) -> None:
    rows = scores_of(list(map(as_row, SAMPLES)), tool_calls(**options))

    alone = [sample.score(**options) for sample in SAMPLES]
    assert [row["score"] for row in rows] == [score.f1 for score in alone]
    assert [row["passed"] for row in rows] == [score.passed for score in alone]
    assert [row["precision"] for row in rows] == [score.precision for score in alone]
    assert "= get_weather" in rows[0]["explanation"]


def test_the_summary_has_the_mean_of_every_number() -> None:
    both = (tool_calls(), tool_calls(name="flexible", **FLEXIBLE))

    summary = asyncio.run(evaluation(list(map(as_row, SAMPLES)), *both).evaluate(agent))

    scores = [sample.score() for sample in SAMPLES]
    assert summary["tool_calls"]["score"]["mean"] == pytest.approx(
        sum(score.f1 for score in scores) / len(scores)
    )
    assert summary["tool_calls"]["passed"]["true_count"] == sum(score.passed for score in scores)
    assert summary["flexible"]["score"]["mean"] > summary["tool_calls"]["score"]["mean"]


def test_the_column_of_the_expected_calls_can_be_named() -> None:
    row = {"question": "correct", "gold": SAMPLES[0].expected, "expected": []}

    assert scores_of([row], tool_calls(expected_key="gold"))[0]["score"] == 1


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"question": "correct"}, "no reference"),
        ({"question": "correct", "expected": None}, "no reference"),
        ({"question": "?", "expected": []}, "Return the messages"),
    ],
    ids=["no column", "no reference", "prose"],
)
def test_weave_prints_an_error_and_counts_no_score(
    row: Any, problem: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert scores_of([row], tool_calls()) == [{}]
    assert problem in capfd.readouterr().err
