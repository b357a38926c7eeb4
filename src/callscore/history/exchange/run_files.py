"""Runs as files: CSV and Parquet tables of results, and reading a run from any such file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import IO, Any

import msgspec

from callscore.errors import MissingExtra, UnreadableInput
from callscore.history.exchange.json_lines import Record, encode_line, read_lines, record_from
from callscore.history.records import COUNTS, EvaluationRecord, ResultRecord, RunRecord, json_bytes
from callscore.sources.files import as_seekable, display_path, open_bytes

_USAGE = ("requests", "input_tokens", "output_tokens")
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
    **dict.fromkeys(_USAGE, int),
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
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {"failure_kind": kind, "failure": failure}
    row |= {name: getattr(record, name) for name in _PLAIN_FIELDS}
    row |= dict(zip(COUNTS, record.counts, strict=False))
    row |= {name: getattr(record.usage, name) for name in _USAGE}
    encoded = {name: getattr(record, name) for name in _JSON_FIELDS}
    encoded["tags"] = record.payload.get("tags") or []
    row |= {
        name: json_bytes(value).decode() for name, value in encoded.items() if value is not None
    }
    if evaluation is not None:
        row |= {"evaluation_name": evaluation.name, "variant": evaluation.variant}
    return row


def record_from_row(row: dict[str, Any], run: str, place: str) -> ResultRecord:
    """The result that a table row was made from; an invalid row is refused."""
    missing = [name for name in COLUMNS if name not in row]
    if missing:
        raise UnreadableInput(place, f"the column {missing[0]} is missing.")
    counts = [row[name] for name in COUNTS]
    fields = {
        **{name: row[name] for name in _PLAIN_FIELDS if row[name] is not None},
        "run": run,
        "usage": {name: row[name] for name in _USAGE},
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


def is_parquet(head: bytes) -> bool:
    """Whether a file that begins like this is a Parquet file."""
    return head.startswith(_MAGIC)


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
        yield from _records(table, name)
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        problem = str(error).partition("\n")[0].rstrip(".")
        raise UnreadableInput(name, f"the Parquet file is damaged ({problem}).") from error


def _records(table: Any, name: str) -> Iterator[Record]:
    header = (table.schema_arrow.metadata or {}).get(_METADATA_KEY)
    if header is None:
        raise UnreadableInput(name, _NO_RUN)
    run = ""
    for record in read_lines(header.splitlines(), f"{name}: metadata"):
        if isinstance(record, RunRecord):
            run = record.id
        yield record
    index = 0
    for batch in table.iter_batches(_ROWS_PER_BATCH, use_threads=False):
        for row in batch.to_pylist():
            yield record_from_row(row, run, f"{name}[{index}]")
            index += 1


# Longer than any answer; a compressed file could contain anything.
_MAX_LINE = 1 << 28
_MAGIC_SIZE = 4
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
        head = self._file.read(_MAGIC_SIZE)
        self._file.seek(0)
        if is_parquet(head):
            return read_parquet_run(self._file, self._name)
        if self._name.lower().endswith(_TABLES):
            raise UnreadableInput(self._name, _ONLY_RESULTS)
        return read_lines(self._lines(), self._name, on_bytes)

    def _lines(self) -> Iterator[bytes]:
        number = 0
        while line := self._file.readline(_MAX_LINE + 1):
            number += 1
            if len(line) > _MAX_LINE:
                problem = f"the line is longer than {_MAX_LINE >> 20} MB."
                raise UnreadableInput(f"{self._name}:{number}", problem)
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
    yield _csv_line(list(COLUMNS))
    for result in results:
        row = flat_row(result, evaluations.get(result.evaluation))
        yield _csv_line([_cell(row[name]) for name in COLUMNS])


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"{_TEXT_PREFIX}{value}"
    return value


def _csv_line(cells: list[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")
