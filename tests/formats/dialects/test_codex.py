"""What is read of the sessions of Codex."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Tool
from callscore.formats.dialects import codex
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def item(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": {"type": kind, **more}}


def call(id_: str, name: str = "shell") -> dict[str, Any]:
    return item("function_call", name=name, arguments="{}", call_id=id_)


def output(id_: str, value: Any) -> dict[str, Any]:
    return item("function_call_output", call_id=id_, output=value)


def begins(id_: Any, **more: Any) -> dict[str, Any]:
    return {"type": "session_meta", "payload": {"id": id_, **more}}


def event(kind: str, item_kind: str, **more: Any) -> dict[str, Any]:
    return {"type": f"item.{kind}", "item": {"type": item_kind, **more}}


def only(document: Any) -> Trace:
    [trace] = codex.read(document, DEFAULT_READ_OPTIONS)
    return trace


@pytest.mark.parametrize(
    ("value", "failed"),
    [
        ('{"output": "x", "metadata": {"exit_code": 0}}', False),
        ('{"output": "x", "metadata": {"exit_code": 1}}', True),
        ('{"output": "the \\"exit_code\\" is unknown"}', None),
        ('{"output": "Error"}', None),
        ("Exit code: 127\nOutput:\nnot found", True),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nExit code: 3", False),
        ("aborted by user", None),
        ({"content": "x", "success": False}, True),
        ({"content": "x", "success": True}, False),
        ({"content": "x"}, None),
        ([{"type": "input_text", "text": "Exit code: 1"}], True),
        (None, None),
    ],
)
def test_an_output_says_by_its_exit_code_whether_it_failed(value: Any, failed: bool | None) -> None:
    assert codex._failed(value) is failed


def test_outputs_are_attached_as_they_are() -> None:
    first, second, third = (
        only(
            [
                call("a"),
                call("b"),
                output("b", "Exit code: 1\nOutput:\n"),
                output("a", "Error: x"),
                call("c"),
                output("c", "fine"),
            ]
        ).calls
        or ()
    )

    assert (first.result, first.failed) == ("Error: x", True)
    assert second.failed is True
    assert (third.result, third.failed) == ("fine", False)


def test_the_calls_up_to_an_output_or_a_message_belong_together() -> None:
    asked = item("message", role="user", content=[])
    said = item("message", role="assistant", content=[])

    trace = only([call("a"), said, call("b"), output("a", ""), call("c"), asked, call("d")])

    assert [one.step for one in trace.calls or ()] == [0, 0, 1, 2]


def test_custom_tools_the_local_shell_and_hosted_tools_are_calls() -> None:
    trace = only(
        [
            item("custom_tool_call", name="apply_patch", input="***", call_id="a"),
            item("local_shell_call", id="b", action={"type": "exec", "command": ["ls"]}),
            item("local_shell_call", id="c", action=None),
            item("web_search_call", id="d", action={"type": "search", "query": "x"}),
            item("tool_search_call", call_id="e", execution="client", arguments={"query": "y"}),
            item("tool_search_call", call_id="f", execution="server", arguments={"query": "z"}),
            item("image_generation_call", id="g", status="completed", result="aGk="),
            {"type": "response_item", "payload": {"type": ["x"]}},
            {"type": "turn_context", "payload": {}},
        ]
    )

    calls = trace.calls or ()
    assert [(one.name, one.arguments, one.id) for one in calls] == [
        ("apply_patch", {"input": "***"}, "a"),
        ("local_shell", {"command": ["ls"]}, "b"),
        ("local_shell", {}, "c"),
        ("web_search", {"type": "search", "query": "x"}, "d"),
        ("tool_search", {"query": "y"}, "e"),
        ("tool_search", {"query": "z"}, "f"),
        ("image_generation", None, "g"),
    ]
    assert [one.id for one in calls if one.kind == "hosted"] == ["d", "f", "g"]
    assert calls[-1].error == "not_captured"


def test_a_session_is_named_and_its_question_is_what_the_user_typed() -> None:
    typed = {"type": "event_msg", "payload": {"type": "user_message", "message": "Why?"}}
    other = {"type": "event_msg", "payload": {"type": "agent_message", "message": "Because"}}

    trace = only([begins("s"), other, typed, {**typed, "payload": {"type": "user_message"}}])

    assert (trace.id, trace.input, trace.view) == ("s", "Why?", "requested")


def test_every_session_is_a_run_of_its_own() -> None:
    traces = codex.read([begins("s"), call("a"), begins("t"), call("a")], DEFAULT_READ_OPTIONS)

    assert [(trace.id, len(trace.calls or ())) for trace in traces] == [("s", 1), ("t", 1)]


def test_a_fork_repeats_how_its_parent_began() -> None:
    trace = only([begins("s", forked_from_id="r"), begins("r"), call("a"), begins("s")])

    assert (trace.id, len(trace.calls or ())) == ("s", 1)


def test_the_calls_of_a_subagents_session_are_marked() -> None:
    trace = only([begins("s", source={"subagent": {"other": "guardian"}}), call("a")])

    assert [one.caller for one in trace.calls or ()] == ["subagent"]


def test_the_events_of_exec_are_what_was_run() -> None:
    trace = only(
        [
            {"type": "thread.started", "thread_id": "t"},
            event("started", "command_execution", id="1", command="ls", status="in_progress"),
            event("updated", "command_execution", id="1", command="ls"),
            event(
                "completed",
                "command_execution",
                id="1",
                command="ls",
                aggregated_output="no",
                exit_code=2,
                status="failed",
            ),
            event("completed", "mcp_tool_call", id="2", tool="f", arguments={}, result={"x": 1}),
            event("completed", "file_change", id="3", changes=[], status="completed"),
            event("started", "collab_tool_call", id="4", tool="spawn_agent"),
            event("completed", "command_execution", command="ls", status="declined"),
            event("completed", "command_execution", command="ls", exit_code=1),
            event("completed", "agent_message", text="done"),
            {"type": "item.completed", "item": "x"},
            {"type": "item.completed", "item": {"type": ["x"]}},
        ]
    )

    calls = trace.calls or ()
    assert (trace.id, trace.view) == ("t", "executed")
    assert [(one.name, one.kind, one.failed) for one in calls] == [
        ("command_execution", None, True),
        ("f", "mcp", False),
        ("file_change", None, False),
        ("spawn_agent", None, None),
        ("command_execution", None, True),
        ("command_execution", None, True),
    ]
    assert calls[0].result == "no"
    assert calls[1].result == {"x": 1}
    assert calls[3].error == "not_captured"


def test_the_first_versions_have_bare_items() -> None:
    trace = only(
        [
            {"id": "s", "timestamp": "2025-05-07", "instructions": None},
            {"record_type": "state"},
            {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "a"},
        ]
    )

    assert (trace.id, len(trace.calls or ())) == ("s", 1)


def test_the_first_file_was_one_document() -> None:
    trace = only(
        {
            "session": {"id": "s", "timestamp": "2025-04-20", "instructions": ""},
            "items": [
                {"type": "message", "role": "user", "content": [{"type": "input_text"}]},
                {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "a"},
                {"type": "function_call_output", "call_id": "a", "output": "Exit code: 1"},
            ],
        }
    )

    assert (trace.id, [(one.name, one.failed) for one in trace.calls or ()]) == (
        "s",
        [("shell", True)],
    )


def message(kind: str, **more: Any) -> dict[str, Any]:
    return {"id": "0", "msg": {"type": kind, **more}}


def test_the_first_exec_printed_what_begins_and_what_ends() -> None:
    invocation = {"server": "docs", "tool": "search", "arguments": {"q": "x"}}
    trace = only(
        [
            {"model": "o4-mini", "workdir": "/home/ana"},
            {"prompt": "List the files."},
            message("session_configured", session_id="s"),
            message("agent_message", message="I look."),
            message("exec_command_begin", call_id="a", command=["ls"]),
            message("exec_command_output_delta", call_id="a", chunk="x"),
            message("exec_command_end", call_id="a", stdout="a.py", stderr="w", exit_code=2),
            message("mcp_tool_call_begin", call_id="b", invocation=invocation),
            message("mcp_tool_call_end", call_id="b", result={"Ok": {"content": [], "isError": 0}}),
            message("mcp_tool_call_begin", call_id="c", invocation=invocation),
            message("mcp_tool_call_end", call_id="c", result={"Err": "closed"}),
            message("patch_apply_begin", call_id="d", changes={"a.py": {}}),
            message("patch_apply_end", call_id="d", success=True, stdout="done"),
            message("exec_command_begin", call_id="e", command=["sleep"]),
            message("exec_command_end", call_id="e"),
            {"id": "1", "msg": {"type": ["x"]}},
        ]
    )

    assert (trace.id, trace.view) == ("s", "executed")
    assert [
        (one.name, one.arguments, one.kind, one.result, one.failed) for one in trace.calls or ()
    ] == [
        ("command_execution", {"command": ["ls"]}, None, "a.py\nw", True),
        ("search", {"q": "x"}, "mcp", {"content": [], "isError": 0}, False),
        ("search", {"q": "x"}, "mcp", "closed", True),
        ("file_change", {"changes": {"a.py": {}}}, None, "done", False),
        ("command_execution", {"command": ["sleep"]}, None, "", False),
    ]


def test_the_events_of_a_week_in_2025_have_other_keys() -> None:
    trace = only(
        [
            {"type": "session.created", "session_id": "s"},
            {
                "type": "item.completed",
                "item": {"id": "1", "item_type": "web_search", "query": "q"},
            },
        ]
    )

    [made] = trace.calls or ()
    assert (trace.id, made.name, made.arguments, made.kind) == (
        "s",
        "web_search",
        {"query": "q"},
        "hosted",
    )


def test_a_session_without_a_name_is_still_a_run() -> None:
    assert only([{"type": "session_meta", "payload": "x"}, begins(3), call("a")]).id is None


def test_the_tools_are_those_that_the_program_brings() -> None:
    tool = {"name": "f", "description": "d", "inputSchema": {"type": "object"}}

    tools = codex.read_tools([begins("s", dynamic_tools=[tool]), call("a")])

    assert tools == [Tool("f", "d", {"type": "object"})]


def test_tools_can_be_in_groups_and_are_found_by_a_search() -> None:
    given = {"type": "dynamic", "tools": [{"name": "f", "inputSchema": {"type": "object"}}]}
    found = {"type": "namespace", "tools": [{"name": "g", "parameters": {"type": "object"}}]}

    tools = codex.read_tools(
        [begins("s", dynamic_tools=given), item("tool_search_output", call_id="a", tools=[found])]
    )

    assert [tool.name for tool in tools] == ["f", "g"]


@pytest.mark.parametrize(
    "line",
    [
        begins("s"),
        message("exec_command_begin", call_id="a", command=["ls"]),
        {"type": "session.created", "session_id": "s"},
        call("a"),
        {"record_type": "state"},
        {"type": "thread.started", "thread_id": "t"},
        event("completed", "command_execution", command="ls"),
    ],
)
def test_lines_and_events_are_claimed(line: dict[str, Any]) -> None:
    assert codex.joins_lines(line)
    assert codex.recognizes([line])


def test_a_rollout_may_begin_with_what_alone_says_little() -> None:
    assert codex.joins_lines({"id": "s", "timestamp": "2025", "instructions": None})
    assert codex.joins_lines({"type": "turn.started"})
    assert codex.joins_lines({"id": "0", "msg": {"type": "agent_message"}})
    assert codex.joins_lines(
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]}
    )
    assert codex.recognizes(call("a"))
    assert codex.recognizes({"type": "thread.started", "thread_id": "t"})


@pytest.mark.parametrize(
    "document",
    [
        # Items alone are in another dialect.
        [{"type": "function_call", "name": "f", "arguments": "{}", "call_id": "a"}],
        [{"type": "thread.started", "thread_id": None}],
        [{"type": "item.completed", "item": {"type": "message"}}],
        {"type": "response_item", "payload": "x"},
        {"type": "turn.started"},
        {"id": "0", "msg": {"type": "exec_command"}},
        {"id": "0", "msg": {"type": "agent_message"}},
        {"id": "r", "instructions": "x", "type": "y", "timestamp": "2025"},
    ],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not codex.recognizes(document)
