"""Documents from anywhere: a path, bytes, text, an object of an SDK, or data."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct

from callscore.core.tool import Tool
from callscore.errors import UnknownFormat, UnreadableInput
from callscore.formats.definitions import unique_tools
from callscore.formats.dialect import Dialect
from callscore.formats.function_tools import with_functions_read
from callscore.formats.objects import plain
from callscore.formats.reading import read_as, read_definitions_in, read_document, read_named
from callscore.formats.recognition import Recogniser, find_dialect, refusal, remembering
from callscore.formats.registry import dialect_named
from callscore.formats.trace import DEFAULT, Trace
from callscore.sources import Array, BadRecord, Lines, Record, read_batches

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.formats.trace import Wanted

__all__ = [
    "Document",
    "Documents",
    "content_of",
    "document_of",
    "read_documents",
    "stop",
    "tools_in",
    "traces_in",
]


_SUFFIXES = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".txt", ".csv", ".parquet", ".eval")
_MOST_WAITING = 1_000  # lines
_TAKE_ANYTHING = ("generic", "tool_definitions")  # so nearly that they prove nothing


class Document(Struct, frozen=True):
    """One document of a file, and the dialect that it is written in.

    Attributes:
        place: where it stands.
        value: what stands there.
        dialect: how to read it.
    """

    place: str
    value: Any
    dialect: Dialect


def document_of(value: Any) -> Any:
    """What is handed over in Python, as the JSON value or the text that a dialect reads."""
    from callscore.sources.texts import decode_bytes, decode_text

    if isinstance(value, str):
        return decode_text(value)
    if isinstance(value, bytes | bytearray):
        return decode_bytes(bytes(value))
    return plain(list(value) if isinstance(value, Iterator) else value)


def content_of(value: Any) -> Any:
    """As `document_of`, also for the path of a file; of many lines, the list of their values."""
    if not isinstance(value, PathLike):
        return document_of(value)
    values: list[Any] = []
    for batch in read_batches(fspath(value)):
        for record in batch.records() if isinstance(batch, Lines) else (batch,):
            if isinstance(record, BadRecord):
                stop(record.place, record.problem)
            values.append(record.items if isinstance(record, Array) else record.value)
    return values[0] if len(values) == 1 else values


class Documents:
    """Finds the documents in the records of one file.

    Some stacks write one document a line, others one document in many lines; some write a list
    that is one document, others a list of documents. The first record that is recognised tells.

    Args:
        name: of the file.
        dialect: what its documents are written in; by default that is recognised, once.
        recogniser: what has recognised other documents of this file before.
    """

    def __init__(
        self, name: str, *, dialect: Dialect | None = None, recogniser: Recogniser | None = None
    ) -> None:
        self._name = name
        self._dialect = dialect
        self._recogniser = recogniser or Recogniser()
        self._joining: Dialect | None = None
        self._lines: list[Record] = []  # of a document in many, or whose turn is still to come
        self._neighbours: set[frozenset[str]] = set()  # the keys of lines that only belong to it
        self._has_others = False

    @property
    def is_joining(self) -> bool:
        """Whether lines are being put together."""
        return self._joining is not None

    def dialect_for(self, value: Any) -> Dialect | None:
        """What a record is written in; None where no dialect recognises it."""
        if self._dialect is not None:
            return self._dialect
        joining = self._joining
        if joining is None:
            return self._recogniser.find(value)
        if joining.joins_lines(value) or joining.recognises(value):
            return joining
        return self._stranger(value) or joining

    def _stranger(self, value: Any) -> Dialect | None:
        """The dialect of a line that does not belong to the lines before it; None where it may."""
        keys = frozenset(value) if isinstance(value, dict) else frozenset()
        if keys in self._neighbours:
            return None
        found = find_dialect(value)
        if found is None or found.name in _TAKE_ANYTHING:
            self._neighbours.add(keys)
            return None
        return found

    def take_whole(self, array: Array) -> Document | None:
        """The document that a list is; None where it is a list of documents."""
        dialect = self._dialect or find_dialect(array.items)
        return None if dialect is None else Document(array.place, array.items, dialect)

    def take(self, record: Record, dialect: Dialect | None) -> Iterator[Document | Record]:
        """What can be told now: documents, and records that no dialect recognises.

        A line that says nothing by itself may still belong to a document in many lines, so the
        first lines of a file wait for one that does.

        Args:
            record: the record.
            dialect: what `dialect_for` says of it.
        """
        if dialect is None:
            self._lines.append(record)
            if len(self._lines) > _MOST_WAITING:
                yield from self._give_up()
            return
        if self._joining not in (None, dialect):
            # Many conversations begin alike: what they are may show only later.
            if dialect.joins_lines(record.value) and self._fits(record, dialect):
                self._joining = dialect
            else:
                yield from self.finish()
        if self._joining is not None or dialect.joins_lines(record.value):
            self._joining = dialect
            self._lines.append(record)
            return
        self._has_others = True
        yield from self._give_up()
        yield Document(record.place, record.value, dialect)

    def _fits(self, record: Record, dialect: Dialect) -> bool:
        """Whether the lines before this one can be of its dialect as well."""
        lines = [line.value for line in self._lines[:_MOST_WAITING]]
        return dialect.recognises([*lines, record.value])

    def finish(self) -> Iterator[Document | Record]:
        """The document that the lines of the file are together, if they are."""
        joining, self._joining = self._joining, None
        lines = self._give_up()
        dialect = self._dialect or find_dialect([record.value for record in lines])
        if dialect is None and joining is not None:
            yield from [record for record in lines if not _belongs(record.value, joining)]
            lines = [record for record in lines if _belongs(record.value, joining)]
            dialect = find_dialect([record.value for record in lines]) or joining
        if dialect is None:
            yield from lines
        elif lines:
            place = lines[0].place if self._has_others else self._name
            yield Document(place, [record.value for record in lines], dialect)
            self._has_others = True

    def _give_up(self) -> list[Record]:
        waiting, self._lines = self._lines, []
        return waiting


def _belongs(value: Any, dialect: Dialect) -> bool:
    return dialect.joins_lines(value) or dialect.recognises(value)


def stop(place: str, problem: str) -> NoReturn:
    """Refuse what cannot be read.

    Raises:
        UnreadableInput: always.
    """
    raise UnreadableInput(place, problem)


def read_documents(
    path: str | PathLike[str],
    *,
    dialect: Dialect | None = None,
    on_bytes: Callable[[int], None] | None = None,
    on_bad: Callable[[str, str], None] = stop,
) -> Iterator[Document]:
    """The documents in a file.

    Args:
        path: the file; `-` is standard input.
        dialect: what they are written in; by default that is recognised.
        on_bytes: is told how many more bytes of the file have been read.
        on_bad: is told the place and the problem of what cannot be read.

    Raises:
        UnreadableInput: the file cannot be read, or, unless there is an `on_bad`, a part of it.
    """
    name = fspath(path)
    documents = Documents(name, dialect=dialect)
    for batch in read_batches(name, on_bytes=on_bytes):
        if isinstance(batch, Array) and not batch.items:  # nobody called anything
            yield Document(batch.place, batch.items, dialect_named("generic"))
            continue
        whole = documents.take_whole(batch) if isinstance(batch, Array) else None
        if whole is not None:
            yield whole
            continue
        for record in batch.records() if isinstance(batch, Array | Lines) else (batch,):
            if isinstance(record, BadRecord):
                on_bad(record.place, record.problem)
            else:
                found = documents.take(record, documents.dialect_for(record.value))
                yield from _recognised(found, on_bad)
    yield from _recognised(documents.finish(), on_bad)


def _recognised(
    found: Iterator[Document | Record], on_bad: Callable[[str, str], None]
) -> Iterator[Document]:
    for item in found:
        if isinstance(item, Document):
            yield item
        else:
            on_bad(item.place, refusal(item.value))


def traces_in(value: Any, wanted: Wanted = DEFAULT, *, format: str | None = None) -> list[Trace]:  # noqa: A002  (as the command line calls it)
    """The runs in whatever is handed over.

    Args:
        value: the path of a file, bytes, text, an object of an SDK, or data.
        wanted: what to take where there is a choice.
        format: the name of the dialect; by default it is recognised.

    Raises:
        InvalidCall: it cannot be read, or is in no dialect that callscore knows.
        UnreadableInput: it is a file that cannot be read.
    """
    dialect = None if format is None else dialect_named(format)
    if isinstance(value, PathLike):
        traces: list[Trace] = []
        wanted = remembering(wanted)
        read = read_as if dialect is None else read_named
        for document in read_documents(value, dialect=dialect):
            traces += read(document.dialect, document.value, wanted)
        return traces
    document = document_of(value)
    if document is None or document == []:  # which no dialect claims: nobody called anything
        return [Trace(calls=())]
    if dialect is not None:
        return read_named(dialect, document, wanted)
    try:
        return read_document(document, wanted)
    except UnknownFormat as error:
        if isinstance(document, str) and PurePath(document).suffix in _SUFFIXES:
            raise UnknownFormat(f"{error} If it is the name of a file, give Path(...).") from error
        raise


def tools_in(value: Any, *, format: str | None = None) -> list[Tool]:  # noqa: A002  (likewise)
    """The definitions of the tools in whatever is handed over, each once.

    Args:
        value: as for `traces_in`; or functions, which are tools by their signatures.
        format: likewise.

    Raises:
        InvalidCall: likewise.
        UnreadableInput: likewise.
    """
    dialect = None if format is None else dialect_named(format)
    if isinstance(value, PathLike):
        found = [
            tool
            for document in read_documents(value, dialect=dialect)
            for tool in read_definitions_in(document.value, dialect=document.dialect)
        ]
        return unique_tools(found)
    given = with_functions_read(value)
    if isinstance(given, list) and all(isinstance(item, Tool) for item in given):
        return unique_tools(given)
    document = document_of(given)
    return [] if document is None else read_definitions_in(document, dialect=dialect)
