"""What is read of Langfuse observations beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.call import Tool
from callscore.formats.dialects import langfuse
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

PARIS = {"city": "Paris"}
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
ANSWER = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def item(kind: str, start: int, name: str = "weather", **more: Any) -> dict[str, Any]:
    moment = f"2026-01-01T09:00:{start:02}.000Z"
    return {"id": str(start), "type": kind, "name": name, "startTime": moment, **more}


def read(*items: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = langfuse.read({"data": list(items)}, options)
    return trace


def only(trace: Trace) -> Any:
    assert trace.calls is not None
    [made] = trace.calls
    return made


MODEL = item("GENERATION", 1, output=ANSWER)


# --- results ------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["18", '"18"'])
def test_the_result_of_a_tool_is_attached(output: str) -> None:
    made = only(read(item("TOOL", 2, input="{}", output=output), MODEL))

    assert str(made.result) == "18"
    assert (made.id, made.step) == ("c1", 0)


def test_a_tool_can_have_failed() -> None:
    failed = item("TOOL", 2, level="ERROR", statusMessage="gone")

    made = only(read(MODEL, failed))

    assert (made.result, made.failed) == ("gone", True)


def test_the_next_model_is_told_the_result() -> None:
    told = [{"role": "tool", "tool_call_id": "c1", "content": "18"}]

    assert only(read(MODEL, item("GENERATION", 2, input=told, output="Done."))).result == "18"


def test_a_tool_of_langchain_is_told_by_what_it_gives_back() -> None:
    message = {"type": "tool", "content": "gone", "tool_call_id": "c1", "status": "error"}
    document = [MODEL, item("SPAN", 2, "other", output=message), item("SPAN", 3, output="x")]

    made = only(read(*document))

    assert (made.result, made.failed) == ("gone", True)


@pytest.mark.parametrize(
    "output",
    [None, 3, {"messages": []}, '{"tool_call_id": "c1", "type": "ai"}', '"tool_call_id"'],
)
def test_other_spans_are_no_tools(output: Any) -> None:
    assert read(item("SPAN", 2, output=output)).calls == ()


def test_a_span_is_a_tool_where_its_attributes_say_so() -> None:
    attributes = {"gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "c1"}
    done = item("SPAN", 2, "x", input=PARIS, output="18", metadata={"attributes": attributes})

    assert only(read(MODEL, done)).result == 18
    assert only(read(done)).arguments == PARIS


# --- what a tool was given ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"input": PARIS},
        {"input": as_json(PARIS)},
        {"input": {"input": PARIS}},
        {"input": "{'city': 'Paris'}", "metadata": {"inputs": PARIS}},
        {"input": "{}", "metadata": {"attributes": {"ai.toolCall.args": as_json(PARIS)}}},
    ],
)
def test_the_arguments_of_a_tool_are_found(given: Any) -> None:
    trace = read(item("TOOL", 1, **given))

    assert trace.view == "executed"
    assert (only(trace).arguments, only(trace).warning) == (PARIS, None)


def test_an_input_that_is_called_input_is_an_argument_where_it_is_no_object() -> None:
    assert only(read(item("TOOL", 1, input={"input": "Paris"}))).arguments == {"input": "Paris"}


def test_what_python_has_written_is_read_with_a_warning() -> None:
    made = only(read(item("TOOL", 1, input="{'city': 'Paris'}")))

    assert (made.arguments, made.warning) == (PARIS, "python_repr")


# --- models -------------------------------------------------------------------------------------


def test_generations_within_generations_are_counted_once() -> None:
    inner = item("GENERATION", 2, output=ANSWER, parentObservationId="1")

    assert only(read(MODEL, inner)).id == "c1"


def test_the_calls_that_langfuse_has_found_are_taken_where_the_answer_has_none() -> None:
    found: Any = {
        "toolCalls": [as_json({"id": "c1", "arguments": "{}"})],
        "toolCallNames": ["weather"],
    }

    assert only(read(item("GENERATION", 1, output="cut short", **found))).id == "c1"
    assert only(read(item("GENERATION", 1, **found))).id == "c1"
    assert only(read(item("GENERATION", 1, output=ANSWER, **found))).id == "c1"


def test_both_views_are_there_to_choose_from() -> None:
    trace = read(MODEL, item("TOOL", 2, input=PARIS), options=ReadOptions(view="executed"))

    assert trace.view == "executed"
    assert only(trace).arguments == PARIS


def test_each_trace_is_a_run() -> None:
    traces = langfuse.read([MODEL | {"traceId": name} for name in ("a", "b")], DEFAULT_READ_OPTIONS)

    assert [len(trace.calls or ()) for trace in traces] == [1, 1]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"trace": {"input": '"{\\"q\\": 1}"'}, "observations": [MODEL]}, {"q": 1}),
        ({"input": "Hi", "observations": [MODEL]}, "Hi"),
        ({"input": "Hi", "observations": []}, "Hi"),
        ({"data": [item("AGENT", 0, input="Hi"), MODEL]}, "Hi"),
        ({"data": []}, None),
        (MODEL, None),
    ],
)
def test_what_was_asked_is_known(document: Any, expected: Any) -> None:
    assert langfuse.read(document, DEFAULT_READ_OPTIONS)[0].input == expected


# --- definitions, lines and look-alikes ---------------------------------------------------------

DEFINED = {"type": "function", "function": {"name": "weather"}}


@pytest.mark.parametrize(
    "more",
    [
        {"input": {"tools": [DEFINED]}},
        {"input": {"config": {"tools": [{"function_declarations": [{"name": "weather"}]}]}}},
        {"input": [{"role": "tool", "content": DEFINED}, {"role": "tool", "content": "18"}]},
        {"metadata": {"tools": [as_json(DEFINED)]}},
        {"metadata": {"attributes": {"llm.tools.0.tool.json_schema": as_json(DEFINED)}}},
        {"metadata": {"attributes": {"gen_ai.tool.definitions": as_json([DEFINED])}}},
        {"output": {"object": "response", "output": [], "tools": [{"name": "weather"}]}},
        {"toolDefinitions": {"weather": "{}"}},
    ],
)
def test_definitions_are_found_wherever_they_stand(more: Any) -> None:
    assert langfuse.read_tools([item("GENERATION", 1, **more)]) == [Tool("weather")]


def test_there_can_be_no_definitions() -> None:
    assert langfuse.read_tools([MODEL, item("TOOL", 2, input={"tools": [DEFINED]})]) == []


def test_lines_are_observations() -> None:
    assert langfuse.joins_lines(MODEL)
    assert not langfuse.joins_lines({"trace": {}, "observations": [MODEL]})


@pytest.mark.parametrize(
    "document",
    [
        {"data": [{"id": "1", "type": "GENERATION"}]},
        {"data": [{"type": "function", "output": 3}]},
        {"data": [{"id": "1", "observations": ["a", "b"]}]},
        {"observations": []},
        [MODEL, {"role": "user"}],
        [{"type": ["SPAN"], "output": 3}],
    ],
)
def test_other_documents_are_not_claimed(document: Any) -> None:
    assert not langfuse.recognizes(document)


# --- calls that are written more than once, or in one place only --------------------------------


def test_a_downloaded_trace_has_each_observation_twice() -> None:
    items = [MODEL, item("TOOL", 2, input="{}", output="18")]

    for document in (
        {"trace": {"observations": items}, "observations": items},
        {"trace": {"observations": items}},
        {"data": {"observations": items}},
    ):
        assert langfuse.recognizes(document)
        [trace] = langfuse.read(document, DEFAULT_READ_OPTIONS)
        assert only(trace).result == 18


@pytest.mark.parametrize(
    "where",
    [
        {"metadata": {"attributes": {"tool.parameters": as_json(PARIS)}}},
        {"metadata": {"attributes": {"input": as_json(PARIS)}}},
        {"metadata": {"attributes": {"input.value": as_json({"input": PARIS, "options": None})}}},
        {"input": as_json({"input": PARIS, "options": {}})},
        {"input": {"input": PARIS}},
    ],
)
def test_the_arguments_of_a_tool_stand_in_many_places(where: Any) -> None:
    assert only(read(item("TOOL", 2, **where))).arguments == PARIS


def test_a_tool_that_ran_for_an_answer_that_was_not_recorded_was_requested() -> None:
    ran = item("TOOL", 2, input="{}", output="18")
    unknown, plain = item("GENERATION", 3, output=None), item("GENERATION", 5, output="Done.")
    other, by_code = item("TOOL", 4, "search", input="{}"), item("TOOL", 6, "log", input="{}")
    last = item("GENERATION", 7, output=ANSWER)

    trace = read(MODEL, ran, unknown, other, plain, by_code, last)
    requested = read(MODEL, ran, unknown, other, options=ReadOptions(view="requested"))

    assert [(call.name, call.step) for call in trace.calls or ()] == [
        ("weather", 0),
        ("search", 1),
        ("weather", 2),
    ]
    assert [call.name for call in requested.calls or ()] == ["weather"]


def test_a_tool_of_another_name_may_be_one_that_was_requested() -> None:
    unknown = item("GENERATION", 2, output=None)

    assert only(read(MODEL, unknown, item("TOOL", 3, "get_weather", input="{}"))).name == "weather"


def test_the_requests_of_an_sdk_create_observations_and_update_them() -> None:
    def event(kind: str, **body: Any) -> dict[str, Any]:
        return {"id": "e", "type": kind, "timestamp": "2026-01-01", "body": body}

    time = "2026-01-01T09:00:00Z"
    lines = [
        {
            "batch": [
                event("trace-create", id="t"),
                event("generation-create", id="g", traceId="t", startTime=time, input="?"),
                event("observation-create", id="o", traceId="t", type="TOOL", name="weather"),
                event("sdk-log", log="x"),
            ]
        },
        {"batch": [event("generation-update", id="g", output=ANSWER, input=None), 3]},
        {"batch": [event("observation-update", id="o", type="TOOL", input={}, output="18")]},
    ]

    assert langfuse.recognizes(lines)
    assert langfuse.recognizes(lines[0])
    assert langfuse.joins_lines(lines[1])
    [trace] = langfuse.read(lines, DEFAULT_READ_OPTIONS)
    assert (only(trace).id, only(trace).result) == ("c1", 18)
    assert not langfuse.recognizes({"batch": [{"type": "generation-create"}]})


def test_calls_that_langfuse_lists_complete_those_of_the_output() -> None:
    listed = [as_json({"id": "c1", "arguments": "{}"}), as_json({"id": "c2", "arguments": "{}"})]
    names = ["weather", "search", "gone"]

    both = read(item("GENERATION", 1, output=ANSWER, toolCalls=listed, toolCallNames=names))
    alone = read(item("GENERATION", 1, output="", toolCalls=listed, toolCallNames=names))

    assert [(call.name, call.id) for call in both.calls or ()] == [
        ("weather", "c1"),
        ("search", "c2"),
    ]
    assert [(call.name, call.error) for call in alone.calls or ()] == [
        ("weather", None),
        ("search", None),
        ("gone", "not_captured"),
    ]


def test_a_list_can_have_traces_with_their_observations() -> None:
    document = {"data": [{"id": "t", "observations": [MODEL]}, {"id": "u", "observations": ["x"]}]}

    assert langfuse.recognizes(document)
    assert [len(trace.calls or ()) for trace in langfuse.read(document, DEFAULT_READ_OPTIONS)] == [
        1
    ]
