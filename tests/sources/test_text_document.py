"""What a text holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import Malformed, malformed_part
from callscore.errors import UnreadableInput
from callscore.sources.json_document import Lines
from callscore.sources.record import Array, BadRecord, Record
from callscore.sources.text_document import (
    decode_bytes,
    decode_text,
    looks_like_events,
    read_events,
    read_text_file,
)

FILES = Path(__file__).parents[1] / "samples/files"
EVENTS = 'event: x\ndata: {"a": 1}\n\ndata: {"a": 2}\n\ndata: [DONE]\n\n'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("\ufeff  [1,\n 2]\n", [1, 2]),
        ('"text"', "text"),
        ("3", 3),
        ("null", None),
        ('{"a": 1}\n\n{"a": 2}\r\n', [{"a": 1}, {"a": 2}]),
        ('{"a": NaN}\n{"a": 2}', [{"a": Malformed("NaN", "NaN is not a JSON number")}, {"a": 2}]),
        (EVENTS, [{"a": 1}, {"a": 2}]),
    ],
)
def test_json_lines_and_events_are_their_values(text: str, value: Any) -> None:
    assert decode_text(text) == value
    assert decode_bytes(text.encode()) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "Hello",
        '<tool_call>\n{"name": "f"}\n</tool_call>',
        '{"a": 1',
        "[f(a=1), g(b='x')]",
        '{"a": 1}\nand more\n',
        '{"a": 1}; {"b": 2}',
        "data: hello\n",
    ],
)
def test_any_other_text_is_itself(text: str) -> None:
    assert decode_text(text) == text


def test_what_is_malformed_is_marked() -> None:
    value = decode_text('{"a": "\ud83d", "b": Infinity}')

    assert malformed_part(value) is not None
    assert value["b"] == Malformed("Infinity", "Infinity is not a JSON number")


def test_otlp_in_protobuf_is_its_json() -> None:
    value = decode_bytes((FILES / "otlp_traces.pb").read_bytes())

    assert value == decode_bytes((FILES / "otlp_traces.json").read_bytes())


def test_otlp_that_is_cut_off_is_refused() -> None:
    with pytest.raises(UnreadableInput, match="the bytes: no OTLP message can be read at byte"):
        decode_bytes((FILES / "otlp_traces.pb").read_bytes()[:-1])


def test_bytes_that_are_neither_text_nor_otlp_are_refused() -> None:
    with pytest.raises(UnreadableInput, match="the byte 0xff at 2 is not UTF-8, and this is no"):
        decode_bytes(b"{}\xff")


@pytest.mark.parametrize(
    ("text", "batch"),
    [
        ("Hello\n\nthere\n", Record("f.txt", "Hello\n\nthere\n")),
        ("\n Hello", Record("f.txt", "\n Hello")),
        ("\ufeffHello", Record("f.txt", "Hello")),
        ("[f(a=1)]", Record("f.txt", "[f(a=1)]")),
        ('{\n"a": 1}', Record("f.txt", {"a": 1})),
        ("[1, 2]", Array("f.txt", [1, 2])),
        ('{"cases": [5]}', Record("f.txt[0]", 5)),
        ('{"a": 1}\n{"a": 2}\n', Lines("f.txt", 1, b'{"a": 1}\n{"a": 2}\n')),
        (EVENTS, Array("f.txt", [{"a": 1}, {"a": 2}])),
    ],
)
def test_a_file_of_text_is_what_the_text_holds(text: str, batch: object) -> None:
    assert list(read_text_file(text.encode(), "f.txt")) == [batch]


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_a_blank_file_of_text_has_no_records(data: bytes) -> None:
    assert list(read_text_file(data, "f.txt")) == []


def test_a_file_of_text_that_is_not_utf_8_is_a_bad_record() -> None:
    batches = list(read_text_file(b"one\ntwo \xcc\xff\n", "f.txt"))

    problem = "the byte 0xcc is not UTF-8. Save the file as UTF-8."
    assert batches == [BadRecord("f.txt:2", problem)]


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


def test_the_last_event_needs_no_blank_line() -> None:
    assert read_events('data: {"a": 1}\n\ndata: {"a": 2}') == [{"a": 1}, {"a": 2}]


def test_data_on_several_lines_is_joined() -> None:
    assert read_events('data: {"a":\ndata: 1}\n\n') == [{"a": 1}]


def test_events_without_blank_lines_between_them_are_told_apart() -> None:
    assert read_events('data: {"a": 1}\ndata: {"a": 2}\ndata: [DONE]\n') == [{"a": 1}, {"a": 2}]


def test_a_separator_that_only_unicode_knows_is_not_the_end_of_a_line() -> None:
    assert read_events('data: {"a": "x\u2028y\x85z"}\n\n') == [{"a": "x\u2028y\x85z"}]


def test_data_that_is_not_json_is_text_and_data_that_was_cut_off_is_marked() -> None:
    events = read_events('data: hello\n\ndata: {"a": 1}\n\ndata: {"a": \n')

    problem = "the event ends in the middle of an object, was the file cut off?"
    assert events == ["hello", {"a": 1}, Malformed('{"a": ', problem)]


def test_what_is_malformed_in_the_data_is_marked() -> None:
    assert read_events('data: {"a": NaN}\n\n') == [
        {"a": Malformed("NaN", "NaN is not a JSON number")}
    ]
    assert read_events('data: ["caf\udce9"]\n\n') == [
        [Malformed('"caf\\xed\\xb3\\xa9"', "bytes that are not UTF-8")]
    ]


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


@pytest.mark.parametrize(
    ("data", "is_like_events"),
    [
        (b"data: {}", True),
        (b"event:x", True),
        (b"id: 5", True),
        (b"retry: 5", True),
        (b": comment", True),
        (b"expected: []", False),
        (b"data", False),
        (b"", False),
        (b"\xff\xff", False),
    ],
)
def test_the_first_field_tells_whether_events_may_follow(data: bytes, is_like_events: bool) -> None:
    assert looks_like_events(data) == is_like_events


@given(
    st.lists(
        st.sampled_from(["data: ", "event", ":", "{", "}", "[1]", "\n", "\r", '"a"', "\udce9"])
    )
)
def test_any_text_is_events_or_not(pieces: list[str]) -> None:
    events: Any = read_events("".join(pieces))

    assert events is None or isinstance(events, list)
