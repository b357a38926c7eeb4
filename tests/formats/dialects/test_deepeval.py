"""DeepEval."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects.deepeval import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

F = {"name": "f", "input_parameters": {"a": 1}}


def traces_of(document: Any) -> list[Trace]:
    assert recognizes(document)
    return read(document, DEFAULT_READ_OPTIONS)


def test_a_test_case_has_both_sides_a_name_and_an_input() -> None:
    (trace,) = traces_of({"name": "t", "input": "hi", "tools_called": [F], "expected_tools": []})

    assert trace == Trace(calls=(ToolCall("f", {"a": 1}),), expected=(), id="t", input="hi")


def test_aliases_mean_the_same() -> None:
    call = {"name": "f", "inputParameters": {"a": 1}}
    (trace,) = traces_of({"input": "hi", "toolsCalled": [call], "expectedTools": [call]})

    assert trace.calls == trace.expected == (ToolCall("f", {"a": 1}),)


def test_each_call_keeps_its_own_output() -> None:
    calls = [{"name": "f"}, {"name": "g", "output": "Error: no"}, {"name": "h", "output": {"x": 1}}]
    (trace,) = traces_of({"input": "hi", "tools_called": calls})

    assert trace.calls == (
        ToolCall("f", {}),
        ToolCall("g", {}, result="Error: no", failed=True),
        ToolCall("h", {}, result={"x": 1}),
    )
    assert trace.expected is None


def test_calls_over_mcp_are_of_that_kind_and_say_whether_they_failed() -> None:
    content = [{"type": "text", "text": "fine"}]
    called = [
        {"name": "f", "args": {"a": 1}, "result": {"content": content, "isError": True}},
        {"name": "g", "args": {}, "result": "fine"},
    ]
    (trace,) = traces_of({"input": "hi", "mcpToolsCalled": called})

    assert trace.calls == (
        ToolCall("f", {"a": 1}, result=content, failed=True, kind="mcp"),
        ToolCall("g", {}, result="fine", failed=False, kind="mcp"),
    )


def test_a_golden_without_an_output_was_not_run() -> None:
    golden = {"input": "hi", "actual_output": None, "tools_called": None, "expected_tools": [F]}
    run = {**golden, "actual_output": "ho"}

    assert traces_of(golden)[0].calls is None
    assert traces_of(run)[0].calls == ()


def test_the_turns_of_a_conversation_are_steps() -> None:
    turns = [
        {"role": "user", "content": "hi", "tools_called": [{"name": "no"}]},
        {"role": "assistant", "content": "", "tools_called": [F, F]},
        {"role": "assistant", "content": "", "tools_called": [F]},
    ]
    (trace,) = traces_of({"turns": turns, "scenario": "a talk", "name": ""})

    assert [call.step for call in trace.calls or ()] == [0, 0, 1]
    assert (trace.input, trace.id) == ("a talk", None)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda case: [case],
        lambda case: {"goldens": [case]},
        lambda case: {"testCases": [case], "conversationalTestCases": []},
        lambda case: {"testRunData": {"testCases": [case]}},
    ],
)
def test_a_dataset_has_one_run_a_case(wrap: Any) -> None:
    assert traces_of(wrap({"input": "hi", "tools_called": [F]})) == [
        Trace(calls=(ToolCall("f", {"a": 1}),), input="hi")
    ]


@pytest.mark.parametrize(
    "document",
    [
        {"input": "hi", "actual_output": "ho"},
        {"input": [{"role": "user"}], "tools_called": [F]},
        {"tools_called": [F]},
        {"turns": [{"role": "user", "content": "hi"}]},
        {"goldens": []},
        [{"input": "hi", "tools_called": []}, {"input": "hi"}],
        ["hi"],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)


def test_wrong_types_break_nothing() -> None:
    case = {"input": "hi", "tools_called": [5, {"name": 5}], "expected_tools": 5, "name": 5}

    (trace,) = read(case, DEFAULT_READ_OPTIONS)

    assert [call.name for call in trace.calls or ()] == [""]
    assert (trace.expected, trace.id) == (None, None)
    assert read({"testRunData": 5, "input": "hi"}, DEFAULT_READ_OPTIONS)
    assert read("x", DEFAULT_READ_OPTIONS) == []
