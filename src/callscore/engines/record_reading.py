"""Reads records that do not depend on each other: of a split, of lines, of Arrow data.

Each record is read on its own, so that the result does not depend on how the input is split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

from msgspec import structs

from callscore.engines.inputs import (
    CASES,
    CHECKED_BYTES,
    REFERENCES,
    CaseReader,
    FileContent,
    Found,
    decoded_lines,
    input_options_for,
)
from callscore.engines.pool import MOST_DEATHS, mark_position
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
from callscore.formats.cases import read_case
from callscore.formats.plain_cases import decode_cases
from callscore.sources import BadRecord, Lines, Record, read_batches
from callscore.sources.files import display_path, open_bytes, open_seekable
from callscore.sources.tables import batch_rows

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from callscore.core.case import Case
    from callscore.engines.batches import RowOptions

    # What was found, its file, and the bytes or rows before it in this file.
    Item = tuple[Found, str | None, int | None]

_ROWS_AT_ONCE = 512
_FILE_BITS = 44  # of the position of a record in its split: above them is the number of its file
LOST_RECORD = (
    f"this record ended {MOST_DEATHS} processes, perhaps because memory is short. Look at it, or use"
    " fewer processes: --jobs 1."
)


def source_name(path: str) -> str:
    """The name of a file in rows; bytes of it that are not text are escaped."""
    return display_path(path).encode("utf-8", "backslashreplace").decode()


class RecordReader:
    """Reads records that do not depend on each other: cases, references or traces."""

    def __init__(self, options: RowOptions, part: FileContent) -> None:
        self.part = part
        self.inputs = input_options_for(
            options.fields,
            options.format,
            options.read_options,
            top_k=options.settings.top_k,
            keeps_tools=options.tools is None and part is not REFERENCES,
        )
        self._unread: list[str] = []  # in the record at hand
        self._own_options = structs.replace(self.inputs.read_options, on_unread=self._unread.append)

    def joins(self, head: Lines) -> bool:
        """Whether the lines of a file that begins with these are parts of larger documents."""
        reader = CaseReader(head.name, self.part, self.inputs)
        for record in head.records():
            for _ in reader.take(record):
                pass
        return reader.is_joining

    def plain_cases(self, lines: Lines) -> list[Case] | None:
        """The cases of lines in the simplest notation; None if they may be in another one."""
        is_plain = self.part is CASES and self.inputs.says_nothing
        return decoded_lines(decode_cases, lines) if is_plain else None

    def read(self, record: Record | BadRecord) -> Iterator[Found]:
        """The cases of a record; an unreadable one, or one without any, is a `BadRecord`."""
        if isinstance(record, BadRecord):
            yield record
            return
        case = self._own_case(record)
        if case is not None:
            yield record.place, case
            return
        # A new reader for each record: what it learned from others would depend on the split.
        reader = CaseReader(record.place, self.part, self.inputs)
        is_empty = True
        for found in (*reader.take(record), *reader.finish()):
            is_empty = False
            yield found
        if is_empty:
            yield BadRecord(record.place, "there is no case in this record.")

    def _own_case(self, record: Record) -> Case | None:
        """The case of a record in callscore's own notation, which is most of them; None for others."""
        inputs = self.inputs
        may_be_own = self.part is CASES and inputs.says_nothing and inputs.top_k == 1
        if not may_be_own or record.duplicate is not None or not is_case(record.value):
            return None
        self._unread.clear()
        try:
            case = read_case(
                record.value,
                place=record.place,
                read_options=self._own_options,
                takes_trace=inputs.takes_trace,
            )
        except UnreadableInput:
            return None  # the reader knows what to do about it
        return structs.replace(case, unread=" ".join(self._unread)) if self._unread else case


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
                for found in reader.read(Record(place_text(None, offset), row)):
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
    open_file: Callable[[str], AbstractContextManager[IO[bytes]]] | None = None,
) -> Iterator[Item]:
    """What is in a split, on every engine; a file that cannot be read is a `BadRecord`.

    Args:
        split: a part of a file, or whole files.
        reader: what the records are.
        open_file: opens files that are known to be Parquet or JSON lines, unpacked; by default files
            of any kind are opened on this machine.
    """
    start = None if split.end is None else split.start
    for number, path in enumerate(split.files):
        found = _FileItems(path, number, reader, split.skipped)
        try:
            if split.problem:
                yield BadRecord("", split.problem), found.source, split.start or None
            elif split.lines:
                yield from found.of_lines(lines_of(BytesIO(split.lines), found.source, split.start))
            elif split.end is not None or open_file is not None:
                with (open_file or open_seekable)(path) as file:
                    yield from found.of_range(file, split)
            else:
                yield from found.of_any_kind(path)
        except UnreadableInput as error:
            yield BadRecord("", error.problem), found.source, start


