"""What is read of the sessions of Anthropic's managed agents."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Tool
from callscore.formats.dialects import anthropic_managed_agents as managed
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "processed_at": "2026-07-06T16:26:35Z", **more}


def use(id_: str, kind: str = "agent.custom_tool_use", **more: Any) -> dict[str, Any]:
    return event(kind, id=id_, name="f", input={"x": id_}, **more)


def session(id_: str, *tools: Any) -> dict[str, Any]:
    return {"type": "session", "id": id_, "agent": {"tools": list(tools)}}


def only(document: Any) -> Trace:
    [trace] = managed.read(document, DEFAULT_READ_OPTIONS)
    return trace


def test_who_runs_a_tool_is_told_by_its_kind() -> None:
    trace = only([use("a", "agent.tool_use"), use("b", "agent.mcp_tool_use"), use("c")])

    assert [call.kind for call in trace.calls or ()] == ["hosted", "mcp", None]


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("agent.tool_result", "tool_use_id"),
        ("user.tool_result", "tool_use_id"),
        ("agent.mcp_tool_result", "mcp_tool_use_id"),
        ("user.custom_tool_result", "custom_tool_use_id"),
    ],
)
def test_every_kind_of_result_is_attached(kind: str, key: str) -> None:
    flagged = event(kind, **{key: "a"}, content=[{"type": "text", "text": "oh"}], is_error=True)
    plain = event(kind, **{key: "b"}, content=[{"type": "text", "text": "Error: oh"}])

    first, second = only([use("a"), use("b"), flagged, plain]).calls or ()

    assert first.result == [{"type": "text", "text": "oh"}]
    assert (first.failed, second.failed) == (True, True)


def test_the_calls_of_one_request_to_the_model_belong_together() -> None:
    trace = only(
        [
            event("span.model_request_start"),
            event("agent.message", content=[]),
            use("a"),
            use("b"),
            event("span.model_request_end"),
            event("span.model_request_start"),
            use("c"),
            event("agent.tool_result", tool_use_id="c"),
            use("d"),
            {"type": 3},
        ]
    )

    assert [call.step for call in trace.calls or ()] == [0, 0, 1, 2]


def test_an_event_that_is_sent_again_counts_once() -> None:
    assert len(only([use("a"), use("a")]).calls or ()) == 1


def test_what_is_shown_of_a_subagent_is_marked() -> None:
    trace = only([use("a", session_thread_id="sthr_1"), use("b", session_thread_id=None)])

    assert [call.caller for call in trace.calls or ()] == ["subagent", None]


def test_every_session_is_a_run_of_its_own() -> None:
    asked = event("user.message", content=[{"type": "text", "text": "Why?"}])
    traces = managed.read(
        [
            ["client.beta.sessions.create", session("s1")],
            ["client.beta.sessions.events.send", ["s1", {"events": [asked]}]],
            ["client.beta.sessions.events.stream", asked],
            ["client.beta.sessions.events.stream", use("a")],
            ["client.beta.sessions.retrieve", session("s1")],
            ["client.beta.sessions.create", session("s2")],
            ["client.beta.sessions.events.stream", use("a")],
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert [(trace.id, trace.input) for trace in traces] == [("s1", "Why?"), ("s2", None)]
    assert [len(trace.calls or ()) for trace in traces] == [1, 1]


def test_the_tools_are_those_that_the_agent_was_given() -> None:
    custom = {"type": "custom", "name": "f", "description": "d", "input_schema": {}}

    tools = managed.read_tools([session("s", {"type": "agent_toolset_20260401"}, custom)])

    assert tools == [Tool("f", "d", {})]


@pytest.mark.parametrize(
    "line",
    [
        use("a"),
        session("s"),
        {"type": "user.message", "content": []},
        ["client.beta.sessions.create", session("s")],
        ["client.beta.sessions.events.send", ["s", {"events": [use("a")]}]],
    ],
)
def test_events_are_claimed_in_every_wrapping(line: Any) -> None:
    assert managed.joins_lines(line)
    assert managed.recognizes([line])
    assert managed.recognizes({"data": [line]})
    assert managed.recognizes(line)


@pytest.mark.parametrize(
    "line",
    [
        {"type": "user.message", "data": {"content": "x"}},
        {"type": "session.updated", "session": {}},
        {"type": "session", "agent": "x"},
        ["x", 3],
        [[[[use("a")]]]],
        {"events": 3},
    ],
)
def test_events_of_others_are_left_to_them(line: Any) -> None:
    assert not managed.joins_lines(line)
    assert not managed.recognizes([line])


def test_what_is_no_list_has_no_runs_in_it() -> None:
    assert not managed.recognizes("x")
    assert only(3).calls == ()
