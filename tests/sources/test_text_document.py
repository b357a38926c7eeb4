"""What a text holds."""

from __future__ import annotations

from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import Malformed, malformed_part
from callscore.errors import UnreadableInput
from callscore.sources.lenient_json import NotJSON
from callscore.sources.record import Array, BadRecord, Record
from callscore.sources.text_document import (
    Lines,
    decode_bytes,
    decode_json,
    decode_line,
    decode_text,
    looks_like_events,
    read_events,
    read_json,
    read_lines,
    read_text_file,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer


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
    with pytest.raises(UnreadableInput, match="the bytes: invalid OTLP protobuf at byte"):
        decode_bytes((FILES / "otlp_traces.pb").read_bytes()[:-1])


def test_bytes_that_are_neither_text_nor_otlp_are_refused() -> None:
    with pytest.raises(
        UnreadableInput, match="the byte 0xff at 2 is not UTF-8, and the data is not"
    ):
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

    problem = "the event ends inside an object. The file may be truncated."
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


def test_an_array_comes_as_one() -> None:
    batches = list(read_json(b'[{"id": 1}, {"id": 2}]', "f.json"))

    assert batches == [Array("f.json", [{"id": 1}, {"id": 2}])]


def test_what_stands_under_cases_is_one_record_an_item() -> None:
    batches = list(read_json(b'{"cases": [{"id": 1}, {"id": 2}]}', "f.json"))

    assert batches == [Record("f.json[0]", {"id": 1}), Record("f.json[1]", {"id": 2})]


@pytest.mark.parametrize("text", [b'{"id": 1}', b'{"cases": 3}', b"3"])
def test_anything_else_is_one_record(text: bytes) -> None:
    (record,) = read_json(text, "f.json")

    assert isinstance(record, Record)
    assert record.place == "f.json"


def test_a_faulty_value_is_marked() -> None:
    (array,) = read_json(b"[NaN, 1]", "f.json")

    mark = Malformed("NaN", "NaN is not a JSON number")
    assert array == Array("f.json", [mark, 1])
    assert isinstance(array, Array)
    assert malformed_part(array.items) == Malformed("[NaN, 1]", "NaN is not a JSON number")


def test_a_broken_document_is_one_bad_record_with_line_and_column() -> None:
    records = list(read_json(b'[\n  {"id": 1},\n  {"id": 2\n', "f.json"))

    problem = "the file ends inside an object. The file may be truncated."
    assert records == [BadRecord("f.json:3:11", problem)]


def test_a_text_that_is_not_json_says_what_it_is_that_ends_too_early() -> None:
    with pytest.raises(NotJSON, match="the cell ends inside an array"):
        decode_json(b"[1,", unit="cell")


def test_objects_one_after_another_are_a_list_of_them() -> None:
    text = b'{\n "a": 1\n}\n{\n "a": [2, 18446744073709551617]\n}\n'

    assert list(read_json(text, "spans.json")) == [
        Array("spans.json", [{"a": 1}, {"a": [2, 18446744073709551617]}])
    ]


@pytest.mark.parametrize(
    "text", [b'{"a": 1}\n[2]', b'{"a": 1}\n{"a": NaN}', b'{"a": 1}\n{oops', b'{"a": 1}\xff{}']
)
def test_what_follows_an_object_and_is_none_is_a_mistake(text: bytes) -> None:
    (found,) = read_json(text, "f.json")

    assert isinstance(found, BadRecord)


# JSON lines.


def test_a_line_is_a_record_at_its_place() -> None:
    assert decode_line(b'{"id": "a"}\n', "f.jsonl:7") == Record("f.jsonl:7", {"id": "a"})


def test_cyrillic_text_is_read_as_it_is() -> None:
    line = '{"name": "найти_рейс", "город": "Москва"}'.encode()

    assert decode_line(line, "f:1") == Record("f:1", {"name": "найти_рейс", "город": "Москва"})


def test_a_line_that_the_fast_decoder_refuses_is_marked_and_kept() -> None:
    record = decode_line(b'{"id": "a", "x": NaN}', "f:1")

    mark = Malformed("NaN", "NaN is not a JSON number")
    assert record == Record("f:1", {"id": "a", "x": mark})


def test_a_broken_line_is_a_bad_record_with_its_column() -> None:
    record = decode_line(b'{"id": "a",}', "f:3")

    assert record == BadRecord("f:3:12", "unexpected comma before '}'. Remove it.")


def test_columns_count_characters_and_not_bytes() -> None:
    record = decode_line('{"имя": }'.encode(), "f:3")

    assert record.place == "f:3:9"


@pytest.mark.parametrize("line", [b"\xef\xbb\xbf{}", b"{}\r\n", b"  {}  \n"])
def test_byte_order_marks_and_line_breaks_are_not_content(line: bytes) -> None:
    assert decode_line(line, "f:1") == Record("f:1", {})


def test_integers_beyond_64_bits_stay_exact() -> None:
    assert decode_line(b"[123456789012345678901]", "f:1") == Record("f:1", [123456789012345678901])


def test_of_a_key_that_is_there_twice_the_last_wins() -> None:
    assert decode_line(b'{"a": 1, "a": 2}', "f:1") == Record("f:1", {"a": 2})


def test_blank_lines_are_passed_over_and_counted() -> None:
    lines = Lines("f", 1, b"{}\r\n\r\n  \t\n[]")

    assert list(lines.records()) == [Record("f:1", {}), Record("f:4", [])]


def test_one_bad_line_does_not_cost_the_others() -> None:
    records = list(Lines("f", 10, b"1\noops\n3\n").records())

    assert [record.place for record in records] == ["f:10", "f:11:1", "f:12"]


def test_one_line_can_be_read_by_its_position() -> None:
    lines = Lines("f", 10, b"1\n2\n3\n")

    assert lines.record(1) == Record("f:11", 2)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 1000])
def test_lines_are_whole_however_the_bytes_arrive(size: int) -> None:
    text = b"".join(b'{"n": %d}\n' % number for number in range(50)) + b'{"n": 50}'

    batches = list(read_lines(text[:7], _stream(text[7:], size), "f", 1))
    records = [record for batch in batches for record in batch.records()]

    assert records == [Record(f"f:{number + 1}", {"n": number}) for number in range(51)]


def test_what_comes_before_a_break_is_not_lost() -> None:
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


@pytest.mark.parametrize("data", [b'{"a": "\xff"}', b'[1, 2, "\xff"]'])
def test_bytes_that_begin_like_json_must_be_text(data: bytes) -> None:
    with pytest.raises(UnreadableInput, match="the byte 0xff"):
        decode_bytes(data)


def test_a_lenient_value_is_marked_in_bytes_as_in_text() -> None:
    assert decode_bytes(b'[{"a": NaN}]') == decode_text('[{"a": NaN}]')
