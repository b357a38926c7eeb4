"""Plain calls."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.call import ToolCall
from callscore.errors import InvalidCall
from callscore.formats.dialects.generic import is_call, joins_lines, read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

NAMES = ("name", "tool", "toolName", "tool_name", "function_name", "function")
ARGUMENTS = (
    *("arguments", "args", "input", "parameters", "kwargs", "tool_input", "tool_kwargs"),
    *("tool_args", "input_parameters", "params"),
)
F = {"name": "f", "arguments": {"a": 1}}


def trace_of(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    assert recognizes(document)
    (trace,) = read(document, options)
    return trace


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize("value", [{"a": 1}, '{"a": 1}'])
def test_every_pair_of_keys_is_a_call(name: str, arguments: str, value: Any) -> None:
    call = {name: "get_time", arguments: value}

    assert trace_of(call).calls == (ToolCall("get_time", {"a": 1}),)
    assert trace_of([call, call]).calls == (ToolCall("get_time", {"a": 1}),) * 2
    assert joins_lines(call)


@pytest.mark.parametrize("key", ["calls", "tool_calls", "toolCalls"])
def test_calls_may_stand_under_a_name_that_says_so(key: str) -> None:
    trace = trace_of({"id": "task-1", "input": "hi", key: [F]})

    assert trace == Trace(calls=(ToolCall("f", {"a": 1}),), id="task-1", input="hi")
    assert not joins_lines({"id": "task-1", key: [F]})


@pytest.mark.parametrize("document", [{"calls": []}, {"tool_calls": None}, {"toolCalls": []}])
def test_no_calls_under_such_a_name_are_an_answer(document: Any) -> None:
    assert trace_of(document).calls == ()


@pytest.mark.parametrize(("given", "kept"), [(7, "7"), (None, None), (True, None), ([], None)])
def test_the_id_of_a_task_is_text_or_a_number(given: Any, kept: str | None) -> None:
    assert trace_of({"id": given, "calls": [F]}).id == kept


def test_the_id_of_a_call_is_not_that_of_a_task() -> None:
    trace = trace_of({"id": "c1", **F})

    assert trace.id is None
    assert trace.calls == (ToolCall("f", {"a": 1}, id="c1"),)


def test_a_name_alone_is_a_call_beside_others_or_with_what_only_a_call_has() -> None:
    assert trace_of([F, {"tool": "g"}]).calls == (ToolCall("f", {"a": 1}), ToolCall("g", {}))
    assert trace_of({"tool": "g", "step": 0}).calls == (ToolCall("g", {}, step=0),)
    assert trace_of([{"name": "g", "id": "c1"}]).calls == (ToolCall("g", {}, id="c1"),)
    assert not recognizes({"name": "g"})
    assert not recognizes([{"name": "g"}, {"name": "h"}])


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("f", {"a": 1}, id="c1", step=2, result="fine", failed=False),
        ToolCall("f", {}, result={"x": 1}),
        ToolCall("f", raw="{oops", error="invalid_json"),
        ToolCall("f", error="not_captured", kind="hosted"),
        ToolCall("f", {"0": 1}, positional=True, caller="code", warning="double_encoded"),
        ToolCall("", {}),
    ],
)
def test_a_call_that_was_written_down_is_read_back(call: ToolCall) -> None:
    line = {"name": call.name, "arguments": call.arguments, **msgspec.to_builtins(call)}

    assert joins_lines(line)
    assert trace_of([line]).calls == (call,)


def test_a_result_tells_whether_the_call_failed() -> None:
    calls = [
        {**F, "result": "Error: no"},
        {**F, "result": "fine"},
        {**F, "result": "Error", "failed": False},
    ]

    trace = trace_of(calls)

    assert [call.failed for call in trace.calls or ()] == [True, False, False]


def test_calls_that_name_their_cases_are_runs_of_these() -> None:
    lines = [
        {**F, "case": "a", "trial": 0},
        {**F, "case": "a", "trial": 1},
        {"name": "g", "arguments": {}, "case": "b"},
        {"name": "h", "arguments": {}, "case": "a", "trial": 0},
        {"name": "i", "case": 7},
    ]
    assert recognizes(lines)

    traces = read(lines, DEFAULT_READ_OPTIONS)

    assert [(trace.id, trace.trial) for trace in traces] == [
        *(("a", 0), ("a", 1)),
        *(("b", None), ("7", None)),
    ]
    assert traces[0].calls == (ToolCall("f", {"a": 1}), ToolCall("h", {}))


def test_a_function_may_be_nested() -> None:
    call = {"id": "c1", "function": {"name": "f", "arguments": "{}"}}

    assert trace_of([call]).calls == (ToolCall("f", {}, id="c1"),)


@pytest.mark.parametrize(
    "document",
    [
        {"name": "f", "parameters": {"type": "object", "properties": {}}},
        {"name": "f", "description": "d", "parameters": {}},
        {"name": "f", "input_schema": {"type": "object"}},
        {"name": "Ana", "input": "hello"},
        {"name": "Ana", "args": ["x"]},
        {"name": 5, "arguments": {}},
        {"arguments": {}},
        {"name": "renders a button", "input": {"label": "OK"}},
        {"name": "button", "input": {"label": "OK"}, "expected": "<button>"},
        {"name": "email", "input": {"label": "OK"}, "type": "text"},
        {"name": "Button", "input": "{children}"},
        {"name": "Button", "input": "{'label': 'OK'}"},
        {"function": {"name": "f"}},
        {"function": {"arguments": "{}"}},
        {"calls": 3},
        {"calls": None},
        {"tool_calls": ["f"]},
        {"tool_calls": [{"x": 1}]},
        [F, {"x": 1}],
        [F, "f"],
        ["f"],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)
    assert not joins_lines(document)


@pytest.mark.parametrize(
    "more", [{"output": "x"}, {"id": "c"}, {"type": "tool_use"}, {"status": "ok", "duration": 1}]
)
def test_a_name_with_an_input_is_a_call_if_nothing_else_is_foreign(more: Any) -> None:
    assert trace_of([{"name": "get_time", "input": {"a": 1}, **more}]).calls is not None
    assert recognizes([{"tool": "f", "input": {"a": 1}, **more, "anything": 1}])
    assert recognizes([{"name": "get_time", "input": '{"a": '}])  # arguments that break off


@pytest.mark.parametrize("name", ["Button", "basic", "with-icon", "menu_item", "case_1", "f"])
@pytest.mark.parametrize("more", [{}, {"id": 1}, {"output": "<b>"}, {"result": "x", "error": None}])
def test_a_name_with_an_input_is_a_fixture_unless_it_is_that_of_a_function(
    name: str, more: Any
) -> None:
    fixture = {"name": name, "input": {"label": "x"}, **more}

    assert not recognizes([fixture, fixture])
    assert not joins_lines(fixture)
    assert recognizes([{**fixture, "tool_call_id": "1"}])
    assert recognizes({"tool_calls": [fixture]})


@pytest.mark.parametrize(
    "document",
    [
        [{"get_weather": {"city": "Paris"}}, {"sort": {}}],
        [{"math.sqrt": {"x": 2}}],
        [{"getWeather": {}}, {"getWeather": '{"city": "Paris"}'}],
        [{"flight_search": {"to": "Paris"}}],
        [{"book_flight": {"to": "Paris"}}],
    ],
)
def test_a_function_may_be_the_key_of_its_arguments(document: Any) -> None:
    found = [(call.name, call.arguments) for call in trace_of(document).calls or ()]

    assert [name for name, _ in found] == [name for item in document for name in item]
    assert all(isinstance(arguments, dict) for _, arguments in found)


@pytest.mark.parametrize(
    "document",
    [
        [{"user": {"id": 1}}],
        [{"user_info": {"id": 1}}],
        [{"search_result": {"id": 1}}],
        [{"functionCall": {"name": "f", "args": {"a": 1}}}],
        [{"get_call": {"name": "f", "arguments": {}}}],
        [{"package.json": {"id": 1}}],
        [{"get_weather": {"type": "object", "properties": {}}}],
        [{"get_weather": 5}],
        [{"get_weather": {}}, {"x": 1, "y": 2}],
        [{"get weather": {}}],
        [{"get_weather": "Paris"}],
        {"get_weather": {"city": "Paris"}},
    ],
)
def test_other_objects_with_one_key_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)


def test_a_function_of_any_name_is_read_if_the_format_is_named() -> None:
    (trace,) = read([{"sort": {"file": "a"}}], DEFAULT_READ_OPTIONS)

    assert trace.calls == (ToolCall("sort", {"file": "a"}),)


@pytest.mark.parametrize("document", ["x", 5, {"calls": "x"}, {"calls": 5}, [5], {"x": 1}])
def test_what_is_no_call_is_refused_with_a_sentence(document: Any) -> None:
    with pytest.raises(InvalidCall, match="call"):
        read(document, DEFAULT_READ_OPTIONS)


def test_arguments_under_two_names_are_refused() -> None:
    document = {"tool": "f", "args": {"a": 1}, "input": {"a": 2}}
    assert is_call(document)

    with pytest.raises(InvalidCall, match="'args' and 'input' are the same field"):
        read(document, DEFAULT_READ_OPTIONS)
