"""Gemini Interactions: steps, results and streams."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects import gemini_interactions as dialect
from callscore.formats.reading import find_dialect
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def call(name: str, id_: str = "1", kind: str = "function_call") -> dict[str, Any]:
    return {"type": kind, "id": id_, "name": name, "arguments": {}}


@pytest.mark.parametrize(
    "document",
    [
        [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
        [{"type": "function_call", "call_id": "c", "name": "f", "arguments": {}}],
        [{"type": "thought"}],
        [{"type": "message"}, call("f")],
        {"steps": [call("f")]},
        {"status": "completed", "steps": []},
        {"status": "completed", "steps": [{"content": [{"type": "tool-call"}]}]},
        {"status": "completed", "outputs": [{"type": "function.call", "arguments": {}}]},
        {"status": "completed", "outputs": [{"type": "text", "text": "x"}]},
        {"model": "m", "input": [{"type": "function_call_output", "call_id": "c"}]},
        {"event_type": "stream-start"},
        {"event_type": 5},
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not dialect.recognizes(document)


def test_results_find_their_calls_and_end_a_step() -> None:
    document = [
        {"type": "user_input", "content": []},
        call("f", "1"),
        call("g", "2", "mcp_server_tool_call"),
        {"type": "function_result", "call_id": "1", "result": "Error: x"},
        {"type": "mcp_server_tool_result", "call_id": "2", "result": "Error", "is_error": False},
        {"type": "thought"},
        call("f", "3"),
        {"type": "user_input", "content": []},
        call("f", "4"),
        {"type": "function_result", "call_id": "4", "result": "x", "is_error": True},
    ]

    (trace,) = dialect.read(document, DEFAULT_READ_OPTIONS)

    assert trace.calls == (
        ToolCall("f", {}, id="1", step=0, result="Error: x", failed=True, turn=0),
        ToolCall("g", {}, id="2", step=0, result="Error", failed=False, kind="mcp", turn=0),
        ToolCall("f", {}, id="3", step=1, turn=0),
        ToolCall("f", {}, id="4", step=2, result="x", failed=True, turn=1),
    )


def test_arguments_that_break_off_in_a_stream_are_malformed() -> None:
    document = [
        {"event_type": "step.start", "index": 1, "step": call("f")},
        {"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": "x"}},
        {"event_type": "step.delta", "index": 1, "delta": None},
        {
            "event_type": "step.delta",
            "index": 1,
            "delta": {"type": "arguments_delta", "arguments": '{"a"'},
        },
        {"event_type": "step.delta", "index": 1, "delta": {"type": "arguments_delta"}},
    ]

    (trace,) = dialect.read(document, DEFAULT_READ_OPTIONS)

    assert trace.calls == (ToolCall("f", None, id="1", step=0, raw='{"a"', error="truncated_json"),)


def test_a_step_that_is_none_in_a_stream_is_left_out() -> None:
    document = [
        {"event_type": "step.start", "index": 0, "step": "x"},
        {"event_type": "step.stop", "index": 0},
    ]

    assert dialect.read(document, DEFAULT_READ_OPTIONS)[0].calls == ()


def test_the_last_event_of_a_stream_may_have_all_steps() -> None:
    event = {"event_type": "interaction.completed", "interaction": {"steps": [call("f")]}}

    assert dialect.recognizes(event)
    (trace,) = dialect.read(event, DEFAULT_READ_OPTIONS)
    assert [found.name for found in trace.calls or ()] == ["f"]


def test_the_lines_of_a_stream_are_one_document() -> None:
    assert dialect.joins_lines({"event_type": "interaction.created", "interaction": {}})
    assert not dialect.joins_lines({"id": "1", "object": "interaction", "steps": []})


def test_an_interaction_without_calls_has_none() -> None:
    document = {"object": "interaction", "status": "completed", "steps": []}

    assert dialect.recognizes(document)
    assert dialect.read(document, DEFAULT_READ_OPTIONS)[0].calls == ()


def test_a_server_of_tools_is_no_tool() -> None:
    tools = [{"type": "mcp_server", "name": "maps"}, {"type": "function", "name": "f"}]

    assert [tool.name for tool in dialect.read_tools({"tools": tools})] == ["f"]


def test_what_an_older_stream_sends_at_once_is_the_step() -> None:
    document = [
        {"event_type": "content.start", "index": 0, "content": {"type": "function_call"}},
        {"event_type": "content.delta", "index": 0, "delta": call("f")},
    ]

    (trace,) = dialect.read(document, DEFAULT_READ_OPTIONS)

    assert trace.calls == (ToolCall("f", {}, id="1", step=0),)


def test_a_tool_that_google_runs_is_named_by_the_type_of_its_step() -> None:
    search = {"type": "google_search_call", "id": "s", "arguments": {"queries": ["x"]}}
    document = [
        search,
        {"type": "google_search_result", "call_id": "s", "result": [], "is_error": True},
        {"type": "model_output", "content": []},
        {"type": "file_search_call", "id": "f"},
    ]

    assert dialect.recognizes(document)
    (trace,) = dialect.read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls == (
        ToolCall("google_search", {"queries": ["x"]}, "s", 0, [], True, kind="hosted"),
        ToolCall("file_search", {}, "f", 1, kind="hosted"),
    )


def test_steps_of_hosted_tools_are_no_items_of_another_provider() -> None:
    document = [
        {"type": "model_output", "content": []},
        {"type": "file_search_call", "id": "f"},
        {
            "type": "code_execution_call",
            "id": "c",
            "arguments": {"code": "1", "language": "python"},
        },
    ]

    found = find_dialect(document)

    assert found is not None
    assert found.name == "gemini_interactions"
