"""OpenAI's SDK: responses and assistants, as its own client has them."""

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

openai: Any = pytest.importorskip("openai")
threads: Any = pytest.importorskip("openai.types.beta.threads")

SERVER = Server()
CLIENT = openai.OpenAI(api_key="-", base_url="http://server", http_client=SERVER.client)
ASK = {"model": "m", "input": "Go."}
TOOL = {"type": "function", "name": "f", "description": "d", "parameters": SCHEMA, "strict": True}
WORDS = {"type": "output_text", "text": "Well.", "annotations": []}
MESSAGE = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [WORDS],
}


def items_of(calls: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function_call",
            "id": f"fc_{i}",
            "call_id": f"call_{i}",
            "name": name,
            "arguments": dumps(arguments),
            "status": "completed",
        }
        for i, (name, arguments) in enumerate(calls)
    ]


def response_of(items: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": items,
        "tools": [TOOL],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
    }


def responded(*items: dict[str, Any]) -> Any:
    SERVER.answer = response_of(list(items))
    return CLIENT.responses.create(**ASK)


def calls_of(output: Any) -> list[Said]:
    return [
        said(item.name, loads(item.arguments), item.call_id)
        for item in output
        if item.type == "function_call"
    ]


@given(CALLS)
def test_a_response_is_read_as_the_sdk_has_it(calls: Any) -> None:
    response = responded(MESSAGE, *items_of(calls))

    expected = calls_of(response.output)

    assert [call[:2] for call in expected] == [(name, repr(arguments)) for name, arguments in calls]
    for document in (*every_way(response), response.to_dict(), response.to_json()):
        assert read(document) == expected
        assert tools(document) == [("f", "d", SCHEMA)]
    assert read(response.output) == expected
    assert callscore.score(calls, response).is_exact


@given(CALLS.filter(bool), st.text())
def test_calls_sent_back_as_input_are_read_with_their_results(calls: Any, result: str) -> None:
    output = responded(MESSAGE, *items_of(calls)).output
    answers = [
        {"type": "function_call_output", "call_id": item.call_id, "output": f"{i}{result}"}
        for i, item in enumerate(output[1:])
    ]
    given_back = [{"role": "user", "content": "Go."}, *output, *answers]
    CLIENT.responses.create(model="m", input=given_back, tools=[TOOL])

    for document in (given_back, SERVER.asked):
        assert read(document) == calls_of(output)
        assert [call.result for call in callscore.read_calls(document)] == [
            answer["output"] for answer in answers
        ]
    assert tools(SERVER.asked) == [("f", "d", SCHEMA)]


@given(ARGUMENTS, st.text())
def test_calls_of_other_kinds_stand_among_the_others(arguments: Any, text: str) -> None:
    response = responded(
        {
            "type": "mcp_call",
            "id": "mcp_1",
            "server_label": "s",
            "name": "remote",
            "arguments": dumps(arguments),
            "output": text,
        },
        {"type": "custom_tool_call", "id": "ct_1", "call_id": "c", "name": "free", "input": text},
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "q"},
        },
    )
    remote, free, search = response.output

    expected = [
        said(remote.name, loads(remote.arguments), remote.id),
        said(free.name, {"input": free.input}, free.call_id),
        said("web_search", {"type": "search", "query": "q"}, search.id),
    ]

    for document in every_way(response):
        assert read(document) == expected
        assert [call.kind for call in callscore.read_calls(document)] == ["mcp", None, "hosted"]
        assert callscore.read_calls(document)[0].result == remote.output


