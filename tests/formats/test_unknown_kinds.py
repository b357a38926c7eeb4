"""Items that look like calls, of kinds that their format does not know, beside calls that it reads."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.reading import read_document
from callscore.formats.trace import ReadOptions
from callscore.formats.unknown_kinds import is_unknown_call, place_of


@pytest.mark.parametrize(
    "kind",
    [
        *("teleport_call", "tool-call", "QuantumToolCall", "toolUse", "remote.execution"),
        *("fooCall", "call", "mcp_tool_request", "ToolCallRequestEvent_call_item", "tool_use_v2"),
    ],
)
def test_a_kind_that_ends_like_a_call_is_one(kind: str) -> None:
    assert is_unknown_call(kind)


@pytest.mark.parametrize(
    "kind",
    [
        *("function_call_output", "tool_result", "tool-call-delta", "mcp_approval_request"),
        *("toolConfirmationRequest", "tool_use_summary", "llm_call", "model_call"),
        *("tool_call_response", "llm_call_started", "text", "message", "", None, 3, [], {}),
    ],
)
def test_a_kind_of_results_pieces_and_permissions_is_none(kind: Any) -> None:
    assert not is_unknown_call(kind, {"name": "f", "arguments": {}} if kind else None)


def test_a_word_that_only_ends_like_a_call_is_none() -> None:
    assert not is_unknown_call("recall")


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"name": "f", "arguments": {}}, True),
        ({"toolName": "f", "input": '{"a": 1}'}, True),
        ({"name": "f", "arguments": "free text"}, False),
        ({"name": "", "arguments": {}}, False),
        ({"name": "f"}, False),
        ([], False),
    ],
)
def test_an_item_with_a_name_and_arguments_is_a_call_of_any_kind(
    item: Any, *, expected: bool
) -> None:
    assert is_unknown_call("teleport", item) is expected


def test_the_place_of_an_item_is_that_of_the_same_object() -> None:
    item = {"a": 1}

    assert place_of(item, {"x y": [{"a": 1}, item]}) == "$['x y'][1]"
    assert place_of(item, {"x": [{"a": 1}]}) is None


def test_of_many_kinds_the_first_are_named_and_the_others_counted() -> None:
    items = [{"type": f"x{number}_call"} for number in range(5_000)]
    call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
    notes: list[str] = []
    read_document(
        {"object": "response", "output": [call, *items]}, ReadOptions(on_unread=notes.append)
    )
    assert len(notes) == 21
    assert notes[0].startswith("'x0_call' at $.output[1]")
    assert notes[-1] == "Items of 4980 other kinds look like calls, too."
