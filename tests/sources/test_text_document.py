"""What a text holds."""

from __future__ import annotations

from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.errors import UnreadableInput
from callscore.sources.record import Record
from callscore.sources.text_document import (
    decode_bytes,
    decode_text,
    read_events,
    read_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer


def test_bytes_that_are_neither_text_nor_otlp_are_refused() -> None:
    with pytest.raises(
        UnreadableInput, match="the byte 0xff at 2 is not UTF-8, and the data is not"
    ):
        decode_bytes(b"{}\xff")


@given(
    st.text() | st.lists(st.sampled_from(['{"a": 1}', "[", "]", "\n", "data: ", " "])).map("".join)
)
def test_any_text_has_a_value(text: str) -> None:
    decode_text(text)


# Recorded server-sent events.

STREAM = """\
: keep-alive

event: message_start
id: 1
data: {"type": "message_start"}

data:{"type": "content_block_delta"}

retry: 3000
event: ping

data: [DONE]

"""
DECODED_EVENTS = [{"type": "message_start"}, {"type": "content_block_delta"}]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_the_data_of_each_event_is_decoded(line_end: str) -> None:
    assert read_events(STREAM.replace("\n", line_end)) == DECODED_EVENTS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello",
        'data: {"a": 1}\nexpected: []\n',
        'Here it is:\ndata: {"a": 1}\n',
        "id: a\nevent: b\n",
        "data: hello\n\n",
        "data: [DONE]\n\n",
    ],
)
def test_any_other_text_is_not_a_stream_of_events(text: str) -> None:
    assert read_events(text) is None


@given(
    st.lists(
        st.sampled_from(["data: ", "event", ":", "{", "}", "[1]", "\n", "\r", '"a"', "\udce9"])
    )
)
def test_any_text_is_events_or_not(pieces: list[str]) -> None:
    events: Any = read_events("".join(pieces))

    assert events is None or isinstance(events, list)


# JSON lines.


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 1000])
def test_lines_are_whole_however_the_bytes_arrive(size: int) -> None:
    text = b"".join(b'{"n": %d}\n' % number for number in range(50)) + b'{"n": 50}'

    batches = list(read_lines(text[:7], _stream(text[7:], size), "f", 1))
    records = [record for batch in batches for record in batch.records()]

    assert records == [Record(f"f:{number + 1}", {"n": number}) for number in range(51)]


def test_lines_before_a_read_error_are_not_lost() -> None:
    def chunks() -> Iterator[bytes]:
        yield b'{"n": 1}\n{"n": 2}\n{"n"'
        raise UnreadableInput("f", "it broke.")

    batches = read_lines(b"", BufferedReader(_Chunks(chunks())), "f", 1)

    assert next(batches).data == b'{"n": 1}\n{"n": 2}\n'
    assert next(batches).data == b""
    with pytest.raises(UnreadableInput):
        next(batches)


class _Chunks(RawIOBase):
    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        chunk = next(self._chunks, b"")
        memoryview(buffer)[: len(chunk)] = chunk
        return len(chunk)


def _stream(data: bytes, size: int) -> BufferedReader:
    pieces = (data[start : start + size] for start in range(0, len(data), size))
    return BufferedReader(_Chunks(pieces))
