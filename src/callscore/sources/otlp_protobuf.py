"""Traces that OTLP sends as protobuf, decoded to OTLP's JSON.

Only the messages of traces are read. Unknown fields are skipped, as protobuf demands.

Written by hand because opentelemetry-proto needs protobuf below 8, which other packages pin, too,
and protobuf's JSON has ids in base64 and kinds by name where OTLP's has hex and numbers.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.errors import UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["decode_otlp", "looks_like_otlp"]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTHS = {_FIXED64: 8, _FIXED32: 4}
_MAX_VARINT_LENGTH = 10
_MAX_DEPTH = 200
_PREFIX_LENGTH = 4  # bytes of the length in front of each message in a file of the collector
_TRACE_ID_LENGTH, _SPAN_ID_LENGTH = 16, 8
_MAX_FIELDS = 3  # in the messages around a span

_Range = tuple[int, int]  # where the bytes of a field begin and end
_Field = tuple[int, int, Any]  # which one it is, its wire type, and its value or its place


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


def _fields(data: bytes, position: int, end: int) -> Iterator[_Field]:
    while position < end:
        key, position = _read_varint(data, position, end)
        number, wire = key >> 3, key & 7
        if number == 0:
            raise _DecodeError(position, "a field has no number")
        if wire == _VARINT:
            value, position = _read_varint(data, position, end)
            yield number, wire, value
            continue
        if wire == _BYTES:
            size, position = _read_varint(data, position, end)
        elif wire in _WIDTHS:
            size = _WIDTHS[wire]
        else:
            raise _DecodeError(position, f"unknown wire type {wire}")
        if size > end - position:
            raise _DecodeError(position, f"a field of {size} bytes exceeds the remaining data")
        yield number, wire, (position, position + size)
        position += size


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


def _read_message(data: bytes, place: _Range, kind: str, depth: int) -> dict[str, Any]:
    if depth > _MAX_DEPTH:
        raise _DecodeError(place[0], "nested too deeply")
    known = _MESSAGES[kind]
    message: dict[str, Any] = {}
    for number, wire, given in _fields(data, *place):
        field = known.get(number)
        if field is None or field.wire != wire:
            continue
        if isinstance(field.kind, str):
            value: Any = _read_message(data, given, field.kind, depth + 1)
        else:
            value = field.kind(data, given)
        if kind == _VALUE:
            message.clear()  # it has only one value: the last one
        if field.many:
            message.setdefault(field.name, []).append(value)
        else:
            message[field.name] = value
    return message


def decode_otlp(data: bytes, place: str = "OTLP protobuf") -> dict[str, Any]:
    """The spans of a `TracesData` or an `ExportTraceServiceRequest`, as OTLP's JSON.

    Or of several messages, each after its length in four bytes, as the collector writes them.

    Raises:
        UnreadableInput: the bytes are damaged.
    """
    batches: list[Any] = []
    try:
        for start, end in _messages_in(data):
            message = _read_message(data, (start, end), "TracesData", 0)
            batches += message.get("resourceSpans", [])
    except _DecodeError as damaged:
        problem = f"invalid OTLP protobuf at byte {damaged.position}: {damaged.problem}."
        raise UnreadableInput(place, problem) from damaged
    return {"resourceSpans": batches}


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
