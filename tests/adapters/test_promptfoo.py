"""The assertion for promptfoo: options and expected calls in its config, or in variables."""

from __future__ import annotations

from typing import Any

import pytest

import callscore
from callscore.adapters.promptfoo import get_assert, tool_calls
from callscore.errors import InvalidCall, InvalidSettings

EXPECTED = [{"name": "search", "arguments": {"query": "AI news"}}, {"name": "save"}]
ACTUAL = [{"name": "search", "arguments": {"query": "AI news"}}, {"name": "translate"}]
CALL = {"id": "1", "type": "function", "function": {"name": "save", "arguments": "{}"}}


def test_the_result_is_one_of_promptfoo() -> None:
    result = get_assert(ACTUAL, {"vars": {}, "config": {"expected": EXPECTED}})

    alone = callscore.score(EXPECTED, ACTUAL)
    assert result == {
        "pass": False,
        "score": alone.f1,
        "reason": str(alone),
        "namedScores": {
            "tool_calls": alone.f1,
            "tool_calls_precision": alone.precision,
            "tool_calls_recall": alone.recall,
        },
    }


def test_options_are_in_the_config() -> None:
    config = {"expected": EXPECTED, "pass_mark": 0.5, "name": "calls"}

    result = get_assert(ACTUAL, {"config": config})

    assert result["pass"]
    assert result["namedScores"]["calls"] == 0.5
    with pytest.raises(InvalidSettings, match="pas_mark"):
        get_assert(ACTUAL, {"config": {"expected": EXPECTED, "pas_mark": 1}})


@pytest.mark.parametrize(
    ("config", "variables"),
    [
        ({"expected": '["save"]'}, {}),
        (None, {"expected_calls": '["save"]'}),
        (None, {"expected": ["save"]}),
        ({"expected_key": "gold"}, {"gold": ["save"], "expected": []}),
    ],
    ids=["text", "a variable", "a list in a variable", "a named variable"],
)
def test_where_the_expected_calls_are(config: Any, variables: Any) -> None:
    assert get_assert([CALL], {"config": config, "vars": variables})["score"] == 1


def test_the_calls_that_an_agent_lists_are_read() -> None:
    response = {
        "output": "It is sunny.",
        "metadata": {"toolCalls": [{"name": "save", "input": {}}]},
    }
    context = {"config": {"expected": ["save"]}, "providerResponse": response}

    assert get_assert("It is sunny.", context)["score"] == 1
    response["metadata"] = {"toolCalls": []}
    assert get_assert("It is sunny.", context)["score"] == 0


def test_words_are_an_error_unless_they_mean_that_nothing_was_called() -> None:
    context = {"config": {"expected": []}, "providerResponse": {"output": "It is sunny."}}

    with pytest.raises(InvalidCall, match="text_is_no_call: true"):
        get_assert("It is sunny.", context)
    assert tool_calls(text_is_no_call=True)("It is sunny.", context)["score"] == 1


@pytest.mark.parametrize(
    "context", [{}, {"config": {"expected": None}}, {"vars": {"city": "Rome"}}]
)
def test_a_missing_reference_is_an_error(context: Any) -> None:
    with pytest.raises(InvalidCall, match="no reference"):
        get_assert([], context)
