"""ReAct text: actions, their input, and what is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import INVALID
from callscore.formats.dialects.text_react import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def calls_of(text: str) -> tuple[ToolCall, ...]:
    (trace,) = read(text, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('Action: f\nAction Input: {"x": 1}', "f", {"x": 1}),
        ('Action: f Action Input: {"x": 1}', "f", {"x": 1}),
        ('Thought: t\n\nAction: f\n\nAction Input:\n{\n"x": 1\n}\n', "f", {"x": 1}),
        ('Action 1: f\nAction 1 Input 1: {"x": 1}\nObservation', "f", {"x": 1}),
        ('**Action:** f\n**Action Input:** {"x": 1}', "f", {"x": 1}),
        ('Action: **f**\nAction Input: {"x": 1}', "f", {"x": 1}),
        ("Action: `f`\nAction Input: {}", "f", {}),
        (
            "Action: Search the internet\nAction Input: cats",
            "Search the internet",
            {"input": "cats"},
        ),
        ("Action: f (adds numbers)\nAction Input: {}", "f", {}),
        ('Action: f\nAction Input: "two words"', "f", {"input": "two words"}),
        ("Action: f\nAction Input: 3", "f", {"input": "3"}),
        ("Action: f\nAction Input:", "f", {}),
        ("Action: f\nAction Input: None", "f", {}),
        ('Action: f\nAction Input: ```json\n{"x": 1}\n```', "f", {"x": 1}),
        ("Action: f\nAction Input: ```py\nx = 1\n```", "f", {"input": "```py\nx = 1\n```"}),
        ('Action: f\nAction Input: {"x": 1}\n\nI will wait.', "f", {"x": 1}),
        ('ASSISTANT Action: f\nASSISTANT Action Input: {"x": 1}', "f", {"x": 1}),
        ('Action:\n```\n{"action": "f", "action_input": {"x": 1}}\n```', "f", {"x": 1}),
        ('```json\n{"action": "f", "action_input": "cats"}\n```', "f", {"input": "cats"}),
        ('Action: {"action": "f", "action_input": {"x": 1}}\nObservation: 2', "f", {"x": 1}),
        (
            "Thought 1: t\nAction 1: Search[two words]\nObservation 1: o",
            "Search",
            {"input": "two words"},
        ),
    ],
)
def test_an_action_is_a_call(text: str, name: str, arguments: Any) -> None:
    assert recognizes(text)
    (call,) = calls_of(text)

    assert (call.name, call.arguments, call.error) == (name, arguments, None)


@pytest.mark.parametrize(
    "text",
    [
        "Thought: none needed\nAction: None\nAction Input: None\nFinal Answer: 42",
        "Action: N/A\nAction Input: N/A",
        "Action: No tool needed\nAction Input:",
        "Action: Final Answer\nAction Input: 42",
        'Action:\n```\n{"action": "Final Answer", "action_input": "42"}\n```',
        'Action:\n```\n{"action": "Final Answer", "action_input": "42\n```',
        "Thought 1: t\nAction 1: Finish[42]",
        "Action: the action to take, should be one of [f, g]\nAction Input: the input to the action",
        "Action: tool name (one of f, g)\nAction Input: the input, in JSON",
        "<think>Action: f\nAction Input: {}</think>Final Answer: 42",
    ],
)
def test_what_names_no_tool_is_no_call(text: str) -> None:
    assert calls_of(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Final Answer: 42",
        "Action: call the bank tomorrow",
        "Use one of these.\nAction: the action to take\nAction Input: the input",
        "The Action Input: field is required.",
        '```json\n{"action": "click", "target": "button"}\n```',
    ],
)
def test_a_text_without_an_action_is_of_another_format(text: str) -> None:
    assert not recognizes(text)


def test_each_round_is_a_step_and_has_its_observation() -> None:
    text = (
        "Question: q\nThought: t\nAction: f\nAction Input: {}\nObservation: Error: none\n"
        "Thought: t\nAction: g\nAction Input: {}\nAction: h\nAction Input: {}\n"
        "Observation: 2\nThought: t\nFinal Answer: 2"
    )

    calls = calls_of(text)

    assert [(call.name, call.step) for call in calls] == [("f", 0), ("g", 1), ("h", 1)]
    assert [(call.result, call.failed) for call in calls] == [
        ("Error: none", True),
        ("2", False),
        (None, None),
    ]


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("Action: f\nAction Input: {'x': 1}", "{'x': 1}"),
        ('Action: f\nAction Input: {"x": 1} {"x": 2}', '{"x": 1} {"x": 2}'),
        ('```\n{"action": "f", "action_input": {x}}\n```', '{"action": "f", "action_input": {x}}'),
    ],
)
def test_malformed_input_is_kept(text: str, raw: str) -> None:
    (call,) = calls_of(text)

    assert (call.name, call.arguments, call.raw) == ("f", None, raw)
    assert call.error is not None


def test_python_in_place_of_json_is_not_repaired() -> None:
    assert calls_of("Action: f\nAction Input: {'x': 1}")[0].error == INVALID


def test_several_actions_may_be_in_one_block() -> None:
    text = '```json\n[{"action": "f", "action_input": {}}, {"action": "g"}, {"x": 1}]\n```'

    assert [call.name for call in calls_of(text)] == ["f", "g"]


@pytest.mark.parametrize("text", ["Action:" + 800 * " ", "Action" + 40_000 * " "])
def test_many_spaces_are_no_action(text: str) -> None:
    assert not recognizes(f"{text}x")


def test_spaces_around_a_name_are_no_part_of_it() -> None:
    (call,) = calls_of("Action: \t f \t(a comment)\t\nAction Input: x")

    assert call.name == "f"
