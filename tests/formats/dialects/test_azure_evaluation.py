"""Azure AI Evaluation: which calls of a row count, and their notations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.formats.dialects.azure_evaluation import read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def call(id_: str, name: str = "f", arguments: Any = None) -> dict[str, Any]:
    given = {"tool_call_id": id_, "name": name, "arguments": arguments or {}}
    return {"type": "tool_call", **given}


def says(*parts: Any) -> dict[str, Any]:
    return {"role": "assistant", "run_id": "r", "content": list(parts)}


def result(id_: str, value: Any, kind: str = "tool_result") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": [{"type": kind, kind: value}]}


def asks(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def trace_of(document: Any) -> Trace:
    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    return trace


def calls_of(document: Any) -> tuple[ToolCall, ...]:
    return trace_of(document).calls or ()


@pytest.mark.parametrize(
    "part",
    [
        call("c", "f", {"x": 1}),
        call("c", "f", '{"x": 1}'),
        {
            "type": "tool_call",
            "tool_call": {"id": "c", "function": {"name": "f", "arguments": {"x": 1}}},
        },
        {"type": "function_call", "function_call": {"id": "c", "name": "f", "arguments": {"x": 1}}},
        {**call("c", "f", {"x": 1}), "type": "openapi_call"},
    ],
)
def test_a_call_has_several_notations(part: Any) -> None:
    (found,) = calls_of([asks("q"), says(part), result("c", "Error: none")])

    assert (found.name, found.arguments, found.id) == ("f", {"x": 1}, "c")
    assert (found.result, found.failed) == ("Error: none", True)


def test_a_tool_of_the_provider_is_marked() -> None:
    nested = {"id": "d", "type": "code_interpreter", "code_interpreter": {"input": "1"}}
    first, second = calls_of(
        [says(call("c", "file_search")), says({"type": "tool_call", "tool_call": nested})]
    )

    assert (first.name, first.kind) == ("file_search", "hosted")
    assert (second.name, second.arguments) == ("code_interpreter", {"input": "1"})
    assert second.kind == "hosted"


def test_calls_up_to_a_result_or_a_question_share_a_step() -> None:
    calls = calls_of(
        [
            says(call("a")),
            says(call("b")),
            result("a", 1),
            result("b", 2),
            says(call("c")),
            asks("?"),
            says(call("d")),
        ]
    )

    assert [(each.id, each.step, each.result) for each in calls] == [
        *(("a", 0, 1), ("b", 0, 2)),
        *(("c", 1, None), ("d", 2, None)),
    ]


def test_the_calls_of_the_response_count() -> None:
    earlier = [asks("old"), says(call("a")), result("a", 1), asks("new")]
    row = {"query": earlier, "response": [says(call("b", "g"))], "tool_calls": [call("c")]}

    trace = trace_of(row)

    assert trace.input == "new"
    assert [each.name for each in trace.calls or ()] == ["g"]
    assert calls_of({**row, "response": msgspec.json.encode(row["response"]).decode()})


@pytest.mark.parametrize(
    "given", [[call("c")], call("c"), [{"function": {"name": "f"}, "id": "c"}]]
)
def test_the_column_of_calls_is_read_if_the_response_has_none(given: Any) -> None:
    row = {"query": "q", "response": "done", "tool_calls": given, "tool_definitions": []}

    trace = trace_of(row)

    assert trace.input == "q"
    assert [(each.name, each.id) for each in trace.calls or ()] == [("f", "c")]


def test_a_response_in_words_has_no_calls() -> None:
    assert calls_of({"query": "q", "response": "hi", "tool_definitions": []}) == ()


def test_a_conversation_may_be_nested() -> None:
    messages = [asks("q"), says(call("a"))]

    for document in ({"messages": messages}, {"conversation": {"messages": messages}}, messages):
        trace = trace_of(document)
        assert [each.id for each in trace.calls or ()] == ["a"]
        assert trace.input == "q"


@pytest.mark.parametrize(
    "document",
    [
        {"query": "q", "response": "hi"},
        {"query": "q", "tool_definitions": []},
        {"query": "q", "tool_calls": [], "tool_definitions": [], "expected": []},
        [
            {
                "role": "assistant",
                "content": [{"type": "tool_call", "name": "f", "args": {}, "id": "c"}],
            }
        ],
        [{"role": "assistant", "content": [{"type": "tool_result", "content": "x"}]}],
        [asks("q")],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)


def test_tools_are_those_of_functions_and_of_apis() -> None:
    defined = {"name": "f", "type": "function", "parameters": {"type": "object"}}
    api = {"name": "a", "type": "openapi", "functions": [{"name": "g", "parameters": {}}]}

    assert [tool.name for tool in read_tools({"tool_definitions": [defined, api]})] == ["f", "g"]
    assert [tool.name for tool in read_tools({"tools": defined})] == ["f"]
