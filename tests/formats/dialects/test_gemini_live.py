"""Gemini Live: calls, responses and cancellations among the messages of a session."""

from __future__ import annotations

from typing import Any

from callscore.core.call import ToolCall
from callscore.formats.dialects import gemini_live
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def called(*calls: Any) -> dict[str, Any]:
    return {"toolCall": {"functionCalls": list(calls)}}


def test_a_list_needs_one_message_that_only_live_sessions_have() -> None:
    notice = {"usageMetadata": {"totalTokenCount": 1}}

    assert gemini_live.recognizes([{"setupComplete": {}}, notice])
    assert gemini_live.recognizes({"setup": {"model": "m"}})
    assert not gemini_live.recognizes([notice])
    assert not gemini_live.recognizes([{"setupComplete": {}}, {"other": 1}])
    assert not gemini_live.recognizes({"setup": {"x": 1}})
    assert not gemini_live.recognizes({"toolCall": {"name": "f"}})
    assert not gemini_live.recognizes({"tool_call": {"tool_type": "URL_CONTEXT", "args": {}}})


def test_results_and_cancellations_find_their_calls() -> None:
    document = [
        called({"id": "1", "name": "f"}, {"id": "2", "name": "g"}),
        {"toolResponse": {"functionResponses": {"id": "1", "response": {"result": "x"}}}},
        {"toolCallCancellation": {"ids": ["2", None, 3]}},
        {"serverContent": {"interrupted": True}},
        called({"id": "3", "name": "f", "args": {"a": 1}}, "broken"),
    ]

    (trace,) = gemini_live.read(document, DEFAULT_READ_OPTIONS)

    assert trace.calls == (
        ToolCall("f", {}, id="1", step=0, result={"result": "x"}, failed=False),
        ToolCall("g", {}, id="2", step=0, failed=True),
        ToolCall("f", {"a": 1}, id="3", step=1),
    )


def test_a_log_may_say_who_has_sent_a_message() -> None:
    document = [
        {"serverMessage": called({"id": "1", "name": "f"})},
        {"clientMessage": {"toolResponse": {"functionResponses": [{"id": "1", "response": {}}]}}},
    ]

    (trace,) = gemini_live.read(document, DEFAULT_READ_OPTIONS)

    assert gemini_live.recognizes(document)
    assert trace.calls == (ToolCall("f", {}, id="1", step=0, result={}),)


def test_the_lines_of_a_session_are_one_document() -> None:
    assert gemini_live.joins_lines({"setupComplete": {}})
    assert gemini_live.joins_lines({"tool_call": {"function_calls": []}, "server_content": None})
    assert not gemini_live.joins_lines({"usageMetadata": {}})


def test_tools_are_declared_in_the_setup() -> None:
    setup = {"setup": {"model": "m", "tools": [{"functionDeclarations": [{"name": "f"}]}]}}

    assert [tool.name for tool in gemini_live.read_tools([{"setupComplete": {}}, setup])] == ["f"]
    assert gemini_live.read_tools(called()) == []


def test_code_that_was_run_is_a_call() -> None:
    code = {"executableCode": {"code": "1", "language": "PYTHON"}}
    message = {"serverContent": {"modelTurn": {"parts": [{"text": "hm"}, code]}}}

    (trace,) = gemini_live.read([message], DEFAULT_READ_OPTIONS)

    (call,) = trace.calls or ()
    assert (call.name, call.kind) == ("code_execution", "hosted")
