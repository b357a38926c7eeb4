"""What is read of the traces of Confident AI."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import confident_ai, deepeval
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def span(kind: str, **more: Any) -> dict[str, Any]:
    return {"uuid": kind, "type": kind, **more}


def trace_of(llm: dict[str, Any], *tools: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"llmSpans": [span("llm", **llm)], "toolSpans": [*tools], **more}


def test_a_listed_call_has_the_result_of_its_tool() -> None:
    tool = span("tool", name="f", input={"a": 1}, error="no")
    listed = {"name": "f", "inputParameters": {"a": 1}}

    [trace] = confident_ai.read(
        trace_of({"output": "", "toolsCalled": [listed]}, tool, input="go"), DEFAULT_READ_OPTIONS
    )

    assert trace.input == "go"
    assert [
        (call.name, call.arguments, call.result, call.failed) for call in trace.calls or ()
    ] == [("f", {"a": 1}, "no", True)]


def test_the_answer_of_the_model_is_read_in_its_own_notation() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}

    [trace] = confident_ai.read(trace_of({"output": [call]}), DEFAULT_READ_OPTIONS)

    assert [(call.name, call.id) for call in trace.calls or ()] == [("f", "1")]


def test_a_test_run_whose_cases_list_their_tools_is_left_to_deepeval() -> None:
    case = {"input": "go", "trace": trace_of({"output": "x"})}
    listed = {**case, "toolsCalled": []}

    assert confident_ai.recognizes({"testCases": [case]})
    assert not confident_ai.recognizes({"testCases": [listed]})
    assert deepeval.recognizes({"testCases": [listed]})
    assert not deepeval.recognizes(listed["trace"])


def test_the_answer_of_a_model_of_langchain_is_read() -> None:
    output = {"role": "AI", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "1"}]}

    [trace] = confident_ai.read(trace_of({"output": output}), DEFAULT_READ_OPTIONS)

    assert [(call.name, call.id) for call in trace.calls or ()] == [("f", "1")]
