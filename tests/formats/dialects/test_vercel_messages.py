"""What is read of Vercel AI SDK messages beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import vercel_messages
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def part(kind: str, id_: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "toolCallId": id_, "toolName": "ping", **more}


def says(*ids: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [part("tool-call", id_, **more) for id_ in ids]}


def answers(**outputs: Any) -> dict[str, Any]:
    parts = [part("tool-result", id_, output=output) for id_, output in outputs.items()]
    return {"role": "tool", "content": parts}


def calls_in(document: Any) -> tuple[ToolCall, ...]:
    [trace] = vercel_messages.read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_results_say_of_which_type_they_are() -> None:
    found = calls_in(
        [
            says("a", "b", "c", "d", "e", "f"),
            answers(
                a={"type": "text", "value": "ok"},
                b={"type": "json", "value": {"t": 18}},
                c={"type": "error-text", "value": "down"},
                d={"type": "error-json", "value": {"code": 5}},
                e={"type": "execution-denied", "reason": "no"},
                f={"type": "text", "value": "Error: no"},
            ),
        ]
    )

    assert [item.result for item in found] == [
        "ok",
        {"t": 18},
        "down",
        {"code": 5},
        "no",
        "Error: no",
    ]
    assert [item.failed for item in found] == [False, False, True, True, False, True]


def test_results_of_version_4_stand_for_themselves() -> None:
    failed = part("tool-result", "a", result="down", isError=True)

    [found] = calls_in([says("a"), {"role": "tool", "content": [failed]}])

    assert (found.result, found.failed) == ("down", True)


def test_calls_of_one_message_share_a_step() -> None:
    found = calls_in([says("a", "b"), {"role": "assistant", "content": "Hello"}, says("c")])

    assert [item.step for item in found] == [0, 0, 1]


def test_invalid_calls_and_those_of_the_provider_are_told_apart() -> None:
    [first] = calls_in(says("a", input='{"n": '))
    [second] = calls_in(says("a", args={"n": 1}, providerExecuted=True))

    assert first.error == "truncated_json"
    assert (second.arguments, second.kind) == ({"n": 1}, "hosted")


@pytest.mark.parametrize("key", ["messages", "responseMessages", "prompt"])
def test_messages_stand_under_several_names(key: str) -> None:
    document = {key: [says("a")]}

    assert vercel_messages.recognizes(document)
    assert [item.id for item in calls_in(document)] == ["a"]


def test_messages_of_a_response_are_read() -> None:
    document = {"text": "Done", "response": {"id": "1", "messages": [says("a")]}}

    assert vercel_messages.recognizes(document)
    assert [item.id for item in calls_in(document)] == ["a"]


def test_lines_of_messages_are_one_document() -> None:
    assert vercel_messages.joins_lines(says("a"))
    assert not vercel_messages.joins_lines({"role": "user", "content": "Hello"})
    assert not vercel_messages.joins_lines({"messages": [says("a")]})


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": "Hello"}],
        [{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "x"}]}],
        [{"role": "assistant", "content": [{"type": "text", "text": "x"}]}],
        [{"role": "assistant", "parts": [part("tool-call", "a")]}],
        [says("a"), {"type": "message"}],
        {"response": {"messages": "text"}},
        {"messages": "text"},
        part("tool-call", "a"),
    ],
)
def test_what_others_write_is_not_claimed(document: Any) -> None:
    assert not vercel_messages.recognizes(document)
