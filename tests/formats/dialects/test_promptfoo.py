"""promptfoo."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects.promptfoo import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

OPENAI = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
BLOCK = '{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}'


def row(output: Any = None, *, test: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "prompt": {"raw": "hi", "label": "x"},
        "vars": {"city": "Paris"},
        "response": {"output": output},
        "testCase": {"vars": {"city": "Paris"}} if test is None else test,
        "success": True,
        **more,
    }


def traces_of(document: Any) -> list[Trace]:
    assert recognizes(document)
    return read(document, DEFAULT_READ_OPTIONS)


def calls_in(output: Any) -> list[str]:
    (trace,) = traces_of(row(output))
    assert trace.calls is not None
    for call in trace.calls:
        assert call.arguments == {"a": 1}
    return [call.name for call in trace.calls]


@pytest.mark.parametrize(
    "output",
    [
        OPENAI,
        '[{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\\"a\\": 1}"}}]',
        {"role": "assistant", "content": "x", "tool_calls": OPENAI},
        BLOCK,
        f"Let me see.\n\n{BLOCK}",
        f"Let me see.\n\n[{BLOCK}]",
        [{"functionCall": {"name": "f", "args": {"a": 1}}}],
        {"functionCall": {"name": "f", "args": {"a": 1}}},
        '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>',
        "[f(a=1)]",
        {"name": "f", "arguments": {"a": 1}},
    ],
)
def test_an_output_is_whatever_the_provider_returned(output: Any) -> None:
    assert calls_in(output) == ["f"]


def test_objects_on_several_lines_are_several_calls() -> None:
    assert calls_in(f"Both:\n{BLOCK}\n\n{BLOCK.replace('c1', 'c2')}") == ["f", "f"]
    assert calls_in('First:\n{"name": "f", "arguments": {"a": 1}}\n{"other": 1}') == ["f"]


@pytest.mark.parametrize("output", ["Hello!", {"answer": 42}, [1, 2], [], 5, "{}", "{ not JSON"])
def test_an_output_without_a_call_calls_nothing(output: Any) -> None:
    assert calls_in(output) == []


def test_documents_in_a_list_are_read_one_by_one() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": OPENAI}

    assert calls_in([{"choices": [{"message": message}]}, {"answer": 42}]) == ["f"]


@pytest.mark.parametrize("response", [None, {"error": "API error: 500"}])
def test_a_provider_that_failed_was_not_run(response: Any) -> None:
    (trace,) = traces_of(row(error="API error", response=response))

    assert trace.calls is None


def test_a_result_has_the_numbers_of_its_test_and_prompt() -> None:
    (trace,) = traces_of(row(OPENAI, testIdx=4, promptIdx=1))

    assert (trace.id, trace.trial, trace.input) == ("4", 1, "hi")


@pytest.mark.parametrize(
    ("own", "found"), [("task-1", "task-1"), (7, "7"), ("", "0"), (None, "0"), (True, "0")]
)
def test_a_test_that_names_itself_keeps_its_name(own: Any, found: str) -> None:
    (trace,) = traces_of(row(OPENAI, test={"vars": {"id": own}}))

    assert trace.id == found


def test_an_older_result_without_a_test_case_has_its_position_and_its_variables() -> None:
    old = {**row(OPENAI, gradingResult=None), "prompt": "hi"}
    del old["testCase"]
    first, second = traces_of({"version": 2, "results": [old, old], "stats": {}})

    assert (first.id, second.id) == ("0", "1")
    assert (first.trial, first.input, first.expected) == (None, {"city": "Paris"}, None)


@pytest.mark.parametrize(
    ("assertions", "expected"),
    [
        ([{"type": "tool-call-f1", "value": ["f", "g"]}], (ToolCall("f"), ToolCall("g"))),
        ([{"type": "tool-call-f1", "value": "f, g"}], (ToolCall("f"), ToolCall("g"))),
        ([{"type": "is-json"}, {"type": "tool-call-f1", "value": ["f"]}], (ToolCall("f"),)),
        ([{"type": "not-tool-call-f1", "value": ["f"]}], None),
        ([{"type": "tool-call-f1", "value": "{{tools}}"}], None),
        ([{"type": "tool-call-f1", "value": "file://tools.json"}], None),
        ([{"type": "tool-call-f1", "value": ["f", 5]}], None),
        ([{"type": "tool-call-f1", "value": 5}], None),
        ([{"type": "tool-call-f1", "value": "f"}] * 2, None),
        ([], None),
        (None, None),
    ],
)
def test_the_tools_that_one_assertion_names_are_expected_with_any_arguments(
    assertions: Any, expected: Any
) -> None:
    (trace,) = traces_of(row(OPENAI, test={"assert": assertions}))

    assert trace.expected == expected


def test_a_table_has_one_run_a_cell() -> None:
    line = {
        "outputs": [{"text": BLOCK, "prompt": "hi"}, {"text": "Hello!"}, {}],
        "test": {"vars": {"city": "Paris"}, "assert": [{"type": "tool-call-f1", "value": "f"}]},
    }
    table = {"head": {"prompts": [], "vars": []}, "body": [line, {**line, "testIdx": 7}]}

    for document in (table, {"table": table}, {"results": {"table": table, "results": []}}):
        traces = traces_of(document)

        assert [(trace.id, trace.trial) for trace in traces] == [
            *(("0", 0), ("0", 1), ("0", 2)),
            *(("7", 0), ("7", 1), ("7", 2)),
        ]
        assert [len(trace.calls or ()) for trace in traces[:3]] == [1, 0, 0]
        assert (traces[0].input, traces[1].input) == ("hi", {"city": "Paris"})
        assert traces[2].calls is None
        assert traces[0].expected == (ToolCall("f"),)


@pytest.mark.parametrize(
    "provider",
    [
        {"id": "openai:x", "config": {"tools": [{"name": "f"}]}},
        {"openai:x": {"config": {"tools": [{"name": "f"}]}}},
    ],
)
def test_the_tools_are_those_of_the_providers(provider: Any) -> None:
    document = {"config": {"providers": [provider, "openai:y", {"config": {"tools": "file://x"}}]}}

    assert [tool.name for tool in read_tools(document)] == ["f"]
    assert read_tools({"config": {"providers": "openai:x"}}) == []


@pytest.mark.parametrize(
    "document",
    [
        {"results": []},
        {"results": {"results": []}},
        {"results": [{"vars": {}, "prompt": "x", "output": "y"}]},
        {"vars": {"a": 1}, "prompt": "x", "response": {}},
        {"head": {}, "body": []},
        [row(OPENAI)],
        "x",
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)


def test_what_is_something_else_has_no_runs() -> None:
    assert read("x", DEFAULT_READ_OPTIONS) == []
    assert read({"results": {"results": [5]}}, DEFAULT_READ_OPTIONS) == []


def test_a_row_can_have_no_variables() -> None:
    row = {"vars": {}, "prompt": {"raw": "?"}, "promptIdx": 0, "response": {"output": "."}}

    assert recognizes({"results": [row]})
    assert recognizes({"results": [{**row, "vars": None, "testCase": {"vars": {}}}]})
    assert not recognizes({"results": [{**row, "vars": None}]})


def test_the_calls_that_an_agent_lists_are_completed_by_those_of_its_output() -> None:
    listed = {"id": "a", "name": "ping", "input": {}, "output": "gone", "is_error": True}
    inner = {"id": "b", "name": "ping", "input": {}, "parentToolUseId": "a"}
    output = [
        {"id": id_, "type": "function", "function": {"name": "ping", "arguments": "{}"}}
        for id_ in ("b", "c")
    ]
    response = {"output": output, "metadata": {"toolCalls": [listed, inner]}}
    row = {"vars": {}, "prompt": {"raw": "?"}, "promptIdx": 0, "response": response}

    [trace] = read({"results": [row]}, DEFAULT_READ_OPTIONS)

    assert [(call.id, call.caller, call.result, call.failed) for call in trace.calls or ()] == [
        ("a", None, "gone", True),
        ("b", "subagent", None, None),
        ("c", None, None, None),
    ]
