"""Recordings of the OpenAI Agents SDK have the calls of the result of the run."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"  # nothing is sent to anyone

from agents import (
    Agent,
    MaxTurnsExceeded,
    ModelBehaviorError,
    RunConfig,
    RunHooks,
    Runner,
    SQLiteSession,
    WebSearchTool,
    function_tool,
)
from agents.testing import ScriptedModel, assistant_message, function_call
from openai.types.responses import ResponseFunctionWebSearch
from openai.types.responses.response_function_web_search import ActionSearch

import callscore
from callscore.errors import CallscoreError
from callscore.recorders.openai_agents import record
from callscore.testing import assert_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.recorders.recording import Recording

DONE = [assistant_message("Done.")]


@pytest.fixture(autouse=True)
def _event_loop() -> Iterator[None]:
    """The loop that `run_sync` uses, and leaves open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)


def weather_of(city: str, id_: str = "1") -> Any:
    return function_call("get_weather", {"city": city}, call_id=id_)


@function_tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    if city == "Atlantis":
        raise ValueError("no such city")
    return f"sunny in {city}"


def agent_for(*answers: Any, **options: Any) -> Any:
    options = {"name": "Weather", "tools": [get_weather], **options}
    return Agent(model=ScriptedModel(answers), **options)


def weather_agent(**options: Any) -> Any:
    """It calls a tool twice at once, then with arguments that are not JSON, then answers."""
    return agent_for(
        [weather_of("Oslo"), weather_of("Atlantis", "2")],
        [function_call("get_weather", '{"city": ', call_id="3")],
        DONE,
        **options,
    )


def assert_same(run: Recording, result: Any) -> None:
    found = callscore.read_calls(result)
    assert list(run.calls) == found
    assert found


def cities(run: Recording) -> list[Any]:
    return [call.arguments for call in run.calls]


def test_a_recording_is_taken_for_a_trace() -> None:
    with record() as run:
        Runner.run_sync(agent_for([weather_of("Oslo")], DONE), "?", hooks=run)

    expected = [("get_weather", {"city": "Oslo"})]
    assert assert_calls(expected, run).f1 == 1
    assert callscore.score(expected, run).f1 == 1
    assert callscore.read_calls(run) == list(run.calls)
    with pytest.raises(AssertionError, match="Bergen"):
        assert_calls([("get_weather", {"city": "Bergen"})], run)


def test_parallel_calls_and_errors_are_those_of_the_result() -> None:
    with record() as run:
        result = Runner.run_sync(weather_agent(), "?", hooks=run)

    assert_same(run, result)
    assert [(call.step, call.failed) for call in run.calls] == [(0, False), (0, True), (1, True)]
    assert run.calls[2].error is not None


def test_async_and_streamed_runs_are_recorded() -> None:
    async def streamed(run: Any) -> Any:
        result = Runner.run_streamed(weather_agent(), "?", hooks=run)
        async for _ in result.stream_events():
            pass
        return result

    with record() as run:
        result = asyncio.run(Runner.run(weather_agent(), "?", hooks=run))
    with record() as stream:
        assert_same(run, asyncio.run(streamed(stream)))

    assert_same(run, result)
    assert stream.calls == run.calls


def test_results_that_no_model_received_are_recorded() -> None:
    agent = weather_agent(tool_use_behavior="stop_on_first_tool")
    with record() as run:
        result = Runner.run_sync(agent, "?", hooks=run)

    assert_same(run, result)
    assert [call.failed for call in run.calls] == [False, True]


