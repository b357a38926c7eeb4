"""A run as a Parquet file: a row a result, and the run with its evaluations in the file's metadata."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from callscore.errors import MissingExtra, UnreadableInput
from callscore.history.exchange.flat_results import COLUMNS, flat_row, row_record
from callscore.history.exchange.lines import Record, line_of, read_lines
from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["is_parquet", "read_parquet_run", "write_parquet_run"]

_MAGIC = b"PAR1"
_KEY = b"callscore"
_ROWS = 1_000
_NONE_OF_OURS = "there is no run in its metadata. Such files are made by: callscore export RUN"


def is_parquet(head: bytes) -> bool:
    """Whether a file that begins like this is a Parquet file."""
    return head.startswith(_MAGIC)


def write_parquet_run(
    file: IO[bytes],
    run: RunRecord,
    evaluations: Sequence[EvaluationRecord],
    results: Iterable[ResultRecord],
) -> int:
    """Write a run; how many results it has.

    Raises:
        MissingExtra: the extra `parquet` is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("Writing Parquet files", "parquet") from None
    kinds = {
        str: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
    }
    told = b"".join([line_of(run), *map(line_of, evaluations)])
    schema = pa.schema(
        [(name, kinds[kind]) for name, kind in COLUMNS.items()], metadata={_KEY: told}
    )
    named = {record.number: record for record in evaluations}
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for some in _some_at_a_time(results):
            rows = [flat_row(result, named.get(result.evaluation)) for result in some]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def _some_at_a_time(results: Iterable[ResultRecord]) -> Iterator[list[ResultRecord]]:
    some: list[ResultRecord] = []
    for result in results:
        some.append(result)
        if len(some) == _ROWS:
            yield some
            some = []
    if some:
        yield some


def read_parquet_run(file: IO[bytes], name: str) -> Iterator[Record]:
    """The records of a run in a Parquet file.

    Args:
        file: the file, which can be read back and forth.
        name: the file, as it is called in places.

    Raises:
        MissingExtra: the extra `parquet` is not installed.
        UnreadableInput: the file is damaged, or holds no run.
    """
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtra("Reading Parquet files", "parquet") from None
    try:
        table = parquet.ParquetFile(file, pre_buffer=False)
        yield from _records(table, name)
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        told = str(error).partition("\n")[0].rstrip(".")
        raise UnreadableInput(name, f"the Parquet file is damaged ({told}).") from error


def _records(table: Any, name: str) -> Iterator[Record]:
    told = (table.schema_arrow.metadata or {}).get(_KEY)
    if told is None:
        raise UnreadableInput(name, _NONE_OF_OURS)
    run = ""
    for record in read_lines(told.splitlines(), f"{name}: metadata"):
        if isinstance(record, RunRecord):
            run = record.id
        yield record
    index = 0
    for batch in table.iter_batches(_ROWS, use_threads=False):
        for row in batch.to_pylist():
            yield row_record(row, run, f"{name}[{index}]")
            index += 1
