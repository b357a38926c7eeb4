"""Traces that OTLP sends as protobuf, decoded to OTLP's JSON.

Only the messages of traces are read. Unknown fields are skipped, as protobuf demands.

Written by hand because opentelemetry-proto needs protobuf below 8, which other packages pin, too,
and protobuf's JSON has ids in base64 and kinds by name where OTLP's has hex and numbers.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from callscore.errors import UnreadableInput

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTHS = {_FIXED64: 8, _FIXED32: 4}
_MAX_VARINT_LENGTH = 10
_MAX_DEPTH = 200
_PREFIX_LENGTH = 4  # bytes of the length in front of each message in a file of the collector
_TRACE_ID_LENGTH, _SPAN_ID_LENGTH = 16, 8
_MAX_FIELDS = 3  # in the messages around a span
_FIRST_TAG = 1 << 3  # the tag of field 1
_LONG = 0x80  # from here on, a number needs more than one byte
_UNLIMITED = 1 << 62

_Range = tuple[int, int]  # where the bytes of a field begin and end
_Field = tuple[int, Any]  # the tag, which is its number and its wire type; its value or its place


class _DecodeError(Exception):
    """The bytes are not a valid message from a position on."""

    def __init__(self, position: int, problem: str) -> None:
        super().__init__(position, problem)
        self.position = position
        self.problem = problem


def _read_varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    """A number with seven bits per byte, and where it ends."""
    value = 0
    for count in range(_MAX_VARINT_LENGTH):
        if position >= end:
            raise _DecodeError(position, "truncated number")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << (7 * count)
        if not byte & 0x80:
            return value, position
    raise _DecodeError(position, "number too long")


class _Budget:
    """How many fields may still be read: a field of two bytes takes far more memory than that."""

    def __init__(self, fields: int) -> None:
        self.left = fields


def _fields(data: bytes, place: _Range, budget: _Budget) -> Iterator[_Field]:
    position, end = place
    while position < end:
        # Nearly all tags and lengths are one byte: reading them here halves the time.
        tag = data[position]
        position += 1
        if tag & 0x80:
            tag, position = _read_varint(data, position - 1, end)
        wire = tag & 7
        if tag < _FIRST_TAG:
            raise _DecodeError(position, "a field has no number")
        budget.left -= 1
        if budget.left < 0:
            raise _DecodeError(position, "too many fields")
        if wire == _VARINT:
            value, position = _read_varint(data, position, end)
            yield tag, value
            continue
        if wire == _BYTES and position < end and data[position] < _LONG:
            size = data[position]
            position += 1
        else:
            size, position = _read_size(data, position, end, wire)
        if size > end - position:
            raise _DecodeError(position, f"a field of {size} bytes exceeds the remaining data")
        yield tag, (position, position + size)
        position += size


def _read_size(data: bytes, position: int, end: int, wire: int) -> tuple[int, int]:
    """How many bytes a field has, and where they begin."""
    if wire == _BYTES:
        return _read_varint(data, position, end)
    if wire not in _WIDTHS:
        raise _DecodeError(position, f"unknown wire type {wire}")
    return _WIDTHS[wire], position


def _text(data: bytes, place: _Range) -> str:
    start, end = place
    try:
        return data[start:end].decode()
    except UnicodeDecodeError as error:
        raise _DecodeError(start + error.start, "a text is not UTF-8") from None


def _hexadecimal(data: bytes, place: _Range) -> str:
    return data[place[0] : place[1]].hex()


def _fixed(data: bytes, place: _Range) -> int:
    return int.from_bytes(data[place[0] : place[1]], "little")


def _nanoseconds(data: bytes, place: _Range) -> str:
    return str(_fixed(data, place))


def _double(data: bytes, place: _Range) -> float | str:
    """A number; NaN and the infinities are text, as in OTLP."""
    (value,) = struct.unpack_from("<d", data, place[0])
    if value - value == 0:
        return float(value)
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"  # noqa: PLR0124


def _integer(_: bytes, value: int) -> str:
    """A signed number of 64 bits, as text."""
    value &= (1 << 64) - 1
    return str(value - (1 << 64) if value >> 63 else value)


def _count(_: bytes, value: int) -> int:
    return value & 0xFFFFFFFF


class _FieldSpec(NamedTuple):
    """A known field: its name in JSON, its wire type, and what reads it or its message."""

    name: str
    wire: int
    kind: Callable[[bytes, Any], Any] | str
    many: bool = False


_DROPPED = _FieldSpec("droppedAttributesCount", _VARINT, _count)
_VALUE = "AnyValue"
_ATTRIBUTES = _FieldSpec("attributes", _BYTES, "KeyValue", many=True)
_MESSAGES: dict[str, dict[int, _FieldSpec]] = {
    "TracesData": {1: _FieldSpec("resourceSpans", _BYTES, "ResourceSpans", many=True)},
    "ResourceSpans": {
        1: _FieldSpec("resource", _BYTES, "Resource"),
        2: _FieldSpec("scopeSpans", _BYTES, "ScopeSpans", many=True),
        3: _FieldSpec("schemaUrl", _BYTES, _text),
    },
    "Resource": {1: _ATTRIBUTES, 2: _DROPPED},
    "ScopeSpans": {
        1: _FieldSpec("scope", _BYTES, "Scope"),
        2: _FieldSpec("spans", _BYTES, "Span", many=True),
        3: _FieldSpec("schemaUrl", _BYTES, _text),
    },
    "Scope": {
        1: _FieldSpec("name", _BYTES, _text),
        2: _FieldSpec("version", _BYTES, _text),
        3: _ATTRIBUTES,
        4: _DROPPED,
    },
    "Span": {
        1: _FieldSpec("traceId", _BYTES, _hexadecimal),
        2: _FieldSpec("spanId", _BYTES, _hexadecimal),
        3: _FieldSpec("traceState", _BYTES, _text),
        4: _FieldSpec("parentSpanId", _BYTES, _hexadecimal),
        5: _FieldSpec("name", _BYTES, _text),
        6: _FieldSpec("kind", _VARINT, _count),
        7: _FieldSpec("startTimeUnixNano", _FIXED64, _nanoseconds),
        8: _FieldSpec("endTimeUnixNano", _FIXED64, _nanoseconds),
        9: _ATTRIBUTES,
        10: _DROPPED,
        11: _FieldSpec("events", _BYTES, "Event", many=True),
        12: _FieldSpec("droppedEventsCount", _VARINT, _count),
        13: _FieldSpec("links", _BYTES, "Link", many=True),
        14: _FieldSpec("droppedLinksCount", _VARINT, _count),
        15: _FieldSpec("status", _BYTES, "Status"),
        16: _FieldSpec("flags", _FIXED32, _fixed),
    },
    "Event": {
        1: _FieldSpec("timeUnixNano", _FIXED64, _nanoseconds),
        2: _FieldSpec("name", _BYTES, _text),
        3: _ATTRIBUTES,
        4: _DROPPED,
    },
    "Link": {
        1: _FieldSpec("traceId", _BYTES, _hexadecimal),
        2: _FieldSpec("spanId", _BYTES, _hexadecimal),
        3: _FieldSpec("traceState", _BYTES, _text),
        4: _ATTRIBUTES,
        5: _DROPPED,
        6: _FieldSpec("flags", _FIXED32, _fixed),
    },
    "Status": {2: _FieldSpec("message", _BYTES, _text), 3: _FieldSpec("code", _VARINT, _count)},
    "KeyValue": {1: _FieldSpec("key", _BYTES, _text), 2: _FieldSpec("value", _BYTES, _VALUE)},
    _VALUE: {
        1: _FieldSpec("stringValue", _BYTES, _text),
        2: _FieldSpec("boolValue", _VARINT, lambda _, value: value != 0),
        3: _FieldSpec("intValue", _VARINT, _integer),
        4: _FieldSpec("doubleValue", _FIXED64, _double),
        5: _FieldSpec("arrayValue", _BYTES, "Values"),
        6: _FieldSpec("kvlistValue", _BYTES, "KeyValues"),
        7: _FieldSpec("bytesValue", _BYTES, lambda data, at: b64encode(data[slice(*at)]).decode()),
    },
    "Values": {1: _FieldSpec("values", _BYTES, _VALUE, many=True)},
    "KeyValues": {1: _FieldSpec("values", _BYTES, "KeyValue", many=True)},
}


# The same by tag: a field of another wire type is an unknown field.
_BY_TAG = {
    kind: {number << 3 | field.wire: field for number, field in fields.items()}
    for kind, fields in _MESSAGES.items()
}


def _read_message(
    data: bytes, place: _Range, kind: str, budget: _Budget, depth: int = 0
) -> dict[str, Any]:
    if depth > _MAX_DEPTH:
        raise _DecodeError(place[0], "nested too deeply")
    known = _BY_TAG[kind]
    message: dict[str, Any] = {}
    for tag, given in _fields(data, place, budget):
        field = known.get(tag)
        if field is None:
            continue
        name, _, reader, many = field
        if isinstance(reader, str):
            value: Any = _read_message(data, given, reader, budget, depth + 1)
        else:
            value = reader(data, given)
        if kind == _VALUE:
            message.clear()  # it has only one value: the last one
        if many:
            message.setdefault(name, []).append(value)
        else:
            message[name] = value
    return message


class SpanRecord(NamedTuple):
    """A span as OTLP's JSON, and what is around it.

    Attributes:
        batch: the `ResourceSpans` without its `scopeSpans`; the same object for all its spans.
        scope: the `ScopeSpans` without its `spans`; likewise.
    """

    batch: dict[str, Any]
    scope: dict[str, Any]
    span: dict[str, Any]


def read_span_records(
    data: bytes, *, max_fields: int, place: str = "OTLP protobuf"
) -> Iterator[SpanRecord]:
    """The spans of an `ExportTraceServiceRequest`, one by one.

    Raises:
        UnreadableInput: the bytes are damaged, or have more than `max_fields` fields.
    """
    budget = _Budget(max_fields)
    try:
        for around in _parts_of(data, (0, len(data)), 1, budget):
            batch, scopes = _with_parts(data, around, "ResourceSpans", budget)
            for inner in scopes:
                scope, spans = _with_parts(data, inner, "ScopeSpans", budget)
                for found in spans:
                    yield SpanRecord(batch, scope, _read_message(data, found, "Span", budget))
    except _DecodeError as damaged:
        raise _unreadable(damaged, place) from damaged


def _parts_of(data: bytes, place: _Range, number: int, budget: _Budget) -> list[_Range]:
    wanted = number << 3 | _BYTES
    return [given for tag, given in _fields(data, place, budget) if tag == wanted]


def _with_parts(
    data: bytes, place: _Range, kind: str, budget: _Budget
) -> tuple[dict[str, Any], list[_Range]]:
    """The fields of a message around spans, and where those are that hold them: all have number 2."""
    known, held = _BY_TAG[kind], 2 << 3 | _BYTES
    message: dict[str, Any] = {}
    parts: list[_Range] = []
    for tag, given in _fields(data, place, budget):
        field = known.get(tag)
        if tag == held:
            parts.append(given)
        elif field is not None:
            name, _, reader, _ = field
            message[name] = (
                _read_message(data, given, reader, budget)
                if isinstance(reader, str)
                else reader(data, given)
            )
    return message, parts


def decode_otlp(data: bytes, place: str = "OTLP protobuf") -> dict[str, Any]:
    """The spans of a `TracesData` or an `ExportTraceServiceRequest`, as OTLP's JSON.

    Or of several messages, each after its length in four bytes, as the collector writes them.

    Raises:
        UnreadableInput: the bytes are damaged.
    """
    batches: list[Any] = []
    budget = _Budget(_UNLIMITED)
    try:
        for around in _messages_in(data):
            message = _read_message(data, around, "TracesData", budget)
            batches += message.get("resourceSpans", [])
    except _DecodeError as damaged:
        raise _unreadable(damaged, place) from damaged
    return {"resourceSpans": batches}


def _unreadable(damaged: _DecodeError, place: str) -> UnreadableInput:
    problem = f"invalid OTLP protobuf at byte {damaged.position}: {damaged.problem}."
    return UnreadableInput(place, problem)


def _messages_in(data: bytes) -> Iterator[_Range]:
    position, end = 0, len(data)
    if not _has_prefix(data):
        yield position, end
        return
    while position < end:
        start = position + _PREFIX_LENGTH
        position = start + int.from_bytes(data[position:start], "big")
        if start > end or position > end:
            raise _DecodeError(min(start, end), "truncated message")
        yield start, position


def _has_prefix(data: bytes) -> bool:
    return data[:1] == b"\0"  # no message begins with it


def looks_like_otlp(data: bytes) -> bool:
    """Whether the bytes begin with spans in protobuf: ids of the right length in their fields.

    The end of the bytes may be missing.
    """
    place: _Range | None = (_PREFIX_LENGTH if _has_prefix(data) else 0, len(data))
    for number in (1, 2, 2):  # the first batch, the first scope in it, the first span in that
        place = None if place is None else _first_part(data, place, number)
    if place is None:
        return False
    ids = [_first_part(data, place, number) for number in (1, 2)]
    sizes = [0 if part is None else part[1] - part[0] for part in ids]
    return sizes == [_TRACE_ID_LENGTH, _SPAN_ID_LENGTH]


def _first_part(data: bytes, place: _Range, expected: int) -> _Range | None:
    """Where the first field with a number is, in bytes whose end may be missing."""
    position, end = place
    try:
        while position < end:
            key, position = _read_varint(data, position, end)
            size, position = _read_varint(data, position, end)
            if key & 7 != _BYTES or key >> 3 > _MAX_FIELDS:
                return None
            if key >> 3 == expected:
                return position, min(position + size, len(data))
            position += size
    except _DecodeError:
        pass
    return None
