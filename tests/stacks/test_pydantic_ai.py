"""Recordings of Pydantic AI agents have the calls of the messages of the run."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    RunContext,
    capture_run_messages,
)
from pydantic_ai.messages import (
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

import callscore
from callscore.errors import CallscoreError
from callscore.recorders import opentelemetry
from callscore.recorders.pydantic_ai import record
from callscore.testing import assert_calls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from callscore.recorders.recording import Recording


@pytest.fixture(autouse=True)
def _event_loop() -> Iterator[None]:
    """The loop that `run_sync` uses, and leaves open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)


def weather_of(city: str, id_: str = "1") -> ToolCallPart:
    return ToolCallPart("get_weather", {"city": city}, id_)


def scripted(*answers: list[Any]) -> FunctionModel:
    """A model that answers with these parts, also in a stream."""
    waiting = iter([*answers, *([[TextPart("Done.")]] * 3)])

    def answer(messages: Any, info: Any) -> ModelResponse:  # noqa: ARG001
        return ModelResponse(parts=next(waiting))

    async def stream(messages: Any, info: Any) -> AsyncIterator[Any]:  # noqa: ARG001
        for place, part in enumerate(next(waiting)):
            if isinstance(part, TextPart):
                yield part.content
                continue
            text = part.args_as_json_str()
            yield {place: DeltaToolCall(part.tool_name, text[:4], tool_call_id=part.tool_call_id)}
            yield {place: DeltaToolCall(json_args=text[4:])}

    return FunctionModel(answer, stream_function=stream)


def get_weather(city: str) -> str:
    """The weather in a city."""
    if city == "Atlantis":
        raise RuntimeError("no such city")
    if city == "Olso":
        raise ModelRetry("Did you mean Oslo?")
    return f"sunny in {city}"


def agent_for(*answers: list[Any], **options: Any) -> Agent[None, Any]:
    return Agent(scripted(*answers), tools=options.pop("tools", [get_weather]), **options)


def weather_agent() -> Agent[None, Any]:
    """It calls a tool twice at once, then again after a mistake, then answers."""
    return agent_for([weather_of("Bergen"), weather_of("Olso", "2")], [weather_of("Oslo", "3")])


def assert_same(run: Recording, result: Any) -> None:
    found = callscore.read_calls(result)
    assert list(run.calls) == found
    assert found


def cities(run: Recording) -> list[Any]:
    return [call.arguments for call in run.calls]


def test_a_recording_is_taken_for_a_trace() -> None:
    with record() as run:
        agent_for([weather_of("Oslo")]).run_sync("?", capabilities=[run])

    expected = [("get_weather", {"city": "Oslo"})]
    assert assert_calls(expected, run).f1 == 1
    assert callscore.score(expected, run).f1 == 1
    assert callscore.read_calls(run) == list(run.calls)
    with pytest.raises(AssertionError, match="Bergen"):
        assert_calls([("get_weather", {"city": "Bergen"})], run)


def test_parallel_calls_and_retries_are_those_of_the_messages() -> None:
    with record() as run:
        result = weather_agent().run_sync("?", capabilities=[run])

    assert_same(run, result)
    assert [(call.step, call.failed) for call in run.calls] == [(0, False), (0, True), (1, False)]


async def run_in_every_way(how: str, run: Any) -> Any:
    agent = weather_agent()
    if how == "run":
        return await agent.run("?", capabilities=[run])
    if how == "run_stream":
        async with agent.run_stream("?", capabilities=[run]) as streamed:
            _ = [text async for text in streamed.stream_text()]
        return streamed.all_messages()
    if how == "run_stream_events":
        async with agent.run_stream_events("?", capabilities=[run]) as events:
            found = [event async for event in events]
        return found[-1].result
    async with agent.iter("?", capabilities=[run]) as steps:
        _ = [step async for step in steps]
    return steps.result


@pytest.mark.parametrize("how", ["run", "run_stream", "run_stream_events", "iter"])
def test_every_way_to_run_an_agent_is_recorded(how: str) -> None:
    with record() as run:
        result = asyncio.run(run_in_every_way(how, run))

    assert_same(run, result)
    assert len(run.calls) == 3


def test_a_run_that_fails_has_the_calls_up_to_there() -> None:
    agent = agent_for([weather_of("Oslo")], [weather_of("Atlantis", "2")])

    with record() as run, capture_run_messages() as messages, pytest.raises(RuntimeError):
        agent.run_sync("?", capabilities=[run])

    assert_same(run, messages)
    assert [call.result for call in run.calls] == ["sunny in Oslo", None]


def test_the_history_of_a_run_does_not_count_and_a_conversation_has_turns() -> None:
    agent = agent_for([weather_of("Oslo")], [TextPart("Sunny.")], [weather_of("Rome", "2")])
    with record() as both:
        first = agent.run_sync("?", capabilities=[both])
        with record() as run:
            history = first.all_messages()
            second = agent.run_sync("And?", message_history=history, capabilities=[run])

    assert_same(run, second.new_messages())
    assert_same(both, second.all_messages())
    assert cities(run) == [{"city": "Rome"}]
    assert [call.turn for call in both.calls] == [0, 1]


