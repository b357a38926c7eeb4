"""What is read of GenAI spans beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.call import NOT_CAPTURED, Tool
from callscore.formats.dialects import otel_genai
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

PARIS = {"city": "Paris"}


def as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def span(operation: str | None, attributes: Any, start: int = 0, **more: Any) -> dict[str, Any]:
    named = {} if operation is None else {"gen_ai.operation.name": operation}
    return {"name": "x", "start_time": start, "attributes": {**named, **attributes}, **more}


def part(id_: str | None = "c1", name: str = "weather", arguments: Any = None) -> dict[str, Any]:
    given = PARIS if arguments is None else arguments
    return {"type": "tool_call", "id": id_, "name": name, "arguments": given}


def says(*parts: Any) -> dict[str, Any]:
    return {"gen_ai.output.messages": as_json([{"role": "assistant", "parts": list(parts)}])}


def told(**fields: Any) -> dict[str, Any]:
    response = {"type": "tool_call_response", "id": "c1", **fields}
    return {"gen_ai.input.messages": as_json([{"role": "tool", "parts": [response]}])}


def tool(attributes: Any, start: int = 1, **more: Any) -> dict[str, Any]:
    return span("execute_tool", {"gen_ai.tool.name": "weather", **attributes}, start, **more)


def read(*spans: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = otel_genai.read(list(spans), options)
    return trace


def only(trace: Trace) -> Any:
    assert trace.calls is not None
    [made] = trace.calls
    return made


# --- views --------------------------------------------------------------------------------------


def test_what_models_asked_for_is_taken_and_the_agent_around_them_is_not() -> None:
    trace = read(
        span("invoke_agent", says(part()), id="a"),
        span("chat", says(part()), 1, parent_id="a", id="b"),
        tool({"gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "18"}, 2, parent_id="a"),
    )

    assert trace.view == "requested"
    assert (only(trace).result, only(trace).failed, only(trace).step) == ("18", False, 0)


def test_both_views_are_there_to_choose_from() -> None:
    trace = read(span("chat", says(part())), tool({}), options=ReadOptions(view="executed"))

    assert trace.view == "executed"
    assert only(trace).error == NOT_CAPTURED


def test_names_without_arguments_are_calls_whose_arguments_were_not_captured() -> None:
    trace = read(span("chat", {}), tool({}))

    assert trace.view == "executed"
    assert (only(trace).name, only(trace).arguments) == ("weather", None)
    assert only(trace).error == NOT_CAPTURED


def test_a_conversation_without_calls_has_none() -> None:
    trace = read(span("chat", {**says({"type": "text", "content": "Hi"}), **told(response="x")}))

    assert (trace.calls, trace.view) == ((), "requested")


def test_each_trace_is_a_run() -> None:
    traces = otel_genai.read(
        [
            span("chat", says(part("c2")), 5, trace_id="t2"),
            span("chat", says(part("c1")), 1, trace_id="t1"),
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert [only(trace).id for trace in traces] == ["c1", "c2"]


def test_what_was_asked_is_known() -> None:
    asked = as_json([{"role": "user", "parts": [{"type": "text", "content": "Weather?"}]}])

    assert read(span("chat", {"gen_ai.input.messages": asked})).input == "Weather?"


# --- what any-agent has not captured ------------------------------------------------------------


def asked(name: str, arguments: Any) -> dict[str, Any]:
    given = as_json([{"tool.name": name, "tool.args": arguments}])
    return span("call_llm", {"gen_ai.output": given})


def test_empty_arguments_were_not_captured_where_the_tools_had_some() -> None:
    trace = read(asked("weather", "{}"), tool({"gen_ai.tool.args": as_json(PARIS)}))

    assert trace.view == "executed"
    assert only(trace).arguments == PARIS


@pytest.mark.parametrize(
    "spans",
    [
        [asked("weather", "{}"), tool({"gen_ai.tool.args": "{}"})],
        [asked("weather", "{}"), tool({"gen_ai.tool.args": '{"a": 1}', "gen_ai.tool.name": "b"})],
        [asked("weather", {"a": 1}), tool({"gen_ai.tool.args": '{"a": 2}'})],
    ],
)
def test_otherwise_arguments_are_what_they_are(spans: Any) -> None:
    trace = read(*spans)

    assert trace.view == "requested"
    assert only(trace).error is None


def test_an_answer_of_any_agent_can_be_text() -> None:
    assert read(span("call_llm", {"gen_ai.output": "Done."})).calls == ()
    assert read(span("call_llm", {"gen_ai.output": '[{"steps": 2}]'})).calls == ()


# --- answers in other places --------------------------------------------------------------------


def choice(index: int | None, *names: str) -> dict[str, Any]:
    calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for name in names
    ]
    body = {"index": index, "message": {"role": "assistant", "tool_calls": calls}}
    return {"name": "gen_ai.choice", "attributes": {"gen_ai.event.content": as_json(body)}}


def test_of_several_choices_one_is_taken() -> None:
    document = span("chat", {}, events=[choice(0, "a"), choice(1, "b")])

    assert only(read(document)).name == "a"
    assert only(read(document, options=ReadOptions(candidate=1))).name == "b"


def test_choices_without_an_index_are_parts_of_one() -> None:
    calls = read(span("chat", {}, events=[choice(None, "a"), choice(None, "b")])).calls

    assert [made.name for made in calls or ()] == ["a", "b"]


def test_a_choice_can_be_without_the_word_for_its_message() -> None:
    function = {"name": "a", "arguments": {"x": 1}}
    event = {"event.name": "gen_ai.choice", "tool_calls": [{"id": "c1", "function": function}]}

    assert only(read(span("chat", {"events": as_json([event])}))).arguments == {"x": 1}


def test_a_choice_without_calls_has_none() -> None:
    event = {"name": "gen_ai.choice", "attributes": {"message": "Done."}}

    assert read(span("chat", {}, events=[event])).calls == ()


@pytest.mark.parametrize("key", ["gen_ai.completion", "response_data"])
def test_an_answer_is_read_as_its_provider_gave_it(key: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "a", "arguments": "{}"}}
    answer = {"role": "assistant", "content": None, "tool_calls": [call]}

    assert only(read(span("chat", {key: as_json(answer)}))).name == "a"


def test_of_several_answers_one_is_taken() -> None:
    messages = [{"role": "assistant", "parts": [part(id_)]} for id_ in ("c1", "c2")]
    attributes = {"gen_ai.output.messages": as_json(messages)}
    several = {**attributes, "gen_ai.request.choice.count": 2}

    assert len(read(span("chat", attributes)).calls or ()) == 2
    assert only(read(span("chat", several), options=ReadOptions(candidate=1))).id == "c2"
    assert read(span("chat", {**several, "gen_ai.output.messages": "Hi"})).calls == ()


# --- results ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        told(response="18"),
        told(result="18"),
        {"gen_ai.prompt": as_json([{"role": "tool", "tool_call_id": "c1", "content": "18"}])},
    ],
)
def test_the_next_model_is_told_the_result(given: Any) -> None:
    assert only(read(span("chat", says(part())), span("chat", given, 1))).result == "18"


def event(name: str, **attributes: Any) -> dict[str, Any]:
    return {"name": name, "attributes": attributes}


@pytest.mark.parametrize(
    "events",
    [
        [event("gen_ai.tool.message", id="c1", content="18")],
        [event("gen_ai.client.inference.operation.details", **told(response="18"))],
        [event("gen_ai.user.message", content="x"), event("gen_ai.tool.message", content="18")],
    ],
)
def test_the_next_model_is_told_the_result_in_an_event(events: Any) -> None:
    assert only(read(span("chat", says(part())), span("chat", {}, 1, events=events))).result == "18"


def test_strands_tells_several_results_at_once() -> None:
    results = [
        {"toolResult": {"toolUseId": "c2", "status": "error", "content": "gone"}},
        {"toolResult": {"toolUseId": "c1", "status": "success", "content": "18"}},
    ]
    events = [event("gen_ai.tool.message", content=as_json(results))]

    first, second = read(
        span("chat", says(part("c1"), part("c2"))), span("chat", {}, 1, events=events)
    ).calls or (None, None)

    assert first
    assert second
    assert (first.result, first.failed) == ("18", False)
    assert (second.result, second.failed) == ("gone", True)


@pytest.mark.parametrize(
    "more",
    [
        {"attributes": {"gen_ai.tool.name": "weather", "error.type": "timeout"}},
        {"attributes": {"gen_ai.tool.name": "weather", "gen_ai.tool.status": "error"}},
        {"status": {"status_code": "ERROR"}},
    ],
)
def test_a_tool_can_have_failed(more: Any) -> None:
    assert only(read({**tool({}), **more})).failed is True


def test_what_was_wrong_is_the_result_where_there_is_no_other() -> None:
    wrong = event("exception", **{"exception.message": "gone"})

    assert only(read(tool({}, events=[wrong]))).result == "gone"


def test_a_tool_without_a_name_has_that_of_its_span() -> None:
    document = span("execute_tool", {}) | {"name": "execute_tool weather"}

    assert only(read(document)).name == "weather"


def test_the_span_of_an_agent_is_no_tool_for_having_the_name_of_one() -> None:
    assert read(span("invoke_agent", {"gen_ai.tool.name": "weather"})).calls == ()


# --- definitions, lines and look-alikes ---------------------------------------------------------


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.tool.definitions": '[{"type": "function", "name": "a"}]'},
        {"gen_ai.tool.definitions": [{"type": "function", "name": "a"}]},
        {"gen_ai.tool.name": "a", "gen_ai.tool.json_schema": None},
        {"model_request_parameters": {"function_tools": [], "output_tools": [{"name": "a"}]}},
        {"request_data": '{"tools": [{"function": {"name": "a"}}]}'},
        {
            "gcp.vertex.agent.llm_request": as_json(
                {"config": {"tools": [{"function_declarations": [{"name": "a"}]}]}}
            )
        },
    ],
)
def test_definitions_are_found_where_each_stack_has_them(attributes: Any) -> None:
    assert otel_genai.read_tools([span("chat", attributes)]) == [Tool("a")]


def test_lines_are_spans_or_batches_of_spans() -> None:
    assert otel_genai.joins_lines(span("chat", {}))
    assert otel_genai.joins_lines({"resourceSpans": []})
    assert not otel_genai.joins_lines([span("chat", {})])


@pytest.mark.parametrize(
    "document",
    [
        [span(None, {"openinference.span.kind": "LLM"})],
        [span("chat", {"gen_ai.completion.0.role": "assistant"})],
        [span("chat", {"mlflow.spanType": '"LLM"'})],
        [{"name": "x", "attributes": {"color": "red"}}],
        {"messages": []},
    ],
)
def test_spans_in_other_words_are_not_claimed(document: Any) -> None:
    assert not otel_genai.recognizes(document)
