"""What is read of the recordings of Gemini CLI."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import gemini_cli
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

HEADER = {"sessionId": "s", "projectHash": "h", "startTime": "2026", "kind": "main"}


def tool(id_: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "name": "read_file", "args": {"path": id_}, **more}


def answer(id_: Any, *calls: Any) -> dict[str, Any]:
    return {"id": id_, "timestamp": "2026", "type": "gemini", "content": "", "toolCalls": [*calls]}


def only(document: Any) -> Trace:
    [trace] = gemini_cli.read(document, DEFAULT_READ_OPTIONS)
    return trace


def ids(document: Any) -> list[str | None]:
    return [call.id for call in only(document).calls or ()]


def test_a_message_that_is_written_again_counts_in_its_last_state() -> None:
    response = {"functionResponse": {"response": {"output": "x"}}}
    before = answer("m1", tool("a", status="executing"))
    after = answer("m1", tool("a", status="success", result=[{"text": ""}, response]), tool("b"))

    trace = only([HEADER, before, after, answer("m2", tool("c"))])

    first, second, third = trace.calls or ()
    assert (first.result, first.failed) == ({"output": "x"}, False)
    assert [first.step, second.step, third.step] == [0, 0, 1]
    assert second.result is None


def test_a_message_can_be_taken_back_with_all_after_it() -> None:
    lines = [HEADER, answer("m1", tool("a")), answer("m2", tool("b")), answer("m3", tool("c"))]

    assert ids([*lines, {"$rewindTo": "m2"}, answer("m4", tool("d"))]) == ["a", "d"]
    assert ids([*lines, {"$rewindTo": "unknown"}]) == []


def test_a_checkpoint_replaces_all_messages_before_it() -> None:
    checkpoint = {"$set": {"messages": [answer("m2", tool("b"))]}}

    assert ids([HEADER, answer("m1", tool("a")), checkpoint, {"$set": {"kind": "main"}}]) == ["b"]


def test_messages_without_an_id_are_different_messages() -> None:
    assert ids([HEADER, answer(None, tool("a")), answer(None, tool("b"))]) == ["a", "b"]


@pytest.mark.parametrize(
    ("call", "result", "failed"),
    [
        (tool("a", status="error", result=[], resultDisplay="no"), [], True),
        (tool("a", status="cancelled", resultDisplay="no"), "no", True),
        (tool("a", status="awaiting_approval"), None, None),
        (tool("a", status=["x"]), None, None),
    ],
)
def test_the_status_says_whether_a_call_failed(call: Any, result: Any, failed: Any) -> None:
    [made] = only([HEADER, answer("m1", call)]).calls or ()

    assert (made.result, made.failed) == (result, failed)


def test_a_session_has_a_name_and_a_question() -> None:
    question = {"id": "m0", "type": "user", "content": [{"text": "Fix it."}]}

    trace = only({**HEADER, "messages": [question, answer("m1")]})

    assert (trace.id, trace.input, trace.calls) == ("s", "Fix it.", ())


def test_the_calls_of_a_subagents_session_are_marked() -> None:
    [call] = only([{**HEADER, "kind": "subagent"}, answer("m1", tool("a"))]).calls or ()

    assert call.caller == "subagent"


def streamed(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": "2026", **more}


def test_the_calls_up_to_a_result_or_a_message_belong_together() -> None:
    def call(id_: str) -> dict[str, Any]:
        return streamed("tool_use", tool_name="f", tool_id=id_, parameters={})

    trace = only(
        [
            streamed("init", session_id="s", model="m"),
            streamed("message", role="user", content="Fix it."),
            call("a"),
            call("b"),
            streamed("tool_result", tool_id="b", status="error", error={"message": "no"}),
            streamed("tool_result", tool_id="a", status="success", output="x"),
            call("c"),
            streamed("message", role="assistant", content="…", delta=True),
            call("d"),
            streamed("tool_result", tool_id="d", status=None, output="Error: x"),
            streamed("result", status="success"),
        ]
    )

    calls = trace.calls or ()
    assert (trace.id, trace.input) == ("s", "Fix it.")
    assert [call.step for call in calls] == [0, 0, 1, 2]
    assert [call.failed for call in calls] == [False, True, None, True]
    assert calls[1].result == {"message": "no"}


def record(name: str, session: str = "s", **more: Any) -> dict[str, Any]:
    return {"attributes": {"event.name": name, "session.id": session, **more}}


def test_telemetry_has_what_was_run_in_each_session() -> None:
    called: dict[str, Any] = {"function_name": "f", "function_args": '{"a": 1}', "success": True}
    refused: dict[str, Any] = {
        "function_name": "g",
        "success": False,
        "error": "no",
        "tool_type": "mcp",
    }

    first, second = gemini_cli.read(
        [
            record("gemini_cli.config"),
            {"name": "tool_call", "attributes": {"gen_ai.tool.name": "f"}},
            record("gemini_cli.tool_call", **called),
            record("gemini_cli.tool_call", **refused),
            record("qwen-code.tool_call", "t", function_name="h", function_args="{}"),
        ],
        DEFAULT_READ_OPTIONS,
    )

    made, lost = first.calls or ()
    assert (first.id, first.view, second.id) == ("s", "executed", "t")
    assert (made.name, made.arguments, made.failed) == ("f", {"a": 1}, False)
    assert (lost.kind, lost.error, lost.result, lost.failed) == ("mcp", "not_captured", "no", True)
    assert [(call.name, call.failed) for call in second.calls or ()] == [("h", None)]


def batch(service: str, *records: dict[str, Any], kind: str = "Logs") -> dict[str, Any]:
    def entries(values: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]

    listed = [{"attributes": entries(record["attributes"])} for record in records]
    scope = {"logRecords" if kind == "Logs" else "spans": listed}
    resource = {"attributes": entries({"service.name": service})}
    return {f"resource{kind}": [{"resource": resource, f"scope{kind}": [scope]}]}


def test_telemetry_may_be_in_the_batches_of_a_collector() -> None:
    called = record("gemini_cli.tool_call", function_name="f", function_args='{"a": 1}')
    logs = batch("gemini-cli", called, {"attributes": {"x": "y"}})
    spans = batch("gemini-cli", {"attributes": {"gen_ai.tool.name": "f"}}, kind="Spans")

    [call] = only([spans, logs]).calls or ()

    assert (call.name, call.arguments) == ("f", {"a": 1})
    assert gemini_cli.recognizes(logs)
    assert gemini_cli.recognizes([spans, logs])
    assert gemini_cli.joins_lines(spans)
    assert not gemini_cli.recognizes(spans)
    assert not gemini_cli.recognizes(batch("shop", called))
    assert not gemini_cli.recognizes({"resourceLogs": "x"})


def test_a_saved_chat_has_the_contents_of_the_api() -> None:
    call = {"functionCall": {"name": "f", "args": {"a": 1}, "id": "a"}}
    result = {"functionResponse": {"name": "f", "id": "a", "response": {"output": "x"}}}
    contents = [
        {"role": "user", "parts": [{"text": "Fix it."}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [result]},
    ]

    trace = only({"history": contents, "authType": "oauth-personal"})

    [made] = trace.calls or ()
    assert gemini_cli.recognizes({"history": contents})
    assert (trace.input, made.name, made.result) == ("Fix it.", "f", {"output": "x"})


@pytest.mark.parametrize(
    "line",
    [
        HEADER,
        {"$set": {"lastUpdated": "2026"}},
        {"$rewindTo": "m1"},
        answer("m1", tool("a")),
        streamed("init", session_id="s", model="m"),
        streamed("tool_use", tool_name="f", tool_id="a", parameters={}),
        streamed("tool_result", tool_id="a", status="success"),
        record("gemini_cli.tool_call"),
    ],
)
def test_lines_are_claimed(line: dict[str, Any]) -> None:
    assert gemini_cli.joins_lines(line)
    assert gemini_cli.recognizes(line)
    assert gemini_cli.recognizes([line])


def test_lines_that_alone_say_little_belong_to_the_others() -> None:
    assert gemini_cli.joins_lines({"id": "m", "timestamp": "x", "type": "user", "content": "x"})
    assert gemini_cli.joins_lines(streamed("result", status="success"))
    assert not gemini_cli.joins_lines({"type": "user", "content": "x"})
    assert not gemini_cli.joins_lines({**HEADER, "messages": []})


@pytest.mark.parametrize(
    "document",
    [
        {"sessionId": "s", "messages": []},
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
        {"type": "tool_use", "tool_name": "f", "tool_input": {}},
        {"type": "tool_use", "tool_id": "a"},
        {"type": "init", "session_id": "s"},
        {"attributes": {"event.name": "claude_code.tool_result"}},
        [{"type": "gemini"}],
        {"history": []},
        {"history": [{"role": "user", "content": "x"}]},
    ],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not gemini_cli.recognizes(document)
