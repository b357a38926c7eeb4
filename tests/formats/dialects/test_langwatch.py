"""What is read of LangWatch traces beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import langwatch
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def traces_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    return langwatch.read(document, options)


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = traces_in(document, options)
    assert trace.calls is not None
    return trace.calls


def span(kind: str, start: int | None = 0, **more: Any) -> dict[str, Any]:
    times = {} if start is None else {"timestamps": {"started_at": start}}
    return {"span_id": f"{kind}{start}", "type": kind, "name": "ping", **times, **more}


def typed(value: Any, kind: str = "json") -> dict[str, Any]:
    return {"type": kind, "value": value}


def doc(*spans: Any) -> dict[str, Any]:
    return {"trace_id": "t", "input": {"value": "?"}, "spans": list(spans)}


FUNCTION = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
ANSWER = typed([{"role": "assistant", "tool_calls": [FUNCTION]}], "chat_messages")


def test_results_and_failures_are_attached() -> None:
    tool = span("tool", 2, input=typed({}), error={"has_error": True, "message": "gone"})

    [call] = calls_in(doc(tool, span("llm", 1, output=ANSWER)))

    assert (call.id, call.step, call.result, call.failed) == ("c1", 0, "gone", True)


def test_a_result_can_be_in_the_messages_of_the_next_model() -> None:
    received = typed([{"role": "tool", "tool_call_id": "c1", "content": "pong"}], "chat_messages")
    parts = [
        {"type": "text", "text": "."},
        {"type": "tool_result", "toolName": "ping", "toolCallId": "c1", "result": "pong"},
    ]
    others = typed([{"role": "tool", "content": parts}], "chat_messages")

    [call] = calls_in(doc(span("llm", 1, output=ANSWER), span("llm", 2, input=received)))
    [same] = calls_in(doc(span("llm", 1, output=ANSWER)))

    assert (call.result, same.result) == ("pong", None)
    assert calls_in(doc(span("llm", 1, input=others))) == ()


def test_a_tool_can_have_text_as_input_and_no_start() -> None:
    [call] = calls_in(doc(span("tool", None, input=typed("Paris", "text"))))

    assert (call.arguments, call.raw) == (None, "Paris")
    [other] = calls_in(doc(span("tool", None, input=typed([typed(1)], "list"), error="gone")))
    assert (other.result, other.failed) == ("gone", True)


def test_one_of_several_answers_is_taken() -> None:
    spans = doc(span("llm", 1, output=[typed("x", "text"), ANSWER]), span("rag", 3))

    assert calls_in(spans) == ()
    assert len(calls_in(spans, ReadOptions(candidate=1))) == 1


@pytest.mark.parametrize(
    "document",
    [
        {"trace_id": "t", "spans": []},
        {"trace_id": "t", "spans": [{"span_id": "s", "name": "x"}]},
        {"spans": [span("tool")]},
        {
            "trace_id": "t",
            "spans": [{"span_id": "s", "type": "tool", "input": {"type": [], "value": 1}}],
        },
        {"data": [doc(span("tool")), 3]},
    ],
)
def test_other_documents_are_not_recognized(document: Any) -> None:
    assert not langwatch.recognizes(document)
    assert langwatch.recognizes({"data": [doc(span("tool"))]})
