"""agentevals and evaluators of LangSmith's kind."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.call import ToolCall
from callscore.errors import UnknownFormat
from callscore.formats.dialects.agentevals import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def messages(name: str) -> list[Any]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    return [{"role": "assistant", "content": None, "tool_calls": [call]}]


def trace_of(outputs: Any, reference: Any, **more: Any) -> Trace:
    document = {"outputs": outputs, "reference_outputs": reference, **more}
    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    return trace


@pytest.mark.parametrize(
    "side",
    [
        messages("f"),
        {"messages": messages("f")},
        msgspec.json.encode({"messages": messages("f")}).decode(),
    ],
)
def test_each_side_is_a_document_of_its_own(side: Any) -> None:
    trace = trace_of(side, "[g(a=1)]")

    assert [call.name for call in trace.calls or ()] == ["f"]
    assert trace.expected == (ToolCall("g", {"a": 1}, step=0),)


def test_the_inputs_and_an_id_are_kept() -> None:
    trace = trace_of(messages("f"), messages("g"), id="task-1", inputs={"question": "hi"})

    assert (trace.id, trace.input) == ("task-1", {"question": "hi"})
    assert trace_of([], [], id=5).id is None


def test_an_empty_side_has_no_calls_and_an_absent_one_is_not_there() -> None:
    assert trace_of([], None) == Trace(calls=(), expected=None)


def test_a_list_of_documents_is_read_one_by_one() -> None:
    lists = [{"messages": messages("f")}, {"messages": messages("g")}]

    trace = trace_of(lists, messages("h"))

    assert [call.name for call in trace.calls or ()] == ["f", "g"]


def test_a_side_in_no_format_is_an_error() -> None:
    with pytest.raises(UnknownFormat, match="unknown format:"):
        trace_of({"answer": "18"}, messages("f"))


def test_the_tools_are_those_of_both_sides() -> None:
    document = {
        "outputs": {
            "messages": messages("f"),
            "tools": [{"type": "function", "function": {"name": "f"}}],
        },
        "reference_outputs": {"answer": "18"},
    }

    assert [tool.name for tool in read_tools(document)] == ["f"]
    assert read_tools("x") == []


@pytest.mark.parametrize("document", [{"outputs": []}, {"reference_outputs": []}, "x", []])
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)
    assert read("x", DEFAULT_READ_OPTIONS) == []
