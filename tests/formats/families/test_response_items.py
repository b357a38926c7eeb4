"""The items that OpenAI's Responses API speaks in."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.families.response_items import (
    is_item,
    is_item_list,
    question_in,
    read_flat_tools,
    read_item_tools,
    take_items,
)
from callscore.formats.transcript import Transcript


@pytest.mark.parametrize(
    "value",
    [
        {"type": "function_call", "call_id": "a"},
        {"type": "function_call", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a"},
        {"type": "custom_tool_call", "call_id": "a"},
        {"type": "program", "call_id": "a"},
        {"type": "web_search_call"},
        {"type": "mcp_call", "server_label": "m"},
        {"type": "reasoning", "summary": []},
        {"type": "tool_search_output", "tools": []},
        {"type": "message", "content": [{"type": "output_text", "text": ""}]},
    ],
)
def test_an_item_is_known_by_what_only_it_has(value: Any) -> None:
    assert is_item(value)
    assert is_item_list([{"role": "user", "content": "w"}, value])
    assert not is_item_list([value, {"role": "tool"}])


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("How is Paris?", "How is Paris?"),
        ([{"role": "system", "content": "s"}, {"role": "user", "content": "u"}], "u"),
        ([{"role": "user", "content": [{"text": "first"}]}, {"role": "user"}], "first"),
        ([{"role": "assistant", "content": "a"}], None),
        (None, None),
    ],
)
def test_the_question_is_the_first_text_of_the_user(value: Any, asked: str | None) -> None:
    assert question_in(value) == asked


@pytest.mark.parametrize("value", [None, "text", {}, {"type": None}, {"type": {}}, {"type": "x"}])
def test_anything_else_is_none(value: Any) -> None:
    assert not is_item(value)
    assert not is_item_list(value)


def test_what_is_no_item_is_passed_over() -> None:
    transcript = Transcript()

    take_items(["text", {"type": {}}, {"type": "hosted_tool_call", "name": "mcp_call"}], transcript)

    assert transcript.calls() == ()


def test_tools_that_are_none_are_passed_over() -> None:
    assert read_flat_tools(["text", {"type": "namespace"}, None]) == []
    assert read_item_tools([{"type": "message", "tools": [{"name": "f"}]}, "text"]) == []
