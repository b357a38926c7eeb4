"""Recordings of Go's httprr."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import callscore
from callscore.sources import BadRecord, Record, read_records
from callscore.sources.httprr import HTTPRR_MAGIC, read_httprr

if TYPE_CHECKING:
    from pathlib import Path

REQUEST = b'POST https://example.com/v1 HTTP/1.1\r\nHost: x\r\n\r\n{"q": "\xc3\xa9"}'
ANSWER = (
    b'{"object": "chat.completion", "choices": [{"message": {"role": "assistant", "tool_calls":'
    b' [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}}]}'
)
RESPONSE = b"HTTP/2.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + ANSWER


def recording(*pairs: tuple[bytes, bytes]) -> bytes:
    parts = [
        b"%d %d\n" % (len(asked), len(answered)) + asked + answered for asked, answered in pairs
    ]
    return HTTPRR_MAGIC + b"".join(parts)


def test_the_exchanges_are_read(tmp_path: Path) -> None:
    packed = b"HTTP/2.0 200 OK\n\n" + gzip.compress(ANSWER)
    path = tmp_path / "x.httprr"
    path.write_bytes(recording((REQUEST, RESPONSE), (REQUEST, packed)))

    (record,) = read_records(str(path))

    assert isinstance(record, Record)
    first = record.value["interactions"][0]
    assert first["request"] == {
        "method": "POST",
        "uri": "https://example.com/v1",
        "body": '{"q": "é"}',
    }
    assert first["response"]["status"] == "200 OK"
    assert [call.name for call in callscore.read_calls(path)] == ["f", "f"]


def test_a_recording_that_was_cut_off_is_bad_from_there_on() -> None:
    bad, record = read_httprr(recording((REQUEST, RESPONSE), (REQUEST, RESPONSE))[:-1], "x")

    assert isinstance(bad, BadRecord)
    assert bad.place == "x:9"
    assert isinstance(record, Record)
    assert len(record.value["interactions"]) == 1
    (bad,) = read_httprr(HTTPRR_MAGIC + b"no sizes", "x")
    assert isinstance(bad, BadRecord)
