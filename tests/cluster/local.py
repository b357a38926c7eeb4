"""The same data scored on this machine alone, read without anything that the engines read with."""

from __future__ import annotations

import gzip
from glob import glob
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import zstandard
from msgspec import structs
from pyarrow import parquet
from pyarrow.compute import field

from callscore.core.results import Noted
from callscore.engines.batches import RowScorer, score_items
from callscore.engines.clusters import REFERENCE, SIDE_KEYS, TRACE, join_part, side_of
from callscore.engines.inputs import CASES, REFERENCES, TRACES
from callscore.engines.record_reading import RecordReader
from callscore.engines.result_rows import row_schema
from callscore.engines.row_totals import place_text, results_of
from callscore.sources import BadRecord, Lines, Record
from callscore.sources.tables import batch_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.results import Results
    from callscore.engines.batches import RowOptions
    from callscore.engines.record_reading import Item

__all__ = ["files_of", "in_order", "joined", "read_results", "results_in_order", "scored"]


def files_of(paths: Sequence[str]) -> list[Path]:
    """The files of folders and patterns."""
    found = [Path(each) for path in paths for each in sorted(glob(path))]  # noqa: PTH207  (absolute)
    folders = [path for path in found if path.is_dir()]
    files = [path for path in found if path.is_file()]
    return [*files, *[path for folder in folders for path in sorted(folder.rglob("*.*"))]]


_scored: dict[str, pa.Table] = {}


def scored(paths: Sequence[str], options: RowOptions) -> pa.Table:
    """The result rows of files; several tests compare with the same."""
    key = f"{[*paths]} {options}"
    if key not in _scored:
        _scored[key] = _score(paths, options)
    return _scored[key]


def _score(paths: Sequence[str], options: RowOptions) -> pa.Table:
    rows = score_items(_items(paths, RecordReader(options, CASES)), RowScorer(options))
    return pa.Table.from_batches(rows, options.schema)


def joined(references: Sequence[str], traces: Sequence[str], options: RowOptions) -> pa.Table:
    """The result rows of two data sets."""
    sides = [
        row
        for paths, part in ((references, REFERENCES), (traces, TRACES))
        for item in _items(paths, RecordReader(options, part))
        for row in [side_of(item, options, REFERENCE if part is REFERENCES else TRACE, 1)]
    ]
    table = pa.Table.from_pylist([dict(zip(SIDE_KEYS, row, strict=False)) for row in sides])
    table = table.sort_by([(name, "ascending") for name in SIDE_KEYS])
    return pa.Table.from_batches(join_part(table.to_batches(), options), options.schema)


def _items(paths: Sequence[str], reader: RecordReader) -> Iterator[Item]:
    for path in files_of(paths):
        for offset, record in _rows(path) if path.suffix == ".parquet" else _lines(path):
            for found in reader.take(record):
                yield found, str(path), offset


def _rows(path: Path) -> Iterator[tuple[int, Record]]:
    offset = 0
    for batch in parquet.read_table(path).to_batches():
        for row in batch_rows(batch):
            yield offset, Record(f"{path}@{offset}", row)
            offset += 1


def _lines(path: Path) -> Iterator[tuple[int, Record | BadRecord]]:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    offset = 0
    for line in data.split(b"\n"):
        if line.strip():
            for record in Lines(f"{path}@{offset}", 1, line).records():
                yield offset, record
        offset += len(line) + 1


# --- to compare -----------------------------------------------------------------------------------

_ORDER = ("id", "trial", "source", "offset", "problem", "status")


def in_order(rows: pa.Table, *, without: tuple[str, ...] = ()) -> pa.Table:
    """Result rows in an order of their own, with exactly the columns and types that all engines have."""
    columns = rows.schema.names
    schema = row_schema(pairs="pairs" in columns, cases="case" in columns)
    assert sorted(columns) == sorted(schema.names)
    rows = rows.select(schema.names).cast(schema)
    rows = rows.drop_columns([*without])
    order = [(name, "ascending") for name in _ORDER if name not in without]
    return rows.sort_by(order).combine_chunks()


def read_results(folder: Path) -> pa.Table:
    """The result rows that an engine wrote."""
    return parquet.read_table(folder)


def results_in_order(rows: pa.Table, *, max_shown: int = 10) -> Results:
    """The results of local rows, with the cases and names that come first in the order of ids."""
    found = results_of(rows, max_shown=0)
    failing = rows.filter((field("status") == "scored") & ~field("passed"))
    first = failing.sort_by([("id", "ascending"), ("trial", "ascending")]).slice(0, max_shown)
    cases = results_of(first, max_shown=None).cases
    notes = {
        name: Noted(getattr(found, name).count, tuple(nsmallest(20, _names(rows, status))))
        for name, status in (
            ("not_scored", "not_scored"),
            ("not_run", "no_answer"),
            ("without_reference", "no_reference"),
            ("skipped", "unreadable"),
        )
    }
    return structs.replace(
        found,
        shown=cases,
        not_shown=failing.num_rows - len(cases),
        **notes,
    )


def _names(rows: pa.Table, status: str) -> Iterator[str]:
    columns = [rows[name].to_pylist() for name in ("status", "id", "source", "offset", "problem")]
    for each, name, source, offset, problem in zip(*columns, strict=True):
        if each == status:
            place = place_text(source, offset)
            yield name if problem is None else f"{place}: {problem}"
