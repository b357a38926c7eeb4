"""What is read of OpenInference spans beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import NOT_CAPTURED, Tool
from callscore.formats.dialects import openinference
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

OUTPUT = "llm.output_messages.0.message"


def span(kind: str | None, attributes: Any, start: int = 0, **more: Any) -> dict[str, Any]:
    named = {} if kind is None else {"openinference.span.kind": kind}
    return {"name": "x", "start_time": start, "attributes": {**named, **attributes}, **more}


def call(id_: str, arguments: Any = '{"city": "Paris"}', message: int = 0) -> dict[str, Any]:
    prefix = f"llm.output_messages.{message}.message.tool_calls.0.tool_call"
    return {
        f"{prefix}.id": id_,
        f"{prefix}.function.name": "weather",
        f"{prefix}.function.arguments": arguments,
    }


def tool(attributes: Any, **more: Any) -> dict[str, Any]:
    return span("TOOL", {"tool.name": "weather", **attributes}, 1, **more)


def read(*spans: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = openinference.read(list(spans), options)
    return trace


def only(trace: Trace) -> Any:
    assert trace.calls is not None
    [made] = trace.calls
    return made


def test_the_result_and_the_failure_of_a_tool_are_attached() -> None:
    failed = {"status_code": "ERROR"}

    assert only(read(span("LLM", call("c1")), tool({"output.value": "18"}))).result == "18"
    assert only(read(span("LLM", call("c1")), tool({}, **failed))).failed is True
    assert only(read(span("LLM", call("c1")), tool({"tool_call.id": "c9"}))).failed is None


@pytest.mark.parametrize(
    "told",
    [
        {"message.content": "18"},
        {
            "message.contents.0.message_content.text": "18",
            "message.contents.1.message_content.image": "x",
        },
    ],
)
def test_the_next_model_is_told_the_result(told: Any) -> None:
    prefix = "llm.input_messages.1"
    given = {
        "llm.input_messages.0.message.role": "assistant",
        f"{prefix}.message.role": "tool",
        f"{prefix}.message.tool_call_id": "c1",
        **{f"{prefix}.{key}": value for key, value in told.items()},
    }

    assert only(read(span("LLM", call("c1")), span("LLM", given, 2))).result == "18"


def test_a_message_of_a_tool_can_be_empty() -> None:
    given = {
        "llm.input_messages.1.message.role": "tool",
        "llm.input_messages.1.message.name": "weather",
    }

    made = only(read(span("LLM", call("c1")), span("LLM", given, 2)))

    assert (made.result, made.failed) == (None, None)


def test_calls_in_what_a_model_was_given_are_not_its_own() -> None:
    given = {key.replace("output", "input"): value for key, value in call("c1").items()}

    assert read(span("LLM", {f"{OUTPUT}.content": "18 degrees.", **given})).calls == ()


def test_arguments_that_were_hidden_were_not_captured() -> None:
    made = only(read(span("LLM", call("c1", "__REDACTED__"))))

    assert made.error == NOT_CAPTURED


def test_arguments_that_are_not_there_are_none() -> None:
    attributes = call("c1")
    attributes.popitem()

    assert only(read(span("LLM", attributes))).arguments == {}


def test_broken_arguments_are_kept_as_they_are() -> None:
    made = only(read(span("LLM", call("c1", '{"city": '))))

    assert (made.arguments, made.raw, made.error) == (None, '{"city": ', "truncated_json")


def test_of_several_answers_one_is_taken_and_of_several_messages_all() -> None:
    both = {**call("c1"), **call("c2", message=1)}
    asked = {**both, "llm.invocation_parameters": '{"n": 2}'}

    assert len(read(span("LLM", both)).calls or ()) == 2
    assert only(read(span("LLM", asked))).id == "c1"
    assert only(read(span("LLM", asked), options=ReadOptions(candidate=1))).id == "c2"


def test_an_answer_without_messages_is_read_as_its_provider_gave_it() -> None:
    answer = '{"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "a", "input": {}}]}'

    assert only(read(span("LLM", {"output.value": answer}))).name == "a"


def test_messages_tell_a_model_where_no_kind_does() -> None:
    assert only(read(span(None, call("c1")))).id == "c1"


def test_the_calls_of_tools_are_taken_where_no_model_asked() -> None:
    trace = read(span("LLM", {}), tool({"input.value": '{"city": "Paris"}'}))

    assert trace.view == "executed"
    assert only(trace).arguments == {"city": "Paris"}


def test_both_views_are_there_to_choose_from() -> None:
    document = [span("LLM", call("c1")), tool({"input.value": '{"city": "Lyon"}'})]

    trace = read(*document, options=ReadOptions(view="executed"))

    assert trace.view == "executed"
    assert only(trace).arguments == {"city": "Lyon"}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ('{"city": "Paris"}', None),
        ("{}", None),
        ('{"properties": {"city": {}}}', NOT_CAPTURED),
        ('{"city": {"type": "string"}}', NOT_CAPTURED),
        (None, NOT_CAPTURED),
    ],
)
def test_parameters_are_arguments_where_they_are_no_schema(
    parameters: Any, expected: str | None
) -> None:
    assert only(read(tool({"tool.parameters": parameters}))).error == expected


def test_a_tool_without_a_name_has_that_of_its_span() -> None:
    assert only(read(span("TOOL", {"input.value": "{}"}))).name == "x"


def test_each_trace_is_a_run_and_knows_what_was_asked() -> None:
    def of(trace: str, asked: str) -> dict[str, Any]:
        context = {"trace_id": trace, "span_id": "s"}
        return span("LLM", {"input.value": asked, **call("c1")}, context=context)

    traces = openinference.read([of("t1", "One?"), of("t2", "Two?")], DEFAULT_READ_OPTIONS)

    assert [trace.input for trace in traces] == ["One?", "Two?"]


def test_the_question_is_not_what_a_tool_was_given() -> None:
    assert read(tool({"input.value": "{}"})).input is None


def test_tools_are_defined_in_the_invocation_where_nowhere_else() -> None:
    parameters = '{"tools": [{"type": "function", "function": {"name": "weather"}}]}'

    tools = openinference.read_tools([span("LLM", {"llm.invocation_parameters": parameters})])

    assert tools == [Tool("weather")]


def test_lines_are_spans() -> None:
    assert openinference.joins_lines(span("LLM", {}))
    assert not openinference.joins_lines({"messages": []})


@pytest.mark.parametrize(
    "document",
    [
        [span(None, {"gen_ai.output.messages": "[]"})],
        [span(None, {"ai.toolCall.name": "a", "openinference.span.kind": "TOOL"})],
        {"data": [{"type": "GENERATION", "startTime": "x", "output": {}}]},
        [{"role": "user", "content": "x"}],
    ],
)
def test_spans_in_other_words_are_not_claimed(document: Any) -> None:
    assert not openinference.recognizes(document)


@pytest.mark.parametrize(
    "attributes",
    [
        {"input.value": '{"input": {"n": 1}, "options": null}'},
        {"input.value": {"input": {"n": 1}, "options": {}}},
        {"input": '{"n": 1}'},
        {"tool.arguments": '{"n": 1}'},
        {"tool.parameters": '{"n": 1}'},
    ],
)
def test_the_arguments_of_a_tool_stand_in_many_places(attributes: dict[str, Any]) -> None:
    tool = {"openinference.span.kind": "TOOL", "tool.name": "ping", **attributes}
    span = {"name": "ping", "context": {"trace_id": "t", "span_id": "s"}, "attributes": tool}

    [trace] = openinference.read([span], DEFAULT_READ_OPTIONS)

    assert [(call.name, call.arguments) for call in trace.calls or ()] == [("ping", {"n": 1})]
