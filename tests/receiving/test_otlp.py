"""Request bodies: the same spans from JSON and protobuf, and nothing from hostile ones."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.receiving.made_up import a_request, a_span, a_tool_span, field, in_protobuf

from callscore.receiving.otlp import (
    JSON,
    PROTOBUF,
    BadRequest,
    Kind,
    ReceivedSpan,
    Refused,
    decompressed,
    error_body,
    kind_of,
    read_request,
    success_body,
)
from callscore.sources.otlp_protobuf import decode_otlp

RECORDED = Path(__file__).parents[1] / "samples" / "files" / "otlp_traces.pb"
LIMIT = 1 << 20
REQUEST = a_request(a_span(1, 1, name="root", a="b"), a_tool_span(1, 2, 1, "f", '{"a": 1}'))


def in_json(request: Any) -> bytes:
    return msgspec.json.encode(request)


def refusal(body: bytes, kind: Kind) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        read_request(body, kind)
    return caught.value


def test_json_and_protobuf_give_the_same_spans() -> None:
    recorded = RECORDED.read_bytes()

    found, refused = read_request(recorded, PROTOBUF)
    same, _ = read_request(in_json(decode_otlp(recorded)), JSON)

    assert len(found) == 4
    assert refused == Refused()
    assert [msgspec.json.decode(span.content) for span in found] == [
        msgspec.json.decode(span.content) for span in same
    ]
    assert [(span.trace, span.id, span.is_root) for span in found] == [
        (span.trace, span.id, span.is_root) for span in same
    ]
    assert [(span.batch, span.scope) for span in found] == [
        (span.batch, span.scope) for span in same
    ]


def test_the_spans_of_a_request_are_kept_as_they_are() -> None:
    for body, kind in ((in_json(REQUEST), JSON), (in_protobuf(REQUEST), PROTOBUF)):
        found, _ = read_request(body, kind)

        spans = REQUEST["resourceSpans"][0]["scopeSpans"][0]["spans"]
        assert [msgspec.json.decode(span.content) for span in found] == spans
        assert [span.is_root for span in found] == [True, False]


def test_json_with_line_breaks_becomes_one_line() -> None:
    found, _ = read_request(msgspec.json.format(in_json(REQUEST)), JSON)

    parts = [part for span in found for part in (span.batch, span.scope, span.content)]
    assert len(found) == 2
    assert not any(b"\n" in part for part in parts)


def test_ids_are_joined_whatever_their_case() -> None:
    span = a_span(0xABCDEF, 0xAB)
    loud = span | {"traceId": span["traceId"].upper(), "spanId": span["spanId"].upper()}

    (found,), _ = read_request(in_json(a_request(loud)), JSON)

    assert (found.trace, found.id) == (span["traceId"], span["spanId"])


@pytest.mark.parametrize("name", ["traceId", "spanId"])
@pytest.mark.parametrize("value", ["", "zz", "0" * 32, "0" * 16, "ab" * 15, None])
def test_a_span_without_a_valid_id_is_refused_alone(name: str, value: str | None) -> None:
    body = in_json(a_request(a_span(1, 1) | {name: value}, a_span(1, 2)))

    found, refused = read_request(body, JSON)

    assert [span.id for span in found] == [f"{2:016x}"]
    assert refused.count == 1
    assert name in refused.problem


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"resourceSpans": 5}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [5]}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": 5}]}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": {"a": 1}}]}]}]}',
        b'{"resourceSpans": [{"resource": [], "scopeSpans": []}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"scope": 1, "spans": []}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"x": "\xff"}]}]}]}',
        b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"x": ' + b'{"a":' * 100_000,
    ],
)
def test_json_that_is_not_a_request_is_refused(body: bytes) -> None:
    assert refusal(body, JSON).status == 400


@pytest.mark.parametrize("cut", [1, 7, 40, 100])
def test_truncated_protobuf_is_refused(cut: int) -> None:
    problem = refusal(in_protobuf(REQUEST)[:-cut], PROTOBUF)

    assert problem.status == 400
    assert "byte" in problem.problem


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\x0a\x00" * 2_000_000, PROTOBUF),
        (field(1, field(2, b"\x12\x00" * 2_000_000)), PROTOBUF),
        (field(1, field(2, field(2, b"\x4a\x00" * 2_000_000))), PROTOBUF),
        (b'{"resourceSpans":[' + b"{}," * 600_000 + b"{}]}", JSON),
        (b'{"x":[' + b"1," * 1_100_000 + b"1]}", JSON),
    ],
)
def test_too_many_values_are_refused(body: bytes, kind: Kind) -> None:
    problem = refusal(body, kind)

    assert problem.status == 400
    assert "too many" in problem.problem or "values" in problem.problem


def test_json_within_texts_does_not_count_as_values() -> None:
    text = '{"a": [1, 2, "' * 200_000

    found, _ = read_request(in_json(a_request(a_span(1, 1, text=text))), JSON)

    assert len(found) == 1


@given(st.data())
def test_a_mutated_body_is_read_or_refused(data: st.DataObject) -> None:
    kind: Kind = data.draw(st.sampled_from([JSON, PROTOBUF]))
    body = bytearray(in_json(REQUEST) if kind == JSON else in_protobuf(REQUEST))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(body) - 1))
        body[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))

    status = 400
    found: list[ReceivedSpan] = []
    try:
        found, _ = read_request(bytes(body), kind)
    except BadRequest as error:
        status = error.status

    assert status == 400
    for span in found:
        assert b"\n" not in span.content
        assert isinstance(msgspec.json.decode(span.batch), dict)


# --- compression ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", b"data"),
        ("identity", b"data"),
        ("gzip", gzip.compress(b"data")),
        ("GZIP ", gzip.compress(b"da") + gzip.compress(b"ta")),
        ("deflate", zlib.compress(b"data")),
    ],
)
def test_a_body_is_decompressed(encoding: str, body: bytes) -> None:
    assert decompressed(body, encoding, LIMIT) == b"data"


@pytest.mark.parametrize(
    ("encoding", "body", "status"),
    [
        ("br", b"data", 415),
        ("gzip, gzip", b"data", 415),
        ("gzip", b"data", 400),
        ("gzip", gzip.compress(b"data")[:-6], 400),
        ("gzip", gzip.compress(b"data") + b"more", 400),
        ("gzip", gzip.compress(b"\0" * (LIMIT + 1)), 413),
        ("gzip", gzip.compress(b"\0" * LIMIT) + gzip.compress(b"\0"), 413),
        ("deflate", zlib.compress(b"\0" * 100 * LIMIT), 413),
    ],
)
def test_a_body_that_cannot_be_decompressed_is_refused(
    encoding: str, body: bytes, status: int
) -> None:
    with pytest.raises(BadRequest) as caught:
        decompressed(body, encoding, LIMIT)

    assert caught.value.status == status


def test_the_type_of_a_body_is_one_of_two() -> None:
    assert kind_of("Application/JSON; charset=utf-8") == JSON
    assert kind_of("application/x-protobuf") == PROTOBUF
    for other in ("", "text/plain", "application/x-www-form-urlencoded"):
        with pytest.raises(BadRequest) as caught:
            kind_of(other)
        assert caught.value.status == 415


# --- responses -----------------------------------------------------------------------------------


def test_a_response_is_empty_if_all_spans_were_kept() -> None:
    assert success_body(Refused(), PROTOBUF) == b""
    assert success_body(Refused(), JSON) == b"{}"


def test_a_response_says_how_many_spans_were_refused() -> None:
    refused = Refused(300, "no id")

    assert msgspec.json.decode(success_body(refused, JSON)) == {
        "partialSuccess": {"rejectedSpans": "300", "errorMessage": "no id"}
    }
    assert success_body(refused, PROTOBUF) == field(1, b"\x08\xac\x02" + field(2, b"no id"))


def test_an_error_is_a_status() -> None:
    assert msgspec.json.decode(error_body(429, "wait", JSON)) == {"code": 8, "message": "wait"}
    assert error_body(400, "bad", PROTOBUF) == b"\x08\x03" + field(2, b"bad")
    assert msgspec.json.decode(error_body(599, "?", JSON))["code"] == 2
