"""Messages of OTel's conventions: a role, and typed parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import NOT_CAPTURED
from callscore.formats.families.genai_spans import (
    are_otel_messages,
    question_in,
    responses_in,
    take_otel_messages,
)
from callscore.formats.families.observed_runs import ToolResult
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def message(*parts: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def calls_in(value: Any) -> tuple[ToolCall, ...]:
    transcript = Transcript()
    take_otel_messages(value, transcript)
    return transcript.calls()


CALL = {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Paris"}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (message(CALL), True),
        ([message(), message(CALL)], True),
        ([{"kind": "response", "parts": [{"part_kind": "tool-call"}]}], False),
        ([{"role": "model", "parts": [{"function_call": {}}]}], False),
        ([{"parts": 3}, None], False),
        (None, False),
    ],
)
def test_parts_with_a_type_tell_the_messages(value: Any, expected: bool) -> None:
    assert are_otel_messages(value) is expected


def test_calls_have_their_step_and_their_result() -> None:
    first, other, second = calls_in(
        [
            message({"type": "text", "content": "Well"}, CALL, {**CALL, "id": "c3"}),
            message({"type": "tool_call_response", "id": "c1", "response": "18"}, role="tool"),
            message({**CALL, "id": "c2", "arguments": '{"city": '}),
            message({"type": "tool_call_response", "id": "c2", "result": "Error"}, role="tool"),
        ]
    )

    assert (first.step, first.result, first.failed) == (0, "18", False)
    assert (other.step, other.result) == (0, None)
    assert (second.step, second.result, second.failed) == (1, "Error", True)
    assert second.error == "truncated_json"


def test_a_result_without_an_id_goes_by_its_name() -> None:
    answer = {"type": "tool_call_response", "name": "weather", "response": 18}

    [call] = calls_in([message({**CALL, "id": None}), message(answer)])

    assert call.result == 18


def test_arguments_that_are_not_there_were_not_captured() -> None:
    [call] = calls_in(message({"type": "tool_call", "id": "c1", "name": "weather"}))

    assert (call.arguments, call.error) == (None, NOT_CAPTURED)


@pytest.mark.parametrize(
    ("held", "arguments"),
    [({"type": "web_search", "query": "x"}, {"query": "x"}), (None, {})],
)
def test_a_tool_of_the_provider_is_of_its_kind(held: Any, arguments: Any) -> None:
    part = {"type": "server_tool_call", "id": "s", "name": "search", "server_tool_call": held}
    answer = {"type": "server_tool_call_response", "id": "s", "server_tool_call_response": 2}

    [call] = calls_in([message(part, answer)])

    assert (call.kind, call.arguments, call.result) == ("hosted", arguments, 2)


def test_results_are_found_without_their_calls() -> None:
    value = [message({"type": "tool_call_response", "id": "c1", "response": "18"}, CALL), None]

    assert responses_in(value) == [ToolResult("18", "c1")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([message({"type": "text", "content": "Hi"}, role="user"), message(CALL)], "Hi"),
        ('[{"role": "user", "content": "Hi"}]', "Hi"),
        ([message({"type": "image"}, role="user")], None),
        ([message(CALL)], None),
        ("no JSON", None),
        (None, None),
    ],
)
def test_the_question_is_what_the_user_said_last(value: Any, expected: str | None) -> None:
    assert question_in(value) == expected
