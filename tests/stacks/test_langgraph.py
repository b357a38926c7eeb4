"""Recordings of LangGraph and LangChain agents have the calls of the messages that they return."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ToolRetryMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import InjectedToolCallId, tool
from langchain_core.tracers.context import _configure_hooks
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent
from langgraph.types import Command, interrupt
from msgspec.structs import replace
from pydantic import BaseModel

import callscore
from callscore.errors import CallscoreError
from callscore.recorders.langgraph import record
from callscore.testing import assert_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.recorders.recording import Recording

QUESTION = {"messages": [("user", "What is the weather?")]}


class ScriptedModel(GenericFakeChatModel):  # type: ignore[misc]
    """Answers with its messages; a stream has the arguments of each call in two pieces."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:  # noqa: ARG002
        return self

    def _stream(self, *arguments: Any, **options: Any) -> Iterator[ChatGenerationChunk]:  # noqa: ARG002
        answer: Any = next(self.messages)
        chunks = [AIMessageChunk(content=answer.content)]
        for index, call in enumerate(answer.tool_calls):
            text = msgspec.json.encode(call["args"]).decode()
            chunks += [
                piece_of(index, text[:3], name=call["name"], id=call["id"]),
                piece_of(index, text[3:]),
            ]
        for chunk in chunks:
            yield ChatGenerationChunk(message=chunk)


def piece_of(index: int, text: str, **fields: Any) -> AIMessageChunk:
    piece = {"name": None, "id": None, **fields, "args": text, "index": index}
    return AIMessageChunk(content="", tool_call_chunks=[piece])


def scripted(*answers: AIMessage) -> ScriptedModel:
    return ScriptedModel(messages=iter(answers))


def asking(*calls: tuple[str, dict[str, Any], str]) -> AIMessage:
    made = [{"name": name, "args": args, "id": id_} for name, args, id_ in calls]
    return AIMessage(content="", tool_calls=made)


def weather_of(city: str, id_: str = "1") -> tuple[str, dict[str, Any], str]:
    return ("get_weather", {"city": city}, id_)


def done() -> AIMessage:
    return AIMessage(content="Done.")  # a new one each time: a model gives it an id


@tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    if city == "Atlantis":
        raise ValueError("no such city")
    return f"sunny in {city}"


def agent_for(*answers: AIMessage, **options: Any) -> Any:
    return create_agent(scripted(*answers), options.pop("tools", [get_weather]), **options)


