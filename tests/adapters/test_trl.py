"""The reward function for TRL: completions are what the model answered, whatever they are."""

from __future__ import annotations

from typing import Any

import pytest

import callscore
from callscore.adapters.trl import tool_calls
from callscore.errors import InvalidCall

EXPECTED = '[{"name": "search", "arguments": {"query": "AI news"}}]'
CALL = '{"name": "search", "arguments": {"query": "AI news"}}'
TEXTS = [
    f"<tool_call>\n{CALL}\n</tool_call>",
    f"<think>I search.</think>\n<tool_call>{CALL}</tool_call>",
    '[search(query="AI news")]',
    '<|python_tag|>{"name": "search", "parameters": {"query": "AI news"}}',
    f"[TOOL_CALLS][{CALL}]",
]
UNREADABLE = [
    "It is sunny.",
    "Done",
    "",
    '<tool_call>{"name": "search", "argum',
    "<tool_call></tool_call>",
    "\x00<tool_call>",
    '{"name"',
]


def rewards(completions: list[Any], expected: Any, **options: Any) -> list[float]:
    reward = tool_calls(**options)
    return reward(["?"] * len(completions), completions, expected=[expected] * len(completions))


@pytest.mark.parametrize("as_messages", [False, True])
def test_calls_in_the_syntax_of_many_models_are_read(as_messages: bool) -> None:
    completions: list[Any] = TEXTS
    if as_messages:
        completions = [[{"role": "assistant", "content": text}] for text in TEXTS]

    assert rewards(completions, EXPECTED) == [1] * len(TEXTS)


def test_the_reward_is_the_score_of_score() -> None:
    expected = [("search", {"query": "AI news", "limit": 3})]
    options: dict[str, Any] = {"preset": "flexible", "argument_match_threshold": 0.5}

    assert rewards([TEXTS[0]], expected, **options) == [
        callscore.score(expected, TEXTS[0], **options).f1
    ]
    assert rewards([TEXTS[0]], expected) == [callscore.score(expected, TEXTS[0]).f1]


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_completion_without_readable_calls_has_a_low_reward(text: str) -> None:
    assert rewards([text, [{"role": "assistant", "content": text}]], EXPECTED) == [0, 0]


def test_an_answer_in_words_is_right_if_nothing_is_expected() -> None:
    assert rewards(["It is sunny.", "", "Done", *TEXTS], "[]") == [1, 1, 1, *([0] * len(TEXTS))]


@pytest.mark.parametrize("completion", [None, 3, [None], [{"x": 1}], {"x": 1}])
def test_a_malformed_completion_has_a_reward_of_0(completion: Any) -> None:
    assert rewards([completion], "[]") == [0]


def test_a_missing_column_is_an_error() -> None:
    reward = tool_calls()

    with pytest.raises(InvalidCall, match=r"no column 'expected' or .*'answer'.*'expected_key'"):
        reward(["?"], [""], answer=["x"], trainer_state=None)
    with pytest.raises(InvalidCall, match="no column 'gold'"):
        tool_calls(expected_key="gold")(["?"], [""], expected=["[]"])
    assert tool_calls(expected_key="gold")(["?"], [""], gold=["[]"], expected=[EXPECTED]) == [1]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, r"expected\[0\] is null"),
        ([{"name": "search", "arguments": {"query": None}}], r"expected\[0\] is null.*JSON text"),
        ([{"name": "a", "arguments": {"list": [{"b": None}]}}], "JSON text"),
        ([{"arguments": {}}], "expected"),
        ("not JSON", "expected"),
    ],
)
def test_an_invalid_reference_is_an_error(value: Any, problem: str) -> None:
    with pytest.raises(InvalidCall, match=problem):
        rewards(["<tool_call>"], value)


def test_as_many_rows_as_completions_are_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        tool_calls()(["?", "?"], ["", ""], expected=["[]"])
