"""Tables as text."""

from __future__ import annotations

import csv
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import FaultyObject, Malformed
from callscore.errors import UnreadableInput
from callscore.sources import tables as csv_table
from callscore.sources.record import BadRecord, Record
from callscore.sources.tables import read_csv

if TYPE_CHECKING:
    from collections.abc import Iterator


def read(text: str | bytes) -> list[Record | BadRecord]:
    data = text.encode() if isinstance(text, str) else text
    header, line_break, rest = data.partition(b"\n")
    return list(read_csv(header + line_break, BytesIO(rest), "f.csv", 1))


def test_a_row_is_a_record_with_json_where_a_cell_holds_it() -> None:
    records = read('id,expected,input\na,"[{""name"": ""f"", ""arguments"": {}}]",Hello\n')

    value = {"id": "a", "expected": [{"name": "f", "arguments": {}}], "input": "Hello"}
    assert records == [Record("f.csv:2", value)]


def test_a_number_is_text_as_every_cell_is_that_is_not_json() -> None:
    assert read("id,trial\na,0\n") == [Record("f.csv:2", {"id": "a", "trial": "0"})]


def test_an_empty_cell_is_absent() -> None:
    assert read('id,expected,actual\na,,"  "\n') == [Record("f.csv:2", {"id": "a"})]


def test_a_row_stands_where_it_begins() -> None:
    records = read('id,input\na,"one\ntwo\r\nthree"\n\n\nb,x\n')

    assert records == [
        Record("f.csv:2", {"id": "a", "input": "one\ntwo\r\nthree"}),
        Record("f.csv:7", {"id": "b", "input": "x"}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "id,input\r\na,b\r\n",
        "id,input\na,b",
        ' id , "input"\na,b'.replace(' "input"', "input"),
        "id;input\na;b\n",
        "id\tinput\na\tb\n",
        '"id","input"\n"a","b"\n',
    ],
)
def test_line_ends_delimiters_and_quotes_may_differ(text: str) -> None:
    assert read(text) == [Record("f.csv:2", {"id": "a", "input": "b"})]


def test_a_table_of_one_column_needs_no_delimiter() -> None:
    assert read("id\na\n") == [Record("f.csv:2", {"id": "a"})]


def test_a_table_without_rows_has_no_records() -> None:
    assert read("id,input\n") == []


@pytest.mark.parametrize("row", ["a", "a,b,c"])
def test_a_row_of_another_length_is_bad_and_does_not_cost_the_others(row: str) -> None:
    records = read(f"id,input\n{row}\nb,x\n")

    cells = row.count(",") + 1
    problem = f"the row has {cells} cells, and the header 2."
    assert records == [
        BadRecord("f.csv:2", f"{problem} Put cells that hold the delimiter in double quotes."),
        Record("f.csv:3", {"id": "b", "input": "x"}),
    ]


def test_a_row_with_a_nul_byte_is_bad() -> None:
    records = read(b"id,input\na,x\0y\nb,x\n")

    problem = "there is a NUL byte in the row. Is the file UTF-8, and whole?"
    assert records[0] == BadRecord("f.csv:2", problem)
    assert len(records) == 2


def test_what_is_malformed_in_a_cell_is_marked_and_the_row_knows() -> None:
    (record,) = read('id,actual\na,"[NaN]"\n')

    assert isinstance(record, Record)
    assert record.value == {"id": "a", "actual": [Malformed("NaN", "NaN is not a JSON number")]}
    assert isinstance(record.value, FaultyObject)


def test_text_that_is_not_utf_8_is_marked() -> None:
    (record,) = read(b"id,input\na,caf\xe9\n")

    mark = Malformed("caf\\xe9", "bytes that are not UTF-8")
    assert record == Record("f.csv:2", {"id": "a", "input": mark})


def test_a_cell_may_be_huge() -> None:
    text = "x" * 1_000_000

    assert read(f'id,input\na,"{text}"\n') == [Record("f.csv:2", {"id": "a", "input": text})]


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("id,,input", "column 2 has no name. Name each in the first row."),
        ("id, id", "two columns are called 'id'. Give each a name of its own."),
    ],
)
def test_a_header_that_does_not_name_each_column_is_refused(header: str, problem: str) -> None:
    with pytest.raises(UnreadableInput) as caught:
        read(f"{header}\na,b,c\n")

    assert (caught.value.place, caught.value.problem) == ("f.csv:1", problem)


@pytest.mark.parametrize(
    "text",
    ['id,input\na,b\nc,"never closed\nd,e\n', 'id,input\na,b\nc,"closed" too early\n'],
)
def test_quoting_that_breaks_is_refused_after_the_rows_before_it(text: str) -> None:
    header, _, rest = text.encode().partition(b"\n")
    records = read_csv(header, BytesIO(rest), "f.csv", 1)

    assert next(records) == Record("f.csv:2", {"id": "a", "input": "b"})
    with pytest.raises(UnreadableInput, match=r"f\.csv:3: the quoting breaks in the row that"):
        next(records)


def test_a_quote_that_is_never_closed_does_not_take_all_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        yield b'a,"\n'
        while True:
            taken += 1000
            yield b"x" * 999 + b"\n"

    before = csv.field_size_limit(10_000)
    monkeypatch.setattr(csv_table, "_MAX_CELL_LENGTH", 20_000)
    try:
        with pytest.raises(UnreadableInput, match=r"f\.csv:2: .*field larger than field limit"):
            list(read_csv(b"id,input\n", endless(), "f.csv", 1))
    finally:
        csv.field_size_limit(before)
    assert taken <= 22_000


def test_a_limit_that_somebody_else_has_raised_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    before = csv.field_size_limit()
    monkeypatch.setattr(csv_table, "_MAX_CELL_LENGTH", before - 1)

    assert read("id\na\n")
    assert csv.field_size_limit() == before


def test_the_first_row_is_given_before_the_rest_is_read() -> None:
    def lines() -> Iterator[bytes]:
        yield b"a,b\n"
        raise AssertionError

    first = next(read_csv(b"id,input\n", lines(), "f.csv", 1))

    assert first.place == "f.csv:2"


@given(st.lists(st.sampled_from([*'abc,;"\t\n\r {}[]:\\', '""', '"{""a"": 1}"', "\udce9"])))
def test_any_text_is_records_or_refused(pieces: list[str]) -> None:
    data = "".join(pieces).encode("utf-8", "surrogateescape")

    try:
        places = [record.place for record in read(b"id,input\n" + data)]
    except UnreadableInput as error:
        places = [error.place]

    assert all(place.startswith("f.csv:") for place in places)
