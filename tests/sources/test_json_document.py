"""A whole JSON document."""

from __future__ import annotations

import pytest

from callscore.core.malformed import Malformed
from callscore.sources.json_document import read_json
from callscore.sources.record import BadRecord, Record


@pytest.mark.parametrize("text", [b'[{"id": 1}, {"id": 2}]', b'{"cases": [{"id": 1}, {"id": 2}]}'])
def test_the_items_of_an_array_are_the_records(text: bytes) -> None:
    expected = [Record("f.json[0]", {"id": 1}), Record("f.json[1]", {"id": 2})]

    assert list(read_json(text, "f.json")) == expected


@pytest.mark.parametrize("text", [b'{"id": 1}', b'{"cases": 3}', b"3"])
def test_anything_else_is_one_record(text: bytes) -> None:
    (record,) = read_json(text, "f.json")

    assert record.place == "f.json"


def test_a_faulty_value_is_marked() -> None:
    records = list(read_json(b"[NaN, 1]", "f.json"))

    mark = Malformed("NaN", "NaN is not a JSON number")
    assert records == [Record("f.json[0]", mark), Record("f.json[1]", 1)]


def test_a_broken_document_is_one_bad_record_with_line_and_column() -> None:
    records = list(read_json(b'[\n  {"id": 1},\n  {"id": 2\n', "f.json"))

    problem = "the file ends in the middle of an object, was the file cut off?"
    assert records == [BadRecord("f.json:3:11", problem)]
