"""OpenAI Responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects.openai_responses import (
    _assemble_items,
    _event_of,
    joins_lines,
    read,
    read_tools,
    recognizes,
)
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def call(id: str, name: str = "f", arguments: Any = "{}", **more: Any) -> dict[str, Any]:  # noqa: A002  (as the field is called)
    return {
        "type": "function_call",
        "id": f"fc_{id}",
        "call_id": id,
        "name": name,
        "arguments": arguments,
        **more,
    }


def result(id: str, output: Any) -> dict[str, Any]:  # noqa: A002  (as the field is called)
    return {"type": "function_call_output", "call_id": id, "output": output}


def trace_of(document: Any) -> Trace:
    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    return trace


def calls_of(document: Any) -> tuple[ToolCall, ...]:
    calls = trace_of(document).calls
    assert calls is not None
    return calls


def mcp(**more: Any) -> dict[str, Any]:
    return {
        "type": "mcp_call",
        "id": "mcp_1",
        "server_label": "mail",
        "name": "send",
        "arguments": "{}",
        **more,
    }


def test_results_are_attached_by_call_id() -> None:
    first, second = calls_of([call("a"), call("b"), result("b", "Error"), result("a", "18C")])

    assert (first.id, first.result, first.failed) == ("a", "18C", False)
    assert (second.id, second.result, second.failed) == ("b", "Error", True)


def test_a_result_in_parts_is_read_for_its_text() -> None:
    parts = [{"type": "input_text", "text": "Error: no such file"}]

    (found,) = calls_of([call("a"), result("a", parts)])

    assert (found.result, found.failed) == (parts, True)


def test_a_tool_that_has_raised_in_the_agents_sdk_has_failed() -> None:
    said = "An error occurred while running the tool. Please try again."

    (found,) = calls_of([call("a"), result("a", said)])

    assert found.failed


def test_calls_up_to_a_result_or_a_question_share_a_step() -> None:
    calls = calls_of(
        [
            call("a"),
            {"type": "reasoning", "summary": []},
            call("b"),
            result("a", "1"),
            result("b", "2"),
            call("c"),
            {"role": "user", "content": "And now?"},
            call("d"),
        ]
    )

    assert [found.step for found in calls] == [0, 0, 1, 2]


def test_a_call_from_a_program_is_marked_and_a_namespace_is_no_part_of_the_name() -> None:
    program = {"type": "program", "caller_id": "p"}

    first, second = calls_of([call("a", caller=program, namespace="n"), call("b", caller=None)])

    assert (first.name, first.caller) == ("f", "code")
    assert second.caller is None


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"output": "sent"}, ("sent", False)),
        ({"output": "Error: none"}, ("Error: none", False)),
        ({"error": "refused"}, ("refused", True)),
        ({"error": {"code": 1}, "output": None}, ({"code": 1}, True)),
        ({"status": "failed", "output": "x"}, ("x", True)),
        ({"output": None}, (None, None)),
    ],
)
def test_a_call_of_an_mcp_server_has_its_result_with_it(more: Any, found: Any) -> None:
    (sent,) = calls_of([mcp(**more)])

    assert (sent.kind, sent.result, sent.failed) == ("mcp", *found)


def test_an_approval_is_a_call_only_if_none_follows() -> None:
    request = {**mcp(), "type": "mcp_approval_request", "id": "mcpr_1"}

    assert len(calls_of([request])) == 1
    assert len(calls_of([request, mcp(approval_request_id="mcpr_1", arguments="{ }")])) == 1
    assert len(calls_of([request, mcp()])) == 1
    assert len(calls_of([request, mcp(name="other")])) == 2


def test_what_was_not_finished_is_cut() -> None:
    empty, begun, whole, text = calls_of(
        [
            call("a", arguments="", status="incomplete"),
            call("b", arguments='{"x', status="incomplete"),
            call("c", arguments='{"x": 1}', status="incomplete"),
            {
                "type": "custom_tool_call",
                "call_id": "d",
                "name": "sql",
                "input": "SEL",
                "status": "incomplete",
            },
        ]
    )

    assert (empty.arguments, empty.error) == (None, "truncated_json")
    assert (begun.arguments, begun.error) == (None, "truncated_json")
    assert (whole.arguments, whole.error) == ({"x": 1}, None)
    assert (text.arguments, text.error) == (None, "truncated_json")


def test_a_response_that_failed_is_no_answer_without_calls() -> None:
    failed = {"object": "response", "status": "failed", "output": []}

    assert trace_of(failed).calls is None
    assert trace_of({**failed, "status": "completed"}).calls == ()
    assert trace_of({**failed, "output": [call("a")]}).calls != ()


def test_a_response_beside_its_request_gives_what_was_answered() -> None:
    document = {
        "request": {"input": "w", "tools": [{"type": "function", "name": "f"}]},
        "response": {"object": "response", "output": [call("b")], "tools": [{"name": "g"}]},
    }

    trace = trace_of(document)

    assert [found.id for found in trace.calls or ()] == ["b"]
    assert trace.input == "w"
    assert [tool.name for tool in read_tools(document)] == ["f", "g"]


@pytest.mark.parametrize(
    "document",
    [
        {"input": "Weather?", "model": "gpt", "tools": [{"type": "function", "name": "f"}]},
        {"input": [{"role": "user", "content": "Weather?"}], "model": "gpt"},
        {
            "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
                call("a"),
            ]
        },
        [{"role": "user", "content": "Weather?"}, call("a")],
    ],
)
def test_the_question_is_what_the_user_said_first(document: Any) -> None:
    assert trace_of(document).input == "Weather?"


def test_a_response_without_its_type_is_known_by_its_items() -> None:
    assert len(calls_of({"output": [call("a")], "usage": {}})) == 1


def test_a_single_item_and_a_single_event_are_documents() -> None:
    event = {"type": "response.output_item.done", "output_index": 0, "item": call("a")}

    assert len(calls_of(call("a"))) == 1
    assert len(calls_of(event)) == 1
    assert joins_lines(call("a"))
    assert joins_lines(event)
    assert not joins_lines({"role": "user", "content": "w"})


@pytest.mark.parametrize("is_newest_first", [True, False])
def test_a_page_of_items_is_read_from_the_oldest_on(is_newest_first: bool) -> None:
    items = [call("a"), result("a", "1"), call("b"), result("b", "2"), {"role": "user"}]
    page = {"object": "list", "data": items[::-1] if is_newest_first else items}

    calls = calls_of(page)

    assert [(found.id, found.result) for found in calls] == [("a", "1"), ("b", "2")]


def test_tools_stand_in_several_places() -> None:
    listed = {"type": "mcp_list_tools", "server_label": "m", "tools": [{"name": "c"}]}
    grouped = {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "b"}]}
    document = {
        "object": "response",
        "tools": [{"type": "function", "name": "a"}, grouped, {"type": "web_search"}],
        "output": [listed, {"type": "additional_tools", "tools": [{"name": "d"}]}],
    }

    assert [tool.name for tool in read_tools(document)] == ["a", "b", "c", "d"]


def test_the_tools_of_a_stream_are_those_of_its_response() -> None:
    created = {"type": "response.created", "response": {"tools": [{"name": "f"}], "output": []}}

    assert [tool.name for tool in read_tools([created])] == ["f"]
    assert [tool.name for tool in read_tools([{"event": "x", "data": created}])] == ["f"]


@pytest.mark.parametrize(
    "document",
    [
        [{"type": "function_call", "id": "1", "name": "f", "arguments": {}}],  # Gemini's
        [{"type": "function_call_output"}],
        [call("a"), "text"],
        [{"role": "user", "content": "w"}],
        [{"type": "message", "role": "user", "content": "w"}],
        [{"type": "reasoning", "text": "w"}],
        [{"type": "mcp_call", "name": "f"}],
        [{"type": "response_item", "payload": call("a")}],
        {"object": "response"},
        {"object": "other", "output": [call("a")]},
        {"input": "Weather?", "model": "gpt"},
        {"input": "Weather?", "tools": [{"type": "function"}]},
        {"input": [{"role": "user", "content": "w"}]},
        {"input": [], "model": "gpt"},
        {
            "input": [{"role": "user", "content": "w"}],
            "model": "gpt",
            "output": {"role": "assistant"},
        },
        {"input": [{"role": "user", "content": "w"}], "model": "gpt", "messages": []},
        {"object": "list", "data": [{"object": "thread.run"}]},
        {"response": {"body": {"output": []}}},
        {"type": ["function_call"]},
        {"type": "message", "content": [{"type": "text"}]},
        {"type": "additional_tools"},
    ],
)
def test_what_only_looks_alike_is_left_to_others(document: Any) -> None:
    assert not recognizes(document)


# The events in which OpenAI's Responses and Realtime APIs send an answer.


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "output_index": 0, **more}


def item(**more: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", **more}


def test_fragments_are_put_together() -> None:
    (found,) = _assemble_items(
        [
            event("output_item.added", item=item(arguments="", status="in_progress")),
            event("function_call_arguments.delta", delta='{"x'),
            event("function_call_arguments.delta", delta='": 1}'),
        ]
    )

    assert found == item(arguments='{"x": 1}', status="incomplete")


def test_the_end_of_the_arguments_has_them_whole() -> None:
    (found,) = _assemble_items(
        [
            event("function_call_arguments.delta", delta="{"),
            event("function_call_arguments.done", arguments="{}", name="f"),
        ]
    )

    assert found == {
        "type": "function_call",
        "status": "completed",
        "arguments": "{}",
        "name": "f",
    }


def test_the_end_of_an_item_has_it_whole() -> None:
    whole = item(arguments="{}", status="completed")

    found = _assemble_items(
        [
            event("output_item.added", item=item()),
            event("function_call_arguments.delta", delta="{"),
            event("output_item.done", item=whole),
        ]
    )

    assert found == [whole]


def test_the_end_of_an_answer_has_all_of_it_unless_it_is_empty() -> None:
    sent = event("output_item.done", item=item(arguments="{}"))
    repeated = item(arguments="{ }")

    assert _assemble_items([sent, event("completed", response={"output": [repeated]})]) == [
        repeated
    ]
    assert _assemble_items([sent, event("completed", response={"output": []})]) == [sent["item"]]


def test_answers_follow_each_other() -> None:
    first, second = item(arguments="{}"), item(arguments='{"x": 1}')

    found = _assemble_items(
        [
            event("output_item.done", item=first),
            event("completed", response={}),
            event("output_item.done", item=second),
        ]
    )

    assert found == [first, second]


def test_items_without_a_place_go_by_their_id() -> None:
    found = _assemble_items(
        [
            {"type": "response.output_item.added", "item": item()},
            {"type": "response.output_item.added", "item": item(id="fc_2")},
            {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": "{}"},
            {"type": "response.custom_tool_call_input.delta", "item_id": None, "delta": "x"},
            {"type": "response.custom_tool_call_input.delta", "item_id": None, "delta": 3},
        ]
    )

    assert [(one.get("id"), one.get("arguments"), one.get("input")) for one in found] == [
        ("fc_1", "{}", None),
        ("fc_2", None, None),
        (None, None, "x"),
    ]


def test_what_a_client_hands_in_to_a_live_session_is_kept() -> None:
    output = {"type": "function_call_output", "call_id": "a", "output": "18C"}

    found = _assemble_items(
        [
            {"type": "conversation.item.create", "item": output},
            {"type": "conversation.item.created", "item": item()},
            "no event",
        ]
    )

    assert found == [output]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"type": 3},
        {"type": "message"},
        {"data": []},
        {"type": "x", "data": event("a")},
    ],
)
def test_what_is_no_event_is_none(value: Any) -> None:
    assert _event_of(value) is None


def test_an_event_may_be_wrapped() -> None:
    assert _event_of({"event": "response.created", "data": event("created")}) == event("created")
