"""What is read of runs of Agno beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import agno
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def traces_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    return agno.read(document, options)


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = traces_in(document, options)
    assert trace.calls is not None
    return trace.calls


def tool(id_: str | None, **more: Any) -> dict[str, Any]:
    return {"tool_call_id": id_, "tool_name": "ping", "tool_args": {"n": 1}, **more}


def run(*tools: Any, **more: Any) -> dict[str, Any]:
    return {"run_id": "r1", "agent_id": "a", "tools": list(tools), **more}


def asks(id_: str, arguments: str = '{"n": 1}', **more: Any) -> dict[str, Any]:
    function = {"name": "ping", "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": id_, "function": function}], **more}


def test_results_failures_and_what_was_asked_are_read() -> None:
    done = tool("c1", result="pong", tool_call_error=False)
    failed = tool("c2", result="gone", tool_call_error=True)
    document = run(
        done, failed, tool("c3", requires_confirmation=True), input={"input_content": "?"}
    )

    first, second, third = calls_in(document)

    assert (first.id, first.result, first.failed) == ("c1", "pong", False)
    assert (second.id, second.result, second.failed) == ("c2", "gone", True)
    assert (third.id, third.result, third.failed) == ("c3", None, None)
    assert traces_in(document)[0].input == "?"


def test_a_call_that_could_not_be_read_is_only_in_a_message() -> None:
    messages = [
        asks("c1"),
        asks("c2", "{"),
        {"role": "tool", "tool_call_id": "c2", "content": "no"},
    ]

    first, second = calls_in(run(tool("c1", result="pong"), messages=messages))

    assert (first.result, first.step) == ("pong", 0)
    assert (second.raw, second.result, second.step) == ("{", "no", 1)


def test_calls_of_earlier_runs_are_left_out() -> None:
    messages = [asks("c0", from_history=True), asks("c1")]

    assert [call.id for call in calls_in(run(tool("c1"), messages=messages))] == ["c1"]


def test_the_runs_of_members_are_those_of_subagents() -> None:
    member = {"run_id": "r2", "agent_id": "b", "tools": [tool("c2")], "parent_run_id": "r1"}
    team = run(tool("c1"), member_responses=[member])

    for document in (team, {"session_id": "s", "runs": [team, member]}, [team, member]):
        calls = calls_in(document)
        assert [(call.id, call.caller) for call in calls] == [("c1", None), ("c2", "subagent")]


def test_a_session_has_several_runs() -> None:
    other = {**run(tool("c2")), "run_id": "r2"}
    document = {
        "memory": {"runs": [{"message": {}, "response": run(tool("c1"))}, {"response": other}]}
    }

    assert [len(trace.calls or ()) for trace in traces_in(document)] == [1, 1]


def event(kind: str, id_: str = "r1", **more: Any) -> dict[str, Any]:
    return {"event": kind, "run_id": id_, "agent_id": "a", **more}


def test_events_can_be_those_of_members() -> None:
    first, second = calls_in(
        [
            event("TeamToolCallStarted", tool=tool("c1")),
            event("ToolCallStarted", "r2", tool=tool("c2")),
            event("ToolCallCompleted", "r2", tool=tool("c2", result="pong")),
            event("RunContent", content="."),
        ]
    )

    assert (first.id, first.caller, first.result) == ("c1", None, None)
    assert (second.id, second.caller, second.result) == ("c2", "subagent", "pong")


@pytest.mark.parametrize(
    "document",
    [
        {"run_id": "r1", "agent_id": "a"},
        {"run_id": "r1", "tools": [tool("c1")]},
        {"run_id": "r1", "agent_id": "a", "tools": [{"name": "ping", "parameters": {}}]},
        {"session_id": "s", "runs": [{"id": 3}]},
        [run(), 3],
    ],
)
def test_other_documents_are_not_recognized(document: Any) -> None:
    assert not agno.recognizes(document)
    assert agno.recognizes([run(), run(tool("c1"))])
    assert agno.recognizes({"session_id": "s", "runs": [run()]})
