"""The metric inside Opik: an evaluation shows the score of `callscore.score`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from opik import evaluate_on_dict_items
from opik.evaluation.metrics import BaseMetric
from tests.stacks.sample_runs import FLEXIBLE, SAMPLES, Sample

import callscore
from callscore.adapters.opik import tool_calls

OUTPUTS: dict[str, Any] = {sample.name: sample.messages for sample in SAMPLES}


def task(item: dict[str, Any]) -> dict[str, Any]:
    return {"output": OUTPUTS.get(item["question"], "It is sunny."), "messages": []}


def evaluated(items: list[dict[str, Any]], metric: Any) -> Any:
    return evaluate_on_dict_items(items, task, scoring_metrics=[metric])


def scores_of(items: list[dict[str, Any]], metric: Any) -> list[Any]:
    # They come in the order in which the threads end.
    found = {
        result.test_case.dataset_item_content["question"]: result.score_results[0]
        for result in evaluated(items, metric).test_results
    }
    return [found[item["question"]] for item in items]


def as_item(sample: Sample) -> dict[str, Any]:
    return {"question": sample.name, "expected_tools": sample.expected}


@pytest.mark.parametrize("options", [{}, FLEXIBLE])
def test_an_evaluation_shows_the_score_of_score(options: Any) -> None:
    items = list(map(as_item, SAMPLES))

    rows = scores_of(items, tool_calls(name="calls", **options))

    alone = [sample.score(**options) for sample in SAMPLES]
    assert [row.value for row in rows] == [score.f1 for score in alone]
    assert [row.metadata["passed"] for row in rows] == [score.passed for score in alone]
    assert {row.name for row in rows} == {"calls"}
    assert not any(row.scoring_failed for row in rows)
    assert "= get_weather" in rows[0].reason


def test_the_mean_is_the_mean_of_the_scores() -> None:
    result = evaluated(list(map(as_item, SAMPLES)), tool_calls())

    statistics = result.aggregate_evaluation_scores()["tool_calls"]
    scores = [sample.score().f1 for sample in SAMPLES]
    assert statistics.mean == pytest.approx(sum(scores) / len(scores))


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"question": "correct"}, "no reference"),
        ({"question": "?", "expected": []}, "Return the messages"),
    ],
    ids=["no reference", "prose"],
)
def test_opik_shows_an_error_as_a_failed_score(item: Any, problem: str) -> None:
    (row,) = scores_of([item], tool_calls())

    assert row.scoring_failed
    assert problem in row.reason


def test_the_metric_can_be_called_alone() -> None:
    metric = tool_calls(expected_key="gold")
    sample = SAMPLES[0]

    assert isinstance(metric, BaseMetric)
    assert metric.score(output=sample.actual, gold=sample.expected).value == 1
    assert asyncio.run(metric.ascore(output=sample.actual, gold=sample.expected)).value == 1
    with pytest.raises(callscore.InvalidCall, match="no key 'gold'"):
        metric.score(output=sample.actual, expected=sample.expected)
