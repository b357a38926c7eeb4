"""Spans from any exporter: OTLP, an SDK's own JSON, Phoenix, database rows.

They are returned in the order in which they started, which is not the order in which they were
written: an exporter writes a span when it ends. Attributes become dotted keys: OTLP writes a list
of typed values, most SDKs a flat object, Phoenix an object nested at each dot.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import InvalidCall
from callscore.formats.families.call_phases import join_phases
from callscore.formats.families.span_records import (
    is_batch,
    is_record,
    raw_attributes,
    record_name,
    records_in,
    span_id_of,
    span_place_of,
)
from callscore.formats.shape import at, dicts, first, json_of, list_of

# --- attributes --------------------------------------------------------------------------------

_MAX_DEPTH = 100
_MAX_INDEX_LENGTH = 10
_ARRAYS = ("arrayValue", "array_value")
_OBJECTS = ("kvlistValue", "kvlist_value")
_INTEGERS = ("intValue", "int_value")
# The first parts of the attribute names that are read. Other objects are values, such as large
# requests.
_NESTED_PREFIXES = frozenset(
    (
        *("ai", "error", "event", "exception", "gcp", "gen_ai", "input", "llm", "mlflow"),
        *("openinference", "otel", "output", "pydantic_ai", "tool", "tool_call", "traceloop"),
    )
)
_CONVERTED_TYPES = frozenset((*_INTEGERS, *_ARRAYS, *_OBJECTS))
_PLAIN_TYPES = frozenset(
    (
        *("stringValue", "boolValue", "doubleValue", "bytesValue"),
        *("string_value", "bool_value", "double_value", "bytes_value"),
    )
)


def read_attributes(value: Any) -> dict[str, Any]:
    """The attributes by their dotted keys, from entries, an object, or JSON text of either.

    An object under a dotted key is a value, and stays one. Attributes nested at each dot are included
    at each level: `tool` as well as `tool.name`, if that is how the name of an attribute can begin.
    Lists are never flattened.
    """
    if isinstance(value, str):
        value = json_of(json_of(value))  # a column may contain JSON text within JSON text
    if isinstance(value, list):
        return _from_list(value)
    if not isinstance(value, dict):
        return {}
    if _NESTED_PREFIXES.isdisjoint(value) and _has_only_texts(value):
        return value
    flat = {key: item for key, item in value.items() if isinstance(key, str)}
    for key, item in value.items():
        if key in _NESTED_PREFIXES and isinstance(item, dict):
            _flatten(item, key, flat, 0)
    return flat


def _has_only_texts(keys: Iterable[Any]) -> bool:
    try:
        "".join(keys)  # checks all of them at once
    except TypeError:
        return False
    return True


def _from_list(entries: list[Any], depth: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {}
    try:
        for entry in entries:
            # A fast path for texts and integers: nearly all values.
            value = entry["value"]
            is_typed = value.__class__ is dict and len(value) == 1
            if is_typed and "stringValue" in value:
                found[entry["key"]] = value["stringValue"]
            elif is_typed and "intValue" in value:
                found[entry["key"]] = _integer(value["intValue"])
            else:
                found[entry["key"]] = decode_otlp_value(value, depth)
    except (KeyError, TypeError):
        return _from_irregular_list(entries, depth)
    return found if _has_only_texts(found) else _from_irregular_list(entries, depth)


def _from_irregular_list(entries: list[Any], depth: int) -> dict[str, Any]:
    """Like `_from_list`, if some entries have no key or no value."""
    return {
        entry["key"]: decode_otlp_value(entry.get("value"), depth)
        for entry in dicts(entries)
        if isinstance(entry.get("key"), str)
    }


def _flatten(value: dict[str, Any], prefix: str, flat: dict[str, Any], depth: int) -> None:
    for key, item in value.items():
        path = f"{prefix}.{key}"
        flat[path] = item
        if isinstance(item, dict) and depth < _MAX_DEPTH:
            _flatten(item, path, flat, depth + 1)


def decode_otlp_value(value: Any, depth: int = 0) -> Any:
    """The value of an OTLP value, whose only key names its type; other values are unchanged."""
    if not isinstance(value, dict) or len(value) > 1:
        return value
    if not value:
        return None
    [(kind, held)] = value.items()
    if kind in _PLAIN_TYPES:
        return held
    return _converted(kind, held, depth + 1) if kind in _CONVERTED_TYPES else value


def _converted(kind: str, content: Any, depth: int) -> Any:
    if kind in _INTEGERS:
        return _integer(content)
    if depth > _MAX_DEPTH:
        raise InvalidCall("an attribute is nested too deeply to be read.")
    values = list_of(content.get("values") if isinstance(content, dict) else content)
    if kind in _ARRAYS:
        return [decode_otlp_value(item, depth) for item in values]
    return _from_list(values, depth)


def _integer(content: Any) -> Any:
    """The integer of a text, as OTLP writes it; other values are unchanged."""
    if content.__class__ is not str:
        return content
    try:
        return int(content)
    except ValueError:
        return content


def build_tree(flat: dict[str, Any]) -> dict[str, Any]:
    """The tree of dotted keys such as `tool_calls.0.name`."""
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *path, last = str(key).split(".")
        node = tree
        for step in path:
            inner = node.get(step)
            if not isinstance(inner, dict):
                inner = node[step] = {}
            node = inner
        node[last] = value
    return tree


def items_at(attributes: dict[str, Any], prefix: str) -> list[Any]:
    """The items of the list under a prefix.

    If they are made of keys such as `prefix.0.message.role`, each is an object with the rest of the
    keys: `message.role`. That is faster than building a tree, and `value_at_path` reads both.
    """
    if prefix in attributes:
        return items_of(json_of(attributes[prefix]))
    items: dict[str, Any] = {}
    own: dict[str, dict[str, Any]] = {}  # those that are made of several keys
    for key, value in attributes.items():
        place = _split_at_index(key)
        if place is not None and place[0] == prefix:
            _, index, rest = place
            if not rest:
                items[index] = value
                own.pop(index, None)
            elif index in own:
                own[index][rest] = value
            else:
                items[index] = own[index] = {rest: value}
    return list(items.values()) if len(items) <= 1 else items_of(items)


@lru_cache(maxsize=8192)  # most spans have the same keys
def _split_at_index(key: str) -> tuple[str, str, str] | None:
    """The parts before, at and after the first number in a dotted key."""
    steps = key.split(".")
    for place, step in enumerate(steps):
        if _is_index(step):
            return ".".join(steps[:place]), step, ".".join(steps[place + 1 :])
    return None


def items_of(node: Any) -> list[Any]:
    """The items of a list, or of an object with numbers as keys, in order."""
    if isinstance(node, list):
        return node
    if not isinstance(node, dict):
        return []
    numbered = [(int(key), item) for key, item in node.items() if _is_index(key)]
    return [item for _, item in sorted(numbered, key=lambda pair: pair[0])]


def _is_index(key: Any) -> bool:
    return isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < _MAX_INDEX_LENGTH


def value_at_path(node: Any, path: str) -> Any:
    """The value at a dotted path in an object whose keys may be split at the dots."""
    while isinstance(node, dict):
        if path in node:
            return node[path]
        head, dot, rest = path.partition(".")
        if not dot:
            return None
        node, path = node.get(head), rest
    return None


# --- spans -------------------------------------------------------------------------------------

_NANOSECONDS = 10**9
_MAX_NUMBER_LENGTH = 30  # digits
_EPOCH = datetime.fromtimestamp(0, UTC)
_MICROSECOND = timedelta(microseconds=1)
_PARENT_KEYS = ("parentSpanId", "parent_span_id", "parent_id", "ParentSpanId", "parentId")
_START_KEYS = (
    *("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start_timestamp"),
    *("timestamp", "Timestamp", "timeUnixNano", "time_unix_nano", "observedTimeUnixNano"),
)
_STATUS_KEYS = ("status", "status_code", "StatusCode", "otel_status_code")
_ERROR_CODE = 2
_OK_STATUSES = ("UNSET", "OK")  # as most are
_ERROR_STATUSES = ("error", "status_code_error", "statuscode.error")


class Event(Struct, frozen=True, gc=False):
    """Something that happened at one moment; only log records have a body."""

    name: str
    attributes: dict[str, Any]
    body: Any = None


class Span(Struct, frozen=True, gc=False, kw_only=True):
    """A piece of work that took some time, within a trace.

    Attributes:
        attributes: by their dotted keys; see `read_attributes`.
        start: when it began, in the unit of the exporter; None if it is unknown.
        id: unique in its trace.
        parent: the id of the span around this one.
        failed: whether the span says that it ended in an error.
        events: what happened meanwhile, in order.
        record: the record of the span, if it says more than all this.
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


