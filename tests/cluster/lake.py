"""The data that every engine scores: a lake of Parquet files and JSON lines, with all kinds of cases."""

from __future__ import annotations

import gzip
import os
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import zstandard
from pyarrow import parquet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["CASES", "Lake", "records", "sides", "write_lines", "write_parquet", "write_sides"]

# 20,000 in `make engines`, a million in `make cluster`.
CASES = int(os.environ.get("CALLSCORE_CLUSTER_CASES", "20000"))
_CITIES = ("Paris", "Oslo", "Łódź", "東京", "São Paulo")
_LARGE = 10_000  # calls of the largest case
_TEXTS = ("expected", "actual", "tags", "metadata")  # columns of JSON


def records(count: int = CASES) -> Iterator[dict[str, Any]]:
    """Cases of every kind, in the order of their ids; the first has very many calls."""
    calls = [_call("look_up", key=number) for number in range(_LARGE)]
    yield {
        "id": "case-0000000",
        "expected": calls,
        "actual": [*calls[:-1], _call("look_up", key=-1)],
    }
    for number in range(1, count):
        yield _record(number)


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _record(number: int) -> dict[str, Any]:
    city = _CITIES[number % len(_CITIES)]
    search = _call("search_flights", to=city, day=number % 31)
    book = _call("book", seat={"row": number % 40, "letter": "ABC"[number % 3]}, price=number / 8)
    record: dict[str, Any] = {
        "id": f"case-{number:07}",
        "expected": [search, book],
        "actual": [search, book],
        "tags": ["travel"] if number % 2 else ["travel", city],
    }
    record |= _variant(number % 17, number, search, book)
    return {name: value for name, value in record.items() if value is not None}


def _variant(
    kind: int, number: int, search: dict[str, Any], book: dict[str, Any]
) -> dict[str, Any]:
    """What is different in a case of this kind; a field that is None is absent."""
    wrong = _call("book", seat={"row": 0, "letter": "Z"}, price=number / 8)
    either = [{"one_of": [search, book]}, {"forbid": [_call("delete_all")]}]
    any_order = [{"any_order": [search, book]}, {"optional": _call("pay")}]
    rules = _call("search_flights", to={"$contains": "o"}, day={"$approx": 15})
    variants: dict[int, dict[str, Any]] = {
        1: {"actual": [search, wrong]},
        2: {"actual": [book, _call("cancel", all=True)]},
        3: {
            "id": f"case-{number // 51 * 51:07}-trial",
            "trial": 1 + number // 17 % 3,
            "actual": [search] if number % 4 else [search, book],
        },
        4: {"actual": None},
        5: {"expected": None},
        6: {"expected": any_order, "actual": [book, search]},
        7: {"expected": [rules], "actual": [search]},
        8: {
            "expected": either,
            "actual": [search] if number % 3 else [search, _call("delete_all")],
        },
        9: {"expected": {"name": 3}},  # cannot be read
    }
    return variants.get(kind, {})


# --- files ----------------------------------------------------------------------------------------