def weather_agent(**options: Any) -> Any:
    """It calls a tool twice at once, then with an argument that is missing, then answers."""
    return agent_for(
        asking(weather_of("Oslo"), weather_of("Bergen", "2")),
        asking(("get_weather", {}, "3")),
        done(),
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
        agent_for(asking(weather_of("Oslo")), done()).invoke(QUESTION)

    expected = [("get_weather", {"city": "Oslo"})]
    assert assert_calls(expected, run).f1 == 1
    assert callscore.score(expected, run).f1 == 1
    assert callscore.read_calls(run) == list(run.calls)
    with pytest.raises(AssertionError, match="Bergen"):
        assert_calls([("get_weather", {"city": "Bergen"})], run)


def test_parallel_calls_and_errors_are_those_of_the_messages() -> None:
    with record() as run:
        result = weather_agent().invoke(QUESTION)

    assert_same(run, result)
    assert [call.step for call in run.calls] == [0, 0, 1]
    assert [call.failed for call in run.calls] == [False, False, True]


def test_every_way_to_run_an_agent_is_recorded() -> None:
    async def run_async(how: str) -> list[Any]:
        agent = weather_agent()
        with record() as run:
            if how == "ainvoke":
                await agent.ainvoke(QUESTION)
            elif how == "astream":
                _ = [chunk async for chunk in agent.astream(QUESTION)]
            else:
                _ = [event async for event in agent.astream_events(QUESTION, version="v2")]
        return list(run.calls)

    expected = callscore.read_calls(weather_agent().invoke(QUESTION))
    with record() as streamed:
        for _ in weather_agent().stream(QUESTION, stream_mode=["updates", "messages"]):
            pass
    with record() as batched:
        weather_agent().batch([QUESTION])

    assert list(streamed.calls) == list(batched.calls) == expected
    for how in ("ainvoke", "astream", "astream_events"):
        assert asyncio.run(run_async(how)) == expected


def test_react_agents_and_graphs_of_nodes_are_recorded() -> None:
    model = scripted(asking(weather_of("Oslo")), done())
    with record() as run, pytest.warns(Warning, match="create_react_agent"):
        result = create_react_agent(model, [get_weather]).invoke(QUESTION)

    assert_same(run, result)


def graph_with(node: Any, tools: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("model", node)
    graph.add_node("tools", tools)
    graph.add_edge(START, "model")
    graph.add_edge("model", "tools")
    return graph.compile()


def test_the_message_for_a_tool_that_raised_is_its_result() -> None:
    model = scripted(asking(weather_of("Atlantis")))
    node = ToolNode([get_weather], handle_tool_errors=True)
    graph = graph_with(lambda state: {"messages": [model.invoke(state["messages"])]}, node)

    with record() as run:
        result = graph.invoke(QUESTION)

    assert_same(run, result)
    assert run.calls[0].failed


def test_a_run_that_fails_has_the_calls_up_to_there() -> None:
    agent = agent_for(asking(weather_of("Oslo")), asking(weather_of("Atlantis", "2")), done())

    with record() as run, pytest.raises(ValueError, match="no such city"):
        agent.invoke(QUESTION)

    assert [(call.arguments, call.failed) for call in run.calls] == [
        ({"city": "Oslo"}, False),
        ({"city": "Atlantis"}, True),
    ]
    assert run.calls[1].result == "ValueError: no such city"


def test_calls_that_were_not_executed_are_recorded() -> None:
    agent = agent_for(asking(weather_of("Oslo")), interrupt_before=["tools"])

    with record() as run:
        result = agent.invoke(QUESTION)

    assert_same(run, result)
    assert run.calls[0].result is None


def test_a_tool_that_updates_the_state_has_the_message_as_its_result() -> None:
    @tool
    def note(text: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Write a note."""
        message = ToolMessage(f"noted {text}", tool_call_id=tool_call_id)
        return Command(update={"messages": [message]})

    agent = agent_for(asking(("note", {"text": "a"}, "1")), done(), tools=[note])
    with record() as run:
        result = agent.invoke(QUESTION)

    assert_same(run, result)
    assert run.calls[0].result == "noted a"


def test_results_that_no_tool_returned_are_those_of_the_messages() -> None:
    class Answer(BaseModel):
        text: str

    unknown = asking(("no_such_tool", {}, "1"), weather_of("Oslo", "2"))
    with record() as run:
        result = agent_for(
            unknown,
            asking(("Answer", {"text": "a"}, "3")),
            response_format=ToolStrategy(Answer),
        ).invoke(QUESTION)

    assert_same(run, result)
    assert [(call.name, call.failed) for call in run.calls] == [
        ("no_such_tool", True),
        ("get_weather", False),
        ("Answer", False),
    ]


def test_a_call_that_was_tried_again_by_a_middleware_is_one_call() -> None:
    attempts: list[str] = []

    @tool
    def flaky(name: str) -> str:
        """Fail at first."""
        attempts.append(name)
        if len(attempts) == 1:
            raise ConnectionError("try again")
        return "ok"

    again = ToolRetryMiddleware(max_retries=2, initial_delay=0, jitter=False)
    call = asking(("flaky", {"name": "a"}, "1"))
    agent = agent_for(call, done(), tools=[flaky], middleware=[again])
    with record() as run:
        result = agent.invoke(QUESTION)

    assert len(attempts) == 2
    assert_same(run, result)
    assert [call.result for call in run.calls] == ["ok"]


def test_a_call_that_waited_for_an_approval_is_one_call() -> None:
    @tool
    def delete(name: str) -> str:
        """Delete a file."""
        return f"{interrupt('really?')}: {name}"

    agent = agent_for(
        asking(("delete", {"name": "a"}, "1")), done(), tools=[delete], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "1"}}

    with record() as run:
        agent.invoke(QUESTION, config)
        result = agent.invoke(Command(resume="yes"), config)

    assert_same(run, result)
    assert run.calls[0].result == "yes: a"


def test_a_conversation_has_turns() -> None:
    agent = agent_for(
        asking(weather_of("Oslo")),
        done(),
        asking(weather_of("Rome")),
        done(),
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "1"}}

    with record() as run:
        agent.invoke(QUESTION, config)
        result = agent.invoke(QUESTION, config)

    assert_same(run, result)
    assert [call.turn for call in run.calls] == [0, 1]


def test_calls_before_the_recording_do_not_count() -> None:
    agent = agent_for(
        asking(weather_of("Oslo")),
        done(),
        asking(weather_of("Rome", "2")),
        done(),
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    agent.invoke(QUESTION, config)

    with record() as run:
        agent.invoke(QUESTION, config)

    assert cities(run) == [{"city": "Rome"}]


def test_an_agent_within_a_tool_is_a_subagent() -> None:
    inner = agent_for(asking(weather_of("Rome", "inner")), done())

    @tool
    def ask(question: str) -> str:
        """Ask another agent."""
        answer: str = inner.invoke({"messages": [("user", question)]})["messages"][-1].content
        return answer

    agent = agent_for(asking(("ask", {"question": "?"}, "1")), done(), tools=[ask])
    with record() as run:
        agent.invoke(QUESTION)

    assert [(call.name, call.caller, call.result) for call in run.calls] == [
        ("ask", None, "Done."),
        ("get_weather", "subagent", "sunny in Rome"),
    ]


def test_a_graph_within_the_graph_is_a_subagent() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("weather", weather_agent())
    graph.add_edge(START, "weather")

    with record() as run:
        result = graph.compile().invoke(QUESTION)

    found = [replace(call, caller=None) for call in run.calls]
    assert found == callscore.read_calls(result)
    assert {call.caller for call in run.calls} == {"subagent"}


def test_recordings_of_tasks_do_not_mix() -> None:
    async def one(city: str) -> list[Any]:
        with record() as run:
            await agent_for(asking(weather_of(city)), done()).ainvoke(QUESTION)
        return cities(run)

    async def both() -> Any:
        return await asyncio.gather(*[one(f"{number}") for number in range(10)])

    assert asyncio.run(both()) == [[{"city": f"{number}"}] for number in range(10)]


def test_recordings_of_threads_do_not_mix() -> None:
    def one(city: str) -> list[Any]:
        with record() as run:
            agent_for(asking(weather_of(city)), done()).invoke(QUESTION)
        return cities(run)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(one, [f"{number}" for number in range(10)]))

    assert found == [[{"city": f"{number}"}] for number in range(10)]


def test_a_thread_is_recorded_if_it_is_given_the_recording_or_the_context() -> None:
    def agent(city: str) -> Any:
        return agent_for(asking(weather_of(city)), done())

    with record() as run, ThreadPoolExecutor(1) as pool:
        pool.submit(agent("Oslo").invoke, QUESTION, {"callbacks": [run]}).result()
        context = contextvars.copy_context()
        pool.submit(context.run, agent("Rome").invoke, QUESTION).result()
        pool.submit(agent("Paris").invoke, QUESTION).result()
        agent("Bergen").invoke(QUESTION, {"callbacks": [run]})  # twice, and recorded once

    assert cities(run) == [{"city": "Oslo"}, {"city": "Rome"}, {"city": "Bergen"}]


def test_an_inner_recording_belongs_to_both() -> None:
    with record() as outer:
        agent_for(asking(weather_of("Oslo")), done()).invoke(QUESTION)
        with record() as inner:
            agent_for(asking(weather_of("Rome")), done()).invoke(QUESTION)

    assert cities(inner) == [{"city": "Rome"}]
    assert cities(outer) == [{"city": "Oslo"}, {"city": "Rome"}]


def test_calls_after_the_end_of_a_recording_are_not_recorded() -> None:
    record()
    hooks = len(_configure_hooks)
    with record() as run:
        agent_for(asking(weather_of("Oslo")), done()).invoke(QUESTION)
    agent_for(asking(weather_of("Rome")), done()).invoke(QUESTION)

    assert cities(run) == [{"city": "Oslo"}]
    assert len(_configure_hooks) == hooks
    assert run.current.get() is None


def test_a_stream_that_goes_on_after_the_end_is_an_error() -> None:
    with record() as run:
        stream = weather_agent().stream(QUESTION)
        next(stream)
    list(stream)

    with pytest.raises(CallscoreError, match="read its stream to the end inside"):
        _ = run.calls


def test_an_agent_that_called_nothing_is_not_an_agent_that_did_not_run() -> None:
    with record() as run:
        agent_for(done()).invoke(QUESTION)
    with record() as empty:
        pass
    with record() as other:
        RunnableLambda(lambda value: value).invoke(1)

    assert run.calls == ()
    assert_calls([], run)
    for recording in (empty, other):
        with pytest.raises(CallscoreError, match=r"no run .* was recorded.*callbacks"):
            assert_calls([], recording)


def test_calls_of_the_provider_are_recorded() -> None:
    block = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "a"}}
    with record() as run:
        result = agent_for(AIMessage(content=[block])).invoke(QUESTION)

    assert_same(run, result)
    assert run.calls[0].kind == "hosted"


def test_malformed_arguments_are_kept() -> None:
    bad = {"name": "get_weather", "args": '{"city": ', "id": "1", "error": None}
    answer = AIMessage(content="", invalid_tool_calls=[bad])
    with record() as run:
        result = agent_for(answer).invoke(QUESTION)

    assert_same(run, result)
    assert run.calls[0].error is not None


def test_an_error_in_the_recorder_is_raised_when_the_recording_is_used() -> None:
    with record() as run:
        run.on_chat_model_start({}, [[object()]], run_id="1")
        result = agent_for(asking(weather_of("Oslo")), done()).invoke(QUESTION)

    assert len(callscore.read_calls(result)) == 1
    with pytest.raises(CallscoreError, match="on_chat_model_start: AttributeError"):
        assert_calls([], run)
