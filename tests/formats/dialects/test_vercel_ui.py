"""What is read of Vercel AI SDK UI messages beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import vercel_ui
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

START = {"type": "step-start"}


def part(id_: str, state: str = "input-available", **more: Any) -> dict[str, Any]:
    return {"type": "tool-ping", "toolCallId": id_, "state": state, "input": {}, **more}


def says(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"id": "m", "role": "assistant", "parts": list(parts), **more}


def invocation(id_: str, state: str, step: int, **more: Any) -> dict[str, Any]:
    return {"toolCallId": id_, "toolName": "ping", "state": state, "step": step, **more}


def calls_in(document: Any) -> tuple[ToolCall, ...]:
    [trace] = vercel_ui.read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_the_state_says_what_came_of_a_call() -> None:
    found = calls_in(
        [
            says(
                part("a", "output-available", output={"t": 18}),
                part("b", "output-error", errorText="down"),
                part("c", "output-denied", approval={"approved": False}),
                part("d", "approval-requested"),
                part("e", "output-available", output="Error: no"),
                part("f", "input-streaming", input={"n": 1}),
            )
        ]
    )

    assert [item.id for item in found] == ["a", "b", "c", "d", "e"]
    assert [item.result for item in found] == [{"t": 18}, "down", None, None, "Error: no"]
    assert [item.failed for item in found] == [False, True, None, None, True]


def test_the_type_ends_in_the_name_of_the_tool() -> None:
    found = calls_in(
        says(
            part("a", type="tool-get-weather"),
            part("b", type="dynamic-tool", toolName="mcp_echo"),
            part("c", type="tool-invocation"),
            part("d", type="dynamic-tool"),
        )
    )

    assert [item.name for item in found] == ["get-weather", "mcp_echo", "invocation", ""]


def test_steps_begin_where_a_part_says_so() -> None:
    found = calls_in(
        [says(START, part("a"), part("b"), START, part("c")), says(part("d"), part("e"))]
    )

    assert [item.step for item in found] == [0, 0, 1, 2, 2]


def test_what_could_not_be_parsed_stands_elsewhere() -> None:
    raw = part("a", "output-error", errorText="no JSON", rawInput='{"n": ')
    del raw["input"]

    [older] = calls_in(says(raw))
    [newer] = calls_in(says(part("a", "output-error", input='{"n": ')))

    assert (older.raw, older.error) == (newer.raw, newer.error) == ('{"n": ', "truncated_json")


def test_tools_that_the_provider_has_run_are_marked() -> None:
    [found] = calls_in(says(part("a", providerExecuted=True)))

    assert found.kind == "hosted"


def test_version_4_has_the_calls_in_parts_and_beside_them() -> None:
    invocations = [
        invocation("a", "result", 0, args={"n": 1}, result="ok"),
        invocation("b", "call", 1, args={}),
        invocation("c", "partial-call", 1, args={}),
    ]
    parts = [{"type": "tool-invocation", "toolInvocation": item} for item in invocations]
    whole = says(*parts, content="", toolInvocations=invocations)
    without_parts = {key: value for key, value in whole.items() if key != "parts"}

    for message in (whole, without_parts):
        first, second = calls_in([message])
        assert (first.id, first.step, first.result, first.failed) == ("a", 0, "ok", False)
        assert (second.id, second.step, second.result) == ("b", 1, None)


def test_a_stored_chat_has_a_name() -> None:
    [trace] = vercel_ui.read({"id": "chat-1", "messages": [says(part("a"))]}, DEFAULT_READ_OPTIONS)
    [message] = vercel_ui.read(says(part("a")), DEFAULT_READ_OPTIONS)

    assert trace.id == "chat-1"
    assert message.id is None


def test_messages_of_several_chats_are_several_runs() -> None:
    rows = [says(part(chat), chatId=f"chat-{chat}") for chat in "aba"]

    traces = vercel_ui.read(rows, DEFAULT_READ_OPTIONS)

    assert [trace.id for trace in traces] == ["chat-a", "chat-b"]
    assert [len(trace.calls or ()) for trace in traces] == [2, 1]


def test_what_the_user_says_has_no_calls() -> None:
    assert calls_in([{"id": "u", "role": "user", "parts": [part("a")]}]) == ()
    assert calls_in([]) == ()


def test_lines_of_messages_are_one_document() -> None:
    assert vercel_ui.joins_lines(says(part("a")))
    assert not vercel_ui.joins_lines({"id": "1", "messages": [says(part("a"))]})
    assert not vercel_ui.joins_lines({"role": "user", "content": "Hello"})


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "parts": [{"text": "of Gemini"}]}],
        [{"role": "model", "parts": [{"functionCall": {"name": "x", "args": {}}}]}],
        [{"role": "assistant", "parts": [{"type": "text", "content": "of OTel"}]}],
        [{"role": "assistant", "parts": [{"type": "tool_call", "name": "x", "arguments": {}}]}],
        [{"role": "agent", "parts": [{"kind": "text", "text": "of A2A"}]}],
        [{"role": "user", "content": "Hello"}],
        [{"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "x"}]}],
        [{"role": "assistant", "parts": ["text"]}],
        [{"role": "assistant"}],
        says(),
        {"messages": "text"},
    ],
)
def test_what_others_write_is_not_claimed(document: Any) -> None:
    assert not vercel_ui.recognizes(document)
