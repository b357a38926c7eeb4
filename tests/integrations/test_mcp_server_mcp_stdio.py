"""Messages that cannot be read, and what is answered to them."""

from __future__ import annotations

from typing import Any

import mcp_types
import pytest
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from callscore.integrations.mcp_server import _replies, _with_object_arguments


def problem_with(line: str) -> ValidationError:
    """What the SDK says of a line that it cannot read."""
    with pytest.raises(ValidationError) as caught:
        mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    return caught.value


def answered(line: str) -> list[tuple[Any, int]]:
    """The ids and the codes of what is answered to a line."""
    messages: list[Any] = [reply.message for reply in _replies(problem_with(line))]
    return [(message.id, message.error.code) for message in messages]


def request(arguments: str) -> str:
    params = f'{{"name": "score_tool_calls", "arguments": {arguments}}}'
    return f'{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {params}}}'


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (request('{"expected": ' + "[" * 100_000 + "]" * 100_000 + "}"), 7),
        (request('{"expected": ["\\ud800"]}'), 7),
        (request('{"id": 5')[:-2], 7),
        (request("{bad}"), 7),
        (request("{,}"), 7),
        ('{"params": {"id": 5, "a": "} \\" {"}, "id": "x", ', "x"),
        ('{"id": 7, "me', 7),
        ('{"id": "7', None),
        ('{"id": 1.5, "', None),
        ('{"id": true, "', None),
        ('{"id":', None),
        ('{"id"', None),
        ('{"id" 7', None),
        ('[{"id": 7', None),
        ("garbage", None),
        ("{'id': 7}", None),
    ],
)
def test_what_is_no_json_is_answered_with_the_id_if_that_can_be_made_out(
    line: str, number: Any
) -> None:
    assert answered(line) == [(number, mcp_types.PARSE_ERROR)]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ('{"jsonrpc": "2.0", "id": "a", "nonsense": 1}', "a"),
        ('{"jsonrpc": "1.0", "id": 5, "method": "ping"}', 5),
        ('{"jsonrpc": 2.0, "id": 5, "method": "ping"}', 5),
        ('{"id": 5, "method": "ping"}', 5),
        ('{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": [1]}', 6),
        ('{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": "{}"}', 6),
        ('{"jsonrpc": "2.0", "id": 6, "method": 5}', 6),
        ('{"jsonrpc": "2.0", "id": 6, "method": 5, "params": {"id": 8}}', 6),
        ('{"jsonrpc": "2.0"}', None),
        ('{"jsonrpc": "2.0", "id": true}', None),
        ("5", None),
        ("null", None),
        ("[]", None),
        ("[1, 2]", None),
    ],
)
def test_what_is_no_message_is_answered_likewise(line: str, number: Any) -> None:
    assert answered(line) == [(number, mcp_types.INVALID_REQUEST)]


def test_each_of_several_messages_at_once_is_answered() -> None:
    several = '[{"id": 1, "method": "ping"}, {"method": "notifications/x"}, {"id": "b"}, 5]'

    assert answered(several) == [
        (1, mcp_types.INVALID_REQUEST),
        ("b", mcp_types.INVALID_REQUEST),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "\n",
        "  ",
        '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [1]}',
        '{"jsonrpc": "2.0", "id": 7, "result": 5}',
        '{"jsonrpc": "2.0", "id": 7, "error": 5}',
    ],
)
def test_what_wants_no_answer_has_none(line: str) -> None:
    assert answered(line) == []


def test_what_goes_wrong_otherwise_is_no_message() -> None:
    assert _replies(RuntimeError("closed")) == []


def call(**params: Any) -> SessionMessage:
    return SessionMessage(
        mcp_types.JSONRPCRequest(jsonrpc="2.0", id=7, method="tools/call", params=params)
    )


def test_arguments_that_came_as_text_are_taken_for_what_they_say() -> None:
    message, refusal = _with_object_arguments(call(name="f", arguments='{"a": 1}'))

    assert refusal is None
    assert message.message == call(name="f", arguments={"a": 1}).message


@pytest.mark.parametrize(
    "message",
    [
        call(name="f", arguments={"a": 1}),
        call(name="f", arguments=None),
        call(name="f"),
        SessionMessage(mcp_types.JSONRPCRequest(jsonrpc="2.0", id=7, method="tools/call")),
        SessionMessage(
            mcp_types.JSONRPCRequest(jsonrpc="2.0", id=7, method="x", params={"arguments": []})
        ),
        SessionMessage(mcp_types.JSONRPCNotification(jsonrpc="2.0", method="notifications/x")),
    ],
)
def test_other_messages_are_handed_on_as_they_are(message: SessionMessage) -> None:
    assert _with_object_arguments(message) == (message, None)


@pytest.mark.parametrize(
    ("arguments", "got"),
    [
        ([], "an empty list"),
        ("x", "'x'"),
        ("[1]", "'[1]'"),
        ("[" * 100_000, None),
        (5, "5"),
    ],
)
def test_arguments_that_are_no_object_are_refused_with_what_to_give(
    arguments: Any, got: str | None
) -> None:
    _, refusal = _with_object_arguments(call(name="f", arguments=arguments))

    assert refusal is not None
    message: Any = refusal.message
    assert (message.id, message.error.code) == (7, mcp_types.INVALID_PARAMS)
    assert message.error.message.startswith("arguments: give one JSON object; got ")
    assert got is None or message.error.message.endswith(f"got {got}.")
