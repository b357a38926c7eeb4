"""OpenAI Agents SDK."""

from __future__ import annotations

import re
from typing import Any

import pytest

from callscore.formats.dialects.openai_agents import joins_lines, read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

CALL = {"type": "function_call", "call_id": "a", "name": "f", "arguments": '{"x": 1}'}
RESULT = {"type": "function_call_output", "call_id": "a", "output": "18C"}


def item(raw: Any, type: str = "tool_call_item") -> dict[str, Any]:  # noqa: A002  (as the field is called)
    return {"type": type, "agent": "a", "raw_item": raw}


def trace_of(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    assert recognizes(document)
    (trace,) = read(document, options)
    return trace


def test_a_state_gives_the_items_that_were_generated_and_the_question() -> None:
    state = {
        "$schemaVersion": "1.21",
        "original_input": [{"role": "system"}, {"role": "user", "content": "Weather?"}],
        "generated_items": [item(CALL), item(RESULT, "tool_call_output_item")],
        "session_items": [item(CALL)],
    }

    trace = trace_of(state)

    assert [(call.id, call.result, call.failed) for call in trace.calls or ()] == [
        ("a", "18C", False)
    ]
    assert trace.input == "Weather?"


def test_a_result_object_may_be_written_down_with_its_new_items() -> None:
    trace = trace_of({"input": "Weather?", "new_items": [item(CALL)], "final_output": "18C"})

    assert (len(trace.calls or ()), trace.input) == (1, "Weather?")


def test_a_handoff_is_a_call() -> None:
    (call,) = trace_of([item({**CALL, "name": "transfer_to_b"}, "handoff_call_item")]).calls or ()

    assert call.name == "transfer_to_b"


def test_a_call_that_waits_for_approval_counts_once() -> None:
    assert len(trace_of([item(CALL), item(CALL, "tool_approval_item")]).calls or ()) == 1


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("An error occurred while running the tool. Please try again. Error: no", True),
        ("Error: no", True),
        ("18C", False),
    ],
)
def test_a_tool_that_has_raised_has_failed(output: str, failed: bool) -> None:
    items = [item(CALL), item({**RESULT, "output": output}, "tool_call_output_item")]

    (call,) = trace_of(items).calls or ()

    assert call.failed is failed


def test_a_pattern_of_the_user_holds_beside_the_words_of_the_sdk() -> None:
    items = [item(CALL), item({**RESULT, "output": "oh NO"}, "tool_call_output_item")]

    (call,) = trace_of(items, ReadOptions(failure=re.compile("no$", re.IGNORECASE))).calls or ()

    assert call.failed


def test_the_names_of_javascript_are_read_alike() -> None:
    call = {"type": "function_call", "callId": "a", "name": "f", "arguments": "{}"}
    result = {
        "type": "function_call_result",
        "callId": "a",
        "output": {"type": "text", "text": "1"},
    }
    asked = {"type": "message", "role": "user", "content": "Weather?"}

    for document in ([asked, call, result], [{"type": "tool_call_item", "rawItem": call}, result]):
        (found,) = trace_of(document).calls or ()
        assert (found.id, found.result, found.failed) == ("a", "1", False)


def test_what_the_provider_has_run_for_javascript_is_a_call() -> None:
    given = {"server_label": "m", "name": "f", "arguments": "{}", "error": "down"}
    hosted = {"type": "hosted_tool_call", "id": "x", "name": "mcp_call", "providerData": given}
    listing = {**hosted, "name": "mcp_list_tools"}
    request = {**hosted, "name": "mcp_approval_request"}
    action = {"type": "search", "query": "x"}
    search = {**hosted, "name": "web_search_call", "providerData": {"action": action}}

    asked, searched = (
        trace_of([item(each) for each in (listing, request, hosted, search)]).calls or ()
    )

    assert (asked.name, asked.kind, asked.failed, asked.result) == ("f", "mcp", True, "down")
    assert (searched.name, searched.kind) == ("web_search", "hosted")
    assert searched.arguments == action


def test_the_tools_that_an_mcp_server_has_listed_are_known() -> None:
    listed = {"type": "mcp_list_tools", "server_label": "m", "tools": [{"name": "f"}]}

    assert [tool.name for tool in read_tools([item(listed, "mcp_list_tools_item")])] == ["f"]


def test_lines_of_items_are_one_run() -> None:
    assert joins_lines(item(CALL))
    assert joins_lines({"type": "function_call", "callId": "a"})
    assert not joins_lines(CALL)
    assert len(trace_of(item(CALL)).calls or ()) == 1


@pytest.mark.parametrize(
    "document",
    [
        [CALL],
        [item(CALL), {"type": "message"}],
        [{"type": "tool_call_item", "raw_item": "repr"}],
        {"$schemaVersion": "1.21"},
        {"generated_items": [item(CALL)]},
        {"new_items": [CALL]},
        {"type": ["tool_call_item"], "raw_item": CALL},
    ],
)
def test_what_only_looks_alike_is_left_to_others(document: Any) -> None:
    assert not recognizes(document)
