"""Bodies of recorded HTTP messages, encoded and compressed in any way."""

from __future__ import annotations

import gzip
import zlib
from base64 import b64encode
from typing import Any

import pytest
import zstandard

from callscore.errors import InvalidCall
from callscore.formats.families.recorded_bodies import BodyReader, events_in, is_event_stream

JSON = b'{"choices": [{"message": {"content": "18 degrees"}}]}'
VALUE = {"choices": [{"message": {"content": "18 degrees"}}]}


def zipped(data: bytes) -> bytes:
    """Without the time: these are names of tests, and the same in every process."""
    return gzip.compress(data, mtime=0)


def in_base64(data: bytes) -> str:
    return b64encode(data).decode()


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def frame(payload: bytes, **headers: str) -> bytes:
    """A message of an AWS event stream."""
    packed = b""
    for key, value in headers.items():
        name = f":{key.replace('_', '-')}".encode()
        packed += bytes([len(name)]) + name + b"\x07" + len(value).to_bytes(2, "big")
        packed += value.encode()
    total = 12 + len(packed) + len(payload) + 4
    prelude = total.to_bytes(4, "big") + len(packed).to_bytes(4, "big")
    whole = prelude + zlib.crc32(prelude).to_bytes(4, "big") + packed + payload
    return whole + zlib.crc32(whole).to_bytes(4, "big")


@pytest.mark.parametrize(
    "body",
    [
        JSON.decode(),
        in_base64(zipped(JSON)),
        in_base64(zlib.compress(JSON)),
        in_base64(zstandard.compress(JSON)),
        in_base64(zipped(zlib.compress(JSON))),
        in_base64(zipped(JSON[:20]) + zipped(JSON[20:])),
        f"\n{in_base64(zipped(JSON))[:30]}\n{in_base64(zipped(JSON))[30:]}\n",
        zipped(JSON).hex(),
        [zipped(JSON).hex()[:40], zipped(JSON).hex()[40:]],
        [in_base64(zipped(JSON)[:30]), in_base64(zipped(JSON)[30:])],
        f'["{in_base64(zipped(JSON))}"]',
    ],
)
def test_what_the_bytes_begin_with_says_how_they_are_packed(body: Any) -> None:
    assert BodyReader().read(body) == VALUE


@pytest.mark.parametrize("packed", [JSON, deflated(JSON), zipped(JSON)])
def test_a_body_that_is_said_to_be_base64_may_have_any_bytes(packed: bytes) -> None:
    assert BodyReader().read(in_base64(packed), is_encoded=True) == VALUE


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Forbidden",
        "c29tZSB0ZXh0IHRoYXQgaXMgYmFzZTY0",  # nothing says so
        "1f8b",
        ["get_weather", "get_time"],
        ["00ff" * 8, "00f"],
        [],
        None,
        17,
    ],
)
def test_any_other_body_stays_as_it_is(body: Any) -> None:
    assert BodyReader().read(body) == body


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n" * 4, b"\x1f\x8b" + b"\xff" * 20, b"\xff"])
def test_an_image_or_damaged_data_has_no_content(data: bytes) -> None:
    body = in_base64(data)

    assert BodyReader().read(body, is_encoded=True) in (body, "")


def test_a_stream_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    events = b"".join(b'data: {"n": %d}\n\n' % number for number in range(2_000))
    packed = zipped(events)

    found = BodyReader().read(in_base64(packed[: len(packed) // 2]))

    assert found[:2] == [{"n": 0}, {"n": 1}]
    assert len(found) < 2_000


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, zstandard.compress])
def test_what_all_bodies_unpack_to_is_limited(pack: Any) -> None:
    bodies = BodyReader(limit=100_000)
    bomb = in_base64(pack(b"a" * 60_000))

    assert bodies.read(bomb) == "a" * 60_000
    with pytest.raises(InvalidCall, match="larger than"):
        bodies.read(bomb)


def test_the_events_of_a_stream_of_aws_have_their_names() -> None:
    stream = frame(b'{"role": "assistant"}', message_type="event", event_type="messageStart")
    stream += frame(b'{"message": "slow"}', exception_type="throttlingException")
    stream += frame(b'{"n": 1}')

    assert is_event_stream(stream)
    assert BodyReader().read(in_base64(stream)) == [
        {"messageStart": {"role": "assistant"}},
        {"throttlingException": {"message": "slow"}},
        {"n": 1},
    ]


def test_the_chunks_of_a_stream_of_aws_are_events_of_the_model() -> None:
    inner = in_base64(b'{"type": "message_start"}')
    stream = frame(b'{"bytes": "%s", "p": "abc"}' % inner.encode(), event_type="chunk")
    stream += frame(b'{"bytes": "?"}', event_type="chunk")

    assert events_in(stream) == [{"type": "message_start"}]


def test_headers_of_other_types_are_skipped_and_a_cut_stream_ends() -> None:
    whole = frame(b'{"n": 1}', event_type="a")
    name = b"\x02:x"
    packed = name + b"\x00" + name + b"\x04\x00\x00\x00\x01" + name + b"\x06\x00\x01z"
    packed += name + b"\x63"  # of an unknown type
    prelude = (12 + len(packed) + 2 + 4).to_bytes(4, "big") + len(packed).to_bytes(4, "big")
    other = prelude + zlib.crc32(prelude).to_bytes(4, "big") + packed + b"{}" + b"\0" * 4

    assert events_in(other + whole + whole[:-2]) == [{}, {"a": {"n": 1}}]


@pytest.mark.parametrize("data", [zipped(b""), frame(b"")])
def test_many_small_parts_are_read(data: bytes) -> None:
    assert not BodyReader().read(in_base64(data * 200_000), is_encoded=True)
