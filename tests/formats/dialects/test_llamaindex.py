"""What is read of LlamaIndex messages and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import llamaindex
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

EXECUTED = ReadOptions(view="executed")


def text(value: str) -> dict[str, Any]:
    return {"block_type": "text", "text": value}


def message(role: str, *blocks: Any, **extra: Any) -> dict[str, Any]:
    return {"role": role, "additional_kwargs": extra, "blocks": list(blocks)}


def block(id_: str, arguments: Any = None) -> dict[str, Any]:
    return {
        "block_type": "tool_call",
        "tool_call_id": id_,
        "tool_name": "f",
        "tool_kwargs": {"x": 1} if arguments is None else arguments,
    }


def call(id_: str, **more: Any) -> dict[str, Any]:
    return {"tool_id": id_, "tool_name": "f", "tool_kwargs": {"x": 1}, **more}


def result(id_: str, *, is_error: Any = False) -> dict[str, Any]:
    return call(id_, tool_output={"blocks": [text("fine")], "is_error": is_error})


def output(*calls: dict[str, Any], said: Any = None) -> dict[str, Any]:
    return {
        "response": message("assistant") if said is None else said,
        "current_agent_name": "a",
        "tool_calls": list(calls),
    }


def read(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = llamaindex.read(document, options)
    return trace


def calls(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    return read(document, options).calls or ()


def test_results_in_messages_are_attached() -> None:
    found = calls(
        [
            message("user", text("go")),
            message("assistant", text("hm"), block("a"), block("b", '{"x":')),
            message("tool", text("Error: oh"), tool_call_id="b"),
            message("tool", text("fine"), tool_call_id="a"),
            message("assistant", text("so")),
            message("assistant", block("c")),
        ]
    )

    assert [(one.result, one.failed, one.step, one.error) for one in found] == [
        ("fine", False, 0, None),
        ("Error: oh", True, 0, "truncated_json"),
        (None, None, 1, None),
    ]


def test_a_call_in_a_block_is_not_counted_once_more_in_the_extra_arguments() -> None:
    older = [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]

    assert len(calls([message("assistant", block("a"), tool_calls=older)])) == 1


@pytest.mark.parametrize(
    "extra",
    [
        {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": '{"x": 1}'}}]},
        {"tool_calls": [{"id": "a", "name": "f", "input": {"x": 1}, "type": "tool_use"}]},
        {"tool_calls": [call("a")]},
        {"function_call": {"id": "a", "name": "f", "arguments": '{"x": 1}'}},
    ],
)
def test_calls_in_the_extra_arguments_are_as_the_provider_wrote_them(extra: Any) -> None:
    [one] = calls([message("assistant", text("hm"), **extra)])

    assert (one.id, one.name, one.arguments) == ("a", "f", {"x": 1})


def test_messages_before_there_were_blocks_are_read() -> None:
    older = {"function_call": {"name": "f", "arguments": "{}"}}
    document = {
        "chat_history": [
            {"role": "user", "content": "go", "additional_kwargs": {}},
            {"role": "assistant", "content": None, "additional_kwargs": older},
            {"role": "function", "content": "fine", "additional_kwargs": {"name": "f"}},
        ]
    }

    trace = read(document)

    assert llamaindex.recognizes(document)
    assert trace.input == "go"
    assert [one.result for one in trace.calls or ()] == ["fine"]


def test_each_conversation_of_a_store_is_a_run() -> None:
    store = {"ana": [message("assistant", block("a"))], "ben": [message("user", text("go"))]}

    for document in ({"store": store}, {"chat_store": {"store": store}}):
        traces = llamaindex.read(document, DEFAULT_READ_OPTIONS)

        assert llamaindex.recognizes(document)
        assert [(one.id, len(one.calls or ())) for one in traces] == [("ana", 1), ("ben", 0)]


def test_a_call_in_a_list_of_events_is_counted_once() -> None:
    events = [
        {"input": [message("user", text("go"))], "current_agent_name": "a"},
        output(call("a"), call("b"), said=message("assistant", block("a"), block("b"))),
        call("a"),
        call("b"),
        result("b", is_error=True),
        result("a"),
        output(call("c")),
        call("c"),
        result("c", is_error=None),
        output(call("a"), call("b"), call("c")),
        {"result": output(call("a"), call("b"), call("c"))},
    ]

    trace = read(events)

    assert trace.view == "requested"
    assert trace.input == "go"
    assert [(one.id, one.failed, one.step) for one in trace.calls or ()] == [
        ("a", False, 0),
        ("b", True, 0),
        ("c", False, 1),
    ]


def test_the_same_call_once_more_is_another_call() -> None:
    events = [output(call("f")), call("f"), output(call("f")), call("f"), output()]

    assert len(calls(events)) == 2


def test_the_view_executed_has_the_calls_that_were_run() -> None:
    events = [output(call("a"), call("dropped")), call("a"), result("a"), call("b"), call("c")]

    trace = read(events, EXECUTED)

    assert trace.view == "executed"
    assert [(one.id, one.result, one.step) for one in trace.calls or ()] == [
        ("a", "fine", 0),
        ("b", None, 1),
        ("c", None, 1),
    ]


def test_where_there_are_only_results_they_tell_what_was_run() -> None:
    trace = read([result("a"), result("b", is_error=True)])

    assert trace.view == "executed"
    assert [(one.id, one.failed) for one in trace.calls or ()] == [("a", False), ("b", True)]


def test_what_a_model_has_chosen_is_a_request() -> None:
    trace = read([call("a")])

    assert trace.view == "requested"
    assert [one.id for one in trace.calls or ()] == ["a"]


def test_each_run_of_a_workflow_ends_by_itself() -> None:
    ended = {"result": output(call("a"))}

    traces = llamaindex.read([output(call("a")), ended, output(call("b"))], DEFAULT_READ_OPTIONS)

    assert [[one.id for one in trace.calls or ()] for trace in traces] == [["a"], ["b"]]


@pytest.mark.parametrize(
    "document",
    [
        message("assistant", block("a")),
        {"message": message("assistant", block("a")), "raw": None},
        output(call("a")),
        output(said=message("assistant", block("a"))),
        {"result": output(call("a"))},
        call("a"),
        result("a"),
        {"__is_pydantic": True, "value": output(call("a")), "qualified_name": "AgentOutput"},
        [{"__is_pydantic": True, "value": call("a"), "qualified_name": "ToolCall"}],
    ],
)
def test_messages_outputs_and_calls_are_read_by_themselves(document: Any) -> None:
    assert llamaindex.recognizes(document)
    assert [one.id for one in calls(document)] == ["a"]


def test_the_output_of_a_tool_has_had_other_names_for_its_text() -> None:
    older = call("a", tool_output={"content": "fine", "is_error": False})

    assert [one.result for one in calls([older])] == ["fine"]


def test_lines_of_messages_and_of_events_are_one_document() -> None:
    assert llamaindex.joins_lines(message("user"))
    assert llamaindex.joins_lines({"__is_pydantic": True, "value": call("a")})
    assert llamaindex.joins_lines({"delta": "", "current_agent_name": "a"})
    assert not llamaindex.joins_lines({"delta": ""})


@pytest.mark.parametrize(
    "document",
    [[], [{"delta": "", "current_agent_name": "a"}], [message("assistant", text("so"), more=1)]],
)
def test_what_has_no_calls_is_a_run_without_calls(document: Any) -> None:
    assert read(document).calls == ()


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "assistant", "content": "x", "tool_calls": []}],
        [{"type": "chat", "role": "a", "content": "x", "additional_kwargs": {}}],
        [{"tool_name": "f", "tool_input": {}}],
        {"store": {"key": "value"}},
        {"result": {"output": {}}},
        {"response": "x", "tool_calls": []},
    ],
)
def test_the_documents_of_others_are_left_to_them(document: Any) -> None:
    assert not llamaindex.recognizes(document)
