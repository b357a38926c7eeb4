"""Tables as text."""

from __future__ import annotations

import csv
import datetime as dt
import sys
from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from callscore.core.call import Malformed
from callscore.errors import MissingExtra, UnreadableInput
from callscore.sources import files
from callscore.sources import tables as csv_table
from callscore.sources.record import BadRecord, Record
from callscore.sources.tables import read_cell, read_csv, read_parquet

if TYPE_CHECKING:
    from collections.abc import Iterator


def read(text: str | bytes) -> list[Record | BadRecord]:
    data = text.encode() if isinstance(text, str) else text
    header, line_break, rest = data.partition(b"\n")
    return list(read_csv(header + line_break, BytesIO(rest), "f.csv", 1))


def test_a_cell_may_be_huge() -> None:
    text = "x" * 1_000_000

    assert read(f'id,input\na,"{text}"\n') == [Record("f.csv:2", {"id": "a", "input": text})]


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


# What the text in a cell of a table stands for.

OPENINGS = ("{", "[", '"')


def read_cells(text: str) -> Any:
    return read_cell(text, openings=OPENINGS)


@pytest.mark.parametrize(
    "text", ['{"a": 1', "[urgent] book a flight", '"Yes", she said', "[get_weather(city='Paris')]"]
)
def test_a_cell_that_only_begins_like_json_stays_text(text: str) -> None:
    assert read_cells(text) == text


# Parquet files.

UUID_TEXT = "12345678-1234-5678-1234-567812345678"


def file_of(table: Any, **options: Any) -> BytesIO:
    file = BytesIO()
    parquet.write_table(table, file, **options)
    return file


def values_of(column: Any) -> list[Any]:
    """What a column reads as; a row that lacks it gives None."""
    records = list(read_parquet(file_of(pa.table({"x": column})), "f.parquet"))
    return [record.value.get("x") for record in records]


def test_rows_are_counted_over_batches_and_row_groups() -> None:
    table = pa.table({"n": range(1000)})

    records = list(read_parquet(file_of(table, row_group_size=300), "f"))

    assert records == [Record(f"f[{n}]", {"n": n}) for n in range(1000)]


def test_a_null_column_and_a_null_member_are_absent() -> None:
    table = pa.table(
        {
            "id": ["a", "b", None],
            "calls": [
                [{"name": "f", "arguments": {"x": 1}}],
                [{"name": "f", "arguments": {"y": {"z": 2}}}, {"name": "g"}],
                None,
            ],
            "nothing": pa.nulls(3),
        }
    )

    records = list(read_parquet(file_of(table), "f"))

    assert [record.value for record in records] == [
        {"id": "a", "calls": [{"name": "f", "arguments": {"x": 1}}]},
        {"id": "b", "calls": [{"name": "f", "arguments": {"y": {"z": 2}}}, {"name": "g"}]},
        {},
    ]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (pa.array([True, None]), [True, None]),
        (pa.array([2**64 - 1], pa.uint64()), [2**64 - 1]),
        (pa.array([1, None], pa.int8()), [1, None]),
        (pa.array([1.5, None], pa.float64()), [1.5, None]),
        (pa.array([0.5], pa.float32()), [0.5]),
        (pa.array([0.5], pa.float32()).cast(pa.float16()), [0.5]),
        (pa.array(["a", None], pa.large_string()), ["a", None]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
        (pa.array([Decimal("2.00"), Decimal("0.10"), None]), [2, 0.1, None]),
        (pa.array([Decimal(10**37)]), [10**37]),
        (pa.array([dt.date(2024, 1, 15), None]), ["2024-01-15", None]),
        (pa.array([dt.time(1, 2, 3), None]), ["01:02:03.000000", None]),
        (pa.array([[1, 2], [], None]), [[1, 2], [], None]),
        (pa.array([[1], None], pa.large_list(pa.int64())), [[1], None]),
        (pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int32(), 2)), [[1, 2], None, [3, 4]]),
        (pa.array([{"a": 1}, None]), [{"a": 1}, None]),
        (pa.array(['{"a": 1}'], pa.json_()), [{"a": 1}]),
        (pa.array([UUID(UUID_TEXT).bytes, None], pa.uuid()), [UUID_TEXT, None]),
    ],
    ids=lambda value: str(value.type) if hasattr(value, "type") else "",
)
def test_every_type_that_json_has_is_read(column: Any, values: list[Any]) -> None:
    found = values_of(column)

    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("unit", "zone", "text"),
    [
        ("s", None, "1970-01-01T00:00:01.000"),  # Parquet knows no seconds, and keeps milliseconds
        ("ms", None, "1970-01-01T00:00:00.001"),
        ("us", None, "1970-01-01T00:00:00.000001"),
        ("ns", None, "1970-01-01T00:00:00.000000001"),
        ("ns", "UTC", "1970-01-01T00:00:00.000000001Z"),
        ("us", "Europe/Berlin", "1970-01-01T00:00:00.000001Z"),
        ("us", "Nowhere/Atall", "1970-01-01T00:00:00.000001Z"),
    ],
)
def test_a_time_is_text_to_the_last_digit(unit: str, zone: str | None, text: str) -> None:
    values = values_of(pa.array([1, None], pa.timestamp(unit, zone)))

    assert values == [text, None]


