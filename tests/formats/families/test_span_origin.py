"""The ids that a score is linked to, from traces of every backend."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.case import Origin
from callscore.formats.families.span_origin import hex_id, origin_of_spans
from callscore.formats.families.spans import Span
from callscore.formats.reading import read_document

TRACE, SPAN = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"
AGENT = {"gen_ai.operation.name": "invoke_agent"}


def span(id_: str, parent: str | None = None, **fields: Any) -> Span:
    return Span(name=id_, id=id_, parent=parent, trace=TRACE, **{"attributes": {}, **fields})


@pytest.mark.parametrize(
    ("written", "size", "expected"),
    [
        (TRACE, 16, TRACE),
        (f"0x{TRACE}", 16, TRACE),
        ("0x1", 8, "0000000000000001"),
        ("W47/95gDgQPSabYzgT/GDA==", 16, TRACE),
        ("7uGbfsPBsXQ=", 8, SPAN),
        (str(int(TRACE, 16)), 16, TRACE),
        (str(int(SPAN, 16)), 8, SPAN),
        ("7uGbfsPBsXQ=", 16, "7uGbfsPBsXQ="),
        ("not base64=", 8, "not base64="),
        ("7c1f0f2e-6a5e-4a1c-9d55-2f8f3c0b7a11", 16, "7c1f0f2e-6a5e-4a1c-9d55-2f8f3c0b7a11"),
        ("1234567890123456", 8, "1234567890123456"),
        ("9" * 5000, 16, "9" * 5000),
        ("", 16, None),
        (None, 16, None),
    ],
)
def test_ids_are_hexadecimal_digits_however_they_are_written(
    written: str | None, size: int, expected: str | None
) -> None:
    assert hex_id(written, size) == expected


def test_the_span_is_that_of_the_agent_and_not_that_of_the_web_server() -> None:
    spans = [
        span("http"),
        span("agent", "http", attributes=AGENT),
        span("tool", "agent", attributes=AGENT),
    ]

    assert origin_of_spans(spans) == Origin(TRACE, "agent")


def test_without_one_span_around_the_models_it_is_the_root() -> None:
    spans = [span("root"), span("a", "root", attributes=AGENT), span("b", "root", attributes=AGENT)]

    assert origin_of_spans(spans) == Origin(TRACE, "root")


def test_the_response_is_the_last_one() -> None:
    spans = [span(id_, attributes={"gen_ai.response.id": id_}) for id_ in ("r1", "r2")]

    origin = origin_of_spans(spans)

    assert origin is not None
    assert origin.response_id == "r2"


def test_spans_around_each_other_and_without_ids_have_an_origin_as_well() -> None:
    circle = [span("a", "b"), span("b", "a")]
    nameless = [Span(name="x", attributes={"gen_ai.response.id": "r"})]

    assert origin_of_spans(circle) == Origin(TRACE, "a")
    assert origin_of_spans(nameless) == Origin(response_id="r")
    assert origin_of_spans([Span(name="x", attributes={})]) is None
    assert origin_of_spans([]) is None


CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
UUID = "7c1f0f2e-6a5e-4a1c-9d55-2f8f3c0b7a11"
DOCUMENTS: dict[str, tuple[Any, Origin]] = {
    "openai_chat": (
        {"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "tool_calls": [CALL]}}]},
        Origin(response_id="chatcmpl-1"),
    ),
    "openai_responses": (
        {
            "id": "resp_1",
            "object": "response",
            "output": [{"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}],
        },
        Origin(response_id="resp_1"),
    ),
    "anthropic": (
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}],
        },
        Origin(response_id="msg_1"),
    ),
    "langfuse": (
        [{"id": "o1", "traceId": TRACE, "type": "GENERATION", "startTime": "2026-01-01T09:00:00Z",
          "output": {"role": "assistant", "tool_calls": [CALL]}}],
        Origin(TRACE, "o1"),
    ),
    "langsmith": (
        [{"id": UUID, "trace_id": UUID, "session_id": "p1", "name": "m", "run_type": "llm",
          "inputs": {}, "outputs": {"message": {"type": "ai", "tool_calls": [
              {"name": "f", "args": {}, "id": "1"}]}}}],
        Origin(UUID, UUID, project_id="p1"),
    ),
    "mlflow": (
        {"info": {"trace_id": "tr-1"}, "data": {"spans": [
            {"name": "f", "span_id": "7uGbfsPBsXQ=", "trace_id": "W47/95gDgQPSabYzgT/GDA==",
             "attributes": {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": "{}"}}]}},
        Origin("tr-1", SPAN),
    ),
    "openai_agents_trace": (
        [{"object": "trace.span", "id": "span_1", "trace_id": "trace_1", "parent_id": None,
          "started_at": "2026-11-15T06:29:37.180000+00:00",
          "span_data": {"type": "response", "response_id": "resp_1", "response": {
              "id": "resp_1", "output": [
                  {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}]}}}],
        Origin("trace_1", "span_1", "resp_1"),
    ),
    "openinference": (
        [{"name": "f", "context": {"trace_id": TRACE, "span_id": SPAN},
          "attributes": {"openinference.span.kind": "TOOL", "tool.name": "f"}}],
        Origin(TRACE, SPAN),
    ),
    "openllmetry": (
        [{"name": "f.tool", "traceId": TRACE, "spanId": SPAN,
          "attributes": {"traceloop.span.kind": "tool", "traceloop.entity.name": "f"}}],
        Origin(TRACE, SPAN),
    ),
    "vercel_spans": (
        [{"name": "ai.toolCall", "traceId": TRACE, "spanId": SPAN,
          "attributes": {"ai.toolCall.name": "f", "ai.toolCall.args": "{}"}}],
        Origin(TRACE, SPAN),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_says_where_it_was_recorded(name: str) -> None:
    document, expected = DOCUMENTS[name]

    (trace,) = read_document(document)

    assert trace.calls
    assert trace.origin == expected


def test_a_conversation_of_several_traces_has_the_origin_of_the_last() -> None:
    def turn(number: int) -> dict[str, Any]:
        return {
            "name": "execute_tool f",
            "traceId": f"{number:032x}",
            "spanId": SPAN,
            "startTimeUnixNano": str(number),
            "attributes": {"gen_ai.tool.name": "f", "gen_ai.conversation.id": "c"},
        }

    (trace,) = read_document([turn(1), turn(2)])

    assert trace.origin == Origin(f"{2:032x}", SPAN)
