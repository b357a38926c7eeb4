"""Scores with the camelCase fields of JavaScript tools."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import InvalidSettings, ToolCall, expect, score
from callscore.integrations.tools import score_tool_calls

# The two examples of the README of a published tool, with its numbers where they follow from its
# own formula: it prints 0.667 for the first, and F1 is 2 · 1 / (2 + 3).
NEWS = {"tool": "searchWeb", "args": {"query": "AI news"}}
LONG = {"tool": "summarize", "args": {"text": "long article..."}}
OTHER = {"tool": "summarize", "args": {"text": "different text"}}
TRANSLATION = {"tool": "translateText", "args": {"text": "hello", "to": "es"}}

RESEARCH = {"tool": "searchWeb", "args": {"query": "latest AI research 2024"}}
FETCH = {"tool": "fetchUrl", "args": {"url": "https://arxiv.org/..."}}
SUMMARY = {"tool": "summarize", "args": {"maxLength": 500}}


def test_every_call_has_its_status_and_whether_its_arguments_match() -> None:
    assert score([NEWS, LONG], [NEWS, OTHER, TRANSLATION]).to_dict(style="camel") == {
        "score": 0.4,
        "precision": 1 / 3,
        "recall": 0.5,
        "totalExpected": 2,
        "totalActual": 3,
        "correctCalls": [
            {"expected": NEWS, "actual": NEWS, "status": "correct", "argsMatch": True}
        ],
        "incorrectCalls": [
            {
                "expected": LONG,
                "actual": OTHER,
                "status": "incorrect",
                "argsMatch": False,
                "details": 'text: expected "long article...", got "different text"',
                "differences": [
                    {
                        "path": "$.text",
                        "kind": "value",
                        "expected": "long article...",
                        "actual": "different text",
                        "reason": 'text: expected "long article...", got "different text"',
                    }
                ],
            }
        ],
        "missedCalls": [],
        "extraCalls": [TRANSLATION],
        "forbiddenCalls": [],
        "ignoredCalls": [],
        "summary": "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1",
    }


def test_a_missed_call_has_its_details() -> None:
    found = score([RESEARCH, FETCH, SUMMARY], [RESEARCH, FETCH]).to_dict(style="camel")

    assert found["score"] == 0.8
    assert found["missedCalls"] == [
        {
            "expected": SUMMARY,
            "status": "missed",
            "argsMatch": False,
            "details": "summarize: never called",
        }
    ]


def test_it_is_the_answer_of_the_agent_tool() -> None:
    sides: dict[str, Any] = {"expected": [NEWS, LONG], "actual": [OTHER, TRANSLATION, NEWS]}
    tools = [{"name": "searchWeb"}, {"name": "summarize", "parameters": {"required": ["text"]}}]

    assert score(**sides, tools=tools).to_dict(style="camel") == score_tool_calls(
        {**sides, "tools": tools}
    )


def test_snake_case_is_the_default() -> None:
    found = score([NEWS], [NEWS])

    assert found.to_dict() == found.to_dict(style="snake")
    assert found.to_dict()["total_expected"] == 1


@pytest.mark.parametrize("style", ["kebab", "Camel", None])
def test_an_unknown_style_is_refused(style: Any) -> None:
    with pytest.raises(InvalidSettings, match="style: unknown value"):
        score([], []).to_dict(style=style)


def test_a_case_with_turns_has_them_and_the_first_that_went_wrong() -> None:
    expected = [
        expect.turn(("a", {})),
        expect.turn(("b", {})),
        ToolCall("end_state", {}, kind="state"),
    ]
    found = score(expected, [ToolCall("b", {}, turn=0)]).to_dict(style="camel")

    assert [(turn["number"], turn["f1"], turn["passed"]) for turn in found["turns"]] == [
        (1, 0.0, False),
        (2, 0.0, False),
    ]
    assert (found["turnMean"], found["turnMin"], found["firstWrongTurn"]) == (0.0, 0.0, 1)
    assert [missed["details"] for missed in found["missedCalls"]] == [
        "a: never called",
        "b: called, but in another turn",
        "end_state: the run has no end state",
    ]
    assert found["missedCalls"][1]["expected"] == {"tool": "b", "args": {}, "turn": 1}
    assert found["missedCalls"][2]["expected"] == {"tool": "end_state", "args": {}, "kind": "state"}
    assert found["extraCalls"] == [
        {"tool": "b", "args": {}, "turn": 0, "details": "expected, but in another turn"}
    ]
    assert found["summary"].endswith(" | First wrong turn: 1")
    assert "turns" not in score([NEWS], [NEWS]).to_dict(style="camel")


def test_a_call_of_another_caller_has_its_caller_and_the_reason() -> None:
    found = score(
        [ToolCall("reboot", {}, caller="user")], [ToolCall("reboot", {}), ToolCall("x", {})]
    ).to_dict(style="camel")

    (missed,) = found["missedCalls"]
    assert missed["expected"] == {"tool": "reboot", "args": {}, "caller": "user"}
    assert missed["details"] == "reboot: made by the agent, expected of the user"
    assert found["extraCalls"][0]["details"] == "made by the agent, expected of the user"


def test_a_call_that_is_free_explains_a_missed_one() -> None:
    expected = [expect.turn(("a", {"n": 1})), expect.turn()]

    found = score(expected, [ToolCall("a", {"n": 2}, turn=1)], extra_calls="free")

    (missed,) = found.to_dict(style="camel")["missedCalls"]
    assert missed["details"] == "a: called, but in another turn: a(n=2)"
