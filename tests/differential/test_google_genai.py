"""Google's Gen AI SDK: answers, streams, chats, interactions and live messages, from its client."""

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
    pieces_of,
    read,
    said,
    tools,
)
from tests.differential.servers import Server

import callscore

genai: Any = pytest.importorskip("google.genai")
types: Any = pytest.importorskip("google.genai.types")

SERVER = Server()
OPTIONS = types.HttpOptions(httpx_client=SERVER.client, base_url="http://server")
CLIENT = genai.Client(api_key="-", http_options=OPTIONS)
SIZES = st.lists(st.integers(0, 9), max_size=6)
ASK = {"model": "m", "contents": "Go."}
TEXT = {"text": "Well."}


def parts_of(calls: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    return [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]


def answer_of(parts: list[dict[str, Any]], finish: str | None = "STOP") -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
    ending = {} if finish is None else {"finishReason": finish}
    return {"candidates": [{**candidate, **ending}], "responseId": "r", "modelVersion": "m"}


def answered(calls: Any) -> Any:
    SERVER.answer = answer_of([TEXT, *parts_of(calls)])
    return CLIENT.models.generate_content(**ASK)


def calls_of(calls: Any) -> list[Said]:
    return [said(call.name, call.args, call.id) for call in calls or ()]


@given(CALLS)
def test_a_response_is_read_as_the_sdk_has_it(calls: Any) -> None:
    response = answered(calls)
    content = response.candidates[0].content

    expected = calls_of(response.function_calls)

    assert [call[:2] for call in expected] == [(name, repr(arguments)) for name, arguments in calls]
    for document in (*every_way(response), *every_way(content), response.to_json_dict()):
        assert read(document) == expected
    assert callscore.score(calls, response).is_exact


def test_a_call_without_arguments_has_none() -> None:
    SERVER.answer = answer_of([{"functionCall": {"name": "f"}}])
    response = CLIENT.models.generate_content(**ASK)

    assert response.function_calls[0].args is None
    for document in every_way(response):
        assert read(document) == [said("f", {})]


@given(CALLS, CALLS)
def test_each_candidate_can_be_asked_for(first: Any, second: Any) -> None:
    candidates = [
        {"index": index, "content": {"role": "model", "parts": [TEXT, *parts_of(calls)]}}
        for index, calls in enumerate((first, second))
    ]
    SERVER.answer = {"candidates": candidates}
    response = CLIENT.models.generate_content(**ASK)

    for index, candidate in enumerate(response.candidates):
        expected = calls_of([part.function_call for part in candidate.content.parts[1:]])
        for document in every_way(response):
            assert read(document, candidate=index) == expected


@given(CALLS, CALLS)
def test_a_stream_has_the_calls_of_all_its_pieces(first: Any, second: Any) -> None:
    SERVER.answer = [
        answer_of([TEXT, *parts_of(first)], None),
        answer_of([TEXT, *parts_of(second)]),
    ]
    pieces = list(CLIENT.models.generate_content_stream(**ASK))

    expected = [call for piece in pieces for call in calls_of(piece.function_calls)]

    assert len(expected) == len(first) + len(second)
    assert read(pieces) == expected
    assert read([piece.model_dump() for piece in pieces]) == expected
    assert read("\n".join([piece.model_dump_json() for piece in pieces])) == expected
    assert read(CLIENT.models.generate_content_stream(**ASK)) == expected


@given(CALLS.filter(bool))
def test_the_history_of_a_chat_is_read_with_its_results(calls: Any) -> None:
    chat = CLIENT.chats.create(model="m")
    SERVER.answer = iter([answer_of([TEXT, *parts_of(calls)]), answer_of([TEXT])])
    first = chat.send_message("Go.")
    results = [
        types.Part.from_function_response(name=call.name, response={"result": index})
        for index, call in enumerate(first.function_calls)
    ]
    chat.send_message(results)
    history = chat.get_history()

    for document in (
        history,
        [content.model_dump() for content in history],
        SERVER.asked,
    ):
        assert read(document) == calls_of(first.function_calls)
        assert [call.result for call in callscore.read_calls(document)] == [
            {"result": index} for index in range(len(calls))
        ]


@given(st.text(), st.lists(st.integers()))
def test_calls_that_the_sdk_runs_automatically_are_read(city: str, days: list[int]) -> None:
    ran = []

    def note(city: str, days: list[int]) -> str:
        """Note it down."""
        ran.append(said("note", {"city": city, "days": days}))
        return "done"

    call = parts_of([("note", {"city": city, "days": days})])
    SERVER.answer = iter([answer_of(call), answer_of([TEXT])])
    config = types.GenerateContentConfig(tools=[note])
    response = CLIENT.models.generate_content(**ASK, config=config)

    for document in (*every_way(response), response.automatic_function_calling_history):
        assert read(document) == ran
        assert [found.failed for found in callscore.read_calls(document)] == [False]


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])
def test_a_lost_call_is_no_call_for_the_sdk_and_a_fault_here(reason: str) -> None:
    SERVER.answer = {"candidates": [{"content": {}, "finishReason": reason, "index": 0}]}
    response = CLIENT.models.generate_content(**ASK)

    # The model has tried to call something; an empty answer would count as none.
    assert not response.function_calls
    for document in every_way(response):
        (call,) = callscore.read_calls(document)
        assert (call.name, call.arguments, call.error) == ("", None, reason)


