"""Spans, from whatever exporter: OTLP, an SDK's own JSON, Phoenix, rows of a database.

They come out in the order in which they began, which is not the order in which they are written:
an exporter writes a span when it ends.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.formats.families.attributes import read_attributes, untyped
from callscore.formats.families.span_records import (
    id_of,
    is_batch,
    is_record,
    name_of,
    place_of,
    records_in,
    written_attributes,
)
from callscore.formats.shape import at, dicts, first

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Event",
    "Span",
    "in_order",
    "is_span_line",
    "looks_like_spans",
    "read_spans",
    "spans_by_trace",
    "time_of",
]

_NANOSECONDS = 10**9
_LONGEST_NUMBER = 30  # digits
_EPOCH = datetime.fromtimestamp(0, UTC)
_MICROSECOND = timedelta(microseconds=1)
_SEVERAL = 2
_PARENTS = ("parentSpanId", "parent_span_id", "parent_id", "ParentSpanId", "parentId")
_STARTS = (
    "startTimeUnixNano",
    "start_time_unix_nano",
    "start_time",
    "startTime",
    "start_timestamp",
    "timestamp",
    "Timestamp",
    "timeUnixNano",
    "time_unix_nano",
    "observedTimeUnixNano",
)
_STATUSES = ("status", "status_code", "StatusCode", "otel_status_code")
_ERROR_CODE = 2
_FINE = ("UNSET", "OK")  # as most are
_ERRORS = ("error", "status_code_error", "statuscode.error")


class Event(Struct, frozen=True, gc=False):
    """Something that happened at one moment.

    Attributes:
        name: what.
        attributes: by their dotted keys.
        body: what a log record has to say; None for an event of a span.
    """

    name: str
    attributes: dict[str, Any]
    body: Any = None


class Span(Struct, frozen=True, gc=False, kw_only=True):
    """A piece of work that took some time, within a trace.

    Attributes:
        name: what was done.
        attributes: by their dotted keys; see `read_attributes`.
        start: when it began, in whatever unit the exporter counts; None where it does not say.
        id: unique in its trace.
        parent: the id of the span that this is a part of.
        trace: the id of the trace.
        failed: whether the span says that it ended in an error.
        events: what happened meanwhile, in order.
        record: what it was made of, where that says more than all this.
    """

    name: str
    attributes: dict[str, Any]
    start: int | None = None
    id: str | None = None
    parent: str | None = None
    trace: str | None = None
    failed: bool = False
    events: tuple[Event, ...] = ()
    record: dict[str, Any] = {}


def looks_like_spans(document: Any) -> bool:
    """Whether there are spans, or the log records of spans, in a document."""
    return next(records_in(document), None) is not None


def is_span_line(line: Any) -> bool:
    """Whether a line is a span, or a batch of spans: such lines make up one document."""
    return isinstance(line, dict) and (is_batch(line) or is_record(line))


def read_spans(document: Any) -> list[Span]:
    """The spans in a document, in the order in which they began.

    A span that does not say when it began follows the one before it. A span that was sent twice is
    there once. A log record that belongs to a span is an event of it.
    """
    spans: list[Span] = []
    logs: list[dict[str, Any]] = []
    for record, parent in records_in(document):
        if "body" in record:
            logs.append(record)
        else:
            spans.append(_span_of(record, parent))
    spans = _each_once(spans)
    return in_order(_with_logs(spans, logs) if logs else spans)


def _each_once(spans: list[Span]) -> list[Span]:
    """The spans without those that were sent again, as exporters do when they hear no answer."""
    if len({span.id for span in spans}) == len(spans):
        return spans
    seen: set[tuple[str | None, str | None, str]] = set()
    kept = []
    for span in spans:
        place = (span.trace, span.id, span.name)
        if span.id is None or place not in seen:
            seen.add(place)
            kept.append(span)
    return kept


def in_order(spans: list[Span]) -> list[Span]:
    """The spans in the order in which they began."""
    if len(spans) < _SEVERAL:
        return spans
    last = 0
    starts = []
    for span in spans:
        last = last if span.start is None else span.start
        starts.append(last)
    if starts == sorted(starts):
        return spans
    return [spans[position] for position in sorted(range(len(spans)), key=starts.__getitem__)]


def spans_by_trace(spans: Iterable[Span]) -> list[list[Span]]:
    """The spans of each trace, and the traces in the order in which they began."""
    traces: dict[str | None, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace, []).append(span)
    return list(traces.values())


def _span_of(record: dict[str, Any], parent: str | None) -> Span:
    attributes = read_attributes(written_attributes(record))
    events = record.get("events")
    trace, id_ = place_of(record)
    return Span(
        name=name_of(record),
        attributes=attributes,
        start=time_of(_start_of(record)),
        id=id_,
        parent=_parent_of(record) or parent,
        trace=trace,
        failed=_has_failed(record, attributes),
        events=tuple([_event_of(event) for event in dicts(events)]) if events else (),
    )


def _start_of(record: dict[str, Any]) -> Any:
    return record["start_time"] if "start_time" in record else first(record, *_STARTS)


def _parent_of(record: dict[str, Any]) -> str | None:
    for key in _PARENTS:
        if key in record:
            named: str | None = record[key]
            return named if isinstance(named, str) and named else None
    around = first(record, "parent", "parentSpanContext")
    found = None if around is None else id_of(around)
    return id_of(at(record, "references", 0)) if found is None and "references" in record else found


def time_of(given: Any) -> int | None:
    """A moment as a number: nanoseconds, where it was written for people to read.

    Args:
        given: a number, its text, seconds and nanoseconds in a list, or a date and time.
    """
    if isinstance(given, str):
        is_number = given.isascii() and given.isdigit() and len(given) <= _LONGEST_NUMBER
        return int(given) if is_number else _from_iso(given)
    if isinstance(given, list):  # seconds and nanoseconds
        seconds, rest = at(given, 0), at(given, 1)
        is_pair = isinstance(seconds, int) and isinstance(rest, int)
        return seconds * _NANOSECONDS + rest if is_pair else None
    is_finite = isinstance(given, int) or (isinstance(given, float) and given - given == 0)
    return int(given) if is_finite else None


def _from_iso(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND * 1000


def _has_failed(record: dict[str, Any], attributes: dict[str, Any]) -> bool:
    status = record["status"] if "status" in record else first(record, *_STATUSES)
    if status.__class__ is dict:
        code = status.get("code")
        status = first(status, "status_code", "statusCode") if code is None else code
    if status is None:
        status = attributes.get("otel.status_code")
    if status is not None and _is_error(status):
        return True
    return "error.type" in attributes and bool(attributes["error.type"])


def _is_error(status: Any) -> bool:
    if isinstance(status, str):
        return status not in _FINE and status.lower() in _ERRORS
    return bool(status == _ERROR_CODE)


def _event_of(record: dict[str, Any]) -> Event:
    given = record.get("attributes")
    attributes = read_attributes(first(record, "Attributes", "fields") if given is None else given)
    name = name_of(record) or attributes.get("event.name")
    body = untyped(record["body"]) if "body" in record else None
    return Event(name if isinstance(name, str) else "", attributes, body)


def _with_logs(spans: list[Span], logs: list[dict[str, Any]]) -> list[Span]:
    """The spans, each with its log records as events; records of no span here make up their own."""
    by_span: dict[tuple[str | None, str | None], list[dict[str, Any]]] = {}
    for record in logs:
        by_span.setdefault(place_of(record), []).append(record)
    merged = []
    for span in spans:
        events = [_event_of(record) for record in by_span.pop((span.trace, span.id), [])]
        merged.append(replace(span, events=(*span.events, *events)) if events else span)
    for records in by_span.values():
        events = [_event_of(record) for record in records]
        merged.append(replace(_span_of(records[0], None), attributes={}, events=tuple(events)))
    return merged
