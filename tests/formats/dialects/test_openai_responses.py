"""OpenAI Responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore import read_calls
from callscore.core.call import TRUNCATED
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


def test_a_request_for_approval_is_no_call() -> None:
    request = {**mcp(), "type": "mcp_approval_request", "id": "mcpr_1"}

    assert calls_of([request]) == ()
    assert len(calls_of([request, mcp(approval_request_id="mcpr_1")])) == 1


HOSTED_CALLS = [
    (
        {"type": "web_search_call", "action": {"type": "search", "query": "x", "queries": None}},
        ("web_search", {"type": "search", "query": "x"}),
    ),
    (
        {"type": "web_search_call", "action": {"type": "open_page", "url": "u"}},
        ("web_search", {"type": "open_page", "url": "u"}),
    ),
    ({"type": "web_search_call", "action": None}, ("web_search", {})),
    ({"type": "file_search_call", "queries": ["q"]}, ("file_search", {"queries": ["q"]})),
    (
        {"type": "code_interpreter_call", "code": "1", "container_id": "c"},
        ("code_interpreter", {"code": "1"}),
    ),
    ({"type": "code_interpreter_call", "code": None}, ("code_interpreter", {})),
    (
        {"type": "image_generation_call", "revised_prompt": "a cat", "size": "1x1"},
        ("image_generation", {"revised_prompt": "a cat"}),
    ),
    ({"type": "computer_call", "action": {"type": "wait"}}, ("computer", {"type": "wait"})),
    (
        {"type": "computer_call", "action": None, "actions": [{"type": "wait"}]},
        ("computer", {"actions": [{"type": "wait"}]}),
    ),
    (
        {"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"]}},
        ("local_shell", {"type": "exec", "command": ["ls"]}),
    ),
    ({"type": "shell_call", "action": {"commands": ["ls"]}}, ("shell", {"commands": ["ls"]})),
    (
        {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "p"}},
        ("apply_patch", {"type": "delete_file", "path": "p"}),
    ),
    (
        {"type": "tool_search_call", "arguments": {"paths": ["f"]}, "call_id": None},
        ("tool_search", {"paths": ["f"]}),
    ),
    (
        {"type": "multi_agent_call", "action": "spawn_agent", "arguments": '{"task": "x"}'},
        ("spawn_agent", {"task": "x"}),
    ),
    ({"type": "program", "call_id": "x", "code": "1"}, ("program", {"code": "1"})),
    (  # xAI names the tool
        {"type": "x_search_call", "name": "x_user_search", "arguments": '{"q": 1}', "call_id": ""},
        ("x_user_search", {"q": 1}),
    ),
    (
        {"type": "code_interpreter_call", "name": "code_execution", "arguments": '{"code": "1"}'},
        ("code_execution", {"code": "1"}),
    ),
    (
        {"type": "new_tool_call", "name": "newest", "arguments": "{}", "status": "completed"},
        ("newest", {}),
    ),
    (
        {
            "type": "custom_tool_call",
            "name": "view_x_video",
            "input": '{"u": 1}',
            "call_id": "xs_call_1",
        },
        ("view_x_video", {"u": 1}),
    ),
]


@pytest.mark.parametrize(("item", "found"), HOSTED_CALLS)
def test_a_built_in_tool_is_named_by_the_type_of_its_item(item: Any, found: Any) -> None:
    sure = {"type": "reasoning", "summary": []}

    (made,) = calls_of([sure, {"id": "x", **item}])

    assert (made.name, made.arguments) == found
    assert (made.kind, made.id) == ("hosted", item.get("call_id") or "x")


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ({"type": "file_search_call", "queries": [], "results": ["r"]}, (["r"], False)),
        ({"type": "file_search_call", "queries": [], "results": None}, (None, None)),
        ({"type": "code_interpreter_call", "outputs": ["o"]}, (["o"], False)),
        ({"type": "web_search_call", "action": {"sources": ["s"]}}, (["s"], False)),
        ({"type": "web_search_call", "status": "failed"}, (None, True)),
        ({"type": "image_generation_call", "error": {"code": "e"}}, ({"code": "e"}, True)),
    ],
)
def test_what_the_provider_runs_has_its_result_with_it(item: Any, found: Any) -> None:
    (made,) = calls_of([{"id": "x", **item}])

    assert (made.result, made.failed) == found


EXITED = [{"outcome": {"type": "exit", "exit_code": 0}}]
LOST = [{"outcome": {"type": "exit", "exit_code": 2}}]
LATE = [{"outcome": {"type": "timeout"}}]


@pytest.mark.parametrize(
    ("kind", "output", "failed"),
    [
        ("shell", {"call_id": "x", "output": EXITED}, False),
        ("shell", {"call_id": "x", "output": EXITED + LOST}, True),
        ("shell", {"call_id": "x", "output": LATE}, True),
        ("apply_patch", {"call_id": "x", "output": "o", "status": "failed"}, True),
        ("apply_patch", {"call_id": "x", "output": "o", "status": "completed"}, False),
        ("computer", {"call_id": "x", "output": {"type": "computer_screenshot"}}, None),
        ("local_shell", {"id": "x", "output": "Error: none"}, True),
    ],
)
def test_the_result_of_a_built_in_tool_may_be_an_item(kind: str, output: Any, failed: Any) -> None:
    items = [{"type": f"{kind}_call", "call_id": "x"}, {"type": f"{kind}_call_output", **output}]

    (made,) = calls_of(items)

    assert (made.result, made.failed) == (output["output"], failed)


def test_the_tools_that_a_search_of_the_server_found_are_its_result() -> None:
    tools = [{"type": "function", "name": "f"}]
    search: Any = {"type": "tool_search_call", "id": "t", "call_id": None, "arguments": {}}

    (found,) = calls_of([search, {"type": "tool_search_output", "call_id": None, "tools": tools}])

    assert (found.result, found.failed) == (tools, False)


def test_free_text_for_a_custom_tool_is_no_search() -> None:
    (made,) = calls_of(
        [{"type": "custom_tool_call", "call_id": "xs_1", "name": "sql", "input": "SELECT 1"}]
    )

    assert (made.kind, made.arguments) == (None, {"input": "SELECT 1"})


def test_the_code_of_an_interpreter_is_put_together() -> None:
    item = {"type": "code_interpreter_call", "id": "c", "code": "", "status": "in_progress"}
    piece = {"type": "response.code_interpreter_call_code.delta", "output_index": 0}
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {**piece, "delta": "print"},
        {**piece, "delta": "(1)"},
    ]

    (made,) = calls_of(events)

    assert (made.name, made.arguments) == ("code_interpreter", {"code": "print(1)"})
    assert calls_of(events[:1])[0].error == TRUNCATED


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


def test_hosted_calls_count_unless_they_are_left_out() -> None:
    document = [{"type": "web_search_call", "id": "w", "action": {"query": "x"}}, call("a"), mcp()]

    assert [found.name for found in read_calls(document)] == ["web_search", "f", "send"]
    assert [found.name for found in read_calls(document, leave_out=("hosted",))] == ["f", "send"]