def test_a_map_with_text_for_keys_is_an_object() -> None:
    column = pa.array([[("a", 1), ("b", None)], [], None], pa.map_(pa.string(), pa.int64()))

    assert values_of(column) == [{"a": 1, "b": None}, {}, None]


def test_containers_are_cut_at_the_right_places_wherever_a_batch_begins() -> None:
    rows: list[dict[str, Any]] = [
        {
            "list": [{"n": n, "parts": list(range(n % 3))}] * (n % 4),
            "map": [(f"k{index}", n) for index in range(n % 3)],
        }
        for n in range(700)
    ]
    kinds = {
        "list": pa.list_(pa.struct({"n": pa.int64(), "parts": pa.list_(pa.int64())})),
        "map": pa.map_(pa.string(), pa.int64()),
    }
    table = pa.table({name: pa.array([row[name] for row in rows], kinds[name]) for name in kinds})

    records = list(read_parquet(file_of(table, row_group_size=500), "f"))

    assert [record.value["list"] for record in records] == [row["list"] for row in rows]
    assert [record.value["map"] for record in records] == [dict(row["map"]) for row in rows]


@pytest.mark.parametrize(
    ("column", "marks"),
    [
        (
            pa.array([float("nan"), float("-inf"), 1.0]),
            [
                Malformed("NaN", "NaN is not a JSON number"),
                Malformed("-Infinity", "-Infinity is not a JSON number"),
                1.0,
            ],
        ),
        (
            pa.array([b"\xff", None]),
            [Malformed("<binary>", "a value of type binary, which JSON does not have"), None],
        ),
        (
            pa.array([dt.timedelta(1)]),
            [Malformed("<duration[us]>", "a value of type duration[us], which JSON does not have")],
        ),
    ],
    ids=["floats", "binary", "duration"],
)
def test_a_column_value_without_a_json_equivalent_is_marked_as_malformed(
    column: Any, marks: list[Any]
) -> None:
    assert values_of(column) == marks


def test_two_columns_of_one_name_are_refused() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])

    with pytest.raises(UnreadableInput, match="f: duplicate column 'x'"):
        list(read_parquet(file_of(table), "f"))


def test_rows_before_a_damaged_row_group_are_kept() -> None:
    table = pa.table({"x": [f"value {n}" for n in range(2000)]})
    file = file_of(table, row_group_size=1000, compression="gzip", use_dictionary=False)
    data = bytearray(file.getvalue())
    start = parquet.read_metadata(file).row_group(1).column(0).data_page_offset
    data[start : start + 200] = b"\xff" * 200
    records = read_parquet(BytesIO(bytes(data)), "f")

    kept = [next(records) for _ in range(1000)]

    assert kept[-1] == Record("f[999]", {"x": "value 999"})
    with pytest.raises(UnreadableInput, match="damaged"):
        next(records)


def test_without_its_extra_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(MissingExtra, match=r"Reading Parquet files .*'callscore\[parquet\]'"):
        list(read_parquet(BytesIO(b"PAR1"), "f.parquet"))


def test_a_column_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(files._limits, "unpacked", 1 << 20)
    table = pa.table({"input": ["x" * (1 << 22)]})
    packed = BytesIO()
    parquet.write_table(
        table, packed, compression="zstd", use_dictionary=False, write_statistics=False
    )

    with pytest.raises(UnreadableInput, match="the column is larger than 1M, unpacked"):
        list(read_parquet(packed, "f.parquet"))

    monkeypatch.setitem(files._limits, "unpacked", 1 << 23)
    assert len(list(read_parquet(packed, "f.parquet"))) == 1
