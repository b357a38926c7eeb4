"""The three tools, with the examples that the tool they come from is documented with."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

import callscore
from callscore.integrations.tools import check_tool_calls, explain_score, score_tool_calls

NEWS = {"tool": "searchWeb", "args": {"query": "AI news"}}
SUMMARY = {"tool": "summarize", "args": {"text": "long article..."}}
OTHER_SUMMARY = {"tool": "summarize", "args": {"text": "different text"}}
TRANSLATION = {"tool": "translateText", "args": {"text": "hello", "to": "es"}}
EXAMPLE = {"expected": [NEWS, SUMMARY], "actual": [NEWS, OTHER_SUMMARY, TRANSLATION]}


def test_the_example_of_direct_usage() -> None:
    answer = score_tool_calls(EXAMPLE)

    assert (answer["score"], answer["precision"], answer["recall"]) == (0.4, 1 / 3, 0.5)
    assert (answer["totalExpected"], answer["totalActual"]) == (2, 3)
    assert [entry["actual"] for entry in answer["correctCalls"]] == [NEWS]
    assert [entry["actual"] for entry in answer["incorrectCalls"]] == [OTHER_SUMMARY]
    assert (answer["missedCalls"], answer["extraCalls"]) == ([], [TRANSLATION])
    assert answer["summary"] == (
        "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1"
    )


def test_the_example_of_a_research_agent() -> None:
    expected = [
        {"tool": "searchWeb", "args": {"query": "latest AI research 2024"}},
        {"tool": "fetchUrl", "args": {"url": "https://arxiv.org/..."}},
        {"tool": "summarize", "args": {"maxLength": 500}},
    ]

    answer = score_tool_calls({"expected": expected, "actual": expected[:2]})

    assert answer["score"] == 0.8
    assert [entry["expected"] for entry in answer["missedCalls"]] == expected[2:]


def test_the_pairs_do_not_depend_on_the_order_of_the_expectations() -> None:
    calls = [{"tool": "f", "args": args} for args in ({"a": 1}, {"a": 2}, {"a": 1, "b": 2})]
    actual = [calls[2], calls[0], {"tool": "f", "args": {"a": 3}}]

    scores = {
        score_tool_calls({"expected": list(expected), "actual": actual})["score"]
        for expected in permutations(calls)
    }

    assert scores == {2 / 3}


@pytest.mark.parametrize(
    ("expected", "actual", "numbers"),
    [([], [], (1, 1, 1)), ([NEWS], [], (0, 1, 0)), ([], [NEWS], (0, 0, 1))],
)
def test_a_side_without_calls_has_the_numbers_of_callscore(
    expected: Any, actual: Any, numbers: Any
) -> None:
    answer = score_tool_calls({"expected": expected, "actual": actual})

    assert (answer["score"], answer["precision"], answer["recall"]) == numbers


def test_the_explanation_is_that_of_the_score() -> None:
    answer = explain_score(EXAMPLE)

    score = callscore.score(EXAMPLE["expected"], EXAMPLE["actual"])
    counts = [answer[name] for name in ("correct", "incorrect", "missed", "extra")]
    assert answer["explanation"] == score.explain()
    assert counts == [1, 1, 0, 1]
    assert (answer["score"], answer["rating"]) == (0.4, "Poor")
    assert (answer["precision"], answer["recall"], answer["summary"]) == (1 / 3, 0.5, score.summary)
    assert (answer["totalExpected"], answer["totalActual"]) == (2, 3)


def test_a_check_needs_no_expectation() -> None:
    tools = [{"name": "searchWeb", "parameters": {"type": "object", "required": ["query"]}}]

    answer = check_tool_calls({"actual": [NEWS, TRANSLATION], "tools": tools})

    assert [(fault["kind"], fault["index"]) for fault in answer["faults"]] == [("unknown_tool", 1)]


def test_nothing_that_is_given_is_changed() -> None:
    given = {**EXAMPLE, "expected": [{"one_of": ['{"tool": "f"}']}]}

    score_tool_calls(given)

    assert given == {**EXAMPLE, "expected": [{"one_of": ['{"tool": "f"}']}]}
