"""Anthropic's SDK: messages, streams, batches and its own loop over tools, from its own client."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.differential.comparison import (
    ARGUMENTS,
    CALLS,
    SCHEMA,
    Said,
    dumps,
    every_way,
    loads,
    pieces_of,
    read,
    said,
    tools,
)
from tests.differential.servers import Server

import callscore

anthropic: Any = pytest.importorskip("anthropic")
types: Any = pytest.importorskip("anthropic.types")
batches: Any = pytest.importorskip("anthropic.types.messages")

SERVER = Server()
CLIENT = anthropic.Anthropic(api_key="-", base_url="http://server", http_client=SERVER.client)
SIZES = st.lists(st.integers(0, 9), max_size=6)
QUESTION = {"role": "user", "content": "Go."}
ASK = {"model": "m", "max_tokens": 99, "messages": [QUESTION]}
TOOL = {"name": "f", "description": "d", "input_schema": SCHEMA}
TEXT = {"type": "text", "text": "Well."}
USAGE = {"input_tokens": 1, "output_tokens": 1}


def uses_of(calls: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": arguments}
        for i, (name, arguments) in enumerate(calls)
    ]


def message_of(blocks: list[dict[str, Any]], stop_reason: str | None) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": blocks,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": USAGE,
    }


def answered(*blocks: dict[str, Any]) -> Any:
    SERVER.answer = message_of([TEXT, *blocks], "tool_use" if blocks else "end_turn")
    return CLIENT.messages.create(**ASK)


def calls_of(content: Any) -> list[Said]:
    return [
        said(block.name, block.input, block.id) for block in content if block.type == "tool_use"
    ]


@given(CALLS)
def test_a_message_is_read_as_the_sdk_has_it(calls: Any) -> None:
    message = answered(*uses_of(calls))

    expected = calls_of(message.content)

    assert [call[:2] for call in expected] == [(name, repr(arguments)) for name, arguments in calls]
    for document in (*every_way(message), message.to_dict(), message.to_json()):
        assert read(document) == expected
    assert callscore.score(calls, message).is_exact


@given(CALLS.filter(bool), st.text(), st.booleans())
def test_calls_sent_back_to_the_model_are_read_with_their_results(
    calls: Any, text: str, failed: bool
) -> None:
    message = answered(*uses_of(calls))
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": text, "is_error": failed}
        for block in message.content[1:]
    ]
    messages = [QUESTION, message.to_param(), {"role": "user", "content": results}]
    CLIENT.messages.create(model="m", max_tokens=9, messages=messages, tools=[TOOL])

    for document in (messages, SERVER.asked):
        assert read(document) == calls_of(message.content)
        assert {(call.result, call.failed) for call in callscore.read_calls(document)} == {
            (text, failed)
        }
    assert read(message.content) == calls_of(message.content)
    assert tools(SERVER.asked) == [("f", "d", SCHEMA)]


def events_of(blocks: Any, sizes: list[int], end: int | None, stop: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message_of([], None)}]
    for index, block in enumerate(blocks):
        begun = {**block, "input": {}}
        text = dumps(block["input"])[:end] if block["input"] or end is not None else ""
        deltas = [
            {"type": "input_json_delta", "partial_json": piece} for piece in pieces_of(text, sizes)
        ]
        events += [
            {"type": "content_block_start", "index": index, "content_block": begun},
            *[{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas],
            {"type": "content_block_stop", "index": index},
        ]
    ending = {"stop_reason": stop, "stop_sequence": None}
    return [
        *events,
        {"type": "message_delta", "delta": ending, "usage": USAGE},
        {"type": "message_stop"},
    ]


def streamed() -> tuple[list[Any], list[Any], Any]:
    """The events as they come, the events of the SDK's own helper, and the message it makes."""
    raw = list(CLIENT.messages.create(**ASK, stream=True))
    with CLIENT.messages.stream(**ASK) as stream:
        return raw, list(stream), stream.get_final_message()


@given(CALLS, SIZES)
def test_a_stream_is_put_together_as_the_sdk_does_it(calls: Any, sizes: list[int]) -> None:
    SERVER.answer = events_of(uses_of(calls), sizes, None, "tool_use" if calls else "end_turn")
    raw, helped, final = streamed()

    expected = calls_of(final.content)

    assert [call[:2] for call in expected] == [(name, repr(arguments)) for name, arguments in calls]
    assert read(raw) == read(helped) == expected
    assert read([event.model_dump(mode="json") for event in raw]) == expected
    assert read("\n".join([event.model_dump_json() for event in raw])) == expected
    assert read(CLIENT.messages.create(**ASK, stream=True)) == expected
    for document in every_way(final):
        assert read(document) == expected


