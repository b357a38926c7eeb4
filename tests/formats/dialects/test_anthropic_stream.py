"""What is put together of the events of a streamed Anthropic message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import anthropic_stream
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

START = {"type": "message_start", "message": {"role": "assistant", "content": []}}


def begin(index: Any, id_: str = "a", **more: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": id_, "name": "f", "input": {}, **more}
    return {"type": "content_block_start", "index": index, "content_block": block}


def piece(index: Any, text: Any) -> dict[str, Any]:
    delta = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def stop(reason: str) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}}


def calls_in(document: Any) -> tuple[ToolCall, ...]:
    [trace] = anthropic_stream.read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_fragments_belong_to_the_block_of_their_index() -> None:
    events = [
        START,
        begin(0),
        begin(1, "b"),
        piece(1, '{"y"'),
        piece(0, '{"x": 1}'),
        piece(1, ":2}"),
    ]

    assert [call.arguments for call in calls_in(events)] == [{"x": 1}, {"y": 2}]


def test_no_fragment_is_no_arguments() -> None:
    assert [call.arguments for call in calls_in([START, begin(0), piece(0, "")])] == [{}]


def test_arguments_that_come_with_the_beginning_are_kept() -> None:
    assert [call.arguments for call in calls_in([begin(0, input={"x": 1})])] == [{"x": 1}]


def test_a_stream_that_breaks_off_leaves_a_malformed_call() -> None:
    [call] = calls_in([START, begin(0), piece(0, '{"x": ')])

    assert (call.arguments, call.raw, call.error) == (None, '{"x": ', "truncated_json")


def test_a_call_without_a_fragment_at_the_limit_of_tokens_is_cut_off() -> None:
    [call] = calls_in([START, begin(0), stop("max_tokens"), {"type": "message_delta", "delta": {}}])

    assert call.error == "truncated_json"


def test_a_call_whose_text_is_whole_is_whole_at_the_limit_of_tokens() -> None:
    [call] = calls_in([START, begin(0), piece(0, '{"x": 1}'), stop("max_tokens")])

    assert call.arguments == {"x": 1}


def test_every_message_is_a_step() -> None:
    events = [START, begin(0), begin(1, "b"), START, begin(0, "c")]

    assert [call.step for call in calls_in(events)] == [0, 0, 1]


def test_events_that_a_proxy_repeats_make_one_call() -> None:
    whole = [begin(0), piece(0, '{"x": 1}')]

    assert len(calls_in([START, begin(0), *whole])) == 1
    assert len(calls_in([START, *whole, *whole])) == 1


def test_a_message_may_begin_with_blocks_in_it() -> None:
    block = {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}

    assert len(calls_in([{"type": "message_start", "message": {"content": [block]}}])) == 1


def test_results_of_the_provider_are_attached() -> None:
    done = {"type": "web_search_tool_result", "tool_use_id": "a", "content": []}
    events = [
        START,
        begin(0, type="server_tool_use"),
        {"type": "content_block_start", "index": 1, "content_block": done},
    ]

    [call] = calls_in(events)

    assert (call.kind, call.result, call.failed) == ("hosted", [], False)


def test_a_single_event_is_a_stream() -> None:
    assert [call.arguments for call in calls_in(begin(0))] == [{}]


def test_what_is_no_event_is_passed_over() -> None:
    events = [
        None,
        {"type": "content_block_start", "index": 0, "content_block": "x"},
        piece(0, "{}"),
        piece(7, "{}"),
        begin("x"),
        piece("x", 3),
        {"type": "ping"},
    ]

    assert [call.arguments for call in calls_in(events)] == [{}]


@pytest.mark.parametrize(
    "line",
    [
        START,
        begin(0),
        piece(0, "{"),
        {"event": "message_start", "data": START},
        {"event": "message_start", "data": '{"type": "message_start", "message": {}}'},
    ],
)
def test_lines_with_events_are_one_stream(line: dict[str, Any]) -> None:
    assert anthropic_stream.joins_lines(line)
    assert anthropic_stream.recognizes([line])
    assert anthropic_stream.recognizes(line)


@pytest.mark.parametrize(
    "line",
    [
        {"type": "ping"},
        {"type": "message_start", "message": "x"},
        {"type": ["message_start"]},
        {"event": "message_start", "data": "x"},
        {"type": "response.created", "response": {}},
        {"type": "message-start", "delta": {}},
        "event: message_start",
    ],
)
def test_events_of_others_are_left_to_them(line: Any) -> None:
    assert not anthropic_stream.joins_lines(line)
    assert not anthropic_stream.recognizes([line])
