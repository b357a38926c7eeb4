"""The metric for DeepEval: what it reads from a test case, and what it keeps for a report."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = [("search", {"query": "AI news"}), ("save", {})]
ACTUAL = [("search", {"query": "AI news"}), ("translate", {})]


class MissingParams(Exception):
    pass


class BaseMetric:
    error = None
    success = None


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    params = SimpleNamespace(TOOLS_CALLED="tools_called", EXPECTED_TOOLS="expected_tools")
    modules: dict[str, dict[str, Any]] = {
        "deepeval.errors": {"MissingTestCaseParamsError": MissingParams},
        "deepeval.metrics": {"BaseMetric": BaseMetric},
        "deepeval.test_case": {"SingleTurnParams": params},
    }
    return imported(monkeypatch, "deepeval", modules)


def tools(calls: list[Any]) -> list[dict[str, Any]]:
    return [{"name": name, "input_parameters": parameters} for name, parameters in calls]


class TestCase(Recorded):
    """A test case, which callscore reads by its fields, as those of DeepEval."""

    __test__ = False
    tools_called: Any = None
    expected_tools: Any = None
    mcp_tools_called: Any = None
    metadata: Any = None

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {"input": "?", "tools_called": self.tools_called}


def expected_tools(calls: list[Any]) -> list[Any]:
    return [Recorded(name=name, input_parameters=parameters) for name, parameters in calls]


@pytest.mark.parametrize("options", [{}, {"pass_mark": 0.5}])
def test_a_test_case_has_the_score_of_score(adapter: Any, options: Any) -> None:
    metric = adapter.tool_calls(**options)
    case = TestCase(tools_called=tools(ACTUAL), expected_tools=expected_tools(EXPECTED))
    alone = callscore.score(EXPECTED, ACTUAL, **options)

    assert metric.measure(case, _show_indicator=False) == alone.f1
    assert asyncio.run(metric.a_measure(case)) == alone.f1
    assert (metric.score, metric.reason) == (alone.f1, str(alone))
    assert (metric.is_successful(), metric.threshold) == (alone.passed, alone.settings.pass_mark)
    assert (metric.score_breakdown["correct"], metric.error) == (1, None)


def test_an_expected_tool_without_parameters_accepts_any(adapter: Any) -> None:
    case = TestCase(tools_called=tools(ACTUAL), expected_tools=expected_tools([("search", None)]))

    assert adapter.tool_calls().measure(case) == callscore.score(["search"], ACTUAL).f1


def test_the_expected_calls_can_be_in_the_metadata(adapter: Any) -> None:
    metric = adapter.tool_calls(name="calls", expected_key="gold")

    assert metric.measure(TestCase(tools_called=tools(ACTUAL), metadata={"gold": ACTUAL})) == 1
    assert metric.__name__ == "calls"
    with pytest.raises(InvalidCall, match="gold"):
        metric.measure(TestCase(tools_called=tools(ACTUAL)))
    assert (metric.score, metric.is_successful()) == (None, False)
    assert "gold" in metric.error


@pytest.mark.parametrize("missing", ["tools_called", "expected_tools"])
def test_a_missing_side_is_an_error_of_deepeval(adapter: Any, missing: str) -> None:
    sides = {"tools_called": tools(ACTUAL), "expected_tools": expected_tools(EXPECTED)}

    with pytest.raises(MissingParams, match=missing):
        adapter.tool_calls().measure(TestCase(**{**sides, missing: None}))
