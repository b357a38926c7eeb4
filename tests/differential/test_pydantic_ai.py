"""Pydantic AI: histories, live and stored, and agents that really run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.differential.comparison import (
    ARGUMENTS,
    CALLS,
    Said,
    dumps,
    pieces_of,
    read,
    said,
    tools,
)

import callscore

pydantic_ai: Any = pytest.importorskip("pydantic_ai")
messages: Any = pytest.importorskip("pydantic_ai.messages")
functions: Any = pytest.importorskip("pydantic_ai.models.function")
testing: Any = pytest.importorskip("pydantic_ai.models.test")

STORED = messages.ModelMessagesTypeAdapter
SIZES = st.lists(st.integers(0, 9), max_size=6)
DAYS = st.lists(st.integers(-(2**80), 2**80), max_size=3)
# A text that a validator of JSON takes back as it was.
CITIES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def response_of(calls: Any, *, as_text: bool) -> Any:
    parts = [
        messages.ToolCallPart(name, dumps(arguments) if as_text else arguments, f"call_{i}")
        for i, (name, arguments) in enumerate(calls)
    ]
    return messages.ModelResponse(parts=[messages.TextPart("Well."), *parts])


def calls_of(history: Any) -> list[Said]:
    return [
        said(part.tool_name, part.args_as_dict(), part.tool_call_id)
        for message in history
        for part in message.parts
        if isinstance(part, messages.BaseToolCallPart)
    ]


def every_way(history: Any) -> list[Any]:
    """A history live, and as Pydantic AI itself stores it."""
    return [
        history,
        STORED.dump_python(history),
        STORED.dump_python(history, mode="json"),
        STORED.dump_json(history),
        STORED.dump_json(history, indent=2).decode(),
        STORED.validate_json(STORED.dump_json(history)),
        {"messages": history},
    ]


@given(CALLS, st.booleans())
def test_a_response_is_read_as_pydantic_ai_has_it(calls: Any, as_text: bool) -> None:
    response = response_of(calls, as_text=as_text)

    expected = calls_of([response])

    assert [call[:2] for call in expected] == [(name, repr(arguments)) for name, arguments in calls]
    for document in (response, *every_way([response])):
        assert read(document) == expected
    assert read(response.tool_calls) == expected
    assert callscore.score(calls, response).is_exact


@given(CALLS.filter(bool))
def test_the_parts_of_a_response_are_read_by_themselves(calls: Any) -> None:
    response = response_of(calls, as_text=False)

    assert read(response.parts) == calls_of([response])


@given(CALLS.filter(bool), st.text(), st.sampled_from(["success", "failed", "denied"]))
def test_results_belong_to_their_calls(calls: Any, text: str, outcome: str) -> None:
    response = response_of(calls, as_text=False)
    returns = [
        messages.ToolReturnPart(call.tool_name, f"{i}{text}", call.tool_call_id, outcome=outcome)
        for i, call in enumerate(response.tool_calls)
    ]
    history = [response, messages.ModelRequest(parts=returns)]

    found = callscore.read_calls(history)

    assert [call.result for call in found] == [part.content for part in returns]
    assert {call.failed for call in found} == {outcome != "success"}


@pytest.mark.parametrize("text", ['{"a": ', "{'a': 1}", "[1]"])
def test_broken_arguments_are_wrapped_by_pydantic_ai_and_a_fault_here(text: str) -> None:
    part = messages.ToolCallPart("f", text, "call_0")

    (call,) = callscore.read_calls([messages.ModelResponse(parts=[part])])

    # It puts the text into an object, so that a provider takes it; the model has written no such.
    assert part.args_as_dict() == {"INVALID_JSON": text}
    assert (call.arguments, call.raw) == (None, text)
    assert call.error


@given(ARGUMENTS, st.text())
def test_calls_that_the_provider_runs_are_marked(arguments: Any, text: str) -> None:
    parts = [
        messages.NativeToolCallPart("web_search", arguments, tool_call_id="s"),
        messages.NativeToolReturnPart("web_search", text, tool_call_id="s"),
    ]
    history = [messages.ModelResponse(parts=parts)]

    for document in every_way(history):
        assert read(document) == calls_of(history)
        (call,) = callscore.read_calls(document)
        assert (call.kind, call.result) == ("hosted", text)
        assert read(document, leave_out=["hosted"]) == []


class Weather:
    """An agent with one tool, and the calls that it was really given."""

    def __init__(self, model: Any) -> None:
        self.ran: list[tuple[str, str]] = []
        self.agent = pydantic_ai.Agent(model, output_type=int, tools=[self.get_weather])

    def run(self) -> Any:
        return asyncio.run(self.agent.run("Go."))

    def get_weather(self, city: str, days: list[int]) -> str:
        """What the weather is."""
        self.ran.append(("get_weather", repr({"city": city, "days": days})))
        return "sun"


def model_that_calls(*calls: Any) -> Any:
    """A model that makes these calls, all together, and then gives its result."""

    def respond(history: list[Any], _: Any) -> Any:
        if len(history) == 1:
            parts = [messages.ToolCallPart("get_weather", arguments) for arguments in calls]
        else:
            parts = [messages.ToolCallPart("final_result", {"response": 1})]
        return messages.ModelResponse(parts=parts)

    return functions.FunctionModel(respond)


@given(CITIES, DAYS, st.booleans())
def test_the_calls_that_an_agent_runs_are_read_from_its_history(
    city: str, days: list[int], as_text: bool
) -> None:
    arguments = {"city": city, "days": days}
    weather = Weather(model_that_calls(dumps(arguments) if as_text else arguments, arguments))
    result = weather.run()
    history = result.all_messages()

    expected = calls_of(history)

    assert len(expected) == 3
    assert [call[:2] for call in expected[:2]] == weather.ran
    for document in (
        result,
        result.new_messages(),
        result.all_messages_json(),
        result.new_messages_json(),
        *every_way(history),
    ):
        assert read(document) == expected
        assert [call.result for call in callscore.read_calls(document)[:2]] == ["sun", "sun"]
        assert [call.step for call in callscore.read_calls(document)] == [0, 0, 1]


def test_a_run_of_the_test_model_is_read() -> None:
    weather = Weather(testing.TestModel())

    result = weather.run()

    assert read(result) == calls_of(result.all_messages())
    assert [call[:2] for call in read(result)[:-1]] == weather.ran


def test_a_call_that_has_to_be_made_again_has_failed() -> None:
    weather = Weather(model_that_calls('{"city": ', {"city": "Paris", "days": "all"}))

    result = weather.run()
    broken, wrong, _ = callscore.read_calls(result)

    assert weather.ran == []
    assert (broken.error, broken.failed) == ("truncated_json", True)
    assert (wrong.arguments, wrong.failed) == ({"city": "Paris", "days": "all"}, True)


@given(CITIES, DAYS, SIZES)
def test_a_streamed_run_has_the_same_calls(city: str, days: list[int], sizes: list[int]) -> None:
    text = dumps({"city": city, "days": days})

    async def stream(history: list[Any], _: Any) -> Any:
        name, given = (
            ("get_weather", text) if len(history) == 1 else ("final_result", '{"response": 1}')
        )
        yield {0: functions.DeltaToolCall(name, "", tool_call_id=name)}
        for piece in pieces_of(given, sizes):
            yield {0: functions.DeltaToolCall(json_args=piece)}

    weather = Weather(functions.FunctionModel(stream_function=stream))

    async def run() -> tuple[list[Any], Any]:
        async with weather.agent.run_stream_events("Go.") as stream:
            events = [event async for event in stream]
        async with weather.agent.run_stream("Go.") as result:
            await result.get_output()
        return events, result

    events, result = asyncio.run(run())

    expected = calls_of(result.all_messages())
    assert [call[:2] for call in expected[:1]] == weather.ran[1:] == weather.ran[:1]
    assert read(result) == read(events) == expected


def test_tools_are_read_as_they_are_offered() -> None:
    model = testing.TestModel()
    Weather(model).run()
    offered = model.last_model_request_parameters

    expected = [
        (tool.name, tool.description, tool.parameters_json_schema)
        for tool in [*offered.function_tools, *offered.output_tools]
    ]

    assert [tool[0] for tool in expected] == ["get_weather", "final_result"]
    assert tools(offered) == expected
    assert tools(offered.function_tools) == tools(offered.function_tools[0]) == expected[:1]