@given(ARGUMENTS.filter(bool), st.integers(1, 200), SIZES)
def test_a_call_that_was_cut_is_closed_by_the_sdk_and_a_fault_here(
    arguments: Any, end: int, sizes: list[int]
) -> None:
    whole = dumps(arguments)
    end = min(end, len(whole) - 1)
    SERVER.answer = events_of(uses_of([("f", arguments)]), sizes, end, "max_tokens")
    raw, _, final = streamed()

    (call,) = callscore.read_calls(raw)
    (closed,) = callscore.read_calls(final)

    # The SDK reads what has come so far as if it had been closed there: nobody asked for that.
    assert isinstance(final.content[0].input, dict)
    assert (call.arguments, call.error, call.raw) == (None, "truncated_json", whole[:end])
    assert (closed.arguments, closed.error) == (None, "truncated_json")


def test_arguments_that_are_no_json_stop_the_sdk_and_are_a_fault_here() -> None:
    events = events_of(uses_of([("f", {"a": 1})]), [], None, "tool_use")
    events[2]["delta"]["partial_json"] = "{'a': 1}"
    SERVER.answer = events

    with pytest.raises(ValueError, match="Unable to parse tool parameter JSON"):
        streamed()
    (call,) = callscore.read_calls(CLIENT.messages.create(**ASK, stream=True))

    assert (call.name, call.arguments, call.error) == ("f", None, "invalid_json")
    assert call.raw == "{'a': 1}"


@given(ARGUMENTS, ARGUMENTS, st.booleans())
def test_calls_that_the_provider_runs_are_marked(served: Any, remote: Any, failed: bool) -> None:
    blocks = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": served},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {"type": "mcp_tool_use", "id": "m", "name": "f", "server_name": "x", "input": remote},
        {"type": "mcp_tool_result", "tool_use_id": "m", "content": [TEXT], "is_error": failed},
    ]
    SERVER.answer = message_of(blocks, "end_turn")
    message = CLIENT.beta.messages.create(**ASK, betas=["mcp-client-2025-11-20"])

    expected = [
        said(block.name, block.input, block.id)
        for block in message.content
        if block.type.endswith("_use")
    ]

    for document in every_way(message):
        assert read(document) == expected
        first, second = callscore.read_calls(document)
        assert (first.kind, first.failed) == ("hosted", False)
        assert (second.kind, second.failed) == ("mcp", failed)
        assert read(document, leave_out=["hosted"]) == expected[1:]


@given(CALLS)
def test_the_results_of_a_batch_are_read(calls: Any) -> None:
    message = answered(*uses_of(calls))
    result = batches.MessageBatchSucceededResult(type="succeeded", message=message)
    line = batches.MessageBatchIndividualResponse(custom_id="task", result=result)

    for document in every_way(line):
        assert read(document) == calls_of(line.result.message.content)


def get_weather(city: str, days: list[int] | None = None) -> str:
    """What the weather is.

    Args:
        city: where
        days: when
    """
    return f"{city}: {days}"


def test_tools_are_read_as_the_sdk_makes_them() -> None:
    tool = anthropic.beta_tool(get_weather)
    made = tool.to_dict()
    expected = [("get_weather", made["description"], made["input_schema"])]

    SERVER.answer = message_of([TEXT], "end_turn")
    CLIENT.beta.messages.create(**ASK, tools=[made])

    assert made["description"].startswith("What the weather is.")
    assert tools([tool]) == tools([made]) == tools(SERVER.asked) == expected
    assert tools({**ASK, "tools": [tool]}) == expected


@given(st.text(), st.lists(st.integers()))
def test_calls_that_the_tool_runner_of_the_sdk_makes_are_read(city: str, days: list[int]) -> None:
    ran = []

    def note(city: str, days: list[int]) -> str:
        ran.append(said("note", {"city": city, "days": days}, "toolu_0"))
        return "done"

    call = uses_of([("note", {"city": city, "days": days})])
    SERVER.answer = iter([message_of(call, "tool_use"), message_of([TEXT], "end_turn")])
    runner = CLIENT.beta.messages.tool_runner(**ASK, tools=[anthropic.beta_tool(note)])

    messages = list(runner)
    sent = loads(SERVER.asked)["messages"]  # of a thread, only what is new is sent

    assert read(messages) == ran
    with pytest.warns(callscore.UnreadCalls, match="'tool_use_id'"):  # the result of a call alone
        assert read(SERVER.asked) == []
    assert read([messages[0], *sent]) == ran
    assert [found.result for found in callscore.read_calls([messages[0], *sent])] == ["done"]
