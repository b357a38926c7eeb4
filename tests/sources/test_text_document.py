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
from callscore.sources.text_document import decode_bytes, decode_text, read_text_file

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