def get_weather(city: str, days: list[int] | None = None) -> str:
    """What the weather is."""
    return f"{city}: {days}"


def test_tools_are_read_as_the_sdk_makes_them() -> None:
    declaration = types.FunctionDeclaration(
        name="f", description="d", parameters_json_schema=SCHEMA
    )
    tool = types.Tool(function_declarations=[declaration])
    SERVER.answer = answer_of([TEXT])
    config = types.GenerateContentConfig(tools=[tool])
    CLIENT.models.generate_content(**ASK, config=config)

    asked = {"model": "m", "contents": [types.UserContent("Go.")], "config": config}
    for document in (SERVER.asked, asked, [tool], *every_way(tool)):
        assert tools(document) == [("f", "d", SCHEMA)]


def test_the_schemas_of_gemini_become_json_schemas() -> None:
    declaration = types.FunctionDeclaration.from_callable(
        client=CLIENT._api_client, callable=get_weather
    )
    tool = types.Tool(function_declarations=[declaration])

    expected = declaration.parameters.json_schema.model_dump(exclude_none=True, mode="json")

    for document in ([tool], *every_way(tool)):
        ((name, description, parameters),) = tools(document)
        assert (name, description) == ("get_weather", "What the weather is.")
        assert {**parameters["properties"]["city"]} == expected["properties"]["city"]
        assert parameters["required"] == expected["required"] == ["city"]
        assert parameters["type"] == expected["type"] == "object"


@given(CALLS.filter(bool))
def test_a_live_message_is_read(calls: Any) -> None:
    message = types.LiveServerMessage.model_validate(
        {
            "toolCall": {
                "functionCalls": [
                    {"id": f"c{i}", "name": name, "args": arguments}
                    for i, (name, arguments) in enumerate(calls)
                ]
            }
        }
    )

    for document in every_way(message):
        assert read(document) == calls_of(message.tool_call.function_calls)


def steps_of(calls: Any) -> list[dict[str, Any]]:
    return [
        {"type": "function_call", "id": f"c{i}", "name": name, "arguments": arguments}
        for i, (name, arguments) in enumerate(calls)
    ]


def interaction_of(steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "i",
        "object": "interaction",
        "model": "m",
        "status": "requires_action",
        "created": "2026-11-15T00:00:00Z",
        "updated": "2026-11-15T00:00:00Z",
        "steps": steps,
    }


def calls_in(steps: Any) -> list[Said]:
    return [
        said(step.name, step.arguments, step.id) for step in steps if step.type == "function_call"
    ]


@given(CALLS)
def test_an_interaction_is_read_as_the_sdk_has_it(calls: Any) -> None:
    SERVER.answer = interaction_of(steps_of(calls))
    interaction = CLIENT.interactions.create(model="m", input="Go.")

    expected = calls_in(interaction.steps)

    assert [call[:2] for call in expected] == [(name, repr(arguments)) for name, arguments in calls]
    for document in every_way(interaction):
        assert read(document) == expected


@given(CALLS.filter(bool), SIZES)
def test_a_streamed_interaction_is_put_together(calls: Any, sizes: list[int]) -> None:
    steps = steps_of(calls)
    events: list[dict[str, Any]] = [
        {"event_type": "interaction.created", "interaction": interaction_of([])}
    ]
    for index, step in enumerate(steps):
        deltas = [
            {"type": "arguments_delta", "arguments": piece}
            for piece in pieces_of(dumps(step["arguments"]), sizes)
        ]
        events += [
            {"event_type": "step.start", "index": index, "step": {**step, "arguments": {}}},
            *[{"event_type": "step.delta", "index": index, "delta": delta} for delta in deltas],
            {"event_type": "step.stop", "index": index},
        ]
    SERVER.answer = [
        *events,
        {"event_type": "interaction.completed", "interaction": interaction_of(steps)},
    ]
    stream = list(CLIENT.interactions.create(model="m", input="Go.", stream=True))

    expected = calls_in(stream[-1].interaction.steps)

    assert len(expected) == len(calls)
    assert read(stream) == read(stream[:-1]) == expected
    assert read([event.model_dump(mode="json") for event in stream]) == expected


@given(ARGUMENTS)
def test_arguments_in_pieces_are_put_in_their_places(arguments: Any) -> None:
    pieces = [
        {"jsonPath": f"$['{key}']", "stringValue": value, "willContinue": False}
        for key, value in arguments.items()
        if isinstance(value, str) and "'" not in key
    ]
    SERVER.answer = [
        answer_of([{"functionCall": {"name": "f", "willContinue": True}}], None),
        *[
            answer_of([{"functionCall": {"partialArgs": [piece], "willContinue": True}}], None)
            for piece in pieces
        ],
        answer_of([{"functionCall": {}}]),
    ]
    stream = list(CLIENT.models.generate_content_stream(**ASK))

    expected = {
        piece.json_path[3:-2]: piece.string_value
        for answer in stream
        for call in answer.function_calls or ()
        for piece in call.partial_args or ()
    }

    assert read(stream) == [said("f", expected)]
