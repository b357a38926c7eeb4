"""Parquet files."""

from __future__ import annotations

import datetime as dt
import sys
from decimal import Decimal
from io import BytesIO
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from pyarrow import parquet

from callscore.core.call import FaultyObject, Malformed, malformed_part
from callscore.errors import MissingExtra, UnreadableInput
from callscore.sources.record import Record
from callscore.sources.tables import _values, read_parquet

UUID_TEXT = "12345678-1234-5678-1234-567812345678"
NOT_UTF_8 = "bytes that are not UTF-8"


def file_of(table: Any, **options: Any) -> BytesIO:
    file = BytesIO()
    parquet.write_table(table, file, **options)
    return file


def values_of(column: Any) -> list[Any]:
    """What a column reads as; a row that lacks it gives None."""
    records = list(read_parquet(file_of(pa.table({"x": column})), "f.parquet"))
    return [record.value.get("x") for record in records]


def test_a_row_is_a_record_at_its_index() -> None:
    table = pa.table({"id": ["a", "b"], "trial": [0, 1]})

    records = list(read_parquet(file_of(table), "f.parquet"))

    assert records == [
        Record("f.parquet[0]", {"id": "a", "trial": 0}),
        Record("f.parquet[1]", {"id": "b", "trial": 1}),
    ]


def test_rows_are_counted_over_batches_and_row_groups() -> None:
    table = pa.table({"n": range(1000)})

    records = list(read_parquet(file_of(table, row_group_size=300), "f"))

    assert records == [Record(f"f[{n}]", {"n": n}) for n in range(1000)]


def test_a_null_column_is_absent_and_a_null_inside_stays() -> None:
    table = pa.table(
        {
            "id": ["a", None],
            "calls": [[{"name": "f", "arguments": {"x": 1, "y": None}}], None],
            "nothing": pa.nulls(2),
        }
    )

    records = list(read_parquet(file_of(table), "f"))

    calls = [{"name": "f", "arguments": {"x": 1, "y": None}}]
    assert [record.value for record in records] == [{"id": "a", "calls": calls}, {}]


def test_text_that_holds_json_is_its_value_and_other_text_stays() -> None:
    column = ['[{"name": "f"}]', '{"a": 1', "[urgent] hello", '"quoted"', "5", ""]

    assert values_of(pa.array(column)) == [[{"name": "f"}], *column[1:]]


def test_text_inside_a_struct_or_a_list_stays_text() -> None:
    column = pa.array([{"arguments": '{"a": 1}', "more": ["[]"]}])

    assert values_of(column) == [{"arguments": '{"a": 1}', "more": ["[]"]}]


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
        ("s", None, "1970-01-01T00:00:01"),
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

    # Parquet knows no seconds, and keeps them as milliseconds.
    assert [text, None] in (values, [str(values[0]).removesuffix(".000"), None])


def test_a_map_with_text_for_keys_is_an_object() -> None:
    column = pa.array([[("a", 1), ("b", None)], [], None], pa.map_(pa.string(), pa.int64()))

    assert values_of(column) == [{"a": 1, "b": None}, {}, None]


def test_any_other_map_is_a_list_of_pairs() -> None:
    column = pa.array([[(1, "a"), (2, "b")], None], pa.map_(pa.int64(), pa.string()))

    assert values_of(column) == [[[1, "a"], [2, "b"]], None]


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


def test_a_struct_without_members_is_an_empty_object() -> None:
    column = pa.array([{}, None, {}], pa.struct([]))  # which Parquet itself cannot hold

    assert _values(column) == [{}, None, {}]


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
def test_what_json_does_not_have_is_marked(column: Any, marks: list[Any]) -> None:
    assert values_of(column) == marks


def test_text_that_is_not_utf_8_is_marked() -> None:
    broken = pa.array([b"caf\xe9", "café".encode(), None]).view(pa.string())

    assert values_of(broken) == [Malformed("caf\\xe9", NOT_UTF_8), "café", None]


def test_a_mark_spoils_everything_around_it() -> None:
    (record,) = read_parquet(file_of(pa.table({"x": [[{"y": float("nan")}]]})), "f")

    assert isinstance(record.value, FaultyObject)
    assert malformed_part(record.value["x"][0]) == Malformed("NaN", "NaN is not a JSON number")


def test_two_columns_of_one_name_are_refused() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])

    with pytest.raises(UnreadableInput, match="f: two columns are called 'x'"):
        list(read_parquet(file_of(table), "f"))


@pytest.mark.parametrize("size", [4, 12, 100])
def test_a_file_that_is_cut_off_is_refused(size: int) -> None:
    data = file_of(pa.table({"x": ["a"] * 100})).getvalue()[:size]

    with pytest.raises(UnreadableInput, match="this is not a Parquet file, or it is damaged") as it:
        list(read_parquet(BytesIO(data), "f.parquet"))
    assert it.value.place == "f.parquet"


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
