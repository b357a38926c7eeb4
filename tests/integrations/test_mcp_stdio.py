"""Messages that cannot be read, and what is answered to them."""

from __future__ import annotations

from typing import Any

import mcp_types
import pytest
from pydantic import ValidationError

from callscore.integrations.mcp_stdio import _reply


def problem_with(line: str) -> ValidationError:
    """What the SDK says of a line that it cannot read."""
    with pytest.raises(ValidationError) as caught:
        mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    return caught.value


def request(arguments: str) -> str:
    params = f'{{"name": "score_tool_calls", "arguments": {arguments}}}'
    return f'{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {params}}}'


@pytest.mark.parametrize(
    "arguments",
    ['{"expected": ' + "[" * 100_000 + "]" * 100_000 + "}", '{"expected": ["\\ud800"]}'],
    ids=["deep", "half of a pair"],
)
def test_whoever_sent_what_cannot_be_read_is_told_so(arguments: str) -> None:
    reply = _reply(problem_with(request(arguments)))

    assert reply is not None
    message: Any = reply.message
    assert (message.id, message.error.code) == (7, mcp_types.PARSE_ERROR)
    assert "Send the call again" in message.error.message


def test_what_is_json_but_no_message_is_answered_if_it_has_an_id() -> None:
    reply = _reply(problem_with('{"jsonrpc": "2.0", "id": "a", "nonsense": 1}'))

    assert reply is not None
    assert getattr(reply.message, "id", None) == "a"


@pytest.mark.parametrize(
    "line",
    ["garbage", "[1, 2]", '{"jsonrpc": "2.0"}', '{"jsonrpc": "2.0", "id": true}', '{"id": 7, "me'],
)
def test_what_has_no_id_that_can_be_made_out_is_passed_over(line: str) -> None:
    assert _reply(problem_with(line)) is None


def test_what_goes_wrong_otherwise_is_no_message() -> None:
    assert _reply(RuntimeError("closed")) is None
