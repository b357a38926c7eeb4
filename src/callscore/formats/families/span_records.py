"""Where the spans stand in a document, as their exporter wrote them down: as records.

A record is a span, or the log record of something that happened during one.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from callscore.formats.shape import at, first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "id_of",
    "is_batch",
    "is_record",
    "may_hold_records",
    "name_of",
    "place_of",
    "records_in",
    "trace_of",
    "written_attributes",
]

_Keys = tuple[str, ...]

_BATCHES = ("resourceSpans", "resource_spans", "batches", "resourceLogs", "resource_logs")
_SCOPES = (
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "scopeLogs",
    "scope_logs",
)
_RECORDS = ("spans", "logRecords", "log_records")
_WRAPPERS = ("spans", "data", "traces", "trace")
_ATTRIBUTES = ("attributes", "span_attributes", "SpanAttributes", "log_attributes")
_NAMES = ("name", "span_name", "SpanName", "operationName", "Name", "eventName", "event_name")
_IDS: _Keys = ("spanId", "span_id", "SpanId", "spanID")
_TRACES: _Keys = ("traceId", "trace_id", "TraceId", "traceID")
_COLUMNS = {keys: tuple([f"context.{key}" for key in keys]) for keys in (_IDS, _TRACES)}
_CONTEXTS = ("context", "_spanContext", "spanContext")
_USUAL_IDS = (*_IDS, "context.span_id", "id")
_USUAL_TRACES = (*_TRACES, "context.trace_id")
_ID_PLACES = frozenset((*_IDS, *_TRACES, *_CONTEXTS, "id", *_COLUMNS[_IDS], *_COLUMNS[_TRACES]))
_BATCHED = frozenset(_BATCHES)
_DESCRIBED = frozenset((*_ATTRIBUTES, "operationName"))
_MARKS = frozenset((*_NAMES, *_IDS, "context", "body"))
_OWN_SIGNS = _BATCHED | _DESCRIBED
_SIGNS = _OWN_SIGNS.union(_WRAPPERS)
_COLUMN = "attributes."  # what the columns of a table of spans are called
# What the keys of a record begin with that is nothing but attributes.
_BARE = (
    "gen_ai.",
    "llm.",
    "openinference.",
    "ai.toolCall.",
    "ai.response.",
    "traceloop.",
    _COLUMN,
)
_MOST_KEYS = 40
_MOST_COLUMNS = 100  # of those that are kept in mind
_FEW = 8  # items of a list, among which there is an object
_FIRST = 4  # of those that something may hold
_MOST_WRAPPED = 5
_LONGEST_ID = 128  # bits


def may_hold_records(document: Any) -> bool:
    """Whether it is worth looking for records: a quick check that most other documents fail."""
    if isinstance(document, list):
        document = _first_object(document)
    return isinstance(document, dict) and _has_signs(document, 0)


def _first_object(items: list[Any]) -> Any:
    for item in items[:_FEW]:
        if isinstance(item, dict):
            return item
    return None


def _has_signs(value: dict[Any, Any], depth: int) -> bool:
    """Whether it looks like a record, or the first of those that it may hold do."""
    if _SIGNS.isdisjoint(value):
        return _has_dotted_key(value)
    if "attributes" in value or not _OWN_SIGNS.isdisjoint(value) or depth > _MOST_WRAPPED:
        return True
    held = _wrapped_in(value)
    for item in held[:_FIRST] if isinstance(held, list) else (held,):
        if isinstance(item, dict) and _has_signs(item, depth + 1):
            break
    else:
        return False
    return True


def _has_dotted_key(document: dict[Any, Any]) -> bool:
    try:
        return "." in "".join(islice(document, _MOST_KEYS))  # at once, not key by key
    except TypeError:
        return any("." in str(key) for key in islice(document, _MOST_KEYS))


def records_in(document: Any) -> Iterator[tuple[dict[str, Any], str | None]]:
    """The records in a document, each with the id of the record that stands around it."""
    # What is still to be looked at, from the outside in; a call for each depth could be too many.
    waiting: list[tuple[Iterator[Any], str | None]] = [_items_of(document, None)]
    while waiting:
        items, parent = waiting[-1]
        for item in items:
            if not isinstance(item, dict):
                continue
            if is_record(item):
                yield item, parent
                if "child_spans" in item:
                    waiting.append(_items_of(item["child_spans"], id_of(item)))
                    break
            elif is_batch(item):
                yield from _unpacked(item)
            else:
                waiting.append(_items_of(_wrapped_in(item), None))
                break
        else:
            waiting.pop()


def _items_of(value: Any, parent: str | None) -> tuple[Iterator[Any], str | None]:
    return iter(value if isinstance(value, list) else (value,)), parent


def is_batch(value: dict[str, Any]) -> bool:
    """Whether it is a batch of spans or log records, as OTLP sends them."""
    return not _BATCHED.isdisjoint(value) and isinstance(first(value, *_BATCHES), list)


def _unpacked(value: dict[str, Any]) -> list[tuple[dict[str, Any], None]]:
    return [
        (record, None)
        for batch in _list_in(value, _BATCHES)
        for scope in _list_in(batch, _SCOPES)
        for record in _list_in(scope, _RECORDS)
        if isinstance(record, dict)
    ]


def _list_in(holder: Any, keys: _Keys) -> list[Any]:
    """The list under the first of these keys that is there."""
    found = None
    if isinstance(holder, dict):
        for key in keys:
            found = holder.get(key)
            if found is not None:
                break
    return found if isinstance(found, list) else []


def _wrapped_in(value: dict[str, Any]) -> Any:
    """What stands under the first key that can have records under it."""
    for key in _WRAPPERS:
        if key in value and _may_wrap(value[key]):
            return value[key]
    return None


def _may_wrap(held: Any) -> bool:
    """Whether the records are here: in a list of them, or in one more object."""
    if isinstance(held, list):
        return bool(held) and isinstance(held[0], dict) and not _is_observation(held[0])
    return isinstance(held, dict)


def _is_observation(item: dict[str, Any]) -> bool:
    return "startTime" in item and "type" in item  # of Langfuse: no span, if much like one


def is_record(value: dict[str, Any]) -> bool:
    """Whether it has attributes and a name or an id, or is nothing but attributes."""
    given = value.get("attributes")
    if given.__class__ is not dict:  # in one of the rarer ways to write them
        given = None if _DESCRIBED.isdisjoint(value) else _given(value)
        if given is None:
            return _is_bare(value)
        if isinstance(given, list) and given and not isinstance(at(given, 0, "key"), str):
            return False
    return not _MARKS.isdisjoint(value)


def _is_bare(value: dict[Any, Any]) -> bool:
    return _has_dotted_key(value) and _have_attribute(tuple(islice(value, _MOST_KEYS)))


@lru_cache(maxsize=256)  # every row of a table has the same keys
def _have_attribute(keys: tuple[Any, ...]) -> bool:
    return any(str(key).startswith(_BARE) for key in keys)


def _given(value: dict[str, Any]) -> Any:
    given = value.get("attributes")
    if given is not None:
        return given
    # Much else has tags; a span only as Jaeger writes it.
    return value.get("tags") if "operationName" in value else first(value, *_ATTRIBUTES)


def written_attributes(record: dict[str, Any]) -> Any:
    """What the attributes of a record are written as: entries, an object, or JSON text of either.

    Those of a row of a table come without the word that all their columns begin with.
    """
    given = record.get("attributes")
    if given.__class__ is not dict:
        given = _given(record)
        if given is None:
            few = len(record) <= _MOST_COLUMNS
            columns = _columns(tuple(record)) if few else _find_columns(record)
            given = {name: record[key] for key, name in columns} if columns else record
    return given


def _find_columns(keys: Iterable[Any]) -> tuple[tuple[str, str], ...]:
    """The columns of a table of spans that are for attributes, with the names of these."""
    size = len(_COLUMN)
    columns = [key for key in keys if isinstance(key, str) and key.startswith(_COLUMN)]
    return tuple([(column, column[size:]) for column in columns])


_columns = lru_cache(maxsize=256)(_find_columns)  # every row of a table has the same


def place_of(record: dict[str, Any]) -> tuple[str | None, str | None]:
    """The ids of the trace and of the span that a record belongs to."""
    holder = record.get("context")
    if isinstance(holder, dict):
        trace, id_ = _text_of(holder.get("trace_id")), _text_of(holder.get("span_id"))
    elif "traceId" in record:
        trace, id_ = _text_of(record["traceId"]), _text_of(record.get("spanId"))
    else:
        trace, id_ = _text_of(record.get("trace_id")), _text_of(record.get("span_id"))
    return trace or trace_of(record), id_ or id_of(record)


def name_of(record: dict[str, Any]) -> str:
    """What a record is called; nothing where it has no name."""
    name: str | None = record.get("name")
    if name.__class__ is str and name:
        return name
    for key in _NAMES:
        name = record.get(key)
        if isinstance(name, str) and name:
            return name
    name = at(record, "attributes", "event.name")
    return name if isinstance(name, str) else ""


def id_of(record: Any) -> str | None:
    """The id of a span, or of the span that a log record belongs to."""
    found = _usual(record, "span_id", _USUAL_IDS)
    if found is None and _may_have_id(record):
        found = _own(record, _IDS) or _id_in(record, ("id",))
    return found


def trace_of(record: Any) -> str | None:
    """The id of the trace that a record belongs to."""
    found = _usual(record, "trace_id", _USUAL_TRACES)
    return _own(record, _TRACES) if found is None and _may_have_id(record) else found


def _usual(record: Any, inner: str, keys: _Keys) -> str | None:
    """An id where OTLP, the SDKs and tables have it: this is asked for every span there is."""
    if not isinstance(record, dict):
        return None
    holder = record.get("context")
    if isinstance(holder, dict):
        return _text_of(holder.get(inner))
    for key in keys:
        if key in record:
            return _text_of(record[key])
    return None


def _may_have_id(record: Any) -> bool:
    return isinstance(record, dict) and not _ID_PLACES.isdisjoint(record)


def _own(record: Any, keys: tuple[str, ...]) -> str | None:
    """An id that stands in the record itself, in its context, or in a column for it."""
    found = _id_in(record, keys)
    if found is None:
        context = first(record, *_CONTEXTS)
        columns = _COLUMNS[keys] if context is None else keys
        found = _id_in(record if context is None else context, columns)
    return found


def _id_in(holder: Any, keys: _Keys) -> str | None:
    return _text_of(first(holder, *keys))


def _text_of(id_: Any) -> str | None:
    """An id as text: the objects of an SDK have numbers."""
    if isinstance(id_, str):
        return id_ or None
    is_number = isinstance(id_, int) and id_.bit_length() <= _LONGEST_ID
    return str(id_) if is_number else None
