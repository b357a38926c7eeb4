"""A whole JSON document."""

from __future__ import annotations

import pytest

from callscore.core.call import Malformed, malformed_part
from callscore.sources.json_document import decode_json, read_json
from callscore.sources.lenient_json import NotJSON
from callscore.sources.record import Array, BadRecord, Record


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
