"""What is read of Spring AI messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import spring_ai
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def call(id_: str, arguments: str = '{"x": 1}') -> dict[str, Any]:
    return {"id": id_, "type": "function", "name": "f", "arguments": arguments}


def said(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"messageType": "ASSISTANT", "toolCalls": list(calls), "text": ""}


def answered(*responses: dict[str, Any]) -> dict[str, Any]:
    return {"messageType": "TOOL", "responses": list(responses), "text": ""}


def calls(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = spring_ai.read(document, options)
    return trace.calls or ()


def test_responses_are_attached() -> None:
    found = calls(
        [
            said(call("a"), call("b")),
            answered(
                {"id": "b", "name": "f", "responseData": "Error: oh"},
                {"id": "a", "name": "f", "responseData": "fine"},
            ),
            said(),
            said(call("c", '{"x"')),
        ]
    )

    assert [(one.result, one.failed, one.step, one.error) for one in found] == [
        ("fine", False, 0, None),
        ("Error: oh", True, 0, None),
        (None, None, 1, "truncated_json"),
    ]


@pytest.mark.parametrize(
    "document",
    [
        said(call("a")),
        [{"messageType": "USER", "text": "go"}, said(call("a"))],
        {"messages": [said(call("a"))]},
        {"instructions": [said(call("a"))], "options": {}},
        {"result": {"output": said(call("a"))}, "metadata": {}},
        {"results": [{"output": said(call("a"))}]},
    ],
)
def test_messages_prompts_and_responses_are_read(document: Any) -> None:
    assert spring_ai.recognizes(document)
    assert [one.id for one in calls(document)] == ["a"]


def test_another_candidate_can_be_asked_for() -> None:
    document = {"results": [{"output": said(call(id_))} for id_ in ("a", "b")]}

    assert [one.id for one in calls(document, ReadOptions(candidate=1))] == ["b"]


def test_lines_of_messages_are_one_document() -> None:
    assert spring_ai.joins_lines(said())
    assert not spring_ai.joins_lines({"text": "x"})


def test_a_schema_is_text() -> None:
    definition = {"name": "f", "description": "d", "inputSchema": '{"type": "object"}'}
    callbacks = [{"toolDefinition": definition}, {"toolMetadata": {}}]

    [tool] = spring_ai.read_tools({"options": {"toolCallbacks": callbacks}})

    assert (tool.name, tool.description, tool.parameters) == ("f", "d", {"type": "object"})


@pytest.mark.parametrize(
    "document",
    [
        {"messages": []},
        {"messageType": "assistant", "text": "x"},
        [said(), {"role": "user"}],
        {"result": {"output": {"text": "x"}}},
        {"result": None, "results": []},
    ],
)
def test_the_documents_of_others_are_left_to_them(document: Any) -> None:
    assert not spring_ai.recognizes(document)
