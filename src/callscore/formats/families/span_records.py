"""Finds the span records in a document, and the convention of their attribute names.

A record is a span, or the log record of an event during one. A trace can have the attributes of
several conventions. They are ranked by how much they say about the calls, and the first one counts,
so that exactly one dialect recognizes the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

import msgspec

from callscore.formats.shape import as_list, at, dicts, first, json_of, list_of

_Keys = tuple[str, ...]

_BATCHES = ("resourceSpans", "resource_spans", "batches", "resourceLogs", "resource_logs")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "scopeLogs", "scope_logs")
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
_COLUMN_PREFIX = "attributes."  # of the columns of a table of spans
# The prefixes of the keys of a record that has nothing but attributes.
_BARE_PREFIXES = (
    *("gen_ai.", "llm.", "openinference.", "ai.toolCall.", "ai.response.", "traceloop."),
    _COLUMN_PREFIX,
)
_MAX_KEYS = 40
_MAX_CACHED_COLUMNS = 100
_MAX_SAMPLED_ITEMS = 8  # items of a list, to find an object
_MAX_SAMPLED_RECORDS = 4  # records in a wrapper
_MAX_WRAPPERS = 5
_MAX_ID_BITS = 128


def may_hold_records(document: Any) -> bool:
    """Whether a document may contain span records: a fast check that rejects most others."""
    if isinstance(document, list):
        for item in document[:_MAX_SAMPLED_ITEMS]:
            if isinstance(item, dict):
                return _has_signs(item, 0)
        return False
    return isinstance(document, dict) and _has_signs(document, 0)


def _has_signs(value: dict[Any, Any], depth: int) -> bool:
    """Whether it looks like a record, or the first records within it do."""
    if _SIGNS.isdisjoint(value):
        return _has_dotted_key(value)
    if "attributes" in value or not _OWN_SIGNS.isdisjoint(value) or depth > _MAX_WRAPPERS:
        return True
    for item in as_list(_wrapped_in(value))[:_MAX_SAMPLED_RECORDS]:
        if isinstance(item, dict) and _has_signs(item, depth + 1):
            return True
    return False


def _has_dotted_key(document: dict[Any, Any]) -> bool:
    try:
        few = document if len(document) <= _MAX_KEYS else islice(document, _MAX_KEYS)
        return "." in "".join(few)  # at once, not key by key
    except TypeError:
        return any("." in str(key) for key in islice(document, _MAX_KEYS))


def records_in(document: Any) -> Iterator[tuple[dict[str, Any], str | None]]:
    """The records in a document, each with the id of the record around it."""
    # A stack instead of recursion, because documents can be nested deeply.
    waiting: list[tuple[Iterator[Any], str | None]] = [_items_of(document, None)]
    while waiting:
        items, parent = waiting[-1]
        for item in items:
            if not isinstance(item, dict):
                continue
            if is_record(item):
                yield item, parent
                if "child_spans" in item:
                    waiting.append(_items_of(item["child_spans"], span_id_of(item)))
                    break
            elif is_batch(item):
                yield from ((record, None) for record in _records_in_batch(item))
            else:
                waiting.append(_items_of(_wrapped_in(item), None))
                break
        else:
            waiting.pop()


def _items_of(value: Any, parent: str | None) -> tuple[Iterator[Any], str | None]:
    return iter(as_list(value)), parent


def is_batch(value: dict[str, Any]) -> bool:
    """Whether it is a batch of spans or log records, as OTLP sends them."""
    return not _BATCHED.isdisjoint(value) and isinstance(first(value, *_BATCHES), list)


def _records_in_batch(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for batch in list_of(first(value, *_BATCHES)):
        for scope in list_of(first(batch, *_SCOPES)):
            yield from dicts(first(scope, *_RECORDS))


def _wrapped_in(value: dict[str, Any]) -> Any:
    """The value of the first key that can have records under it."""
    for key in _WRAPPERS:
        held = value.get(key)
        if isinstance(held, dict):
            return held
        if isinstance(held, list) and held and isinstance(held[0], dict):
            is_observation = "startTime" in held[0] and "type" in held[0]  # of Langfuse, not a span
            if not is_observation:
                return held
    return None


def is_record(value: dict[str, Any]) -> bool:
    """Whether it has attributes and a name or an id, or nothing but attributes."""
    given = value.get("attributes")
    if given.__class__ is not dict:  # one of the rarer notations
        given = None if _DESCRIBED.isdisjoint(value) else _attributes_in(value)
        if given is None:
            has_dots = _has_dotted_key(value)
            return has_dots and _have_attribute(tuple(islice(value, _MAX_KEYS)))
        if isinstance(given, list) and given and not isinstance(at(given, 0, "key"), str):
            return False
    return not _MARKS.isdisjoint(value)


@lru_cache(maxsize=256)  # every row of a table has the same keys
def _have_attribute(keys: tuple[Any, ...]) -> bool:
    return any(str(key).startswith(_BARE_PREFIXES) for key in keys)


def _attributes_in(value: dict[str, Any]) -> Any:
    given = value.get("attributes")
    if given is not None:
        return given
    # Much else has tags, but of spans only Jaeger's.
    return value.get("tags") if "operationName" in value else first(value, *_ATTRIBUTES)


def raw_attributes(record: dict[str, Any]) -> Any:
    """The attributes of a record: entries, an object, or JSON text of either.

    Those of a row of a table are without the prefix of their columns.
    """
    value = record.get("attributes")
    if value.__class__ is not dict:
        value = _attributes_in(record)
        if value is None:
            few = len(record) <= _MAX_CACHED_COLUMNS
            columns = _columns(tuple(record)) if few else _find_columns(record)
            value = {name: record[key] for key, name in columns} if columns else record
    return value


def _find_columns(keys: Iterable[Any]) -> tuple[tuple[str, str], ...]:
    """The columns for attributes in a table of spans, with the names of the attributes."""
    size = len(_COLUMN_PREFIX)
    columns = [key for key in keys if isinstance(key, str) and key.startswith(_COLUMN_PREFIX)]
    return tuple([(column, column[size:]) for column in columns])


_columns = lru_cache(maxsize=256)(_find_columns)  # every row of a table has the same


def span_place_of(record: dict[str, Any]) -> tuple[str | None, str | None]:
    """The ids of the trace and of the span that a record belongs to."""
    holder = record.get("context")
    if isinstance(holder, dict):
        trace, id_ = _text_of(holder.get("trace_id")), _text_of(holder.get("span_id"))
    elif "traceId" in record:
        trace, id_ = _text_of(record["traceId"]), _text_of(record.get("spanId"))
    else:
        trace, id_ = _text_of(record.get("trace_id")), _text_of(record.get("span_id"))
    return trace or trace_id_of(record), id_ or span_id_of(record)


def record_name(record: dict[str, Any]) -> str:
    """The name of a record; empty if it has none."""
    name: str | None = record.get("name")
    if name.__class__ is str and name:
        return name
    for key in _NAMES:
        name = record.get(key)
        if isinstance(name, str) and name:
            return name
    name = at(record, "attributes", "event.name")
    return name if isinstance(name, str) else ""


def span_id_of(record: Any) -> str | None:
    """The id of a span, or of the span that a log record belongs to."""
    found = _common_id(record, "span_id", _USUAL_IDS)
    if found is None and _may_have_id(record):
        found = _own_id(record, _IDS) or _text_of(first(record, "id"))
    return found


def trace_id_of(record: Any) -> str | None:
    """The id of the trace that a record belongs to."""
    found = _common_id(record, "trace_id", _USUAL_TRACES)
    return _own_id(record, _TRACES) if found is None and _may_have_id(record) else found


def _common_id(record: Any, inner: str, keys: _Keys) -> str | None:
    """An id in the places of OTLP, the SDKs and tables: a fast path for every span."""
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


def _own_id(record: Any, keys: tuple[str, ...]) -> str | None:
    """An id in the record itself, in its context, or in a column for it."""
    found = _text_of(first(record, *keys))
    if found is None:
        context = first(record, *_CONTEXTS)
        columns = _COLUMNS[keys] if context is None else keys
        found = _text_of(first(record if context is None else context, *columns))
    return found


def _text_of(id_: Any) -> str | None:
    """An id as text: the objects of an SDK have numbers."""
    if isinstance(id_, str):
        return id_ or None
    is_number = isinstance(id_, int) and id_.bit_length() <= _MAX_ID_BITS
    return str(id_) if is_number else None


Convention = Literal["vercel", "openinference", "mlflow", "gen_ai", "openllmetry"]

# The prefixes of attribute names, by rank; some of `openllmetry` are also in newer conventions.
_PREFIXES: tuple[tuple[Convention, tuple[str, ...]], ...] = (
    ("vercel", ("ai.toolCall.", "ai.response.toolCalls", "ai.operationId")),
    ("openinference", ("openinference.span.kind", "llm.output_messages", "llm.input_messages")),
    ("mlflow", ("mlflow.span", "mlflow.chat.", "mlflow.traceRequestId")),
    ("gen_ai", ("gen_ai.output.messages", "gen_ai.choice", "gen_ai.assistant.message")),
    ("openllmetry", ("gen_ai.completion.", "llm.request.functions.", "llm.completions.")),
    ("gen_ai", ("gen_ai.", "pydantic_ai.", "tool_arguments", "tool_response")),
    ("openllmetry", ("traceloop.",)),
)
_NO_RANK = len(_PREFIXES)
# The outermost keys of attributes that are nested at each dot.
_FIRST_SEGMENTS = frozenset(
    [beginning.partition(".")[0] for _, beginnings in _PREFIXES for beginning in beginnings]
)
_NAMES_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])  # decodes only the names
_MAX_SAMPLED = 200
_MAX_CACHED_NAMES = 50  # names of one span


def convention_of(document: Any) -> Convention | None:
    """The attribute convention of the spans in a document; None if there are no spans.

    Spans without the attributes of any convention, such as those of a web server, count as `gen_ai`
    if they are definitely spans: others may follow in the same file.
    """
    if not may_hold_records(document):
        return None
    rank = _NO_RANK
    for record, _ in islice(records_in(document), _MAX_SAMPLED):
        rank = min(rank, _rank_of(record))
        if rank == 0:
            break
    if rank < _NO_RANK:
        return _PREFIXES[rank][0]
    record, _ = next(records_in(document), ({}, None))
    has_ids = trace_id_of(record) is not None and span_id_of(record) is not None
    is_otlp = isinstance(document, dict) and is_batch(document)
    return "gen_ai" if has_ids or is_otlp else None


def _rank_of(record: dict[str, Any]) -> int:
    """The rank of the convention of a record: by its attributes, and by its events."""
    rank = _rank_of_attributes(raw_attributes(record))
    events = record.get("events")
    if events:
        rank = min(rank, _lowest_rank(tuple([record_name(event) for event in dicts(events)])))
    return min(rank, _rank(record_name(record))) if "body" in record else rank


def _rank_of_attributes(value: Any) -> int:
    if isinstance(value, str):
        value = _outline(value)
    if isinstance(value, dict):
        rank = _lowest_rank(tuple(value))
        is_flat = _FIRST_SEGMENTS.isdisjoint(value)
        return rank if is_flat else min(rank, _lowest_rank(tuple(_nested_names(value))))
    return _lowest_rank(_keys_of(list_of(value)))


def _outline(text: str) -> Any:
    """The JSON value of a text, or only its keys if the values do not matter."""
    try:
        named: dict[str, Any] = _NAMES_DECODER.decode(text)
    except (ValueError, RecursionError):
        return json_of(text)
    return named if _FIRST_SEGMENTS.isdisjoint(named) else json_of(text)


def _keys_of(entries: list[Any]) -> tuple[str, ...]:
    try:
        names = tuple([entry["key"] for entry in entries])
        "".join(names)  # raises for all but texts
    except (KeyError, TypeError):
        found = [entry.get("key") for entry in dicts(entries)]
        return tuple([name for name in found if isinstance(name, str)])
    return names


def _lowest_rank(names: tuple[Any, ...]) -> int:
    return _cached_rank(names) if len(names) <= _MAX_CACHED_NAMES else _uncached_rank(names)


def _uncached_rank(names: tuple[Any, ...]) -> int:
    return min(map(_rank, names), default=_NO_RANK)


# The spans of one instrumentor have the same few sets of names, again and again.
_cached_rank = lru_cache(maxsize=512)(_uncached_rank)


@lru_cache(maxsize=4096)
def _rank(name: Any) -> int:
    """The rank of the convention that a name belongs to."""
    if isinstance(name, str):
        for place, (_, beginnings) in enumerate(_PREFIXES):
            if name.startswith(beginnings):
                return place
    return _NO_RANK


def _nested_names(given: dict[Any, Any]) -> list[str]:
    """The first three parts of each name, for attributes nested at each dot."""
    names = []
    for key in _FIRST_SEGMENTS.intersection(given):
        value = given[key]
        if isinstance(value, dict):
            for inner, deeper in value.items():
                names.append(f"{key}.{inner}")
                if isinstance(deeper, dict):
                    names += [f"{key}.{inner}.{innermost}" for innermost in deeper]
    return names
