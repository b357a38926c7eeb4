"""What is read of Inspect logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import FaultyObject, Malformed
from callscore.formats.dialects import inspect_log
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

EXECUTED = ReadOptions(view="executed")
PROBLEM = "Error parsing the following tool call arguments:\n\n{}\n\nError details: oh"


def call(id_: str, name: str = "f", **more: Any) -> dict[str, Any]:
    return {"id": id_, "function": name, "arguments": {"x": 1}, "type": "function", **more}


def said(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": list(calls), **more}


def answered(id_: str, content: Any = "fine", **more: Any) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": id_,
        "function": "f",
        "content": content,
        **more,
    }


def generated(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"event": "model", "output": {"choices": [{"message": said(*calls)}]}}


def executed(id_: str, **more: Any) -> dict[str, Any]:
    return {"event": "tool", **call(id_), "result": "fine", **more}


def read(sample: dict[str, Any], options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = inspect_log.read({"eval": {}, "samples": [sample]}, options)
    return trace


def calls(
    sample: dict[str, Any], options: ReadOptions = DEFAULT_READ_OPTIONS
) -> tuple[ToolCall, ...]:
    return read(sample, options).calls or ()


def test_each_sample_and_epoch_is_a_run_of_its_own() -> None:
    samples = [
        {"id": "a", "epoch": 1, "input": "go", "messages": [said(call("1"))]},
        {"id": "a", "epoch": 2, "input": "go", "messages": []},
        {"id": 7, "epoch": 1, "messages": [said(call("2"))]},
        "junk",
        {"id": [], "epoch": "x"},
    ]

    traces = inspect_log.read({"version": 2, "eval": {}, "samples": samples}, DEFAULT_READ_OPTIONS)

    assert [(trace.id, trace.trial, trace.input) for trace in traces] == [
        ("a", 1, "go"),
        ("a", 2, "go"),
        ("7", 1, None),
        (None, None, None),
    ]
    assert [len(trace.calls or ()) for trace in traces] == [1, 0, 1, 0]


def test_results_are_attached_and_errors_are_failures() -> None:
    found = calls(
        {
            "messages": [
                said(call("a"), call("b"), call("c"), call("d")),
                answered("b", "", error={"type": "timeout", "message": "too slow"}),
                answered("a", "Error is what the tool is about"),
                answered("c", "", tool_error="old words"),
                answered("d", "what there was", error={"type": "unknown"}),
                said(call("e")),
            ]
        }
    )

    assert [(one.result, one.failed, one.step) for one in found] == [
        ("Error is what the tool is about", False, 0),
        ("too slow", True, 0),
        ("old words", True, 0),
        ("what there was", True, 0),
        (None, None, 1),
    ]


@pytest.mark.parametrize(
    ("problem", "raw", "error"),
    [
        (PROBLEM.format('{"a": 1'), '{"a": 1', "truncated_json"),
        (PROBLEM.format("{'a': 1}"), "{'a': 1}", "invalid_json"),
        (PROBLEM.format('{"a": 1}'), '{"a": 1}', PROBLEM.format('{"a": 1}')),
        ("The tool takes no text.", None, "The tool takes no text."),
    ],
)
def test_arguments_that_inspect_could_not_parse_are_malformed(
    problem: str, raw: str | None, error: str
) -> None:
    [one] = calls({"messages": [said(call("a", arguments={}, parse_error=problem))]})

    assert (one.arguments, one.raw, one.error) == (None, raw, error)


def test_arguments_beside_an_error_are_kept() -> None:
    [one] = calls({"messages": [said(call("a", parse_error="no"))]})

    assert (one.arguments, one.raw, one.error) == (None, '{"x":1}', "no")


def test_attachments_are_put_in_their_places() -> None:
    sample = {
        "input": "attachment://1",
        "attachments": {"1": "long", "2": PROBLEM.format("{")},
        "messages": [
            said(
                call("a", arguments={"x": ["attachment://1", {"y": "attachment://3"}, 4]}),
                call("b", parse_error="attachment://2"),
            ),
            answered("a", [{"type": "text", "text": "attachment://1"}]),
        ],
    }

    trace = read(sample)

    [first, second] = trace.calls or ()
    assert trace.input == "long"
    assert first.arguments == {"x": ["long", {"y": "attachment://3"}, 4]}
    assert first.result == [{"type": "text", "text": "long"}]
    assert (second.raw, second.error) == ("{", "truncated_json")


def test_what_is_known_to_be_malformed_stays_so_beside_attachments() -> None:
    fault = Malformed("{x}", "invalid_json")
    sample = {
        "attachments": {"1": "long"},
        "messages": [said(call("a", arguments=FaultyObject({}, fault)))],
    }

    [one] = calls(sample)

    assert (one.raw, one.error) == ("{x}", "invalid_json")


def test_the_calls_in_the_input_are_not_those_of_the_agent() -> None:
    shown = said(call("a"), id="m1")

    found = calls(
        {
            "input": [shown, {"role": "user"}],
            "messages": [shown, answered("a"), said(call("b"), id="m2"), said(call("c"))],
        }
    )

    assert [one.id for one in found] == ["b", "c"]


def test_a_sample_without_messages_is_read_from_its_events() -> None:
    sample = {
        "messages": [],
        "events": [
            {"event": "state"},
            generated(call("a")),
            executed("a", error={"type": "unknown", "message": "oh"}, result=""),
            generated(call("b")),
            executed("b", failed=True),
            {"event": "model", "output": None},
        ],
    }

    trace = read(sample)

    assert trace.view == "requested"
    assert [(one.id, one.step, one.result, one.failed) for one in trace.calls or ()] == [
        ("a", 0, "oh", True),
        ("b", 1, "fine", True),
    ]


def test_the_view_executed_has_the_calls_that_were_run() -> None:
    refused = {"type": "parsing", "message": PROBLEM.format("{")}
    sample = {
        "messages": [said(call("a"), call("b"), call("dropped"))],
        "events": [
            generated(),
            executed("a"),
            executed("b", arguments={}, error=refused, result=""),
            generated(),
            executed("c"),
            {"event": "score"},
        ],
    }

    trace = read(sample, EXECUTED)

    assert trace.view == "executed"
    assert [(one.id, one.step, one.error) for one in trace.calls or ()] == [
        ("a", 0, None),
        ("b", 0, "truncated_json"),
        ("c", 1, None),
    ]


def test_without_tool_events_there_is_only_what_was_requested() -> None:
    trace = read({"messages": [said(call("a"))], "events": [generated(call("a"))]}, EXECUTED)

    assert trace.view == "requested"
    assert [one.id for one in trace.calls or ()] == ["a"]


def test_the_tools_of_the_provider_are_marked() -> None:
    def served(tool: str, **more: Any) -> dict[str, Any]:
        return {"type": "tool_use", "tool_type": tool, "id": tool, "name": tool, **more}

    blocks = [
        served("web_search", arguments='{"q": "x"}', result="found"),
        served("mcp_call", arguments='{"q": "x"}', result="", error="oh"),
        served("mcp_call", name="mcp_list_tools", arguments="", result="[]"),
        served("code_execution", arguments="print(1)", result="1"),
        served("code_execution", arguments=' {"code": "1"}', result="1"),
        {"type": "text", "text": "so"},
    ]

    found = calls({"messages": [{"role": "assistant", "content": blocks}]})

    assert [(one.kind, one.arguments, one.result, one.failed) for one in found] == [
        ("hosted", {"q": "x"}, "found", False),
        ("mcp", {"q": "x"}, "oh", True),
        ("hosted", {"input": "print(1)"}, "1", False),
        ("hosted", {"code": "1"}, "1", False),
    ]
    assert {one.step for one in found} == {0}


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": "go"}, said(call("a"))],
        {"messages": [said(call("a"))], "output": {}},
        said(call("a")),
        [call("a")],
        call("a"),
        {"completion": "", "choices": [{"message": said(call("a")), "stop_reason": "stop"}]},
        {"id": 1, "epoch": 1, "messages": [said(call("a"))]},
        {"id": 1, "epoch": 1, "events": [generated(call("a"))]},
    ],
)
def test_what_logs_are_made_of_is_read_by_itself(document: Any) -> None:
    [trace] = inspect_log.read(document, DEFAULT_READ_OPTIONS)

    assert inspect_log.recognizes(document)
    assert [one.id for one in trace.calls or ()] == ["a"]


def test_another_candidate_can_be_asked_for() -> None:
    choices = [{"message": said(call(id_)), "stop_reason": "stop"} for id_ in ("a", "b")]
    document = {"completion": "", "choices": choices}

    [trace] = inspect_log.read(document, ReadOptions(candidate=1))

    assert [one.id for one in trace.calls or ()] == ["b"]


def test_a_log_without_samples_has_no_runs() -> None:
    header = {"version": 2, "status": "error", "eval": {"task": "t"}}

    assert inspect_log.recognizes(header)
    assert inspect_log.read(header, DEFAULT_READ_OPTIONS) == []


def test_what_is_not_set_in_a_definition_is_left_out() -> None:
    city = {"type": "string", "format": None, "examples": [1, None], "items": {"pattern": None}}
    deep: dict[str, Any] = {"x": None}
    for _ in range(100):
        deep = {"x": deep}
    tool = {"name": "f", "parameters": {"properties": {"city": city, "deep": deep}}}
    log = {"eval": {}, "samples": [{"events": [{"event": "model", "tools": [tool]}]}]}

    (found,) = inspect_log.read_tools(log)

    assert found.parameters is not None
    assert found.parameters["properties"]["city"] == {
        "type": "string",
        "examples": [1, None],
        "items": {},
    }


def test_the_tools_of_all_models_come_out() -> None:
    tools = [{"name": "f", "description": "d", "parameters": {"type": "object"}}]
    events = [
        {"event": "model", "tools": tools},
        {"event": "model", "tools": list(tools)},
        {"event": "tool", "tools": tools},
        {"event": "model", "tools": [{"name": "g"}]},
    ]

    found = inspect_log.read_tools({"eval": {}, "samples": [{"events": events}]})

    assert [tool.name for tool in found] == ["f", "g"]


@pytest.mark.parametrize(
    "document",
    [
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
        [{"role": "tool", "tool_call_id": "a", "content": "x"}],
        {"choices": [{"message": {}, "finish_reason": "stop", "stop_reason": None}]},
        {"choices": [], "completion": ""},
        {"eval": {"task": "t"}},
        {"id": 1, "epoch": True, "messages": []},
        [said(call("a")), "x"],
        [{"function": "f", "arguments": {}}],
        {"role": "assistant", "tool_calls": []},
    ],
)
def test_the_documents_of_others_are_left_to_them(document: Any) -> None:
    assert not inspect_log.recognizes(document)
