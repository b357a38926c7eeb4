"""Recordings of spans have the calls of the spans that the SDK exports."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from opentelemetry import context, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

import callscore
from callscore.errors import CallscoreError, InvalidSettings
from callscore.recorders.opentelemetry import record
from callscore.testing import assert_calls

if TYPE_CHECKING:
    from callscore.recorders.recording import Recording


WEATHER = {city: f"sunny in {city}" for city in ("Oslo", "Rome", "Paris", *"0123456789abcd")}


def text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class Stack:
    """An instrumented agent, and the spans that were exported."""

    def __init__(self, **options: Any) -> None:
        self.provider = TracerProvider(**options)
        self.exporter = InMemorySpanExporter()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = self.provider.get_tracer("agent")

    @property
    def exported(self) -> list[Any]:
        return [msgspec.json.decode(span.to_json()) for span in self.exporter.get_finished_spans()]

    def span(self, name: str, **attributes: Any) -> Any:
        dotted = {key.replace("__", "."): value for key, value in attributes.items()}
        return self.tracer.start_as_current_span(name, attributes=dotted)

    def ask(self, *cities: str, question: str = "?") -> Any:
        """A span of a model in the conventions for generative AI."""
        user = {"role": "user", "parts": [{"type": "text", "content": question}]}
        parts = [
            {"type": "tool_call", "id": city, "name": "get_weather", "arguments": {"city": city}}
            for city in cities
        ]
        return self.span(
            "chat model",
            gen_ai__operation__name="chat",
            gen_ai__input__messages=text([user]),
            gen_ai__output__messages=text([{"role": "assistant", "parts": parts}]),
        )

    def get_weather(self, city: str) -> Any:
        return self.span(
            "execute_tool get_weather",
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="get_weather",
            gen_ai__tool__call__id=city,
            gen_ai__tool__call__arguments=text({"city": city}),
        )

    def run(self, *cities: str, question: str = "?") -> None:
        """A run that asks for the weather in these cities at once; Atlantis does not exist."""
        with self.span("invoke_agent", gen_ai__operation__name="invoke_agent"):
            with self.ask(*cities, question=question):
                pass
            for city in cities:
                self.execute(city)

    def execute(self, city: str) -> None:
        with suppress(KeyError), self.get_weather(city) as span:
            span.set_attribute("gen_ai.tool.call.result", WEATHER[city])


@pytest.fixture
def stack() -> Stack:
    return Stack()


def cities(run: Recording) -> list[Any]:
    return [(call.arguments or {}).get("city") for call in run.calls]


def test_a_recording_is_taken_for_a_trace(stack: Stack) -> None:
    with record(provider=stack.provider) as run:
        stack.run("Oslo")

    expected = [("get_weather", {"city": "Oslo"})]
    assert assert_calls(expected, run).f1 == 1
    assert callscore.score(expected, run).f1 == 1
    with pytest.raises(AssertionError, match="Bergen"):
        assert_calls([("get_weather", {"city": "Bergen"})], run)


def test_calls_and_errors_are_those_of_the_exported_spans(stack: Stack) -> None:
    with record(provider=stack.provider) as run:
        stack.run("Oslo", "Atlantis")

    assert list(run.calls) == callscore.read_calls(stack.exported)
    assert [(call.result, call.failed) for call in run.calls] == [
        ("sunny in Oslo", False),
        ("'Atlantis'", True),
    ]


def test_the_global_provider_is_used_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidSettings, match="set_tracer_provider"):
        record()

    stack = Stack()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", stack.provider)
    with record() as run:
        stack.run("Oslo")

    assert cities(run) == ["Oslo"]


def test_openinference_and_openllmetry_are_read(stack: Stack) -> None:
    with record(provider=stack.provider) as openinference:
        message = "llm.output_messages.0.message"
        call = f"{message}.tool_calls.0.tool_call"
        with stack.tracer.start_as_current_span("ChatCompletion") as span:
            span.set_attribute("openinference.span.kind", "LLM")
            span.set_attribute(f"{message}.role", "assistant")
            span.set_attribute(f"{call}.function.name", "get_weather")
            span.set_attribute(f"{call}.function.arguments", '{"city": "Oslo"}')
    start = stack.tracer.start_as_current_span
    with record(provider=stack.provider) as openllmetry, start("openai.chat") as span:
        span.set_attribute("llm.request.type", "chat")
        span.set_attribute("gen_ai.completion.0.role", "assistant")
        span.set_attribute("gen_ai.completion.0.tool_calls.0.name", "get_weather")
        span.set_attribute("gen_ai.completion.0.tool_calls.0.arguments", '{"city": "Rome"}')

    assert cities(openinference) == ["Oslo"]
    assert cities(openllmetry) == ["Rome"]


def test_models_without_a_span_around_them_are_steps_of_one_run(stack: Stack) -> None:
    asked = {"role": "user", "parts": [{"type": "text", "content": "?"}]}
    made = {"type": "tool_call", "id": "Oslo", "name": "get_weather", "arguments": {"city": "Oslo"}}
    found = {"type": "tool_call_response", "id": "Oslo", "response": "sunny"}
    received = [
        asked,
        {"role": "assistant", "parts": [made]},
        {"role": "tool", "parts": [found]},
    ]
    with record(provider=stack.provider) as run:
        with stack.ask("Oslo"):
            pass
        with stack.span(
            "chat", gen_ai__operation__name="chat", gen_ai__input__messages=text(received)
        ):
            pass
        stack.execute("Rome")

    assert [(call.arguments, call.result) for call in run.calls] == [({"city": "Oslo"}, "sunny")]
    assert len(callscore.read_calls(run, view="executed")) == 1


def test_several_runs_are_a_conversation(stack: Stack) -> None:
    with record(provider=stack.provider) as run:
        stack.run("Oslo", question="?")
        stack.run("Rome", question="And?")

    assert [call.turn for call in run.calls] == [0, 1]


def test_an_agent_within_a_tool_is_a_subagent(stack: Stack) -> None:
    with record(provider=stack.provider) as run, stack.span("workflow"):
        with stack.ask("Oslo"):
            pass
        with stack.get_weather("Oslo"):
            stack.run("Rome")

    assert [call.caller for call in run.calls] == [None, "subagent"]
    assert list(run.calls) == callscore.read_calls(stack.exported)


def test_recordings_of_tasks_do_not_mix(stack: Stack) -> None:
    async def one(city: str) -> list[Any]:
        with record(provider=stack.provider) as run:
            with stack.ask(city):
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            stack.execute(city)
        return cities(run)

    async def all_at_once() -> Any:
        return await asyncio.gather(*[one(f"{number}") for number in range(10)])

    assert asyncio.run(all_at_once()) == [[f"{number}"] for number in range(10)]


def test_recordings_of_threads_do_not_mix(stack: Stack) -> None:
    barrier = threading.Barrier(4)

    def one(city: str) -> list[Any]:
        with record(provider=stack.provider) as run:
            barrier.wait()
            stack.run(city)
        return cities(run)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, "abcd")) == [["a"], ["b"], ["c"], ["d"]]


def test_a_thread_is_recorded_if_its_spans_have_a_recorded_parent(stack: Stack) -> None:
    def run_below(parent: Any, city: str) -> None:
        context.attach(parent)
        stack.run(city)

    with record(provider=stack.provider) as run, ThreadPoolExecutor(1) as pool:
        with stack.span("workflow"):
            pool.submit(run_below, context.get_current(), "Oslo").result()
        pool.submit(contextvars.copy_context().run, stack.run, "Rome").result()
        pool.submit(contextvars.Context().run, stack.run, "Paris").result()

    assert "Oslo" in cities(run)
    assert "Rome" in cities(run)
    assert "Paris" not in cities(run)


def test_an_inner_recording_belongs_to_both(stack: Stack) -> None:
    with record(provider=stack.provider) as outer:
        stack.run("Oslo")
        with record(provider=stack.provider) as inner:
            stack.run("Rome")

    assert cities(inner) == ["Rome"]
    assert cities(outer) == ["Oslo", "Rome"]


def test_a_call_that_has_not_ended_has_no_result(stack: Stack) -> None:
    with record(provider=stack.provider) as run:
        with stack.ask("Oslo"):
            pass
        stack.tracer.start_span("execute_tool", attributes={"gen_ai.tool.name": "get_weather"})

    assert [(call.name, call.result) for call in run.calls] == [("get_weather", None)]


def test_a_span_that_ends_after_the_recording_is_an_error(stack: Stack) -> None:
    with record(provider=stack.provider) as run:
        span = stack.tracer.start_span("chat", attributes={"gen_ai.operation.name": "chat"})
    span.end()
    stack.run("Oslo")

    with pytest.raises(CallscoreError, match="inside"):
        _ = run.calls


def test_spans_after_the_end_of_a_recording_are_not_recorded(stack: Stack) -> None:
    with record(provider=stack.provider) as run:
        stack.run("Oslo")
    stack.run("Rome")

    assert cities(run) == ["Oslo"]


def test_a_provider_gets_one_processor(stack: Stack) -> None:
    before = len(stack.provider._active_span_processor._span_processors)
    for _ in range(3):
        with record(provider=stack.provider):
            stack.run("Oslo")

    assert len(stack.provider._active_span_processor._span_processors) == before + 1


def test_an_agent_that_called_nothing_is_not_an_agent_that_did_not_run(stack: Stack) -> None:
    unsampled = Stack(sampler=ALWAYS_OFF)
    with record(provider=stack.provider) as run:
        stack.run()
    with record(provider=stack.provider) as empty:
        pass
    with record(provider=unsampled.provider) as none:
        unsampled.run("Oslo")
    with record(provider=stack.provider) as web, stack.span("GET /"):
        pass

    assert run.calls == ()
    assert_calls([], run)
    for recording in (empty, none):
        with pytest.raises(CallscoreError, match=r"no run .* was recorded.*sampled"):
            assert_calls([], recording)
    with pytest.raises(CallscoreError, match="none of the recorded spans is of a model"):
        assert_calls([], web)


def test_an_error_in_the_recorder_is_raised_when_the_recording_is_used(stack: Stack) -> None:
    with record(provider=stack.provider) as run:
        run._log.begin = None  # type: ignore[attr-defined]
        stack.run("Oslo")

    assert len(callscore.read_calls(stack.exported)) == 1
    with pytest.raises(CallscoreError, match="the recorder failed: on_start: TypeError"):
        assert_calls([], run)
