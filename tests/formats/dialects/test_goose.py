"""What is read of the sessions of goose."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import goose
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def message(role: str, *content: Any, id_: str | None = None) -> dict[str, Any]:
    return {"id": id_, "role": role, "created": 1765495263, "content": [*content]}


def asks(id_: str, kind: str = "toolRequest") -> dict[str, Any]:
    value = {"name": "developer__shell", "arguments": {"command": id_}}
    return {"type": kind, "id": id_, "toolCall": {"status": "success", "value": value}}


def answers(id_: str, **result: Any) -> dict[str, Any]:
    return {"type": "toolResponse", "id": id_, "toolResult": result}


def only(document: Any) -> Trace:
    [trace] = goose.read(document, DEFAULT_READ_OPTIONS)
    return trace


TEXT = {"type": "text", "text": "x"}


def test_requests_of_both_kinds_are_calls_and_questions_about_them_are_not() -> None:
    confirm = {"type": "toolConfirmationRequest", "id": "a", "toolName": "f", "arguments": {}}
    required = {"type": "actionRequired", "data": {"actionType": "toolConfirmation", "id": "a"}}

    trace = only(
        [
            message("assistant", asks("a"), asks("b", "frontendToolRequest")),
            message("user", confirm, required),
            message("assistant", asks("c")),
        ]
    )

    assert [(call.id, call.step) for call in trace.calls or ()] == [("a", 0), ("b", 0), ("c", 1)]


@pytest.mark.parametrize(
    ("result", "value", "failed"),
    [
        ({"status": "success", "value": {"content": [TEXT], "isError": True}}, [TEXT], True),
        ({"status": "success", "value": {"content": [TEXT], "isError": False}}, [TEXT], False),
        ({"status": "success", "value": {"structuredContent": {"a": 1}}}, {"a": 1}, None),
        ({"status": "success", "value": [TEXT]}, [TEXT], False),
        ({"status": "error", "error": "no"}, "no", True),
    ],
)
def test_results_are_attached(result: dict[str, Any], value: Any, failed: Any) -> None:
    [call] = (
        only([message("assistant", asks("a")), message("user", answers("a", **result))]).calls or ()
    )

    assert (call.result, call.failed) == (value, failed)


def test_a_call_that_could_not_be_parsed_is_still_a_call() -> None:
    broken = {"type": "toolRequest", "id": "a", "toolCall": {"status": "error", "error": "-32602"}}

    [call] = only([message("assistant", broken)]).calls or ()

    assert (call.name, call.arguments, call.error) == ("", None, "not_captured")
    assert (call.id, call.result, call.failed) == ("a", "-32602", True)


def test_a_message_is_printed_in_several_events() -> None:
    def prints(*content: Any) -> dict[str, Any]:
        return {"type": "message", "message": message("assistant", *content, id_="m1")}

    trace = only([prints(TEXT), prints(asks("a")), prints(asks("b"), asks("a"))])

    assert [(call.id, call.step) for call in trace.calls or ()] == [("a", 0), ("b", 0)]


@pytest.mark.parametrize("key", ["conversation", "messages"])
def test_a_session_has_a_name_and_a_question(key: str) -> None:
    messages = [message("user", TEXT), message("assistant", asks("a"))]
    document = {"id": "s", "working_dir": "/home", key: messages}

    trace = only(document)

    assert goose.recognizes(document)
    assert (trace.id, trace.input, len(trace.calls or ())) == ("s", "x", 1)


def test_a_session_may_be_empty() -> None:
    assert goose.recognizes({"working_dir": "/home", "message_count": 0, "conversation": []})


def test_lines_are_joined_and_a_whole_session_is_not() -> None:
    header = {"working_dir": "/home", "description": "x", "message_count": 2}

    assert goose.joins_lines(header)
    assert goose.joins_lines(message("user", TEXT))
    assert goose.joins_lines({"type": "message", "message": message("user", TEXT)})
    assert goose.joins_lines({"type": "complete", "total_tokens": 3})
    assert not goose.joins_lines({**header, "conversation": []})


@pytest.mark.parametrize(
    "document",
    [
        {"role": "user", "content": [TEXT]},
        {"role": "user", "content": "x", "created": 3},
        {"role": "user", "content": [{"toolUse": {}}], "created": 3},
        {"messages": [{"role": "assistant", "content": [TEXT]}]},
        {"type": "message", "message": {"role": "user", "content": [TEXT]}},
        [{"role": "system", "content": [TEXT], "created": 3}],
    ],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not goose.recognizes(document)
