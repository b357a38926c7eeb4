"""What is read of LangGraph streams and states beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.documents import traces_in
from callscore.formats.dialects import langchain, langgraph
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.call import ToolCall


def says(id_: str | None, *calls: tuple[str | None, str], kind: str = "ai") -> dict[str, Any]:
    made: list[Any] = [
        {"name": name, "args": {}, "id": call_id, "type": "tool_call"} for call_id, name in calls
    ]
    return {"type": kind, "content": "", "id": id_, "tool_calls": made}


def answer(call_id: str, content: Any = "ok", status: str = "success") -> dict[str, Any]:
    return {"type": "tool", "content": content, "tool_call_id": call_id, "status": status}


HUMAN = {"type": "human", "content": "Hello", "id": "h"}


def event(name: str, run_id: str, data: Any, **more: Any) -> dict[str, Any]:
    return {"event": name, "run_id": run_id, "name": "ping", "data": data, **more}


def trace_of(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = langgraph.read(document, options)
    return trace


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    calls = trace_of(document, options).calls
    assert calls is not None
    return calls


def names_in(document: Any) -> list[str]:
    return [call.name for call in calls_in(document)]


def test_results_and_failures_are_attached_to_their_calls() -> None:
    first, second = calls_in(
        [
            {"agent": {"messages": [says("1", ("a", "ping"), ("b", "pong"))]}},
            {"tools": {"messages": [answer("b", "down", "error")]}},
            {"tools": {"messages": [answer("a")]}},
        ]
    )

    assert (first.result, first.failed, first.step) == ("ok", False, 0)
    assert (second.result, second.failed, second.step) == ("down", True, 0)


def test_what_a_node_repeats_counts_once() -> None:
    ping, pong = says("1", (None, "ping")), says(None, ("b", "pong"))

    assert names_in([{"agent": {"messages": [ping]}}, {"end": {"messages": [ping, pong]}}]) == [
        "ping",
        "pong",
    ]
    assert names_in([{"agent": {"messages": [pong]}}, {"end": {"messages": [pong]}}]) == ["pong"]


def test_a_message_needs_no_list_and_a_graph_of_messages_no_key() -> None:
    assert names_in([{"agent": {"messages": says("1", ("a", "ping"))}}]) == ["ping"]
    assert names_in([{"agent": says("1", ("a", "ping"))}]) == ["ping"]
    assert names_in([{"agent": [says("1", ("a", "ping")), says("2", ("b", "pong"))]}]) == [
        "ping",
        "pong",
    ]


def test_messages_of_a_provider_are_read_in_a_stream_that_has_others() -> None:
    call = {"id": "a", "function": {"name": "ping", "arguments": "{}"}}
    made = {"role": "assistant", "content": None, "tool_calls": [call]}
    stream = [{"agent": {"messages": [made]}}, {"tools": {"messages": [answer("a")]}}]

    assert langgraph.recognizes(stream)
    assert [(item.name, item.result) for item in calls_in(stream)] == [("ping", "ok")]
    assert not langgraph.recognizes(stream[:1])


def test_calls_of_a_graph_within_the_graph_are_marked() -> None:
    inner, outer = says("1", ("a", "ping")), says("2", ("b", "pong"))
    updates = [
        [["weather:1"], {"agent": {"messages": [inner]}}],
        [[], {"weather": {"messages": [inner]}}],
        [[], {"agent": {"messages": [outer]}}],
    ]
    with_modes = [[namespace, "updates", data] for namespace, data in updates]
    of_server = [
        {"event": "updates|weather:1" if namespace else "updates", "data": data}
        for namespace, data in updates
    ]
    with_types = [{"type": "updates", "ns": namespace, "data": data} for namespace, data in updates]

    for stream in (updates, with_modes, of_server, with_types):
        assert langgraph.recognizes(stream)
        assert [(item.name, item.caller) for item in calls_in(stream)] == [
            ("ping", "subagent"),
            ("pong", None),
        ]


def test_of_states_that_grow_the_last_is_taken() -> None:
    made = says("1", ("a", "ping"))
    states = [{"messages": []}, {"messages": [HUMAN]}, {"messages": [HUMAN, made, answer("a")]}]

    assert langgraph.recognizes(states)
    assert [(item.name, item.result) for item in calls_in(states)] == [("ping", "ok")]


@pytest.mark.parametrize(
    "conversations",
    [
        [{"messages": [HUMAN, says("1", ("a", "ping"))]}, {"messages": [HUMAN]}],
        [{"messages": [HUMAN]}, {"messages": [says("1", ("a", "ping")), HUMAN]}],
        [{"messages": [HUMAN, says("1", ("a", "ping"))]}],
        [],
    ],
)
def test_conversations_side_by_side_are_not_one_run(conversations: Any) -> None:
    assert not langgraph.recognizes(conversations)


def test_states_too_deep_to_compare_are_not_one_run() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    other: Any = "x"
    for _ in range(100_000):
        other = [other]
    states = [
        {"messages": [{"type": "human", "content": deep}]},
        {"messages": [{"type": "human", "content": other}, HUMAN]},
    ]

    assert not langgraph.recognizes(states)


def test_the_state_furthest_on_is_taken_whichever_way_they_are_ordered() -> None:
    made = says("1", ("a", "ping"))
    history = [
        {"values": {"messages": messages}, "next": [], "metadata": {"step": step}}
        for step, messages in ((1, [HUMAN, made]), (0, [HUMAN]), (-1, []))
    ]

    assert names_in(history) == names_in(history[::-1]) == ["ping"]


def test_the_state_of_the_whole_graph_is_taken() -> None:
    inner, outer = says("1", ("a", "ping")), says("2", ("b", "pong"))
    stream = [
        [[], "values", {"messages": [outer]}],
        [["sub:1"], "values", {"messages": [inner]}],
    ]

    assert langgraph.recognizes(stream)
    assert names_in(stream) == ["pong"]
    assert names_in(stream[1:]) == ["ping"]


def test_each_thread_is_a_run_with_its_name() -> None:
    threads = [
        {"thread_id": name, "values": {"messages": [says("1", ("a", tool))]}}
        for name, tool in (("one", "ping"), ("two", "pong"))
    ]

    traces = langgraph.read(threads, DEFAULT_READ_OPTIONS)

    assert [trace.id for trace in traces] == ["one", "two"]
    assert [call.name for trace in traces for call in trace.calls or ()] == ["ping", "pong"]


def test_a_state_says_of_which_thread_it_is() -> None:
    config = {"configurable": {"thread_id": "t"}}
    state = {"messages": [says("1", ("a", "ping"))]}
    snapshot: list[Any] = [state, [], config, {"step": 1}, "2026-01-01", None, [], []]

    assert trace_of({"values": state, "next": [], "config": config}).id == "t"
    assert trace_of({"values": state, "checkpoint": {"thread_id": "c"}}).id is None
    assert trace_of({"config": config, "checkpoint": {"channel_values": state}}).id == "t"
    assert trace_of(snapshot).id == "t"
    assert trace_of([snapshot, snapshot]).id == "t"


def test_a_thread_in_which_nothing_was_said_has_no_calls() -> None:
    empty = {"thread_id": "t", "values": {"messages": []}, "next": []}

    assert langgraph.recognizes(empty)
    assert calls_in(empty) == ()
    assert not langgraph.recognizes({"values": {"temperature": 18}})


def test_tasks_and_what_debug_puts_around_them_are_read() -> None:
    result = {"messages": [says("1", ("a", "ping"))]}
    begun = {"id": "t", "name": "agent", "input": {}, "triggers": []}
    ended: dict[str, Any] = {
        "id": "t",
        "name": "agent",
        "error": None,
        "result": result,
        "interrupts": [],
    }
    by_channel = {**ended, "result": [["messages", result["messages"]], ["other", 1]]}
    alone = {**ended, "result": ["messages", result["messages"][0]]}
    debug = [
        {"type": "task", "step": 1, "payload": begun},
        {"type": "task_result", "step": 1, "payload": ended},
        {"type": "checkpoint", "step": 1, "payload": {"values": result, "next": []}},
    ]

    for stream in ([begun, ended], [begun, by_channel], [begun, alone], debug):
        assert langgraph.recognizes(stream)
        assert names_in(stream) == ["ping"]


def test_messages_are_streamed_in_pieces() -> None:
    def chunk(args: str, call_id: str | None, namespace: str) -> list[Any]:
        piece = {"name": "ping", "args": args, "id": call_id, "index": 0}
        message = {"type": "AIMessageChunk", "content": "", "tool_call_chunks": [piece]}
        return [message, {"langgraph_node": "agent", "langgraph_checkpoint_ns": namespace}]

    stream = [
        chunk('{"n"', "a", "agent:1"),
        chunk(": 1}", None, "agent:1"),
        chunk("{}", "b", "agent:1|sub:2"),
    ]
    of_server = [{"event": "messages", "data": item} for item in stream]
    bare = [["messages", item[0]] for item in stream[:2]]

    for document in (stream, of_server):
        assert langgraph.recognizes(document)
        assert [(item.arguments, item.caller) for item in calls_in(document)] == [
            ({"n": 1}, None),
            ({}, "subagent"),
        ]
    assert [item.arguments for item in calls_in(bare)] == [{"n": 1}]


def test_messages_that_a_server_has_completed_are_read() -> None:
    stream = [
        {"event": "metadata", "data": {"run_id": "1"}},
        {"event": "messages/partial", "data": [says("1", ("a", "pi"))]},
        {"event": "messages/complete", "data": [says("1", ("a", "ping"))]},
        {"event": "end", "data": None},
    ]

    assert langgraph.recognizes(stream)
    assert names_in(stream) == ["ping"]


def test_events_give_what_models_asked_for_and_what_came_of_it() -> None:
    events = [
        event("on_chat_model_start", "m", {"input": {"messages": [[HUMAN]]}}),
        event("on_chat_model_end", "m", {"output": says("1", ("a", "ping"), ("b", "pong"))}),
        event("on_tool_start", "t", {"input": {"n": 1}}),
        event("on_tool_error", "t", {"error": "down", "tool_call_id": "a"}),
        event("on_chat_model_start", "n", {"input": {"messages": [[HUMAN, answer("b")]]}}),
        event("on_chat_model_end", "n", {"output": says("2")}),
        event("on_custom_event", "x", {}),
    ]

    first, second = calls_in(events)

    assert trace_of(events).view == "requested"
    assert (first.name, first.result, first.failed) == ("ping", "down", True)
    assert (second.name, second.result) == ("pong", "ok")


def test_events_of_tools_are_what_was_executed() -> None:
    events = [
        event("on_tool_start", "t", {"input": {"input": "{'n': 1}"}}),
        event("on_tool_end", "t", {"output": answer("a", "no", "error"), "input": None}),
        event("on_tool_start", "u", {}),
    ]
    model = event("on_chat_model_end", "m", {"output": says("1", ("a", "ping"), ("b", "pong"))})

    first, second = calls_in(events)

    assert trace_of(events).view == "executed"
    assert (first.id, first.arguments, first.warning) == ("a", {"n": 1}, "python_repr")
    assert (first.result, first.failed) == ("no", True)
    assert (second.arguments, second.error) == (None, "not_captured")
    assert trace_of([model, *events]).view == "requested"
    assert trace_of([model, *events], ReadOptions(view="executed")).view == "executed"


def test_of_events_without_an_end_the_chunks_are_put_together() -> None:
    def chunk(args: str) -> dict[str, Any]:
        piece = {"name": "ping", "args": args, "id": "a", "index": 0}
        return {"type": "AIMessageChunk", "content": "", "tool_call_chunks": [piece]}

    events = [
        event("on_chat_model_stream", "m", {"chunk": chunk('{"n"')}),
        event("on_chat_model_stream", "m", {"chunk": chunk(": 1}")}),
    ]

    [found] = calls_in(events)

    assert found.arguments == {"n": 1}


def test_a_model_within_a_tool_or_a_graph_is_a_subagent() -> None:
    below = {"langgraph_checkpoint_ns": "tools:1|agent:2"}
    events = [
        event("on_chat_model_end", "m", {"output": says("1", ("a", "ask"))}, parent_ids=["g"]),
        event("on_tool_start", "t", {"input": {}}, parent_ids=["g", "c"]),
        event("on_chat_model_end", "n", {"output": says("2", ("b", "x"))}, parent_ids=["t", "i"]),
        event("on_chat_model_end", "o", {"output": says("3", ("c", "y"))}, metadata=below),
    ]

    assert [item.caller for item in calls_in(events)] == [None, "subagent", "subagent"]


def test_older_events_hold_generations() -> None:
    generations = {"generations": [[{"message": says("1", ("a", "ping"))}]]}

    assert names_in([event("on_chat_model_end", "m", {"output": generations})]) == ["ping"]


def test_lines_of_a_stream_are_one_document_and_states_are_not() -> None:
    update = {"agent": {"messages": [says("1", ("a", "ping"))]}}

    assert langgraph.joins_lines(update)
    assert langgraph.joins_lines(["updates", update])
    assert langgraph.joins_lines(event("on_chain_start", "c", {}))
    assert not langgraph.joins_lines({"thread_id": "t", "values": {"messages": [HUMAN]}})
    assert not langgraph.joins_lines({"messages": [HUMAN]})
    assert not langgraph.joins_lines({"plan": None})


@pytest.mark.parametrize(
    "document",
    [
        {"inputs": {"messages": [HUMAN]}, "outputs": {"messages": [HUMAN]}},
        {"messages": [{"role": "user", "content": "Hello"}], "tools": []},
        [{"messages": [{"role": "user", "content": "a"}]}] * 2,
        [{"agent": {"messages": ["text"]}}],
        [{"agent": "text"}],
        [{"agent": {"messages": [HUMAN]}}, "text"],
        [["values", "text"]],
        [["custom", {"progress": 1}]],
        [["unknown", {"agent": {"messages": [HUMAN]}}]],
        [[[], 3, {"agent": {"messages": [HUMAN]}}]],
        [["a", "b", "c", "d"]],
        [[3, {"agent": {"messages": [HUMAN]}}]],
        [[["ns"], "text"]],
        [["messages", [HUMAN]]],
        [{"event": "thread.run.created", "data": {"id": "run_1"}}],
        [{"type": 3, "ns": [], "data": {}}],
        [{"id": "1", "name": "agent"}],
        [{}],
        3,
    ],
)
def test_what_others_write_is_not_claimed(document: Any) -> None:
    assert not langgraph.recognizes(document)


def state(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"messages": list(messages), **more}


CALLED = says("1", ("a", "ping"))


def calls_in_lines(tmp_path: Path, *values: Any) -> list[str]:
    path = tmp_path / "values.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(value) + b"\n" for value in values))
    return [call.name for trace in traces_in(path) for call in trace.calls or ()]


def test_the_states_of_a_run_in_lines_are_one_run(tmp_path: Path) -> None:
    states = [state(HUMAN), state(HUMAN, CALLED), state(HUMAN, CALLED, HUMAN)]
    again = state(HUMAN, CALLED, HUMAN, CALLED)

    assert calls_in_lines(tmp_path, *states) == ["ping"]
    assert calls_in_lines(tmp_path, *states, again, again) == ["ping", "ping"]
    assert calls_in_lines(tmp_path, *states, *states) == ["ping", "ping"]  # two runs
    for mode in (
        [["values", each] for each in states],
        [{"event": "values", "data": each} for each in states],
    ):
        assert calls_in_lines(tmp_path, *mode) == ["ping"]


def test_conversations_that_do_not_go_on_are_runs_of_their_own(tmp_path: Path) -> None:
    anonymous = {key: value for key, value in CALLED.items() if key != "id"}
    copies = [state(HUMAN, anonymous), state(HUMAN, anonymous)]

    assert calls_in_lines(tmp_path, *copies) == ["ping", "ping"]
    assert (
        calls_in_lines(tmp_path, state(CALLED, id="x"), state(CALLED, HUMAN, id="y"))
        == ["ping"] * 2
    )
    assert calls_in_lines(tmp_path, state(CALLED), state(HUMAN, CALLED)) == ["ping"] * 2
    assert calls_in_lines(tmp_path, state(CALLED), state(HUMAN, CALLED)) == ["ping"] * 2


def test_a_large_file_of_conversations_is_not_searched_for_states(tmp_path: Path) -> None:
    others = [state({**HUMAN, "content": str(number)}, CALLED) for number in range(40)]

    assert len(calls_in_lines(tmp_path, *others)) == 40


@pytest.mark.parametrize("value", [None, 3, [], {}, {"messages": 3}, {"messages": [3]}])
def test_nothing_else_continues(value: Any) -> None:
    assert not langgraph.continues(value, value)
    assert not langchain.continues(value, state(HUMAN))
    assert not langchain.continues(state(HUMAN), value)