def test_a_call_that_waited_for_an_approval_is_one_call() -> None:
    def delete(ctx: RunContext[None], name: str) -> str:
        """Delete a file."""
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return f"deleted {name}"

    answers = [ToolCallPart("delete", {"name": "a"}, "1")]
    agent = agent_for(answers, tools=[], output_type=[str, DeferredToolRequests])
    agent.tool(delete)

    with record() as run:
        first = agent.run_sync("?", capabilities=[run])
        unfinished = run.calls
        second = agent.run_sync(
            message_history=first.all_messages(),
            deferred_tool_results=DeferredToolResults(approvals={"1": True}),
            capabilities=[run],
        )

    assert [call.result for call in unfinished] == [None]
    assert_same(run, second)
    assert run.calls[0].result == "deleted a"


def test_an_agent_within_a_tool_is_a_subagent_if_it_is_given_the_recording() -> None:
    def agent_with(run: Any) -> Agent[None, Any]:
        async def ask(question: str) -> str:
            """Ask another agent."""
            inner = agent_for([weather_of("Rome", "inner")])
            return str((await inner.run(question, capabilities=[run] if run else [])).output)

        calls = [ToolCallPart("ask", {"question": "?"}, "1"), weather_of("Oslo", "2")]
        return agent_for(calls, tools=[ask, get_weather])

    with record() as run:
        agent_with(run).run_sync("?", capabilities=[run])
    with record() as outer:
        result = agent_with(None).run_sync("?", capabilities=[outer])

    assert [(call.name, call.caller, call.step) for call in run.calls] == [
        ("ask", None, 0),
        ("get_weather", None, 0),
        ("get_weather", "subagent", 1),
    ]
    assert [call.result for call in run.calls] == ["Done.", "sunny in Oslo", "sunny in Rome"]
    assert_same(outer, result)


def test_calls_of_the_provider_and_output_tools_are_recorded() -> None:
    class Answer(BaseModel):
        text: str

    search = NativeToolCallPart("web_search", {"query": "a"}, "s1")
    found = NativeToolReturnPart("web_search", "b", "s1")
    agent = agent_for(
        [search, found, ToolCallPart("final_result", {"text": "a"}, "1")], output_type=Answer
    )
    with record() as run:
        result = agent.run_sync("?", capabilities=[run])

    assert_same(run, result)
    assert [(call.name, call.kind) for call in run.calls] == [
        ("web_search", "hosted"),
        ("final_result", None),
    ]


def test_malformed_arguments_are_kept() -> None:
    bad = ToolCallPart("get_weather", '{"city": ', "1")
    with record() as run:
        result = agent_for([bad]).run_sync("?", capabilities=[run])

    assert_same(run, result)
    assert run.calls[0].error is not None


def test_the_spans_of_pydantic_ai_have_the_same_calls() -> None:
    provider = TracerProvider()
    agent = weather_agent()
    agent.instrument = InstrumentationSettings(tracer_provider=provider)

    with opentelemetry.record(provider=provider) as spans, record() as run:
        agent.run_sync("?", capabilities=[run])

    assert spans.calls == run.calls


def test_recordings_of_tasks_and_threads_do_not_mix() -> None:
    async def one(city: str) -> list[Any]:
        with record() as run:
            await agent_for([weather_of(city)]).run("?", capabilities=[run])
        return cities(run)

    async def all_at_once() -> Any:
        return await asyncio.gather(*[one(f"{number}") for number in range(10)])

    expected = [[{"city": f"{number}"}] for number in range(10)]
    assert asyncio.run(all_at_once()) == expected
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda number: asyncio.run(one(f"{number}")), range(10)))
    assert found == expected


def test_two_recordings_of_one_run_have_the_same_calls() -> None:
    with record() as outer, record() as inner:
        weather_agent().run_sync("?", capabilities=[outer, inner])

    assert len(outer.calls) == 3
    assert outer.calls == inner.calls


def test_runs_with_the_same_id_are_told_apart() -> None:
    with record() as run:
        for city in ("Oslo", "Rome"):
            agent_for([weather_of(city)]).run_sync("?", run_id="a", capabilities=[run])

    assert cities(run) == [{"city": "Oslo"}, {"city": "Rome"}]


def test_a_run_after_the_end_is_an_error() -> None:
    with record() as run:
        pass
    weather_agent().run_sync("?", capabilities=[run])

    with pytest.raises(CallscoreError, match="outside of the 'with record"):
        _ = run.calls


def test_an_agent_that_called_nothing_is_not_an_agent_that_did_not_run() -> None:
    with record() as run:
        agent_for().run_sync("?", capabilities=[run])
    with record() as empty:
        agent_for([weather_of("Oslo")]).run_sync("?")

    assert run.calls == ()
    assert_calls([], run)
    with pytest.raises(CallscoreError, match=r"no run .* was recorded.*capabilities=\[run\]"):
        assert_calls([], empty)


def test_an_error_in_the_recorder_is_raised_when_the_recording_is_used() -> None:
    with record() as run:
        run._log.begin = None  # type: ignore[attr-defined]
        result = weather_agent().run_sync("?", capabilities=[run])

    assert len(callscore.read_calls(result)) == 3
    with pytest.raises(CallscoreError, match="the recorder failed: wrap_run: TypeError"):
        assert_calls([], run)
