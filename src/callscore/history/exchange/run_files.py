"""Runs as files: CSV and Parquet tables of results, and reading a run from any such file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import IO, Any

import msgspec
from msgspec.structs import asdict

from callscore.core.results import Usage
from callscore.errors import MissingExtra, UnreadableInput
from callscore.history.exchange.json_lines import Record, encode_line, read_lines, record_from
from callscore.history.records import COUNTS, EvaluationRecord, ResultRecord, RunRecord, json_bytes
from callscore.sources.files import as_seekable, display_path, open_bytes

# Fields that are columns of JSON.
_JSON_FIELDS = ("values", "payload", "answer", "calls", "comparison", "tools")

# The columns in their order, with their types.
COLUMNS: dict[str, type] = {
    "run": str,
    "evaluation": int,
    "evaluation_name": str,
    "variant": str,
    "case": str,
    "trial": int,
    "position": int,
    "status": str,
    "passed": bool,
    "f1": float,
    **dict.fromkeys(COUNTS, int),
    "faults": int,
    "turns": int,
    "first_wrong_turn": int,
    "failure_kind": str,
    "failure": str,
    "seconds": float,
    **dict.fromkeys(Usage.__struct_fields__, int),
    "attempts": int,
    "is_reused": bool,
    "finished_at": float,
    "question": str,
    "expectation": str,
    "asked": str,
    **dict.fromkeys(("tags", *_JSON_FIELDS), str),
}
# Fields that are columns as they are.
_PLAIN_FIELDS = [
    name
    for name in ResultRecord.__struct_fields__
    if name in COLUMNS and name not in (*_JSON_FIELDS, "failure")
]


def flat_row(record: ResultRecord, evaluation: EvaluationRecord | None) -> dict[str, Any]:
    """A result as a row; unknown values are None."""
    kind, failure = record.failure or (None, None)
    data = {name: getattr(record, name) for name in _JSON_FIELDS}
    data["tags"] = record.payload.get("tags") or []
    return {
        **dict.fromkeys(COLUMNS),
        **{name: getattr(record, name) for name in _PLAIN_FIELDS},
        **dict(zip(COUNTS, record.counts, strict=False)),
        **asdict(record.usage),
        **{name: json_bytes(value).decode() for name, value in data.items() if value is not None},
        "failure_kind": kind,
        "failure": failure,
        "evaluation_name": evaluation and evaluation.name,
        "variant": evaluation and evaluation.variant,
    }


def record_from_row(row: dict[str, Any], run: str, place: str) -> ResultRecord:
    """The result that a table row was made from; an invalid row is refused."""
    missing = [name for name in COLUMNS if name not in row]
    if missing:
        raise UnreadableInput(place, f"the column {missing[0]} is missing.")
    counts = [row[name] for name in COUNTS]
    fields = {
        **{name: row[name] for name in _PLAIN_FIELDS if row[name] is not None},
        "run": run,
        "usage": {name: row[name] for name in Usage.__struct_fields__},
        "counts": [] if None in counts else counts,
        "failure": None if row["failure_kind"] is None else [row["failure_kind"], row["failure"]],
    }
    for name in _JSON_FIELDS:
        if row[name] is not None:
            try:
                fields[name] = msgspec.json.decode(row[name])
            except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
                raise UnreadableInput(place, f"{name}: not valid JSON.") from error
    result: ResultRecord = record_from(ResultRecord, fields, place)
    return result


_MAGIC = b"PAR1"
_METADATA_KEY = b"callscore"
_ROWS_PER_BATCH = 1_000
_NO_RUN = "its metadata has no run. Create such files with: callscore export RUN"


def write_parquet_run(
    file: IO[bytes],
    run: RunRecord,
    evaluations: Sequence[EvaluationRecord],
    results: Iterable[ResultRecord],
) -> int:
    """Write a run; returns its number of results."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("Writing Parquet files", "parquet") from None
    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    header = b"".join([encode_line(run), *map(encode_line, evaluations)])
    schema = pa.schema(
        [(name, kinds[kind]) for name, kind in COLUMNS.items()], metadata={_METADATA_KEY: header}
    )
    named = {record.number: record for record in evaluations}
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        remaining = iter(results)
        while batch := list(islice(remaining, _ROWS_PER_BATCH)):
            rows = [flat_row(result, named.get(result.evaluation)) for result in batch]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def read_parquet_run(file: IO[bytes], name: str) -> Iterator[Record]:
    """The records of a run in a Parquet file, which must be seekable."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtra("Reading Parquet files", "parquet") from None
    try:
        table = parquet.ParquetFile(file, pre_buffer=False)
        header = (table.schema_arrow.metadata or {}).get(_METADATA_KEY)
        if header is None:
            raise UnreadableInput(name, _NO_RUN)
        head = list(read_lines(header.splitlines(), f"{name}: metadata"))
        yield from head
        run = next(record.id for record in reversed(head) if isinstance(record, RunRecord))
        batches = table.iter_batches(_ROWS_PER_BATCH, use_threads=False)
        rows = chain.from_iterable(batch.to_pylist() for batch in batches)
        for index, row in enumerate(rows):
            yield record_from_row(row, run, f"{name}[{index}]")
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        problem = str(error).partition("\n")[0].rstrip(".")
        raise UnreadableInput(name, f"the Parquet file is damaged ({problem}).") from error


# Longer than any answer; a compressed file could contain anything.
_MAX_LINE = 1 << 28
_TABLES = (".csv", ".csv.gz", ".tsv")
_ONLY_RESULTS = "a CSV file has only the results. Export the run as .jsonl or .parquet: callscore export RUN -o run.jsonl"


class RunFile:
    """A seekable file that contains runs; it can be read more than once."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name

    def records(self, on_bytes: Callable[[int], None] | None = None) -> Iterator[Record]:
        """The records in it, from the beginning.

        Raises:
            UnreadableInput: it is damaged, holds no run, or a newer callscore has written it.
            MissingExtra: it is a Parquet file, and the extra is not installed.
        """
        self._file.seek(0)
        is_parquet = self._file.read(len(_MAGIC)) == _MAGIC
        self._file.seek(0)
        if is_parquet:
            return read_parquet_run(self._file, self._name)
        if self._name.lower().endswith(_TABLES):
            raise UnreadableInput(self._name, _ONLY_RESULTS)
        return read_lines(self._lines(on_bytes), self._name)

    def _lines(self, on_bytes: Callable[[int], None] | None) -> Iterator[bytes]:
        number = 0
        while line := self._file.readline(_MAX_LINE + 1):
            number += 1
            if len(line) > _MAX_LINE:
                problem = f"the line is longer than {_MAX_LINE >> 20} MB."
                raise UnreadableInput(f"{self._name}:{number}", problem)
            if on_bytes is not None:
                on_bytes(len(line))
            yield line


@contextmanager
def open_run_file(path: str) -> Iterator[RunFile]:
    """A file of runs, decompressed; `-` is standard input."""
    with open_bytes(path) as stream, as_seekable(stream) as file:
        yield RunFile(file, display_path(path))


# Spreadsheets evaluate texts that begin like this as formulas, except after an apostrophe.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_TEXT_PREFIX = "'"


def csv_lines(
    evaluations: Mapping[int, EvaluationRecord], results: Iterable[ResultRecord]
) -> Iterator[bytes]:
    """The lines of the table: the names of the columns, then one row per result."""
    text = io.StringIO()
    writer = csv.writer(text)
    rows = (flat_row(result, evaluations.get(result.evaluation)) for result in results)
    for cells in chain([COLUMNS], ([_cell(row[name]) for name in COLUMNS] for row in rows)):
        writer.writerow(cells)
        yield text.getvalue().encode("utf-8", "backslashreplace")
        text.seek(0)
        text.truncate()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"{_TEXT_PREFIX}{value}"
    return value
