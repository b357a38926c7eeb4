"""What is read of MLflow traces beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.call import NOT_CAPTURED, Tool
from callscore.formats.dialects import mlflow
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
ANSWER = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def span(kind: str, start: int, name: str = "weather", **more: Any) -> dict[str, Any]:
    attributes = {"mlflow.spanType": as_json(kind)} | {
        f"mlflow.{key}": as_json(value)
        for key, value in more.items()
        if key.startswith(("span", "chat"))
    }
    others = {key: value for key, value in more.items() if f"mlflow.{key}" not in attributes}
    return {
        "name": name,
        "span_id": str(start),
        "start_time_unix_nano": start,
        "attributes": attributes,
    } | others


def document(*spans: Any) -> dict[str, Any]:
    return {"info": {"trace_id": "tr-1"}, "data": {"spans": list(spans)}}


def read(*spans: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = mlflow.read(document(*spans), options)
    return trace


def only(trace: Trace) -> Any:
    assert trace.calls is not None
    [made] = trace.calls
    return made


MODEL = span("CHAT_MODEL", 1, spanOutputs=ANSWER)


def test_the_result_of_a_tool_is_attached() -> None:
    done = span("TOOL", 2, spanInputs={}, spanOutputs={"celsius": 18})

    made = only(read(MODEL, done))

    assert (made.result, made.step, made.id) == ({"celsius": 18}, 0, "c1")


def test_a_tool_of_langchain_gives_a_message_back() -> None:
    message = {"type": "tool", "content": "gone", "tool_call_id": "c1", "status": "error"}

    made = only(read(MODEL, span("TOOL", 2, "other", spanOutputs=message)))

    assert (made.result, made.failed) == ("gone", True)


def test_a_tool_can_have_failed() -> None:
    events = [{"name": "exception", "attributes": {"exception.message": "gone"}}]
    failed = span("TOOL", 2, status={"code": "STATUS_CODE_ERROR"}, events=events)

    assert only(read(MODEL, failed)).result == "gone"
    assert only(read(MODEL, failed)).failed is True
    assert only(read(failed)).error == NOT_CAPTURED


def test_the_next_model_is_told_the_result() -> None:
    messages = [{"role": "tool", "tool_call_id": "c1", "content": "18"}]
    following = span("LLM", 2, spanInputs={"messages": messages}, spanOutputs="18 degrees")

    assert only(read(MODEL, following)).result == "18"


def test_both_views_are_there_to_choose_from() -> None:
    done = span("TOOL", 2, spanInputs={"city": "Lyon"})

    trace = read(MODEL, done, options=ReadOptions(view="executed"))

    assert trace.view == "executed"
    assert only(trace).arguments == {"city": "Lyon"}


@pytest.mark.parametrize(
    ("name", "function", "expected"),
    [
        ("weather_2", "weather", "weather"),
        ("weather_now", "weather", "weather_now"),
        ("lookup", "weather", "lookup"),
        ("weather", 3, "weather"),
    ],
)
def test_the_number_of_a_span_is_no_part_of_the_name_of_the_tool(
    name: str, function: Any, expected: str
) -> None:
    done = span("TOOL", 2, name, spanInputs={}, spanFunctionName=function)

    assert only(read(done)).name == expected


def test_other_spans_have_no_calls() -> None:
    assert read(span("CHAIN", 1, spanOutputs={"messages": [ANSWER]})).calls == ()


def test_a_trace_without_spans_has_no_calls() -> None:
    assert mlflow.recognizes(document())
    assert read().calls == ()


def test_several_traces_are_several_runs() -> None:
    traces = [document(MODEL | {"trace_id": name}) for name in ("a", "b")]

    assert mlflow.recognizes(traces)
    assert len(mlflow.read(traces, DEFAULT_READ_OPTIONS)) == 2


def test_what_was_asked_is_known() -> None:
    assert read(span("AGENT", 0, spanInputs={"question": "?"})).input == {"question": "?"}


def test_definitions_are_found_among_the_inputs_as_well() -> None:
    given = {"messages": [], "tools": [{"type": "function", "function": {"name": "weather"}}]}

    assert mlflow.read_tools(document(span("LLM", 1, spanInputs=given))) == [Tool("weather")]
    assert mlflow.read_tools(document(span("CHAIN", 1, spanInputs=given))) == []


def test_lines_are_spans_and_a_trace_is_a_document() -> None:
    assert mlflow.joins_lines(MODEL)
    assert not mlflow.joins_lines(document(MODEL))


@pytest.mark.parametrize(
    "other",
    [
        {"info": {}, "data": {"spans": []}},
        {"data": {"spans": []}},
        {"info": {"trace_id": "x"}, "data": {}},
        [{"name": "x", "attributes": {"gen_ai.tool.name": "a"}}],
    ],
)
def test_other_documents_are_not_claimed(other: Any) -> None:
    assert not mlflow.recognizes(other)