def is_span_line(line: Any) -> bool:
    """Whether a line is a span, or a batch of spans: such lines make up one document."""
    return isinstance(line, dict) and (is_batch(line) or is_record(line))


def read_spans(document: Any) -> list[Span]:
    """The spans in a document, in the order in which they began.

    A span without a start follows the one before it. A span that was sent twice is returned once.
    A log record that belongs to a span is an event of it. The phases of one call are one span.
    """
    spans: list[Span] = []
    logs: list[dict[str, Any]] = []
    for record, parent in records_in(document):
        if "body" in record:
            logs.append(record)
        else:
            spans.append(_span_of(record, parent))
    spans = _without_duplicates(spans)
    return join_phases(sort_by_start(_with_logs(spans, logs) if logs else spans))


def _without_duplicates(spans: list[Span]) -> list[Span]:
    """The spans without those that an exporter sent again because it got no response."""
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


def sort_by_start(spans: list[Span]) -> list[Span]:
    """The spans in the order in which they began."""
    if len(spans) <= 1:
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
    attributes = read_attributes(raw_attributes(record))
    events = record.get("events")
    trace, id_ = span_place_of(record)
    return Span(
        name=record_name(record),
        attributes=attributes,
        start=parse_time(
            record["start_time"] if "start_time" in record else first(record, *_START_KEYS)
        ),
        id=id_,
        parent=_parent_of(record) or parent,
        trace=trace,
        failed=_has_failed(record, attributes),
        events=tuple([_event_of(event) for event in dicts(events)]) if events else (),
    )


