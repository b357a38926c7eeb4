"""Gemini's contents: calls, pieces of calls, responses, and calls that were lost."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.families.gemini_content import (
    ContentReader,
    is_content,
    read_declarations,
    text_in_content,
)
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def content(*parts: Any, role: str = "model") -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def piece(*values: Any, goes_on: bool = True, **fields: Any) -> dict[str, Any]:
    call = {**fields, "partialArgs": [{"jsonPath": path, **value} for path, value in values]}
    return {"functionCall": {**call, "willContinue": True} if goes_on else call}


def calls_in(*contents: Any) -> tuple[ToolCall, ...]:
    found = ContentReader(DEFAULT_READ_OPTIONS)
    for item in contents:
        found.begin()
        found.take(item)
    return found.finish().calls()


def test_a_content_has_a_role_and_parts_without_types() -> None:
    assert is_content(content({"text": "hi"}))
    assert is_content(content())
    assert is_content({"parts": [{"functionCall": {"name": "f"}}]})
    assert not is_content({"role": "user", "parts": []})
    assert not is_content({"role": "assistant", "parts": [{"text": "hi"}]})
    assert not is_content(content({"type": "text", "text": "hi"}))
    assert not is_content(content({"part_kind": "text", "text": "hi"}))
    assert not is_content(content({"content": "hi"}))
    assert not is_content(content("hi"))
    assert not is_content("hi")


def test_the_text_of_a_content_leaves_out_the_thoughts() -> None:
    assert text_in_content(content({"text": "a", "thought": True}, {"text": "b"})) == "b"
    assert text_in_content(content({"text": "b"}, {"text": "c"})) == "b\nc"
    assert text_in_content(content({"functionCall": {}})) is None
    assert text_in_content(None) is None


def test_calls_of_one_content_share_a_step() -> None:
    first = {"functionCall": {"name": "f", "args": {"a": 1}, "id": "1"}}
    second = {"function_call": {"name": "g"}, "text": None}
    text = {"function_call": None, "function_response": None, "text": "x"}

    assert calls_in(content(first, second), content(text), content(first)) == (
        ToolCall("f", {"a": 1}, id="1", step=0),
        ToolCall("g", {}, step=0),
        ToolCall("f", {"a": 1}, id="1", step=1),
    )


@pytest.mark.parametrize(
    ("response", "failed"),
    [
        ({"result": "18"}, False),
        ({"output": {"degrees": 18}}, False),
        ({"result": "Error: timeout"}, True),
        ({"error": "timeout"}, True),
        ({"error": None, "result": 18}, False),
        ({"content": [], "isError": True}, True),
        ({"status": "error", "error_message": "timeout"}, True),
        ({"return_value": "Error: timeout"}, True),
        ({"degrees": 18}, None),
        ("Error: timeout", True),
        (None, None),
    ],
)
def test_a_response_tells_whether_the_call_has_failed(response: Any, failed: bool | None) -> None:
    call = {"functionCall": {"name": "f"}}
    answer = {"functionResponse": {"name": "f", "response": response}}

    (found,) = calls_in(content(call), content(answer, role="user"))

    assert found.result == response
    assert found.failed is failed


def test_responses_go_by_id_and_by_name_and_order_without_ids() -> None:
    named = content(
        {"functionCall": {"name": "f", "id": "1"}},
        {"functionCall": {"name": "f", "id": "2"}},
        {"functionCall": {"name": "g"}},
        {"functionCall": {"name": "g"}},
    )
    answers = content(
        {"functionResponse": {"name": "g", "response": "first"}},
        {"function_response": {"id": "2", "name": "other", "response": "second"}},
        {"functionResponse": {"name": "g", "response": "third"}},
        {"functionResponse": "broken"},
        {"functionCall": "broken"},
        role="user",
    )

    assert [call.result for call in calls_in(named, answers)] == [None, "second", "first", "third"]


def test_a_call_in_pieces_is_put_together() -> None:
    (call,) = calls_in(
        content(piece(name="f", id="1")),
        content(piece(("$.a", {"stringValue": "x"}), ("$.n", {"numberValue": 0}))),
        content(piece(("$.a", {"stringValue": "y"}), ("$.t", {"boolValue": False}))),
        content(piece(("$.list[0][0]", {"numberValue": 1}), ("$.list[0][1]", {"numberValue": 2}))),
        content(
            piece(("$.list[1]", {"nullValue": "NULL_VALUE"}), ("$.list[1]", {"boolValue": True}))
        ),
        content(piece(('$["k.1"]', {"stringValue": "q"}), ("$.empty", {}))),
        content(piece(("o['']", {"stringValue": ""}), goes_on=False)),
    )

    assert call.arguments == {
        "a": "xy",
        "n": 0,
        "t": False,
        "list": [[1, 2], True],
        "k.1": "q",
        "o": {"": ""},
    }
    assert (call.id, call.step, call.error) == ("1", 0, None)


def test_a_call_in_one_piece_starts_from_its_arguments_and_leaves_them_as_they_are() -> None:
    given = {"o": {"a": 1}}
    part = piece(("$.o.b", {"numberValue": 2}), goes_on=False, name="f", args=given)

    (call,) = calls_in(content(part))

    assert call.arguments == {"o": {"a": 1, "b": 2}}
    assert given == {"o": {"a": 1}}


def test_another_call_ends_the_one_that_is_open() -> None:
    calls = calls_in(
        content(
            piece(name="f"),
            piece(("$.a", {"numberValue": 1})),
            piece(name="g", id="2"),
            {"functionCall": {"name": "g", "args": {"b": 2}}},
            piece(name="h", id="3"),
            piece(name="h", id="4"),
            {"functionCall": {}},
        )
    )

    assert [(call.name, call.arguments, call.id) for call in calls] == [
        ("f", {"a": 1}, None),
        ("g", {}, "2"),
        ("g", {"b": 2}, None),
        ("h", {}, "3"),
        ("h", {}, "4"),
    ]


def test_a_call_whose_last_piece_is_missing_was_cut_off() -> None:
    (call,) = calls_in(content(piece(("$.a", {"stringValue": "x"}), name="f")))

    assert call == ToolCall("f", None, step=0, raw='{"a":"x"}', error="truncated_json")


@pytest.mark.parametrize(
    "path",
    ["$", "$.a[5]", "$[0]", "$.s.x", "$.s[0].x", "$..", "$" + ".a" * 101, None, 5],
)
def test_a_piece_without_a_place_spoils_the_call(path: Any) -> None:
    values = [("$.s", {"stringValue": "x"}), (path, {"numberValue": 1})]

    (call,) = calls_in(content(piece(*values, goes_on=False, name="f")))

    assert (call.arguments, call.error) == (None, "not_an_object")
    assert (call.raw or "").startswith('[{"s":"x"')


def test_a_text_without_a_place_spoils_the_call() -> None:
    (call,) = calls_in(content(piece(("$.a[3]", {"stringValue": "x"}), goes_on=False, name="f")))

    assert call.error == "not_an_object"


def test_what_the_server_could_not_read_is_a_call_of_no_tool() -> None:
    contents = ContentReader(DEFAULT_READ_OPTIONS)
    contents.take_loss("STOP", None)
    contents.take_loss("MALFORMED_FUNCTION_CALL", "Malformed function call: f(")
    contents.take_loss("MALFORMED_FUNCTION_CALL", None)
    contents.take_loss(9, "Malformed function call: g(")
    contents.take_loss(1, "Model generated function call(s).")

    lost = "MALFORMED_FUNCTION_CALL"
    assert contents.finish().calls() == (
        ToolCall("", None, step=0, raw="Malformed function call: f(", error=lost),
        ToolCall("", None, step=0, error=lost),
        ToolCall("", None, step=0, raw="Malformed function call: g(", error=lost),
    )


@pytest.mark.parametrize("reason", ["UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])
def test_what_was_not_allowed_is_one_call_whether_it_was_sent_or_not(reason: str) -> None:
    sent, lost = ContentReader(DEFAULT_READ_OPTIONS), ContentReader(DEFAULT_READ_OPTIONS)
    sent.take(content({"functionCall": {"name": "f"}}))
    sent.take_loss(reason, None)
    lost.take_loss(reason, None)

    assert [call.name for call in sent.finish().calls()] == ["f"]
    assert lost.finish().calls() == (ToolCall("", None, step=0, error=reason),)


def test_a_declaration_may_stand_alone() -> None:
    declared = {"functionDeclarations": [{"name": "f"}]}

    assert [tool.name for tool in read_declarations(declared)] == ["f"]
    assert [tool.name for tool in read_declarations([declared, {"googleSearch": {}}])] == ["f"]
    assert read_declarations(None) == []


def test_a_schema_as_an_sdk_writes_it_loses_what_is_not_set() -> None:
    schema = {
        "type": "OBJECT",
        "any_of": None,
        "default": None,
        "properties": {
            "any_of": {"type": "STRING", "min_length": 2, "enum": None},
            "x": {"any_of": [{"type": "NUMBER", "items": None}, {"type": "NULL"}]},
        },
    }

    (tool,) = read_declarations({"function_declarations": [{"name": "f", "parameters": schema}]})

    assert tool.parameters == {
        "type": "object",
        "properties": {
            "any_of": {"type": "string", "minLength": 2},
            "x": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        },
    }


def test_a_schema_may_number_its_types() -> None:
    schema = {
        "type": 6,
        "properties": {"n": {"type": 3}, "odd": {"type": 99}, "no": {"type": True}},
    }

    (tool,) = read_declarations([{"name": "f", "parameters": schema}])

    assert tool.parameters == {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "odd": {"type": 99}, "no": {"type": True}},
    }


def test_code_that_google_runs_is_a_call_with_its_outcome() -> None:
    first, second = calls_in(
        content(
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        ),
        content(
            {"text": None, "executable_code": {"language": None, "code": "1/0", "id": "c"}},
            {"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "no", "id": "c"}},
        ),
    )

    assert (first.name, first.arguments) == ("code_execution", {"language": "PYTHON", "code": "1"})
    assert (first.result, first.failed, first.kind) == ("1", False, "hosted")
    assert (second.arguments, second.id) == ({"code": "1/0"}, "c")
    assert (second.result, second.failed) == ("no", True)


def test_a_tool_that_google_runs_is_named_by_its_type() -> None:
    called = {"id": "g", "toolType": "URL_CONTEXT", "args": {"urls": ["u"]}}
    answered = {"id": "g", "tool_type": "URL_CONTEXT", "response": {"error": "gone"}}

    (call,) = calls_in(
        content({"toolCall": called}, {"tool_response": answered}, {"toolCall": "text"})
    )

    assert (call.name, call.arguments, call.kind) == ("URL_CONTEXT", {"urls": ["u"]}, "hosted")
    assert (call.id, call.failed) == ("g", True)