def write_parquet(folder: Path, count: int = CASES, files: int = 3) -> list[Path]:
    """Parquet files with JSON in their cells, and one with nested columns; small groups of rows."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    every = records(count)
    for number in range(files):
        rows = [_as_texts(row) for row in islice(every, -(-count // files))]
        table = pa.Table.from_pylist(rows, _TEXT_SCHEMA)
        paths.append(folder / f"part-{number}.parquet")
        parquet.write_table(table, paths[-1], row_group_size=max(count // 12, 1))
    paths.append(folder / "deep" / "nested.parquet")
    paths[-1].parent.mkdir()
    parquet.write_table(pa.Table.from_pylist(list(_nested(max(count // 20, 1)))), paths[-1])
    return paths


_TEXT_SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("id", "expected", "actual", "tags")] + [("trial", pa.int64())]
)


def _as_texts(record: dict[str, Any]) -> dict[str, Any]:
    return {
        name: msgspec.json.encode(value).decode() if name in _TEXTS else value
        for name, value in record.items()
    }


def _nested(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        call = {"name": "weather", "arguments": {"city": _CITIES[number % 5], "days": number % 9}}
        other = {"name": "weather", "arguments": {"city": "Rome", "days": None}}
        yield {
            "id": f"nested-{number:07}",
            "expected": [call],
            "actual": [
                {"role": "user", "content": "How is the weather?", "tool_calls": None},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "1", "type": "function", "function": _function(found)}
                        for found in ([call] if number % 6 else [call, other])
                    ],
                },
            ],
        }


def _function(call: dict[str, Any]) -> dict[str, str]:
    given = {name: value for name, value in call["arguments"].items() if value is not None}
    return {"name": call["name"], "arguments": msgspec.json.encode(given).decode()}


def write_lines(folder: Path, count: int = CASES) -> list[Path]:
    """JSON lines: plain, with gzip and with zstd; some lines are blank, and some not JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [msgspec.json.encode(record) for record in records(count)]
    lines[len(lines) // 2 : len(lines) // 2] = [
        b"",
        b'{"id": "cut off", "expected": [',
        b"  ",
        b'{"id": "twice", "expected": [], "expected": [{"name": "f"}], "actual": []}',
        b'{"id": "\xff", "expected": [], "actual": []}',
        b'{"id": "z", "expected": [], "actual": []}\r',
    ]
    third = len(lines) // 3
    parts = lines[:third], lines[third : 2 * third], lines[2 * third :]
    contents = [b"\n".join(part) + b"\n" for part in parts]
    paths = [folder / name for name in ("a.jsonl", "b.jsonl.gz", "c.ndjson.zst")]
    paths[0].write_bytes(contents[0].rstrip(b"\n"))  # the last line has no end
    paths[1].write_bytes(gzip.compress(contents[1]))
    paths[2].write_bytes(zstandard.ZstdCompressor().compress(contents[2]))
    return paths


# --- two data sets --------------------------------------------------------------------------------


def sides(count: int = CASES) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """References and traces: with duplicates, and some without the other side."""
    references: list[dict[str, Any]] = []
    traces: list[dict[str, Any]] = [{"actual": []} for _ in range(count // 50)]
    for number, record in enumerate(records(count)):
        if "expected" in record and "trial" not in record and number % 19 != 5:
            reference = _part(record, "id", "expected", "tags")
            references += [reference] * (2 if number % 101 == 7 else 1)
        if "actual" in record:
            trace = _part(record, "id", "actual", "trial")
            traces += [trace] * (2 if number % 53 == 3 else 1)
    return references, traces[::-1]


def _part(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: record[name] for name in names if name in record}


def write_sides(folder: Path, count: int = CASES) -> tuple[Path, Path]:
    """The references as JSON lines, and the traces as Parquet."""
    references, traces = sides(count)
    paths = folder / "references", folder / "traces"
    for path in paths:
        path.mkdir(parents=True)
    _write_json(paths[0] / "references.jsonl", references)
    half = len(traces) // 2
    for number, rows in enumerate((traces[:half], traces[half:])):
        table = pa.Table.from_pylist([_as_texts(row) for row in rows], _TEXT_SCHEMA)
        parquet.write_table(table, paths[1] / f"traces-{number}.parquet")
    return paths


def _write_json(path: Path, values: Iterable[Any]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(value) + b"\n" for value in values))


class Lake:
    """The folders of the data, each written when a test asks for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def parquet(self) -> list[str]:
        """Two paths: a pattern of files with JSON in their cells, and a folder with nested columns."""
        folder = self.folder / "parquet"
        write_parquet(folder)
        return [f"{folder}/*.parquet", str(folder / "deep")]

    @cached_property
    def lines(self) -> list[str]:
        """A folder with JSON lines."""
        write_lines(self.folder / "lines")
        return [str(self.folder / "lines")]

    @cached_property
    def sides(self) -> tuple[list[str], list[str]]:
        """A folder with references, and one with traces."""
        references, traces = write_sides(self.folder / "sides")
        return [str(references)], [str(traces)]
