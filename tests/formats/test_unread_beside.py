"""What is beside an answer: the request, other choices, and what a model should not say."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.unread import find_sign

CALL = {"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}


@pytest.mark.parametrize(
    "document",
    [
        {"httpRequest": {"body": CALL}, "httpResponse": {"body": "Hello"}},
        {"requests": [{"body": CALL}], "responses": [{"body": "Hello"}]},
        {"answers": {"tool_call": '{"name": "f"}'}, "correct_answer": "direct"},
        {"rejected_response": CALL, "chosen_response": {"content": "Hello"}},
        {"rejected": CALL, "chosen": "Hello"},
        {"hooks": {"PreToolUse": [{"matcher": None}], "PostToolUse": [{"matcher": None}]}},
    ],
)
def test_what_is_beside_an_answer_is_not_a_sign(document: dict[str, Any]) -> None:
    assert find_sign(document) is None


@pytest.mark.parametrize(
    "document",
    [
        {"httpRequest": {"body": CALL}},
        {"answers": CALL},
        {"rejected": "Hello", "chosen": CALL},
        {"content": '<TOOLCALL>["f"]</TOOLCALL>'},
    ],
)
def test_an_answer_itself_is_a_sign(document: dict[str, Any]) -> None:
    assert find_sign(document) is not None
