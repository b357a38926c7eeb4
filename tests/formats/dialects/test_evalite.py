"""Results of evalite."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.formats.dialects.evalite import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

MESSAGES = [
    {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "1", "toolName": "f", "input": {"a": 1}}],
    }
]


def trace_of(**one: Any) -> Trace:
    suite = {"name": "Weather", "evals": [{"colOrder": 0, **one}]}
    document = {"run": {"id": 1}, "suites": [suite]}
    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    return trace


def test_what_the_task_returned_and_the_reference_calls_are_the_two_sides() -> None:
    reference = [{"toolName": "f", "input": {"a": 2}}]

    trace = trace_of(input="hi", output=MESSAGES, expected={"referenceToolCalls": reference})

    assert [(call.name, call.arguments) for call in trace.calls or ()] == [("f", {"a": 1})]
    assert trace.expected == (ToolCall("f", {"a": 2}),)
    assert trace.input == "hi"


def test_a_reference_call_without_input_accepts_any() -> None:
    trace = trace_of(output=MESSAGES, expected={"referenceToolCalls": [{"toolName": "f"}]})

    assert trace.expected == (ToolCall("f", error=NOT_CAPTURED),)


@pytest.mark.parametrize("output", ["18 degrees", None, [], {"answer": 18}, 18])
def test_an_output_without_calls_has_none(output: Any) -> None:
    assert trace_of(output=output).calls == ()


@pytest.mark.parametrize("expected", ["18 degrees", None, {"reference": "18"}])
def test_a_reference_that_is_not_of_calls_expects_nothing(expected: Any) -> None:
    assert trace_of(output=MESSAGES, expected=expected).expected is None


def test_a_case_has_the_same_id_in_every_run() -> None:
    assert trace_of(id=17, output="a").id == trace_of(id=99, output="b").id == "Weather-1"
    assert trace_of(colOrder=None).id is None


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"suites": []},
        {"run": {"id": 1}, "suites": []},
        {"run": {"id": 1}, "suites": [{"name": "Weather"}]},
        {"run": 1, "suites": [{"evals": []}]},
        {"suites": [{"evals": []}]},
    ],
)
def test_other_documents_are_not_recognized(document: Any) -> None:
    assert not recognizes(document)
