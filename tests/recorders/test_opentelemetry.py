"""What a span processor notes, with spans that only look like those of the SDK."""

from __future__ import annotations

from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from callscore.errors import InvalidCall
from callscore.recorders.opentelemetry import SpanRecording, _Recorder

ANSWER = (
    '[{"role": "assistant", "parts": '
    '[{"type": "tool_call", "id": "1", "name": "look", "arguments": {"q": "a"}}]}]'
)
MODEL = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": ANSWER}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"}


class Span:
    def __init__(self, id_: int, attributes: Any, *, trace: int = 1, parent: Any = None) -> None:
        self.name = "span"
        self.context = SimpleNamespace(trace_id=trace, span_id=id_)
        self.parent = None if parent is None else parent.context
        self.start_time = id_
        self.status = SimpleNamespace(status_code=SimpleNamespace(name="UNSET"))
        self.attributes = dict(attributes)
        self.events = [SimpleNamespace(name="event", attributes=None)]

    def get_span_context(self) -> Any:
        return self.context


def run_span(recorder: _Recorder, span: Span, **late: Any) -> Span:
    recorder.on_start(span)
    span.attributes |= late
    recorder.on_end(span)
    return span


def test_spans_that_begin_inside_are_recorded_with_all_their_attributes() -> None:
    recorder = _Recorder()
    with SpanRecording() as run:
        run_span(recorder, Span(1, MODEL))
        result = {"gen_ai.tool.call.id": "1", "gen_ai.tool.call.result": "ok"}
        run_span(recorder, Span(2, TOOL), **result)
    run_span(recorder, Span(3, MODEL))

    assert [(call.name, call.arguments, call.result) for call in run.calls] == [
        ("look", {"q": "a"}, "ok")
    ]
    assert recorder._owners == {}


def test_a_span_of_another_thread_belongs_to_the_recording_of_its_parent() -> None:
    recorder, parent = _Recorder(), Span(1, {})
    with SpanRecording() as run:
        recorder.on_start(parent)
        token = run.current.set(None)
        run_span(recorder, Span(2, MODEL, parent=parent))
        run_span(recorder, Span(3, MODEL, parent=Span(9, {})))
        run.current.reset(token)
        recorder.on_end(parent)

    assert len(run.calls) == 1


def test_a_span_of_a_thread_of_its_own_gives_a_warning() -> None:
    recorder = _Recorder()
    with SpanRecording() as run:
        run_span(recorder, Span(1, MODEL))
        for attributes in ({}, MODEL):
            thread = Thread(target=run_span, args=(recorder, Span(2, attributes)), name="worker")
            thread.start()
            thread.join()

    with pytest.warns(UserWarning, match=r"other threads \(worker\)"):
        assert len(run.calls) == 1


def test_a_span_that_has_not_ended_is_read_as_it_is() -> None:
    recorder, span = _Recorder(), Span(1, MODEL)
    with SpanRecording() as run:
        recorder.on_start(span)
        assert len(run.calls) == 1
    span.attributes.clear()

    assert len(run.calls) == 1


def test_a_span_that_ends_later_is_an_error() -> None:
    recorder, span = _Recorder(), Span(1, MODEL)
    with SpanRecording() as run:
        recorder.on_start(span)
    recorder.on_end(span)

    with pytest.raises(InvalidCall, match="incomplete"):
        _ = run.calls


def test_a_span_around_the_agent_may_end_later() -> None:
    recorder, around = _Recorder(), Span(1, {"http.route": "/"})
    with SpanRecording() as run:
        recorder.on_start(around)
        run_span(recorder, Span(2, MODEL, parent=around))
    recorder.on_end(around)

    assert len(run.calls) == 1


def test_spans_of_other_things_are_no_run() -> None:
    recorder = _Recorder()
    with SpanRecording() as web:
        run_span(recorder, Span(1, {"http.route": "/"}))
    with SpanRecording() as empty:
        pass

    with pytest.raises(InvalidCall, match="none of the recorded spans is of a model or a tool"):
        _ = web.calls
    with pytest.raises(InvalidCall, match="no run of an agent was recorded"):
        _ = empty.calls
