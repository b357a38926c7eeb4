"""Reads records that do not depend on each other: of a split, of lines, of Arrow data.

Each record is read on its own, so that the result does not depend on how the input is split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

from callscore.engines.inputs import (
    REFERENCES,
    CaseReader,
    FileContent,
    Found,
    input_options_for,
    read_batch,
)
from callscore.engines.pool import mark_position
from callscore.engines.row_totals import place_text
from callscore.engines.splits import (
    Split,
    first_lines,
    is_parquet,
    lines_between,
    lines_of,
    row_groups_between,
)
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.case_fields import is_case
from callscore.sources import Array, BadRecord, Batch, Entry, Lines, Record, read_batches
from callscore.sources.files import display_path, open_bytes, open_seekable
from callscore.sources.tables import batch_rows

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from callscore.engines.batches import RowOptions

    OpenFile = Callable[[str], AbstractContextManager[IO[bytes]]]
    # What was found, its file, and the bytes or rows before it in this file.
    Item = tuple[Found, str | None, int | None]

_ROWS_AT_ONCE = 512
_FILE_BITS = 44  # of the position of a record in its split: above them is the number of its file


def source_name(path: str) -> str:
    """The name of a file in rows; bytes of it that are not text are escaped."""
    return display_path(path).encode("utf-8", "backslashreplace").decode()


class RecordReader(CaseReader):
    """Reads records that do not depend on each other: cases, references or traces.

    An unreadable record, or one without any case, is a `BadRecord`.
    """

    def __init__(self, options: RowOptions, part: FileContent) -> None:
        inputs = input_options_for(
            options.fields,
            options.format,
            options.read_options,
            top_k=options.settings.top_k,
            keeps_tools=options.tools is None and part is not REFERENCES,
        )
        super().__init__("", part, inputs)

    def joins(self, head: Lines) -> bool:
        """Whether the lines of a file that begins with these are parts of larger documents."""
        reader = CaseReader(head.name, self.part, self.inputs)
        for record in head.records():
            for _ in reader.take(record):
                pass
        return reader.is_joining

    def take(self, batch: Record | BadRecord | Array | Entry) -> Iterator[Found]:
        """The cases of a record."""
        if isinstance(batch, Record) and self.inputs.fields is None and is_case(batch.value):
            yield self.read_own_record(batch, {})  # most are in our own notation
            return
        # A new reader for each record: what it learned from others would depend on the split.
        reader = CaseReader(batch.place, self.part, self.inputs)
        found = [*reader.take(batch), *reader.finish()]
        yield from found or [BadRecord(batch.place, "there is no case in this record.")]


# --- Arrow data -----------------------------------------------------------------------------------


def batch_items(batches: Iterable[Any], reader: RecordReader, *, numbered: bool) -> Iterator[Item]:
    """What is in the rows of record batches; `numbered` says which row it was.

    Raises:
        InvalidSettings: two columns have the same name.
    """
    first = 0
    for batch in batches:
        names = batch.schema.names
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InvalidSettings(
                f"the data has more than one column {twice[0]!r}. Rename or drop one of them"
            )
        # As Python values, many rows take many times the memory.
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            rows = batch_rows(batch.slice(start, _ROWS_AT_ONCE))
            for number, row in enumerate(rows, first + start):
                offset = number if numbered else None
                for found in reader.take(Record(place_text(None, offset), row)):
                    yield found, None, offset
        first += batch.num_rows


# --- splits ---------------------------------------------------------------------------------------


def skipped_places(split: Split) -> list[str]:
    """Where the records are that are not read."""
    places = [(split.files[at >> _FILE_BITS], at % (1 << _FILE_BITS)) for at in split.skipped]
    return [place_text(source_name(path), offset) for path, offset in places]


def split_items(
    split: Split,
    reader: RecordReader,
    open_file: OpenFile | None = None,
) -> Iterator[Item]:
    """What is in a split, on every engine; a file that cannot be read is a `BadRecord`.

    Args:
        split: a part of a file, or whole files.
        reader: what the records are.
        open_file: opens files that are known to be Parquet or JSON lines, unpacked; by default files
            of any kind are opened on this machine.
    """
    start = None if split.end is None else split.start
    if split.problem:
        yield BadRecord("", split.problem), source_name(split.files[0]), start
        return
    for number, path in enumerate(split.files):
        try:
            yield from _items_of_file(path, number << _FILE_BITS, split, reader, open_file)
        except UnreadableInput as error:
            yield BadRecord("", error.problem), source_name(path), start


def _items_of_file(
    path: str, first: int, split: Split, reader: RecordReader, open_file: OpenFile | None
) -> Iterator[Item]:
    source = source_name(path)
    documents = CaseReader(source, reader.part, reader.inputs)  # as `score_files` reads them
    mark_position(first)
    for count, (row, batch) in enumerate(_batches(path, source, split, reader, open_file)):
        if row is None:
            for _, _, found in read_batch(batch, documents, first + count, split.skipped):
                yield _of_document(found, source)
        else:
            for position, _, found in read_batch(batch, reader, first + row, split.skipped):
                yield found, source, position - first
    for found in documents.finish():
        yield _of_document(found, source)


def _of_document(found: Found, source: str) -> Item:
    # Without an offset, only the place of a record says which one it is.
    return found, found.place if isinstance(found, BadRecord) else source, None


def _batches(
    path: str, source: str, split: Split, reader: RecordReader, open_file: OpenFile | None
) -> Iterator[tuple[int | None, Batch]]:
    """The lines in a file of a split, or its rows with their numbers; documents have none."""
    if split.lines:
        yield from _lines(lines_of(BytesIO(split.lines), source, split.start))
        return
    is_known = split.end is not None or open_file is not None  # to be Parquet or JSON lines
    with (open_file or open_seekable)(path) as file:
        if file.seekable() and is_parquet(file):
            yield from _rows(source, row_groups_between(file, source, split.start, split.end))
            return
        if is_known and split.end is None:
            yield from _lines(lines_of(file, source))
        elif split.end is not None:
            yield from _lines(lines_between(file, source, split.start, split.end))
    if not is_known:
        yield from _any_batches(path, source, reader)


def _any_batches(
    path: str, source: str, reader: RecordReader
) -> Iterator[tuple[int | None, Batch]]:
    head = first_lines(path)
    if head is not None and not reader.joins(head):
        with open_bytes(path, allow_remote=True) as unpacked:
            yield from _lines(lines_of(unpacked, source))
    else:
        for batch in read_batches(path, allow_remote=True):
            yield None, batch


def _lines(blocks: Iterable[Lines]) -> Iterator[tuple[int, Lines]]:
    return ((0, lines) for lines in blocks)


def _rows(source: str, batches: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Record]]:
    for first, batch in batches:
        for number, row in enumerate(batch_rows(batch), first):
            yield number, Record(place_text(source, number), row)
