"""OpenAI's SDK: chat completions, as its own client has them."""

from __future__ import annotations

from math import isfinite
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
pydantic: Any = pytest.importorskip("pydantic")

SIZES = st.lists(st.integers(0, 9), max_size=6)
ASK = {"model": "m", "messages": [{"role": "user", "content": "Go."}]}
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}}


SERVER = Server()
CLIENT = openai.OpenAI(api_key="-", base_url="http://server", http_client=SERVER.client)
CHAT = CLIENT.chat.completions


def function_calls(calls: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": text}}
        for i, (name, text) in enumerate(calls)
    ]


def written(calls: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    return [(name, dumps(arguments)) for name, arguments in calls]


def choice(calls: list[tuple[str, str]], index: int = 0) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Well.", "tool_calls": function_calls(calls) or None}
    reason = "tool_calls" if calls else "stop"
    return {"index": index, "finish_reason": reason, "message": message}


def completed(*choices: dict[str, Any]) -> Any:
    SERVER.answer = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": list(choices),
    }
    return CHAT.create(**ASK, tools=[TOOL])


def calls_of(message: Any) -> list[Said]:
    return [
        said(call.function.name, loads(call.function.arguments), call.id)
        for call in message.tool_calls or ()
    ]


@given(CALLS)
def test_a_completion_is_read_as_the_sdk_has_it(calls: Any) -> None:
    completion = completed(choice(written(calls)))
    message = completion.choices[0].message

    expected = calls_of(message)

    assert [(call.name, call.arguments) for call in expected] == [
        (name, repr(arguments)) for name, arguments in calls
    ]
    for document in (*every_way(completion), *every_way(message)):
        assert read(document) == expected
    assert read(completion.to_json()) == expected
    assert read(completion.to_dict()) == expected
    assert read(message.tool_calls) == expected


@given(CALLS)
def test_a_completion_passes_against_its_own_calls(calls: Any) -> None:
    completion = completed(choice(written(calls)))

    assert callscore.score(calls, completion).is_exact
    assert callscore.score(completion, completion.choices[0].message).is_exact


@given(CALLS, CALLS)
def test_each_choice_can_be_asked_for(first: Any, second: Any) -> None:
    completion = completed(choice(written(first)), choice(written(second), 1))

    for index in range(2):
        expected = calls_of(completion.choices[index].message)
        for document in every_way(completion):
            assert read(document, candidate=index) == expected


@given(CALLS.filter(bool), st.text())
def test_a_conversation_of_live_messages_is_read_with_its_results(calls: Any, result: str) -> None:
    message = completed(choice(written(calls))).choices[0].message
    answers = [
        {"role": "tool", "tool_call_id": call.id, "content": f"{i}{result}"}
        for i, call in enumerate(message.tool_calls)
    ]
    messages = [*ASK["messages"], message, *answers]

    found = callscore.read_calls(messages)

    assert read(messages) == calls_of(message)
    assert [call.result for call in found] == [answer["content"] for answer in answers]


@given(ARGUMENTS)
def test_the_old_function_call_is_read(arguments: Any) -> None:
    function = {"name": "f", "arguments": dumps(arguments)}
    old = {"role": "assistant", "content": None, "function_call": function}
    completion = completed({"index": 0, "finish_reason": "function_call", "message": old})

    call = completion.choices[0].message.function_call

    for document in every_way(completion):
        assert read(document) == [said(call.name, loads(call.arguments))]


@given(st.text())
def test_a_custom_tool_has_its_text_for_its_input(text: str) -> None:
    call = {"id": "call_0", "type": "custom", "custom": {"name": "f", "input": text}}
    completion = completed(
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {"role": "assistant", "tool_calls": [call]},
        }
    )

    custom = completion.choices[0].message.tool_calls[0].custom

    for document in every_way(completion):
        assert read(document) == [said(custom.name, {"input": custom.input}, "call_0")]


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def chunks_of(calls: list[tuple[str, str]], sizes: list[int], finish: str) -> list[dict[str, Any]]:
    chunks = [chunk({"role": "assistant", "content": ""})]
    for index, call in enumerate(function_calls(calls)):
        text = call["function"].pop("arguments")
        first = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        chunks.append(chunk({"tool_calls": [first]}))
        for piece in pieces_of(text, sizes):
            delta = {"index": index, "function": {"arguments": piece}}
            chunks.append(chunk({"tool_calls": [delta]}))
    return [*chunks, chunk({}, finish)]


