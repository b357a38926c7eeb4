"""The metric for Opik: the output of a task, and the item of the dataset."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = [("search", {"query": "AI news"}), ("save", {})]
ACTUAL = [("search", {"query": "AI news"}), ("translate", {})]


class BaseMetric:
    def __init__(self, name: str, *, track: bool) -> None:
        self.name = name
        self.track = track


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    names = {
        "base_metric": SimpleNamespace(BaseMetric=BaseMetric),
        "score_result": SimpleNamespace(ScoreResult=Recorded),
    }
    return imported(monkeypatch, "opik", {"opik.evaluation.metrics": names})


@pytest.mark.parametrize(
    ("key", "item"), [(None, {"expected": EXPECTED}), ("gold", {"gold": EXPECTED, "expected": []})]
)
def test_an_output_has_the_score_of_score(adapter: Any, key: str | None, item: Any) -> None:
    metric = adapter.tool_calls(name="calls", expected_key=key)

    result = metric.score(output=ACTUAL, question="?", **item)

    alone = callscore.score(EXPECTED, ACTUAL)
    assert (result.name, result.value, result.reason) == ("calls", alone.f1, str(alone))
    assert (result.metadata["passed"], result.metadata["missed"]) == (False, 1)


def test_calls_that_the_task_returned_are_not_expected_ones(adapter: Any) -> None:
    item = {"output": ACTUAL, "tool_calls": ACTUAL}

    with pytest.raises(InvalidCall, match="no reference"):
        adapter.tool_calls().score(**item)
    assert adapter.tool_calls(expected_key="tool_calls").score(**item).value == 1


def test_scores_are_not_sent_as_spans(adapter: Any) -> None:
    assert adapter.tool_calls().track is False


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"output": ACTUAL}, "no reference"),
        ({"output": "It is sunny.", "expected": EXPECTED}, "as 'output' of the task"),
        ({"output": None, "expected": EXPECTED}, "actual"),
    ],
)
def test_an_unreadable_output_or_a_missing_reference_is_an_error(
    adapter: Any, item: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        adapter.tool_calls().score(**item)
