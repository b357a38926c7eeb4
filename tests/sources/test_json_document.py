"""A whole JSON document."""

from __future__ import annotations

from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING

import pytest

from callscore.core.call import Malformed, malformed_part
from callscore.errors import UnreadableInput
from callscore.sources.json_document import Lines, decode_json, decode_line, read_json, read_lines
from callscore.sources.lenient_json import NotJSON
from callscore.sources.record import Array, BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer


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

    problem = "the file ends in the middle of an object, was the file cut off?"
    assert records == [BadRecord("f.json:3:11", problem)]


def test_a_text_that_is_not_json_says_what_it_is_that_ends_too_early() -> None:
    with pytest.raises(NotJSON, match="the cell ends in the middle of an array"):
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

    assert record == BadRecord("f:3:12", "there is a comma before }. Remove it.")


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