class _FileItems:
    """What is in one file of a split."""

    def __init__(
        self, path: str, number: int, reader: RecordReader, skipped: Iterable[int]
    ) -> None:
        self.source = source_name(path)
        self._first = number << _FILE_BITS
        self._reader = reader
        self._skipped = frozenset(skipped)
        mark_position(self._first)

    def _may_read(self, position: int) -> bool:
        """Note that a record is read next, unless it is to be skipped."""
        mark_position(self._first + position)
        return self._first + position not in self._skipped

    def of_range(self, file: IO[bytes], split: Split) -> Iterator[Item]:
        """What is in a file of Parquet or JSON lines, or in the part of it that is a split."""
        if file.seekable() and is_parquet(file):
            yield from self._of_rows(row_groups_between(file, self.source, split.start, split.end))
        elif split.end is None:
            yield from self.of_lines(lines_of(file, self.source))
        else:
            yield from self.of_lines(lines_between(file, self.source, split.start, split.end))

    def of_any_kind(self, path: str) -> Iterator[Item]:
        """What is in a whole file of any kind."""
        with open_seekable(path) as file:
            if is_parquet(file):
                yield from self._of_rows(row_groups_between(file, self.source))
                return
        head = first_lines(path)
        if head is not None and not self._reader.joins(head):
            with open_bytes(path, allow_remote=True) as unpacked:
                yield from self.of_lines(lines_of(unpacked, self.source))
        else:
            yield from self._of_documents(read_batches(path, allow_remote=True))

    def of_lines(self, blocks: Iterable[Lines]) -> Iterator[Item]:
        """What is in lines of JSON, each read on its own."""
        for lines in blocks:
            mark_position(self._first + lines.offset)
            cases = self._reader.plain_cases(lines)
            found = self._of_each_line(lines) if cases is None else self._of_plain(lines, cases)
            yield from found

    def _of_plain(self, lines: Lines, cases: Iterable[Case]) -> Iterator[Item]:
        offset, source = lines.offset, self.source
        for case, line in zip(cases, lines.data.split(b"\n"), strict=False):
            is_read = self._may_read(offset)
            yield (("", case) if is_read else BadRecord("", LOST_RECORD)), source, offset
            offset += len(line) + 1

    def _of_each_line(self, lines: Lines) -> Iterator[Item]:
        offset, source = lines.offset, self.source
        for line in lines.data.split(b"\n"):
            if line.strip() and not self._may_read(offset):
                yield BadRecord("", LOST_RECORD), source, offset
            elif line.strip():
                given = Lines(place_text(source, offset), 1, line, offset)
                for record in given.records(checked_bytes=CHECKED_BYTES):
                    for found in self._reader.read(record):
                        yield found, source, offset
            offset += len(line) + 1

    def _of_rows(self, batches: Iterable[tuple[int, Any]]) -> Iterator[Item]:
        """What is in the rows of a Parquet file, each read on its own."""
        source = self.source
        for first, batch in batches:
            for offset, row in enumerate(batch_rows(batch), first):
                if not self._may_read(offset):
                    yield BadRecord("", LOST_RECORD), source, offset
                    continue
                for found in self._reader.read(Record(place_text(source, offset), row)):
                    yield found, source, offset

    def _of_documents(self, batches: Iterable[Any]) -> Iterator[Item]:
        """What is in a file whose records may depend on each other, as `score_files` reads it."""
        reader = CaseReader(self.source, self._reader.part, self._reader.inputs)
        position = 0
        for batch in batches:
            records: Iterable[Any] = (
                batch.records(checked_bytes=CHECKED_BYTES) if isinstance(batch, Lines) else (batch,)
            )
            for record in records:
                if self._may_read(position):
                    yield from map(self._unplaced, reader.take(record))
                else:
                    yield self._unplaced(BadRecord(record.place, LOST_RECORD))
                position += 1
        yield from map(self._unplaced, reader.finish())

    def _unplaced(self, found: Found) -> Item:
        # Without an offset, only the place of a record says which one it is.
        source = found.place if isinstance(found, BadRecord) else self.source
        return found, source, None
