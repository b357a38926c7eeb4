"""Keys that an object has twice."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.sources import Array, Lines, Record, read_records
from callscore.sources.duplicate_keys import duplicate_keys, may_have_duplicates
from callscore.sources.record import BadRecord
from callscore.sources.tables import read_csv
from callscore.sources.text_document import read_json

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.recursive(
    st.none() | st.integers(-9, 9) | st.text(alphabet='a:"\\\\\n é', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(alphabet='a:"é', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "path", "line", "column", "key"),
    [
        ('{"a": 1, "a": 2}', (), 1, 10, "a"),
        ('{"x": [0, {"a": 1,\n "b": 3, "a": 1}]}', ("x", 1), 2, 10, "a"),
        ('{"a" : 1, "b":2, "a" :2}', (), 1, 18, "a"),
        ('{"\\u0061": 1, "a": 2}', (), 1, 15, "a"),
        ('[{"a": {}}, {"": 1, "": NaN}]', (1,), 1, 21, ""),
    ],
)
def test_a_duplicate_key_has_its_place(
    text: str, path: tuple[Any, ...], line: int, column: int, key: str
) -> None:
    (found,) = duplicate_keys(text.encode())

    assert (found.path, found.line, found.column) == (path, line, column)
    assert found.problem == f"duplicate key {key!r}. Remove one of them."


@pytest.mark.parametrize("text", ['{"a": 1, "b": {"a": 1}}', '[{"a": 1}, {"a": 1}]', "{", "x"])
def test_other_texts_have_none(text: str) -> None:
    assert duplicate_keys(text.encode()) == []


def test_a_long_key_is_cut() -> None:
    (found,) = duplicate_keys(b'{"%b": 1, "%b": 2}' % (b"k" * 100, b"k" * 100))

    assert found.problem == f"duplicate key '{'k' * 60}…'. Remove one of them."


def test_many_duplicates_take_no_longer_than_the_text() -> None:
    text = b"{" + b",\n".join([b'"a": 1'] * 50_000) + b"}"

    assert duplicate_keys(text)[-1].line == 50_000


@given(VALUES)
def test_what_was_encoded_has_none(value: Any) -> None:
    data = msgspec.json.encode(value)

    assert not may_have_duplicates(data, msgspec.json.decode(data))


@given(st.dictionaries(st.text(alphabet='a:"é', max_size=3), VALUES, min_size=1), VALUES)
def test_a_lost_member_is_noticed(members: dict[str, Any], other: Any) -> None:
    key = next(iter(members))
    data = b"{%b:%b,%b" % (
        msgspec.json.encode(key),
        msgspec.json.encode(other),
        msgspec.json.encode(members)[1:],
    )

    assert may_have_duplicates(data, msgspec.json.decode(data))
    assert duplicate_keys(data)


@pytest.mark.parametrize("text", ['{"a":"\\u003a","b":1,"b":2}', '{"a":"\\u003A","b":1,"b":2}'])
def test_an_escaped_colon_hides_nothing(text: str) -> None:
    assert may_have_duplicates(text.encode(), msgspec.json.decode(text))


def test_what_cannot_be_encoded_may_have_some() -> None:
    assert may_have_duplicates(b"{}", object())


# --- where readers report them ------------------------------------------------------------------


def test_a_line_says_where_its_duplicate_is() -> None:
    lines = Lines("f.jsonl", 3, b'{"a": 1}\n\n{"a": 1, "a": 2}\n{"b": NaN}\n{\n')

    good, duplicate, faulty, broken = lines.records()

    assert isinstance(good, Record)
    assert isinstance(faulty, Record)
    assert good.duplicate is faulty.duplicate is None
    assert duplicate == Record(
        "f.jsonl:5",
        {"a": 2},
        BadRecord("f.jsonl:5:10", "duplicate key 'a'. Remove one of them."),
    )
    assert isinstance(broken, BadRecord)


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b'{"a": 1}\n', False), (b'{"a": 1, "a": 2}\n', True), (b"NaN\n", True)],
)
def test_lines_are_tested_together(data: bytes, expected: bool) -> None:
    assert Lines("f", 1, data).may_have_duplicates is expected


def test_an_array_has_the_first_duplicate_of_each_item() -> None:
    (array,) = read_json(b'[{"a": 1},\n{"a": 1, "a": 2, "a": 3}]', "f.json")

    assert isinstance(array, Array)
    assert array.duplicate == array.duplicates[1]
    assert [isinstance(record.duplicate, BadRecord) for record in array.records()] == [False, True]
    assert array.duplicates[1].place == "f.json:2:10"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"cases": [{"a": 1}, {"a": 1, "a": 2}]}', [False, True]),
        (b'{"x": 1, "x": 2, "cases": [{"a": 1}, {"a": 2}]}', [True, True]),
        (b'{"a": 1, "a": 2}', [True]),
        (b'{"cases": [{"a": 1}]}', [False]),
    ],
)
def test_a_case_says_whether_it_has_a_duplicate(text: bytes, expected: list[bool]) -> None:
    records = list(read_json(text, "f.json"))

    assert [isinstance(record, Record) and bool(record.duplicate) for record in records] == expected


def test_the_byte_order_mark_of_a_text_is_no_obstacle(tmp_path: Path) -> None:
    file = tmp_path / "f.txt"
    file.write_bytes(b'\xef\xbb\xbf{"a": 1, "a": 2}')

    (record,) = read_records(str(file))

    assert isinstance(record, Record)
    assert record.duplicate is not None


def test_a_cell_of_a_table_may_have_one() -> None:
    head = b'id,expected\n1,"[{""a"": 1}]"\n2,"[{""a"": 1, ""a"": 2}]"\n'

    first, second = read_csv(head, BytesIO(b""), "f.csv", 1)

    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert first.duplicate is None
    assert second.duplicate == BadRecord(
        "f.csv:3", "column 'expected': duplicate key 'a'. Remove one of them."
    )