def events_of(calls: Any, sizes: list[int]) -> list[dict[str, Any]]:
    items = items_of(calls)
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response_of([]), "status": "in_progress"}}
    ]
    for index, item in enumerate(items):
        place = {"output_index": index, "item_id": item["id"]}
        begun = {**item, "arguments": "", "status": "in_progress"}
        kind = "response.function_call_arguments"
        whole = {"arguments": item["arguments"], "name": item["name"]}
        events += [
            {"type": "response.output_item.added", "output_index": index, "item": begun},
            *[
                {"type": f"{kind}.delta", **place, "delta": piece}
                for piece in pieces_of(item["arguments"], sizes)
            ],
            {"type": f"{kind}.done", **place, **whole},
            {"type": "response.output_item.done", "output_index": index, "item": item},
        ]
    events.append({"type": "response.completed", "response": response_of(items)})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


@given(CALLS, st.lists(st.integers(0, 9), max_size=6))
def test_a_stream_is_put_together_as_the_sdk_does_it(calls: Any, sizes: list[int]) -> None:
    SERVER.answer = events_of(calls, sizes)
    events = list(CLIENT.responses.create(**ASK, stream=True))
    with CLIENT.responses.stream(**ASK) as stream:
        helped = list(stream)
        final = stream.get_final_response()

    expected = calls_of(final.output)

    assert len(expected) == len(calls)
    assert read(events) == read(helped) == expected
    assert read([event.model_dump(mode="json") for event in events]) == expected
    assert read("\n".join([event.model_dump_json() for event in events])) == expected
    assert read(CLIENT.responses.create(**ASK, stream=True)) == expected
    for document in every_way(final):
        assert read(document) == expected


@given(CALLS.filter(bool), st.lists(st.integers(0, 9), max_size=6))
def test_a_stream_without_its_last_event_has_the_same_calls(calls: Any, sizes: list[int]) -> None:
    SERVER.answer = events_of(calls, sizes)
    events = list(CLIENT.responses.create(**ASK, stream=True))

    finished = calls_of(event.item for event in events if event.type == "response.output_item.done")

    assert read(events[:-1]) == finished


@given(CALLS.filter(bool), st.booleans())
def test_a_page_of_input_items_is_read_oldest_first(calls: Any, newest_first: bool) -> None:
    items = items_of(calls)
    answers = [
        {"type": "function_call_output", "id": f"o{i}", "call_id": item["call_id"], "output": "x"}
        for i, item in enumerate(items)
    ]
    run = [*items, *answers]
    SERVER.answer = {
        "object": "list",
        "data": run[::-1] if newest_first else run,
        "first_id": "a",
        "last_id": "b",
        "has_more": False,
    }
    page = CLIENT.responses.input_items.list("resp_1")

    expected = calls_of(page.data[::-1] if newest_first else page.data)

    for document in every_way(page):
        assert read(document) == expected


@given(CALLS.filter(bool))
def test_the_required_and_the_made_calls_of_an_assistant_are_read(calls: Any) -> None:
    functions = [
        {
            "id": f"call_{i}",
            "type": "function",
            "function": {"name": name, "arguments": dumps(arguments)},
        }
        for i, (name, arguments) in enumerate(calls)
    ]
    run = threads.Run.construct(
        id="run_1",
        object="thread.run",
        status="requires_action",
        required_action={
            "type": "submit_tool_outputs",
            "submit_tool_outputs": {"tool_calls": functions},
        },
        tools=[
            {
                "type": "function",
                "function": {"name": "f", "description": "d", "parameters": SCHEMA},
            }
        ],
    )
    step = {
        "id": "step_1",
        "object": "thread.run.step",
        "created_at": 1,
        "type": "tool_calls",
        "step_details": {"type": "tool_calls", "tool_calls": functions},
    }
    SERVER.answer = {"object": "list", "data": [step], "has_more": False}
    with pytest.deprecated_call():
        page = CLIENT.beta.threads.runs.steps.list("run_1", thread_id="thread_1")

    required = run.required_action.submit_tool_outputs.tool_calls
    expected = [
        said(call.function.name, loads(call.function.arguments), call.id) for call in required
    ]

    for document in (*every_way(run), *every_way(page), page.data):
        assert read(document) == expected
    assert tools(run) == [("f", "d", SCHEMA)]