@given(CALLS, SIZES)
def test_a_stream_is_put_together_as_the_sdk_does_it(calls: Any, sizes: list[int]) -> None:
    SERVER.answer = chunks_of(written(calls), sizes, "tool_calls" if calls else "stop")
    with CHAT.stream(**ASK) as stream:
        events = list(stream)
        final = stream.get_final_completion()
    chunks = list(CHAT.create(**ASK, stream=True))

    expected = calls_of(final.choices[0].message)

    assert [(call.name, call.arguments) for call in expected] == [
        (name, repr(arguments)) for name, arguments in calls
    ]
    assert read(chunks) == read(events) == expected
    assert read([item.model_dump() for item in chunks]) == expected
    assert read("\n".join(item.to_json(indent=None) for item in chunks)) == expected
    assert read(CHAT.create(**ASK, stream=True)) == expected
    for document in every_way(final):
        assert read(document) == expected


@given(ARGUMENTS, st.integers(0, 200))
def test_a_stream_that_was_cut_is_a_fault_and_not_repaired(arguments: Any, end: int) -> None:
    whole = dumps(arguments)
    text = whole[: min(end, len(whole) - 1)]
    SERVER.answer = chunks_of([("f", text)], [3], "length")

    (call,) = callscore.read_calls(list(CHAT.create(**ASK, stream=True)))

    # The SDK's own helper gives up here: it raises and gives no completion.
    with (
        pytest.raises(openai.LengthFinishReasonError),
        CHAT.stream(**ASK, tools=[STRICT]) as stream,
    ):
        stream.until_done().get_final_completion()
    assert (call.arguments, call.error, call.raw or "") == (None, "truncated_json", text)


WEATHER = pydantic.create_model(
    "Weather", __doc__="What the weather is.", city=(str, ...), days=(list[int], [])
)
STRICT = openai.pydantic_function_tool(WEATHER)


def test_tools_are_read_as_the_sdk_makes_them() -> None:
    function = dict(STRICT["function"])
    expected = [(function["name"], function["description"], function["parameters"])]

    completed(choice([]))
    CHAT.create(**ASK, tools=[STRICT])

    assert function["name"] == "Weather"
    assert tools([STRICT]) == expected
    assert tools({**ASK, "tools": [STRICT]}) == expected
    assert tools(SERVER.asked) == expected
    assert read(SERVER.asked) == []


@given(CALLS)
def test_the_request_that_the_client_sends_has_the_conversation(calls: Any) -> None:
    message = completed(choice(written(calls))).choices[0].message
    CHAT.create(model="m", messages=[*ASK["messages"], message], tools=[TOOL])

    assert read(SERVER.asked) == calls_of(message)
    assert tools(SERVER.asked) == [("f", "d", SCHEMA)]


def finite(number: str) -> float:
    if isfinite(float(number)):
        return float(number)
    raise ValueError(number)


def strictly(text: str) -> Any:
    """What a text holds by the letter of JSON; an error where it holds nothing."""
    try:
        return loads(text, parse_constant=finite, parse_float=finite)
    except ValueError as error:
        return error


MARKS = st.sampled_from(["{", "}", "[", "]", ",", ":", '"', "'", "\\", "0", "-", "e", " ", "NaN"])


@given(ARGUMENTS, st.integers(0, 80), st.integers(0, 3), MARKS | st.just(""))
def test_broken_arguments_are_kept_as_they_are(
    arguments: Any, at: int, length: int, mark: str
) -> None:
    whole = dumps(arguments, ensure_ascii=False)
    text = whole[:at] + mark + whole[at + length :]
    value = strictly(text)

    (call,) = callscore.read_calls(completed(choice([("f", text)])))

    if isinstance(value, dict):
        assert (repr(call.arguments), call.error) == (repr(value), None)
    else:
        assert (call.arguments, call.raw) == (None, text)
        assert call.error


@pytest.mark.parametrize(
    ("text", "loaded", "arguments", "error"),
    [
        # Servers write nothing, or null, where a tool takes no arguments.
        ("", "an error", {}, None),
        ("null", "None", {}, None),
        # What a model has quoted twice is an object all the same, with a warning.
        ('"{}"', "'{}'", {}, None),
        # Python reads what JSON does not know, and rounds what a float cannot hold.
        ('{"a": NaN}', "{'a': nan}", None, "invalid_json"),
        ('{"a": 1e400}', "{'a': inf}", {"a": 10**400}, None),
        (r'{"a": "\ud800"}', r"{'a': '\ud800'}", None, "invalid_json"),
        # A list is JSON, but no arguments.
        ("[1]", "[1]", None, "not_an_object"),
    ],
)
def test_where_callscore_and_python_differ_about_arguments(
    text: str, loaded: str, arguments: Any, error: str | None
) -> None:
    try:
        found = repr(loads(text))
    except ValueError:
        found = "an error"

    (call,) = callscore.read_calls(completed(choice([("f", text)])))

    assert found == loaded
    assert (call.arguments, call.error) == (arguments, error)