def _parent_of(record: dict[str, Any]) -> str | None:
    for key in _PARENT_KEYS:
        if key in record:
            named: str | None = record[key]
            return named if isinstance(named, str) and named else None
    around = first(record, "parent", "parentSpanContext")
    found = None if around is None else span_id_of(around)
    return span_id_of(at(record, "references", 0)) if found is None else found


def parse_time(value: Any) -> int | None:
    """A time as an integer: a number or its text, or nanoseconds for ISO 8601 and for a list."""
    if isinstance(value, str):
        is_number = value.isascii() and value.isdigit() and len(value) <= _MAX_NUMBER_LENGTH
        return int(value) if is_number else _from_iso(value)
    if isinstance(value, list):  # seconds and nanoseconds
        seconds, rest = at(value, 0), at(value, 1)
        is_pair = isinstance(seconds, int) and isinstance(rest, int)
        return seconds * _NANOSECONDS + rest if is_pair else None
    is_finite = isinstance(value, int) or (isinstance(value, float) and value - value == 0)
    return int(value) if is_finite else None


def _from_iso(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND * 1000


def _has_failed(record: dict[str, Any], attributes: dict[str, Any]) -> bool:
    status = record["status"] if "status" in record else first(record, *_STATUS_KEYS)
    if status.__class__ is dict:
        code = status.get("code")
        status = first(status, "status_code", "statusCode") if code is None else code
    if status is None:
        status = attributes.get("otel.status_code")
    if isinstance(status, str):
        is_error = status not in _OK_STATUSES and status.lower() in _ERROR_STATUSES
    else:
        is_error = bool(status == _ERROR_CODE)
    return is_error or bool(attributes.get("error.type"))


def _event_of(record: dict[str, Any]) -> Event:
    value = record.get("attributes")
    attributes = read_attributes(first(record, "Attributes", "fields") if value is None else value)
    name = record_name(record) or attributes.get("event.name")
    body = decode_otlp_value(record["body"]) if "body" in record else None
    return Event(name if isinstance(name, str) else "", attributes, body)


def _with_logs(spans: list[Span], logs: list[dict[str, Any]]) -> list[Span]:
    """The spans with their log records as events; records of an absent span make a new one."""
    by_span: dict[tuple[str | None, str | None], list[dict[str, Any]]] = {}
    for record in logs:
        by_span.setdefault(span_place_of(record), []).append(record)
    merged = []
    for span in spans:
        events = [_event_of(record) for record in by_span.pop((span.trace, span.id), [])]
        merged.append(replace(span, events=(*span.events, *events)) if events else span)
    for records in by_span.values():
        events = [_event_of(record) for record in records]
        merged.append(replace(_span_of(records[0], None), attributes={}, events=tuple(events)))
    return merged
