"""OTLP in protobuf, against bytes that OpenTelemetry's own package has written."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callscore.errors import CallscoreError, UnreadableInput
from callscore.sources.otlp_protobuf import decode_otlp, looks_like_otlp

FILES = Path(__file__).parents[1] / "samples/files"
GOLDEN = (FILES / "otlp_traces.pb").read_bytes()
EXPECTED = msgspec.json.decode((FILES / "otlp_traces.json").read_bytes())


def field(number: int, content: bytes) -> bytes:
    """A field of bytes that are fewer than 128."""
    return bytes([number << 3 | 2, len(content)]) + content


def test_golden_bytes_come_out_as_the_json_of_otlp() -> None:
    assert looks_like_otlp(GOLDEN)
    assert decode_otlp(GOLDEN) == EXPECTED


def test_the_messages_of_a_file_come_out_as_one() -> None:
    prefixed = len(GOLDEN).to_bytes(4, "big") + GOLDEN

    assert looks_like_otlp(prefixed)
    assert decode_otlp(prefixed * 2) == {"resourceSpans": EXPECTED["resourceSpans"] * 2}


def test_unknown_fields_and_unexpected_wire_types_are_skipped() -> None:
    unknown = b"\xa0\x06\x05" + b"\xa1\x06" + bytes(8) + b"\xa5\x06" + bytes(4) + b"\xa2\x06\x01x"
    known_but_otherwise_written = b"\x08\x07"

    assert decode_otlp(unknown + known_but_otherwise_written) == {"resourceSpans": []}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\x0a\x05abc", "5 bytes exceeds"),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "exceeds the remaining"),
        (b"\x0a", "truncated number"),
        (b"\xff" * 11, "number too long"),
        (b"\x0b\x01", "unknown wire type 3"),
        (b"\x02\x01x", "has no number"),
        (field(1, field(3, b"\xff")), "not UTF-8"),
        (b"\x00\x00\x00\x09\x0a", "truncated message"),
        (b"\x00\x00", "truncated message"),
    ],
)
def test_damaged_bytes_are_refused_with_the_place(data: bytes, problem: str) -> None:
    with pytest.raises(UnreadableInput, match=problem) as refused:
        decode_otlp(data, "traces.pb")

    assert refused.value.place == "traces.pb"
    assert "at byte" in refused.value.problem


def test_values_that_are_nested_too_deeply_are_refused() -> None:
    value = b""
    for _ in range(200):
        size = len(value)
        length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
        inner = b"\x0a" + length + value
        size = len(inner)
        value = b"\x2a" + bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14]) + inner
    for number in (2, 9, 2, 2, 1):
        size = len(value)
        length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
        value = bytes([number << 3 | 2]) + length + value

    with pytest.raises(UnreadableInput, match="nested too deeply"):
        decode_otlp(value)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.integers(0, len(GOLDEN) - 1), st.integers(0, 255)), max_size=6),
    st.integers(0, len(GOLDEN)),
)
def test_spoiled_bytes_raise_nothing_but_our_errors(
    changes: list[tuple[int, int]], end: int
) -> None:
    spoiled = bytearray(GOLDEN)
    for position, byte in changes:
        spoiled[position] = byte
    data = bytes(spoiled[:end])

    looks_like_otlp(data)
    with contextlib.suppress(CallscoreError):
        decode_otlp(data)


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_raise_nothing_but_our_errors(data: bytes) -> None:
    looks_like_otlp(data)
    with contextlib.suppress(CallscoreError):
        decode_otlp(data)
