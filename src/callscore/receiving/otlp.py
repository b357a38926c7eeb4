"""OTLP over HTTP: request bodies become spans, and what became of them becomes a response.

A body is untrusted, and what was acknowledged must be readable for ever. This is the gate: sizes, the number
of values, their depth and their types are checked here, and spans are kept as JSON that was written here.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from callscore.errors import UnreadableInput
from callscore.sources.otlp_protobuf import SpanRecord, read_span_records

Kind = Literal["application/json", "application/x-protobuf"]
JSON: Kind = "application/json"
PROTOBUF: Kind = "application/x-protobuf"
SEND_FEWER = "Send fewer spans at once: OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
_MAX_VALUES = 1_000_000
_MAX_DEPTH = 100  # of the JSON of a span; lists and objects in an attribute take three levels each
_TRACE_ID = re.compile("[0-9a-f]{32}")
_SPAN_ID = re.compile("[0-9a-f]{16}")
_NO_PARENT = "0" * 16
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_GZIP, _ZLIB = 31, 15  # of `zlib`: with which headers
_PART = (
    1 << 12
)  # bytes that are decompressed at once; the rest of them is read again by the next member


class RefusedRequest(Exception):
    """A request that cannot be read, and would not be if it were sent again; or that comes too early.

    Attributes:
        status: of the response.
        problem: in a sentence.
        retry_after: the seconds after which it should be sent again; None if it should not.
    """

    def __init__(self, status: int, problem: str, retry_after: int | None = None) -> None:
        super().__init__(problem)
        self.status = status
        self.problem = problem
        self.retry_after = retry_after


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


# --- bodies --------------------------------------------------------------------------------------


def kind_of(content_type: str) -> Kind:
    """The encoding that a header names.

    Raises:
        RefusedRequest: it is another one.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == JSON:
        return JSON
    if kind == PROTOBUF:
        return PROTOBUF
    raise RefusedRequest(415, f"the Content-Type must be {PROTOBUF} or {JSON}")


def decompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """The body without its compression.

    Raises:
        RefusedRequest: the encoding is unknown, the data is damaged, or there would be more than `limit` bytes.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return body
    if name not in ("gzip", "deflate"):
        raise RefusedRequest(415, "the Content-Encoding must be gzip, deflate or identity")
    found, position = bytearray(), 0
    try:
        while position < len(body):  # a gzip file may have several members
            member = zlib.decompressobj(_GZIP if name == "gzip" else _ZLIB)
            while not member.eof:
                part = body[position : position + _PART]
                if not part:
                    raise RefusedRequest(400, f"the {name} data is truncated")
                found += member.decompress(part, limit - len(found) + 1)
                if len(found) > limit:
                    raise too_large(limit)
                position += len(part) - len(member.unused_data)
    except zlib.error as error:
        raise RefusedRequest(400, f"the {name} data is damaged") from error
    return bytes(found)


def too_large(limit: int) -> RefusedRequest:
    """The error of a body of more than `limit` bytes."""
    return RefusedRequest(413, f"the body is larger than {limit:,} bytes. {SEND_FEWER}")


def read_request(body: bytes, kind: Kind) -> tuple[list[ReceivedSpan], Refused]:
    """The spans of a request, and those that cannot be kept: without a valid id.

    Raises:
        RefusedRequest: the body is not an `ExportTraceServiceRequest`, or has too many values.
    """
    if kind == PROTOBUF:
        return _spans_of(read_span_records(body, max_fields=_MAX_VALUES))
    _require_few_values(body)
    return _spans_of(_records_of_json(body))


def read_document(text: bytes) -> list[ReceivedSpan]:
    """The spans of a row of the spool, or of a line of the output.

    Raises:
        RefusedRequest: it is not OTLP in JSON.
    """
    return _spans_of(_records_of_json(text))[0]


def _spans_of(records: Iterable[SpanRecord]) -> tuple[list[ReceivedSpan], Refused]:
    try:
        return _checked_spans(records)
    except UnreadableInput as error:
        raise RefusedRequest(400, error.problem.removesuffix(".")) from error
    except RecursionError as error:
        problem = f"a span has more than {_MAX_DEPTH} levels of lists and objects"
        raise RefusedRequest(400, problem) from error
    except UnicodeError as error:
        raise RefusedRequest(400, "the body is not UTF-8") from error
    except (msgspec.MsgspecError, ValueError, OverflowError) as error:
        raise RefusedRequest(400, f"the body is not an OTLP request in JSON: {error}") from error


def _checked_spans(records: Iterable[SpanRecord]) -> tuple[list[ReceivedSpan], Refused]:
    found: list[ReceivedSpan] = []
    refused, problem = 0, ""
    latest: tuple[Any, Any] = (None, None)
    batch = scope = b""
    for record in records:
        if record.batch is not latest[0] or record.scope is not latest[1]:
            latest = record.batch, record.scope
            batch, scope = _checked_json(record.batch), _checked_json(record.scope)
        span = record.span
        content = _checked_json(span)
        trace, name = str(span.get("traceId")).lower(), str(span.get("spanId")).lower()
        wrong = ""
        if _SPAN_ID.fullmatch(name) is None or not name.strip("0"):
            wrong = "a span has no valid spanId: 8 bytes, not all zero"
        if _TRACE_ID.fullmatch(trace) is None or not trace.strip("0"):
            wrong = "a span has no valid traceId: 16 bytes, not all zero"
        if wrong:
            refused, problem = refused + 1, problem or wrong
            continue
        is_root = (span.get("parentSpanId") or _NO_PARENT) == _NO_PARENT
        found.append(ReceivedSpan(trace, name, is_root, batch, scope, content))
    return found, Refused(refused, problem)


def document_of(groups: dict[tuple[bytes, bytes], list[bytes]]) -> bytes:
    """Spans, by the JSON of what is around them, as an OTLP document in JSON."""
    batches: dict[bytes, list[bytes]] = {}
    for (batch, scope), spans in groups.items():
        batches.setdefault(batch, []).append(_with_field(scope, b"spans", spans))
    items = [_with_field(batch, b"scopeSpans", scopes) for batch, scopes in batches.items()]
    return b'{"resourceSpans":[' + b",".join(items) + b"]}"


def _with_field(text: bytes, name: bytes, items: list[bytes]) -> bytes:
    """The JSON of an object with a list as a further field."""
    comma = b"" if text == b"{}" else b","
    return text[:-1] + comma + b'"' + name + b'":[' + b",".join(items) + b"]}"


# --- JSON ----------------------------------------------------------------------------------------


class _ScopeSpans(Struct, rename="camel"):
    spans: list[Raw] | None = None
    scope: dict[str, Any] | UnsetType | None = UNSET
    schema_url: str | UnsetType | None = UNSET


class _ResourceSpans(Struct, rename="camel"):
    scope_spans: list[_ScopeSpans] | None = None
    resource: dict[str, Any] | UnsetType | None = UNSET
    schema_url: str | UnsetType | None = UNSET


class _Request(Struct, rename="camel"):
    resource_spans: list[_ResourceSpans] | None = None


_decode_request = msgspec.json.Decoder(_Request).decode
_decode_span = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode


def _records_of_json(body: bytes) -> Iterator[SpanRecord]:
    for around in _decode_request(body).resource_spans or ():
        batch = _given(resource=around.resource, schemaUrl=around.schema_url)
        for inner in around.scope_spans or ():
            scope = _given(scope=inner.scope, schemaUrl=inner.schema_url)
            for content in inner.spans or ():  # each takes much more memory than its JSON
                yield SpanRecord(batch, scope, _decode_span(content))


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not UNSET}


def _checked_json(message: dict[str, Any]) -> bytes:
    """A message as JSON, if none of its values is nested too deeply."""
    text = _encode(message)
    if text.count(b"[") + text.count(b"{") > _MAX_DEPTH:
        depth = 0
        for sign in re.findall(rb"[\[\]{}]", _STRING.sub(b"", text)):
            depth += 1 if sign in b"[{" else -1
            if depth > _MAX_DEPTH:
                raise RecursionError
    return text


def _require_few_values(body: bytes) -> None:
    """Refuse a body with too many values, whose objects would take too much memory."""
    count = _value_count(body)
    if count > _MAX_VALUES:  # the attributes of models are texts that are full of JSON themselves
        count -= sum(_value_count(text[0]) for text in _STRING.finditer(body))
    if count > _MAX_VALUES:
        raise RefusedRequest(400, f"the JSON has more than {_MAX_VALUES:,} values")


def _value_count(body: bytes) -> int:
    """At least as many values as there are."""
    return body.count(b"{") + body.count(b"[") + body.count(b",")


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
