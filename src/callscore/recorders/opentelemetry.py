"""Records the calls in OpenTelemetry spans, by a span processor.

It reads what any instrumentation writes that callscore reads from a file: the conventions for
generative AI, OpenInference, OpenLLMetry and others. A span belongs to the recording inside which it
starts, or to that of its parent.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from threading import Lock
from types import new_class
from typing import Any
from weakref import WeakSet

from callscore.errors import InvalidCall, InvalidSettings, MissingExtra
from callscore.formats.families.span_records import convention_of
from callscore.recorders.recording import Recording

__all__ = ["record"]

_HINT = (
    "Instrument the library that calls the model with this tracer provider, and start the agent"
    " inside 'with record() as run:', in the same thread or task. Spans that are not sampled are not"
    " recorded."
)
_NO_PROVIDER = (
    "provider: expected a TracerProvider of the OpenTelemetry SDK, got a {}. Pass the one that your"
    " instrumentation uses, or call opentelemetry.trace.set_tracer_provider first."
)
_current: ContextVar[Any] = ContextVar("callscore_opentelemetry_recording", default=None)
_Key = tuple[int, int]  # of a trace, and of a span in it
# The attributes of spans around models and tools, which are whole runs.
_RUN_KINDS = {
    "gen_ai.operation.name": ("create_agent", "invoke_agent", "invoke_workflow"),
    "openinference.span.kind": ("AGENT", "CHAIN"),
    "traceloop.span.kind": ("agent", "task", "workflow"),
}


def record(*, provider: Any = None) -> SpanRecording:
    """A recording of the spans that begin inside its `with`.

    Args:
        provider: the tracer provider of the spans; by default the global one. The span processor
            stays in it, because it cannot be removed; outside of a `with` it does nothing.

    Raises:
        InvalidSettings: it is not a provider of the SDK, so it has no spans to read.
        MissingExtra: the OpenTelemetry SDK is not installed.
    """
    make_processor = _processor_class()
    if provider is None:
        from opentelemetry.trace import get_tracer_provider

        provider = get_tracer_provider()
    if not callable(getattr(provider, "add_span_processor", None)):
        raise InvalidSettings(_NO_PROVIDER.format(type(provider).__qualname__))
    with _adding:
        if provider not in _providers:
            provider.add_span_processor(make_processor())
            _providers.add(provider)
    return SpanRecording()


_adding = Lock()
_providers: WeakSet[Any] = WeakSet()  # those that have a processor


class _Log:
    """The spans, in the order in which they began."""

    def __init__(self) -> None:
        self._spans: dict[_Key, Any] = {}  # each as it is, or as data once it has ended
        self._running: set[_Key] = set()

    def begin(self, span: Any) -> None:
        key = _key_of(span.get_span_context())
        self._spans[key] = span
        self._running.add(key)

    def end(self, span: Any) -> None:
        key = _key_of(span.get_span_context())
        if key in self._spans:  # otherwise it began before the recording
            self._spans[key] = _record_of(span)
            self._running.discard(key)

    def close(self) -> None:
        """Take the spans that have not ended as they are now."""
        self._spans = dict(zip(self._spans, self._records(), strict=True))
        self._running.clear()

    def runs(self) -> list[dict[str, Any]]:
        records = self._records()
        if not any(map(_is_of_model, records)):
            raise InvalidCall(f"none of the recorded spans is of a model or a tool. {_HINT}")
        return [{"document": _joined(records)}]

    def _records(self) -> list[dict[str, Any]]:
        return [
            _record_of(span) if key in self._running else span for key, span in self._spans.items()
        ]


class SpanRecording(Recording):
    """The spans that began inside a `with`."""

    current = _current
    no_run = _HINT

    def __init__(self) -> None:
        super().__init__(_Log())

    def begin(self, span: Any) -> None:
        """Note a span that begins."""
        self._note("on_start", lambda log: log.begin(span))

    def end(self, span: Any) -> None:
        """Note a span that has ended, with all its attributes.

        One around models and tools may end after the recording: nothing of it is read.
        """
        if not self._is_open and not _is_of_model(_record_of(span)):
            return
        self._note("on_end", lambda log: log.end(span), is_run=False)


class _Recorder:
    """Gives each span to its recording; the processor of the SDK is added to it as a base."""

    def __init__(self) -> None:
        self._owners: dict[_Key, SpanRecording] = {}  # of spans that have not ended

    def on_start(self, span: Any, parent_context: Any = None) -> None:  # noqa: ARG002
        recording = _current.get()
        if recording is None and span.parent is not None:
            recording = self._owners.get(_key_of(span.parent))
        if recording is not None:
            self._owners[_key_of(span.get_span_context())] = recording
            recording.begin(span)

    def on_end(self, span: Any) -> None:
        recording = self._owners.pop(_key_of(span.get_span_context()), None)
        if recording is not None:
            recording.end(span)
        else:
            SpanRecording.note_elsewhere(lambda _: not _is_of_model(_record_of(span)))

    def shutdown(self) -> None:
        self._owners.clear()

    def force_flush(self, timeout_millis: int = 0) -> bool:  # noqa: ARG002
        return True  # nothing waits


def _key_of(context: Any) -> _Key:
    return context.trace_id, context.span_id


def _record_of(span: Any) -> dict[str, Any]:
    """A span as data, in the notation of the SDK."""
    context = span.get_span_context()
    return {
        "name": span.name,
        "context": {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"},
        "parent_id": None if span.parent is None else f"{span.parent.span_id:016x}",
        "start_time": span.start_time,
        "status": {"status_code": span.status.status_code.name},
        "attributes": dict(span.attributes or {}),
        "events": [
            {"name": event.name, "attributes": dict(event.attributes or {})}
            for event in span.events
        ],
    }


def _joined(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The spans, with models and tools that have no span around them as steps of one trace.

    Otherwise each of them would be a run, and no call would have the result that the next model gets.
    """
    lone = [record["context"]["trace_id"] for record in records if _is_lone_step(record)]
    joined = dict.fromkeys(lone, lone[0] if lone else "")
    return [
        {**record, "context": {**record["context"], "trace_id": joined[trace]}}
        if (trace := record["context"]["trace_id"]) in joined
        else record
        for record in records
    ]


def _is_lone_step(record: dict[str, Any]) -> bool:
    if record["parent_id"] is not None or not _is_of_model(record):
        return False
    attributes = record["attributes"]
    return not any(attributes.get(key) in kinds for key, kinds in _RUN_KINDS.items())


def _is_of_model(record: dict[str, Any]) -> bool:
    """Whether a span has the attributes of any convention for models and tools."""
    return convention_of([{**record, "context": {}}]) is not None


@cache
def _processor_class() -> Any:
    try:
        from opentelemetry.sdk.trace import SpanProcessor
    except ImportError as error:
        package = "opentelemetry-sdk"
        raise MissingExtra("Recording OpenTelemetry spans", package=package) from error
    return new_class("CallRecorder", (_Recorder, SpanProcessor))