def test_runs_that_fail_have_the_calls_up_to_there() -> None:
    @function_tool(failure_error_function=None)
    def explode() -> str:
        """Explode."""
        raise ValueError("boom")

    with record() as run, pytest.raises(MaxTurnsExceeded) as stopped:
        Runner.run_sync(weather_agent(), "?", hooks=run, max_turns=1)
    exploding = agent_for([function_call("explode", {}, call_id="1")], DONE, tools=[explode])
    with record() as raised, pytest.raises(Exception, match="boom"):
        Runner.run_sync(exploding, "?", hooks=raised)
    unknown = agent_for([function_call("no_such_tool", {}, call_id="1")], DONE)
    with record() as other, pytest.raises(ModelBehaviorError):
        Runner.run_sync(unknown, "?", hooks=other)

    assert_same(run, stopped.value.run_data.new_items)
    assert [(call.name, call.result) for call in raised.calls] == [("explode", None)]
    assert [(call.name, call.result) for call in other.calls] == [("no_such_tool", None)]


@pytest.mark.parametrize("is_nested", [False, True])
def test_a_handoff_is_a_call(is_nested: bool) -> None:
    other = agent_for([weather_of("Oslo", "2")], DONE, name="Other")
    agent = agent_for([function_call("transfer_to_other", {}, call_id="1")], handoffs=[other])

    with record() as run:
        config = RunConfig(nest_handoff_history=is_nested)
        result = Runner.run_sync(agent, "?", hooks=run, run_config=config)

    assert_same(run, result)
    assert [call.name for call in run.calls] == ["transfer_to_other", "get_weather"]
    assert run.calls[0].result == '{"assistant": "Other"}'


def test_a_conversation_has_turns() -> None:
    async def converse(run: Any, session: SQLiteSession) -> Any:
        await Runner.run(weather_agent(), "?", hooks=run, session=session)
        agent = agent_for([weather_of("Rome")], DONE)
        await Runner.run(agent, "And?", hooks=run, session=session)
        return await session.get_items()

    session = SQLiteSession("a")
    with record() as run:
        items = asyncio.run(converse(run, session))
    session.close()

    assert_same(run, items)
    assert [call.turn for call in run.calls] == [0, 0, 0, 1]


def test_the_history_of_a_run_does_not_count() -> None:
    earlier = Runner.run_sync(agent_for([weather_of("Oslo")], DONE), "?").to_input_list()
    with record() as run:
        question = [*earlier, {"role": "user", "content": "And?"}]
        Runner.run_sync(agent_for([weather_of("Rome", "2")], DONE), question, hooks=run)

    assert cities(run) == [{"city": "Rome"}]


def test_a_call_that_waited_for_an_approval_is_one_call() -> None:
    @function_tool(needs_approval=True)
    def delete(name: str) -> str:
        """Delete a file."""
        return f"deleted {name}"

    call = function_call("delete", {"name": "a"}, call_id="1")
    agent = agent_for([call], DONE, tools=[delete])
    with record() as run:
        first = Runner.run_sync(agent, "?", hooks=run)
        unfinished = run.calls
        state = first.to_state()
        state.approve(first.interruptions[0])
        result = Runner.run_sync(agent, state, hooks=run)

    assert [call.result for call in unfinished] == [None]
    assert_same(run, result)
    assert run.calls[0].result == "deleted a"


def test_an_agent_that_is_a_tool_is_a_subagent_if_it_is_given_the_recording() -> None:
    def agent_with(hooks: Any) -> Any:
        inner = agent_for([weather_of("Rome", "inner")], DONE, name="Inner")
        calls = [function_call("ask", {"input": "?"}, call_id="1"), weather_of("Oslo", "2")]
        ask = inner.as_tool("ask", "Ask another agent.", hooks=hooks)
        return agent_for(calls, DONE, tools=[get_weather, ask])

    with record() as run:
        Runner.run_sync(agent_with(run), "?", hooks=run)
    with record() as outer:
        result = Runner.run_sync(agent_with(None), "?", hooks=outer)

    assert [(call.name, call.caller, call.step) for call in run.calls] == [
        ("ask", None, 0),
        ("get_weather", None, 0),
        ("get_weather", "subagent", 1),
    ]
    assert [call.result for call in run.calls] == ["Done.", "sunny in Oslo", "sunny in Rome"]
    assert_same(outer, result)


