"""What is read of Semantic Kernel histories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import semantic_kernel
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def call(id_: str, **more: Any) -> dict[str, Any]:
    return {
        "content_type": "function_call",
        "id": id_,
        "name": "p-f",
        "function_name": "f",
        "plugin_name": "p",
        "arguments": '{"x": 1}',
        **more,
    }


def result(id_: str, value: Any = "fine", **more: Any) -> dict[str, Any]:
    return {"content_type": "function_result", "id": id_, "result": value, **more}


def message(*items: Any, **more: Any) -> dict[str, Any]:
    return {"content_type": "message", "role": "assistant", "items": list(items), **more}


def calls(document: Any) -> tuple[ToolCall, ...]:
    [trace] = semantic_kernel.read(document, DEFAULT_READ_OPTIONS)
    return trace.calls or ()


def test_results_are_attached() -> None:
    found = calls(
        {
            "messages": [
                message({"content_type": "text", "text": "hm"}, call("a"), call("b")),
                message(result("b", "Error: oh")),
                message(result("a", {"t": 18})),
                message(call("c")),
            ]
        }
    )

    assert [(one.result, one.failed, one.step) for one in found] == [
        ({"t": 18}, None, 0),
        ("Error: oh", True, 0),
        (None, None, 1),
    ]


def test_the_id_of_the_call_comes_before_the_id_of_the_item() -> None:
    found = calls([message(call("fc_1", call_id="c1")), message(result("x", call_id="c1"))])

    assert [(one.id, one.result) for one in found] == [("c1", "fine")]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"name": "p-f"}, "p-f"),
        ({"function_name": "f", "plugin_name": "p"}, "p-f"),
        ({"function_name": "f"}, "f"),
        ({"FunctionName": "f", "PluginName": "p"}, "p-f"),
        ({"plugin_name": "p"}, ""),
    ],
)
def test_a_name_is_that_of_the_plugin_and_of_the_function(
    fields: dict[str, Any], name: str
) -> None:
    [one] = calls([{"content_type": "function_call", **fields}])

    assert one.name == name


def test_a_history_of_dotnet_is_read() -> None:
    items = [
        {"$type": "FunctionCallContent", "Id": "a", "FunctionName": "f", "Arguments": {"x": 1}},
        {"$type": "FunctionResultContent", "CallId": "a", "Result": "fine"},
    ]
    document = [{"Role": {"Label": "assistant"}, "Items": items}]

    [one] = calls(document)

    assert semantic_kernel.recognizes(document)
    assert (one.arguments, one.result) == ({"x": 1}, "fine")


@pytest.mark.parametrize(
    "document", [message(call("a")), [message(call("a"))], [call("a")], call("a")]
)
def test_messages_and_items_are_read_by_themselves(document: Any) -> None:
    assert semantic_kernel.recognizes(document)
    assert [one.id for one in calls(document)] == ["a"]


def test_lines_of_messages_are_one_document() -> None:
    assert semantic_kernel.joins_lines(message())
    assert not semantic_kernel.joins_lines(call("a"))


@pytest.mark.parametrize(
    "document",
    [
        {"messages": []},
        {"messages": [{"role": "user", "content": "x"}]},
        [message(), {"role": "user"}],
        message(call("a"), choice_index=0),
        {"type": "function_call", "name": "f"},
        [{"Role": "assistant", "Items": []}],
    ],
)
def test_the_documents_of_others_are_left_to_them(document: Any) -> None:
    assert not semantic_kernel.recognizes(document)


@pytest.mark.parametrize("role", [{"label": "assistant"}, {"Label": "assistant"}, "assistant"])
def test_histories_of_dotnet_can_have_small_letters(role: Any) -> None:
    asked = {"$type": "FunctionCallContent", "id": "c1", "functionName": "f", "arguments": {}}
    told = {"$type": "FunctionResultContent", "callId": "c1", "result": "fine"}
    history = {"Messages": [{"role": role, "items": [asked]}, {"role": role, "items": [told]}]}

    assert semantic_kernel.recognizes(history)
    assert [(one.id, one.name, one.result) for one in calls(history)] == [("c1", "f", "fine")]


@pytest.mark.parametrize(
    "document",
    [
        {"role": "assistant", "items": [{"type": "text"}]},
        {"role": "assistant", "items": [{"$type": "Text"}]},
        {"role": {"label": 3}, "items": []},
    ],
)
def test_other_messages_with_items_are_not_recognized(document: Any) -> None:
    assert not semantic_kernel.recognizes(document)
