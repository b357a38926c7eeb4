"""What is read of OpenLLMetry spans beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.formats.dialects import openllmetry
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace


def span(attributes: Any, start: int = 0, **more: Any) -> dict[str, Any]:
    return {"name": "x", "start_time": start, "attributes": attributes, **more}


def call(id_: str, arguments: Any = "{}", completion: int = 0) -> dict[str, Any]:
    prefix = f"gen_ai.completion.{completion}.tool_calls.0"
    return {f"{prefix}.id": id_, f"{prefix}.name": "weather", f"{prefix}.arguments": arguments}


def tool(attributes: Any, **more: Any) -> dict[str, Any]:
    kind = {"traceloop.span.kind": "tool", "traceloop.entity.name": "weather"}
    return span({**kind, **attributes}, 1, **more)


def read(*spans: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = openllmetry.read(list(spans), options)
    return trace


def only(trace: Trace) -> Any:
    assert trace.calls is not None
    [made] = trace.calls
    return made


def test_of_several_answers_one_is_taken() -> None:
    both = span({**call("c1"), **call("c2", completion=1)})

    assert only(read(both)).id == "c1"
    assert only(read(both, options=ReadOptions(candidate=1))).id == "c2"


def test_answers_can_be_one_attribute_of_json() -> None:
    made = {"id": "c1", "name": "weather", "arguments": "{}"}
    answers = [{"role": "assistant", "tool_calls": [made, 3]}, "Hi"]
    both = span({"gen_ai.completion": msgspec.json.encode(answers).decode()})

    calls = read(both).calls or ()

    assert [(call.name, call.id) for call in calls] == [("weather", "c1"), ("", None)]
    assert read(both, options=ReadOptions(candidate=1)).calls == ()


def test_an_answer_without_calls_has_none() -> None:
    answer = span({"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Hi"})

    assert read(answer).calls == ()


def test_broken_arguments_are_kept_as_they_are() -> None:
    made = only(read(span(call("c1", "{broken"))))

    assert (made.arguments, made.raw, made.error) == (None, "{broken", "invalid_json")


def test_the_next_model_is_told_the_result() -> None:
    told = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.1.role": "tool",
        "gen_ai.prompt.1.content": "Error: gone",
        "gen_ai.prompt.1.tool_call_id": "c1",
        "gen_ai.completion.0.role": "assistant",
    }

    made = only(read(span(call("c1")), span(told, 2)))

    assert (made.result, made.failed, made.step) == ("Error: gone", True, 0)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"traceloop.entity.output": '"18"'}, "18"),
        ({"traceloop.entity.output": '{"output": "18", "kwargs": {}}'}, "18"),
        ({"traceloop.entity.output": '{"output": {"kwargs": {"content": "18"}}}'}, "18"),
        ({"traceloop.entity.output": '{"celsius": 18}'}, {"celsius": 18}),
        ({}, None),
    ],
)
def test_the_result_of_a_tool_is_attached(attributes: Any, expected: Any) -> None:
    assert only(read(span(call("c1")), tool(attributes))).result == expected


def test_a_tool_can_have_failed() -> None:
    events = [{"name": "exception", "attributes": {"exception.message": "gone"}}]

    made = only(read(tool({}, status={"status_code": "ERROR"}, events=events)))

    assert (made.result, made.failed) == ("gone", True)


def test_both_views_are_there_to_choose_from() -> None:
    given = tool({"traceloop.entity.input": '{"inputs": {"city": "Lyon"}, "tags": []}'})

    trace = read(span(call("c1")), given, options=ReadOptions(view="executed"))

    assert trace.view == "executed"
    assert only(trace).arguments == {"city": "Lyon"}


def test_a_tool_without_a_name_has_that_of_its_span() -> None:
    assert only(read(span({"traceloop.span.kind": "tool"}))).name == "x"


def test_each_trace_is_a_run() -> None:
    document = [span(call("c1"), trace_id="a"), span(call("c1"), trace_id="b")]

    assert len(openllmetry.read(document, DEFAULT_READ_OPTIONS)) == 2


def test_lines_are_spans() -> None:
    assert openllmetry.joins_lines(span(call("c1")))
    assert not openllmetry.joins_lines({"role": "user"})


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.completion": "Hi", "gen_ai.operation.name": "chat"},
        {"gen_ai.output.messages": "[]", "traceloop.span.kind": "tool"},
        {"llm.output_messages.0.message.role": "assistant", "llm.request.type": "chat"},
    ],
)
def test_spans_in_other_words_are_not_claimed(attributes: Any) -> None:
    assert not openllmetry.recognizes([span(attributes)])