def test_calls_of_the_provider_are_recorded() -> None:
    search = ResponseFunctionWebSearch(
        id="ws_1",
        type="web_search_call",
        status="completed",
        action=ActionSearch(type="search", query="weather"),
    )
    with record() as run:
        agent = agent_for([search, *DONE], tools=[WebSearchTool()])
        result = Runner.run_sync(agent, "?", hooks=run)

    assert_same(run, result)
    assert run.calls[0].kind == "hosted"


def test_recordings_of_tasks_and_threads_do_not_mix() -> None:
    async def one(city: str) -> list[Any]:
        with record() as run:
            await Runner.run(agent_for([weather_of(city)], DONE), "?", hooks=run)
        return cities(run)

    async def all_at_once() -> Any:
        return await asyncio.gather(*[one(f"{number}") for number in range(10)])

    expected = [[{"city": f"{number}"}] for number in range(10)]
    assert asyncio.run(all_at_once()) == expected
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda number: asyncio.run(one(f"{number}")), range(10)))
    assert found == expected


def test_concurrent_runs_of_one_recording_keep_their_results() -> None:
    async def all_at_once(run: Any) -> None:
        agents = [agent_for([weather_of(city)], DONE) for city in ("Oslo", "Rome")]
        await asyncio.gather(*[Runner.run(agent, "?", hooks=run) for agent in agents])

    with record() as run:
        asyncio.run(all_at_once(run))

    assert [(call.arguments, call.result) for call in run.calls] == [
        ({"city": "Oslo"}, "sunny in Oslo"),
        ({"city": "Rome"}, "sunny in Rome"),
    ]


def test_an_inner_recording_belongs_to_both() -> None:
    with record() as outer:
        Runner.run_sync(agent_for([weather_of("Oslo")], DONE), "?", hooks=outer)
        with record() as inner:
            Runner.run_sync(agent_for([weather_of("Rome")], DONE), "?", hooks=inner)

    assert cities(inner) == [{"city": "Rome"}]
    assert cities(outer) == [{"city": "Oslo"}, {"city": "Rome"}]


def test_other_hooks_are_called_as_well() -> None:
    seen: list[str] = []

    class Watching(RunHooks):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            if name.startswith("on_"):
                seen.append(name)
            return super().__getattribute__(name)

    other = agent_for([weather_of("Oslo", "2")], DONE, name="Other")
    agent = agent_for([function_call("transfer_to_other", {}, call_id="1")], handoffs=[other])
    with record(hooks=Watching()) as run:
        Runner.run_sync(agent, "?", hooks=run)

    assert len(run.calls) == 2
    assert set(seen) == {name for name in dir(RunHooks) if name.startswith("on_")}


def test_a_stream_that_is_read_after_the_end_is_an_error() -> None:
    async def late() -> Recording:
        with record() as run:
            result = Runner.run_streamed(weather_agent(), "?", hooks=run)
        async for _ in result.stream_events():
            pass
        return run

    run = asyncio.run(late())
    with pytest.raises(CallscoreError, match="read its stream to the end inside"):
        _ = run.calls


def test_an_agent_that_called_nothing_is_not_an_agent_that_did_not_run() -> None:
    with record() as run:
        Runner.run_sync(agent_for(DONE), "?", hooks=run)
    with record() as empty:
        Runner.run_sync(agent_for([weather_of("Oslo")], DONE), "?")

    assert run.calls == ()
    assert_calls([], run)
    with pytest.raises(CallscoreError, match=r"no run .* was recorded.*hooks=run"):
        assert_calls([], empty)


def test_an_error_in_the_recorder_is_raised_when_the_recording_is_used() -> None:
    with record() as run:
        run._log.ask = None  # type: ignore[attr-defined]
        result = Runner.run_sync(weather_agent(), "?", hooks=run)

    assert len(callscore.read_calls(result)) == 3
    with pytest.raises(CallscoreError, match="the recorder failed: on_llm_start: TypeError"):
        assert_calls([], run)
