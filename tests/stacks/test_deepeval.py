"""The metric inside DeepEval: `evaluate` and `assert_test` show the score of `callscore.score`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from deepeval import assert_test, evaluate
from deepeval.errors import MissingTestCaseParamsError
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase, ToolCall
from tests.stacks.sample_runs import FLEXIBLE, SAMPLES, Sample

import callscore
from callscore.adapters.deepeval import tool_calls

if TYPE_CHECKING:
    from pathlib import Path

# DeepEval itself refuses parameters that are not an object.
READABLE = [sample for sample in SAMPLES if sample.name != "malformed"]
QUIET = DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # DeepEval writes into the current folder


def evaluated(cases: list[Any], metric: Any, **configs: Any) -> Any:
    result = evaluate(
        cases,
        [metric],
        display_config=QUIET,
        cache_config=CacheConfig(write_cache=False),
        **configs,
    )
    rows = {row.name: row.metrics_data[0] for row in result.test_results if row.metrics_data}
    return [rows[case.name] for case in cases if case.name in rows]


def as_tools(calls: list[Any]) -> list[ToolCall]:
    return [ToolCall(name=call["name"], input_parameters=call["arguments"]) for call in calls]


def as_case(sample: Sample) -> LLMTestCase:
    return LLMTestCase(
        name=sample.name,
        input=sample.name,
        actual_output="Done.",
        tools_called=as_tools(sample.actual),
        expected_tools=as_tools(sample.expected),
    )


@pytest.mark.parametrize("run_async", [True, False])
@pytest.mark.parametrize("options", [{}, FLEXIBLE])
def test_an_evaluation_shows_the_score_of_score(options: Any, run_async: bool) -> None:
    rows = evaluated(
        list(map(as_case, READABLE)),
        tool_calls(**options),
        async_config=AsyncConfig(run_async=run_async),
    )

    alone = [sample.score(**options) for sample in READABLE]
    assert [row.score for row in rows] == [score.f1 for score in alone]
    assert [row.success for row in rows] == [score.passed for score in alone]
    assert [row.reason for row in rows] == [str(score) for score in alone]
    assert {(row.name, row.threshold, row.error) for row in rows} == {("tool_calls", 1.0, None)}


def test_an_expected_tool_without_parameters_accepts_any() -> None:
    case = LLMTestCase(
        input="?", tools_called=as_tools(SAMPLES[0].actual), expected_tools=[ToolCall(name="save")]
    )

    assert tool_calls().measure(case) == callscore.score(["save"], SAMPLES[0].actual).f1


def test_the_expected_calls_can_be_in_the_metadata() -> None:
    calls = as_tools(SAMPLES[0].actual)
    rules = '["get_weather", {"name": "save", "arguments": {"path": {"$regex": "[.]txt$"}}}]'
    case = LLMTestCase(name="a", input="?", tools_called=calls, metadata={"gold": rules})

    assert evaluated([case], tool_calls(expected_key="gold"))[0].score == 1
    with pytest.raises(callscore.InvalidCall, match="no key 'gold'"):
        evaluated([LLMTestCase(input="?", tools_called=calls)], tool_calls(expected_key="gold"))


def test_assert_test_fails_below_the_pass_mark() -> None:
    case = as_case(SAMPLES[1])

    assert_test(case, [tool_calls(pass_mark=0.5)])
    with pytest.raises(AssertionError, match=r"tool_calls \(score: 0.5, threshold: 1.0"):
        assert_test(case, [tool_calls()])


@pytest.mark.parametrize("missing", ["tools_called", "expected_tools"])
def test_a_missing_side_is_an_error_that_deepeval_shows(missing: str) -> None:
    case = as_case(SAMPLES[0]).model_copy(update={missing: None})

    with pytest.raises(MissingTestCaseParamsError, match=rf"'{missing}' is missing.*\[\]"):
        evaluated([case], tool_calls())
    (row,) = evaluated([case], tool_calls(), error_config=ErrorConfig(ignore_errors=True))
    assert (row.success, row.score) == (False, None)
    assert missing in row.error
    skipped = ErrorConfig(skip_on_missing_params=True)
    assert evaluated([case], tool_calls(), error_config=skipped) == []


def test_a_metric_can_measure_again_after_an_error() -> None:
    metric = tool_calls(name="calls")

    with pytest.raises(MissingTestCaseParamsError):
        metric.measure(LLMTestCase(input="?"))
    assert (metric.error is None, metric.is_successful()) == (False, False)
    assert metric.measure(as_case(SAMPLES[0])) == 1
    assert (metric.error, metric.is_successful(), metric.__name__) == (None, True, "calls")
    assert metric.score_breakdown is not None
    assert metric.score_breakdown["correct"] == 2
