"""OTLP over HTTP: request bodies become spans, and what became of them becomes a response.

A body is untrusted. Its size is limited before and after decompression, and so is the number of values in
it: two bytes of a body can become an object that takes a hundred.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from callscore.errors import UnreadableInput
from callscore.sources.otlp_protobuf import read_span_records

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "JSON",
    "NO_PARENT",
    "PROTOBUF",
    "BadRequest",
    "Kind",
    "ReceivedSpan",
    "Refused",
    "decompressed",
    "error_body",
    "kind_of",
    "read_request",
    "success_body",
    "too_large",
]

Kind = Literal["application/json", "application/x-protobuf"]
JSON: Kind = "application/json"
PROTOBUF: Kind = "application/x-protobuf"
_MAX_VALUES = 1_000_000
_TRACE_ID = re.compile("[0-9a-fA-F]{32}")
_SPAN_ID = re.compile("[0-9a-fA-F]{16}")
NO_PARENT = frozenset(("", "0" * 16))
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_GZIP, _ZLIB = 31, 15  # of `zlib`: with which headers


class BadRequest(Exception):
    """A request that cannot be read, and would not be if it were sent again.

    Attributes:
        status: of the response.
        problem: in a sentence.
    """

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status
        self.problem = problem


class ReceivedSpan(Struct, frozen=True, gc=False):
    """A span as it was received.

    Attributes:
        trace: the id of its trace, in lower case.
        id: its own id, likewise.
        is_root: whether it has no parent.
        batch: the JSON of the `ResourceSpans` around it, without its `scopeSpans`.
        scope: the JSON of the `ScopeSpans` around it, without its `spans`.
        content: the JSON of the span itself.
    """

    trace: str
    id: str
    is_root: bool
    batch: bytes
    scope: bytes
    content: bytes


class Refused(Struct, frozen=True):
    """Spans of a request that cannot be kept: how many, and why the first of them."""

    count: int = 0
    problem: str = ""


_NO_REFUSED = Refused()


# --- bodies --------------------------------------------------------------------------------------


def kind_of(content_type: str) -> Kind:
    """The encoding that a header names.

    Raises:
        BadRequest: it is another one.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == JSON:
        return JSON
    if kind == PROTOBUF:
        return PROTOBUF
    raise BadRequest(415, f"the Content-Type must be {PROTOBUF} or {JSON}")


def decompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """The body without its compression.

    Raises:
        BadRequest: the encoding is unknown, the data is damaged, or there would be more than `limit` bytes.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return body
    if name not in ("gzip", "deflate"):
        raise BadRequest(415, "the Content-Encoding must be gzip, deflate or identity")
    found, rest, header = bytearray(), body, _GZIP if name == "gzip" else _ZLIB
    try:
        while rest:  # a gzip file may have several members
            member = zlib.decompressobj(header)
            found += member.decompress(rest, limit - len(found) + 1)
            if len(found) > limit:
                raise BadRequest(413, _too_large(limit))
            if not member.eof:
                raise BadRequest(400, f"the {name} data is truncated")
            rest = member.unused_data
    except zlib.error as error:
        raise BadRequest(400, f"the {name} data is damaged") from error
    return bytes(found)


def _too_large(limit: int) -> str:
    return (
        f"the body is larger than {limit:,} bytes. Send fewer spans at once:"
        " OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
    )


def too_large(limit: int) -> BadRequest:
    """The error of a body of more than `limit` bytes."""
    return BadRequest(413, _too_large(limit))


def read_request(body: bytes, kind: Kind) -> tuple[list[ReceivedSpan], Refused]:
    """The spans of a request, and those that cannot be kept: without a valid id.

    Raises:
        BadRequest: the body is not an `ExportTraceServiceRequest`, or has too many values.
    """
    found: list[ReceivedSpan] = []
    refused = _NO_REFUSED
    read = _spans_of_json if kind == JSON else _spans_of_protobuf
    for span in read(body):
        problem = _problem_of(span)
        if problem is None:
            found.append(span)
        else:
            refused = Refused(refused.count + 1, refused.problem or problem)
    return found, refused


def _problem_of(span: ReceivedSpan) -> str | None:
    if _TRACE_ID.fullmatch(span.trace) is None or not span.trace.strip("0"):
        return "a span has no valid traceId: 16 bytes, not all zero"
    if _SPAN_ID.fullmatch(span.id) is None or not span.id.strip("0"):
        return "a span has no valid spanId: 8 bytes, not all zero"
    return None


# --- protobuf ------------------------------------------------------------------------------------


def _spans_of_protobuf(body: bytes) -> Iterator[ReceivedSpan]:
    encode = msgspec.json.encode
    latest: tuple[Any, Any] = (None, None)
    batch = scope = b""
    try:
        for record in read_span_records(body, max_fields=_MAX_VALUES):
            if record.batch is not latest[0] or record.scope is not latest[1]:
                latest = record.batch, record.scope
                batch, scope = encode(record.batch), encode(record.scope)
            span = record.span
            yield ReceivedSpan(
                trace=span.get("traceId", ""),
                id=span.get("spanId", ""),
                is_root=span.get("parentSpanId", "") in NO_PARENT,
                batch=batch,
                scope=scope,
                content=encode(span),
            )
    except UnreadableInput as error:
        raise BadRequest(400, error.problem.removesuffix(".")) from error


# --- JSON ----------------------------------------------------------------------------------------
# Only what this program relies on is checked; the rest of a span is kept as it is.

_Text = str | UnsetType | None
_Number = int | str | UnsetType | None


class _Value(Struct, rename="camel"):
    string_value: _Text = UNSET
    bool_value: bool | UnsetType | None = UNSET
    int_value: _Number = UNSET
    double_value: float | str | UnsetType | None = UNSET
    array_value: _Values | UnsetType | None = UNSET
    kvlist_value: _Attributes | UnsetType | None = UNSET
    bytes_value: _Text = UNSET


class _Values(Struct):
    values: list[_Value] | None = None


class _Attribute(Struct):
    key: str = ""
    value: _Value | None = None


class _Attributes(Struct):
    values: list[_Attribute] | None = None


class _Event(Struct, rename="camel"):
    name: _Text = UNSET
    time_unix_nano: _Number = UNSET
    attributes: list[_Attribute] | None = None


class _Link(Struct, rename="camel"):
    trace_id: _Text = UNSET
    span_id: _Text = UNSET
    attributes: list[_Attribute] | None = None


class _Status(Struct):
    code: _Number = UNSET
    message: _Text = UNSET


class _Span(Struct, rename="camel"):
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    name: _Text = UNSET
    kind: _Number = UNSET
    start_time_unix_nano: _Number = UNSET
    end_time_unix_nano: _Number = UNSET
    attributes: list[_Attribute] | None = None
    events: list[_Event] | None = None
    links: list[_Link] | None = None
    status: _Status | None = None


class _Resource(Struct):
    attributes: list[_Attribute] | None = None


class _Scope(Struct):
    name: _Text = UNSET
    version: _Text = UNSET
    attributes: list[_Attribute] | None = None


class _ScopeSpans(Struct, rename="camel"):
    spans: list[Raw] | None = None
    scope: Raw | UnsetType = UNSET
    schema_url: str | UnsetType | None = UNSET


class _ResourceSpans(Struct, rename="camel"):
    scope_spans: list[_ScopeSpans] | None = None
    resource: Raw | UnsetType = UNSET
    schema_url: str | UnsetType | None = UNSET


class _Request(Struct, rename="camel"):
    resource_spans: list[_ResourceSpans] | None = None


_decode_request = msgspec.json.Decoder(_Request).decode
_decode_span = msgspec.json.Decoder(_Span).decode
_decode_resource = msgspec.json.Decoder(_Resource | None).decode
_decode_scope = msgspec.json.Decoder(_Scope | None).decode


def _spans_of_json(body: bytes) -> Iterator[ReceivedSpan]:
    try:
        _require_few_values(body)
        body.decode()  # parts that are not decoded are written as they are
        request = _decode_request(body)
        for batch in request.resource_spans or ():
            around = _around(resource=batch.resource, schema_url=batch.schema_url)
            for scope in batch.scope_spans or ():
                inner = _around(scope=scope.scope, schema_url=scope.schema_url)
                for content in scope.spans or ():
                    yield _span_of_json(content, around, inner)
    except RecursionError as error:
        raise BadRequest(400, "the JSON is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise BadRequest(400, "the body is not UTF-8") from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise BadRequest(400, f"the body is not an OTLP request in JSON: {error}") from error


def _require_few_values(body: bytes) -> None:
    """Refuse a body with too many values, whose objects would take too much memory."""
    if _value_count(body) > _MAX_VALUES:
        # The attributes of models are texts that are full of JSON themselves.
        outside, end = 0, 0
        for text in _STRING.finditer(body):
            outside += _value_count(body, end, text.start())
            end = text.end()
        if outside + _value_count(body, end) > _MAX_VALUES:
            raise BadRequest(400, f"the JSON has more than {_MAX_VALUES:,} values")


def _value_count(body: bytes, start: int = 0, end: int | None = None) -> int:
    """At least as many values as there are between two positions; too many where there are texts."""
    last = len(body) if end is None else end
    return sum(body.count(sign, start, last) for sign in (b"{", b"[", b","))


def _around(**parts: Any) -> bytes:
    """The JSON of what is around spans, with those of its fields that are given."""
    if isinstance(parts.get("resource"), Raw):
        _decode_resource(parts["resource"])
    if isinstance(parts.get("scope"), Raw):
        _decode_scope(parts["scope"])
    names = {"schema_url": "schemaUrl"}
    found = {names.get(name, name): part for name, part in parts.items() if part is not UNSET}
    return _one_line(msgspec.json.encode(found))


def _span_of_json(content: Raw, batch: bytes, scope: bytes) -> ReceivedSpan:
    span = _decode_span(content)
    return ReceivedSpan(
        trace=(span.trace_id or "").lower(),
        id=(span.span_id or "").lower(),
        is_root=(span.parent_span_id or "") in NO_PARENT,
        batch=batch,
        scope=scope,
        content=_one_line(bytes(content)),
    )


def _one_line(text: bytes) -> bytes:
    """The same JSON in one line: it becomes a part of a line."""
    return msgspec.json.format(text, indent=-1) if b"\n" in text or b"\r" in text else text


# --- responses -----------------------------------------------------------------------------------

_CODES = {400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 413: 11, 415: 3, 429: 8, 503: 14}  # of gRPC
_UNKNOWN_CODE = 2
_LONG = 0x80  # from here on, a number needs more than one byte


def success_body(refused: Refused, kind: Kind) -> bytes:
    """An `ExportTraceServiceResponse`: empty if all spans were kept."""
    if kind == JSON:
        if not refused.count:
            return b"{}"
        partial = {"rejectedSpans": str(refused.count), "errorMessage": refused.problem}
        return msgspec.json.encode({"partialSuccess": partial})
    if not refused.count:
        return b""
    inner = b"\x08" + _varint(refused.count) + _text_field(2, refused.problem)
    return b"\x0a" + _varint(len(inner)) + inner


def error_body(status: int, problem: str, kind: Kind) -> bytes:
    """A `google.rpc.Status`."""
    code = _CODES.get(status, _UNKNOWN_CODE)
    if kind == JSON:
        return msgspec.json.encode({"code": code, "message": problem})
    return b"\x08" + _varint(code) + _text_field(2, problem)


def _text_field(number: int, text: str) -> bytes:
    data = text.encode(errors="replace")
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    found = bytearray()
    while value >= _LONG:
        found.append(value % _LONG | _LONG)
        value >>= 7
    found.append(value)
    return bytes(found)
