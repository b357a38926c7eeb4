"""Reads the records of a file; its kind is detected from its content and its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BufferedReader, BytesIO
from typing import TYPE_CHECKING, BinaryIO

from callscore.errors import UnreadableInput
from callscore.sources.data_files import FileKind, is_data_file, kind_by_name
from callscore.sources.files import (
    HEAD_SIZE,
    as_seekable,
    display_path,
    from_beginning,
    max_unpacked,
    open_bytes,
    open_data,
    read_whole,
    skip_blank_lines,
    too_large,
)
from callscore.sources.httprr import HTTPRR_MAGIC, read_httprr
from callscore.sources.record import Array, BadRecord, Entry, Record
from callscore.sources.remote import name_in_url
from callscore.sources.tar_archive import TAR_HEAD_SIZE, looks_like_tar, read_tar
from callscore.sources.text_document import (
    BOM,
    Lines,
    decode_line,
    looks_like_events,
    read_events,
    read_json,
    read_lines,
    read_text_file,
)

_BINARY_KINDS: dict[FileKind, str] = {
    "parquet": "a Parquet file",
    "eval": "an Inspect log",
    "otlp": "OTLP as protobuf",
}

_PARQUET_MAGIC = b"PAR1"
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
# The end of a line in the middle of a document; no whole value ends like this.
_OPEN_LINE_ENDS = (b"{", b"[", b",", b":")
# The first byte of an OTLP message is, as text, a line break; its length may precede it.
_OTLP = re.compile(rb"\n.*?[\x00-\x08\x0e-\x1f]|\x00...\n", re.DOTALL)
_TABLE_HEADER = re.compile(rb'(?:"[\w.$ -]+"|[\w.$-]+)(?:[,;\t](?:"[\w.$ -]+"|[\w.$-]+))+\s*')
# What models write around calls, or how Aider's log of requests begins; neither JSON nor the YAML of
# a case file contains it.
_MODEL_TEXT = re.compile(
    rb"<(?:tool_call|function=|think|\||\xef\xbd\x9c)|\[TOOL_CALLS\]|^```|^[^\S\n]*\[[\w.]+\("
    rb"|\A\s*TO LLM [0-9]{4}-",
    re.MULTILINE,
)


def kind_by_head(head: bytes) -> FileKind | None:
    """The kind of a binary file by its first bytes; for OTLP this is only a guess."""
    if head.startswith(_PARQUET_MAGIC):
        return "parquet"
    if head.startswith(_ZIP_MAGICS):
        return "eval"
    return "otlp" if _OTLP.match(head) else None


def kind_of_json(first: bytes, second: bytes, named: FileKind | None) -> FileKind:
    """The kind of a file that starts with an object or an array, by its first two lines."""
    if not second:
        return "jsonl" if named == "jsonl" and first.lstrip().startswith(b"{") else "json"
    if first.rstrip().endswith(_OPEN_LINE_ENDS):
        return "json"
    is_whole = isinstance(decode_line(first, ""), Record)
    # A broken line in front of an object is one bad line of many.
    if is_whole or named == "jsonl" or second.lstrip().startswith(b"{"):
        return "jsonl"
    return "json"


def looks_like_model_text(head: bytes) -> bool:
    """Whether a file of unknown suffix contains text written by a model."""
    return not head.lstrip().startswith(b"{") and _MODEL_TEXT.search(head) is not None


def looks_like_table(first: bytes) -> bool:
    """Whether a line can be the header of a table: only names and delimiters."""
    return _TABLE_HEADER.fullmatch(first) is not None


# What a file is read as: lines that are not decoded yet, or what is in a file of another kind.
Batch = Lines | Array | Record | BadRecord | Entry
if TYPE_CHECKING:
    Batches = Iterator[Batch]

_UTF_16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_NESTED = "this is an archive in an archive. Unpack the outer one."
_ARCHIVE_SHARE = 16  # the files of an archive together, each of which is limited
_YAML_SHARE = 64  # it takes about a hundred times as long as JSON to read
_JSON_OPENINGS = (b"{", b"[")


def read_records(path: str) -> Iterator[Record | BadRecord]:
    """The records of a file of cases; an empty file has none.

    JSON lines, tables, Parquet files and Inspect logs are streamed; all others are read whole.

    Args:
        path: JSON lines, JSON, YAML, CSV, Parquet, an Inspect log, OTLP as protobuf, recorded
            server-sent events or text, or one of these in gzip or zstd; `-` is standard input.

    Raises:
        UnreadableInput: the file cannot be read at all, or not to its end.
        MissingExtra: the file needs an extra that is not installed.
    """
    yield from _records(read_batches(path))


def _records(batches: Batches) -> Iterator[Record | BadRecord]:
    for batch in batches:
        if isinstance(batch, Lines | Array):
            yield from batch.records()
        elif isinstance(batch, Entry):
            yield from _records(iter(batch.batches))
        else:
            yield batch


def read_batches(
    path: str, *, on_bytes: Callable[[int], None] | None = None, allow_remote: bool = False
) -> Batches:
    """Like `read_records`, but JSON lines come in batches, not yet decoded, and lists whole.

    Args:
        path: as for `read_records`.
        on_bytes: called with the number of bytes read since the last call (before decompression).
        allow_remote: whether a URL is fetched. Set it only where a user passes the path.
    """
    name, named = display_path(path), kind_by_name(name_in_url(path))
    try:
        with open_bytes(path, on_bytes=on_bytes, allow_remote=allow_remote) as stream:
            if looks_like_tar(stream.peek(TAR_HEAD_SIZE)):
                yield from _read_archive(read_tar(stream, name), name)
            else:
                yield from _read_stream(stream, name, named)
    except OSError as error:
        raise UnreadableInput(name, f"reading failed ({error}).") from error


def _read_stream(stream: BufferedReader, name: str, named: FileKind | None) -> Batches:
    kind = kind_by_head(stream.peek(HEAD_SIZE)[:HEAD_SIZE])
    if kind == "parquet":
        from callscore.sources.tables import read_parquet

        with as_seekable(stream, document=name) as file:
            yield from read_parquet(file, name)
    elif kind == "eval":
        from callscore.sources.eval_archive import read_zip

        with as_seekable(stream, document=name) as file:
            yield from _read_archive(read_zip(file, name), name)
    elif stream.peek(HEAD_SIZE).startswith(HTTPRR_MAGIC):
        yield from read_httprr(read_whole(stream, name), name)
    elif "otlp" in (kind, named):
        yield from _read_otlp(stream, name, named)
    else:
        yield from _read_text(stream, name, named)


def _read_archive(entries: Iterator[Record | BadRecord | tuple[str, bytes]], name: str) -> Batches:
    """The files in an archive, each with its records; all of them together are limited."""
    left = _ARCHIVE_SHARE * max_unpacked()
    is_empty = True
    for entry in entries:
        if isinstance(entry, Record | BadRecord):
            is_empty = False
            yield entry
            continue
        path, content = entry
        left -= len(content)
        if left < 0:
            raise too_large(name, "archive", share=1 / _ARCHIVE_SHARE)
        if is_data_file(path):
            is_empty = False
            yield Entry(f"{name}!{path}", tuple(_read_entry(content, f"{name}!{path}")))
    if is_empty:
        raise UnreadableInput(name, "the archive has no files with traces or cases.")


def _read_entry(content: bytes, place: str) -> Batches:
    try:
        with open_data(content, place) as stream:
            is_archive = looks_like_tar(stream.peek(TAR_HEAD_SIZE))
            for batch in () if is_archive else _read_stream(stream, place, kind_by_name(place)):
                is_archive |= isinstance(batch, Entry)
                if not isinstance(batch, Entry):
                    yield batch
            if is_archive:
                yield BadRecord(place, _NESTED)
    except UnreadableInput as error:
        yield BadRecord(error.place, error.problem)


def _read_otlp(stream: BufferedReader, name: str, named: FileKind | None) -> Batches:
    """Read a file that may be OTLP as protobuf, and is text otherwise."""
    from callscore.sources.otlp_protobuf import decode_otlp, looks_like_otlp

    data = read_whole(stream, name)
    if looks_like_otlp(data):
        yield Record(name, decode_otlp(data, name))
    else:
        yield from _read_text(BufferedReader(BytesIO(data)), name, named)


def _read_text(stream: BufferedReader, name: str, named: FileKind | None) -> Batches:
    if stream.peek(HEAD_SIZE).startswith(_UTF_16_BOMS):
        raise UnreadableInput(name, "the file is encoded in UTF-16. Save it as UTF-8.")
    if _may_be_log(stream.peek(HEAD_SIZE), name, named):
        data = read_whole(stream, name)
        found = _read_log(data, name, named)
        if found:
            yield from found
            return
        stream = from_beginning(stream, data)
    if named is None and looks_like_model_text(stream.peek(HEAD_SIZE)):
        named = "text"
    if named == "text":
        yield from read_text_file(read_whole(stream, name), name)
        return
    number, first = _next_line(stream, skip_blank_lines(stream, name))
    if first:
        kind, opening = _kind_and_opening(first, stream, number, named, name)
        if kind in _BINARY_KINDS:
            problem = f"the file is not {_BINARY_KINDS[kind]}, despite its name. Rename it or create it again."
            raise UnreadableInput(name, problem)
        yield from _read_as(kind, opening, stream, name, number)


def _may_be_log(head: bytes, name: str, named: FileKind | None) -> bool:
    """Whether a file can be a log, by its first line: neither JSON, nor a table, nor prose."""
    if named not in (None, "text", "jsonl") or name.lower().endswith(".md"):
        return False
    first = head.removeprefix(BOM).lstrip().partition(b"\n")[0]
    if first.startswith(b"{"):
        return False
    text = first.decode("utf-8", "replace")
    if first.startswith(b"[") or named == "jsonl":
        from callscore.sources.log_lines import looks_like_log_line

        return looks_like_log_line(text)
    return bool(first) and not (named is None and looks_like_table(first))


def _read_log(data: bytes, name: str, named: FileKind | None) -> list[Array | BadRecord]:
    if looks_like_events(data) and read_events(data.decode("utf-8", "surrogateescape")):
        return []
    from callscore.sources.log_lines import read_log

    is_prose = named == "text" or looks_like_model_text(data[:HEAD_SIZE])
    return read_log(data, name, is_named_log=name.lower().endswith(".log"), is_prose=is_prose)


def _next_line(stream: BinaryIO, number: int) -> tuple[int, bytes]:
    """The next line that is not blank, and its number; an empty line at the end."""
    for line in stream:
        number += 1
        text = line.removeprefix(BOM)
        if text.strip():
            return number, text
    return number + 1, b""


def _kind_and_opening(
    first: bytes, stream: BufferedReader, number: int, named: FileKind | None, name: str
) -> tuple[FileKind | None, bytes]:
    """The kind of the file, and what was read of it to find out."""
    begins_like_json = named != "yaml" and first.lstrip().startswith(_JSON_OPENINGS)
    if not begins_like_json and not (named is None and looks_like_table(first)):
        return named, first
    next_number, second = _next_line(stream, number + skip_blank_lines(stream, name))
    opening = first + b"\n" * (next_number - number - 1) + second
    if begins_like_json:
        return kind_of_json(first, second, named), opening
    return "table" if second else None, opening


def _read_as(
    kind: FileKind | None, head: bytes, stream: BufferedReader, name: str, first_line: int
) -> Batches:
    if kind == "table":
        from callscore.sources.tables import read_csv

        yield from read_csv(head, stream, name, first_line)
        return
    if kind in (None, "json", "jsonl") and looks_like_events(head):
        head += read_whole(stream, name, before=len(head))
        events = read_events(head.decode("utf-8", "surrogateescape"))
        if events is not None:
            yield Array(name, events)
            return
    if kind == "jsonl":
        yield from read_lines(head, stream, name, first_line)
        return
    share = 1 if kind == "json" else _YAML_SHARE
    rest = read_whole(stream, name, before=len(head), share=share)
    # With the blank lines in front, so that the places of errors are right.
    data = b"\n" * (first_line - 1) + head + rest
    if kind == "json":
        yield from read_json(data, name)
        return
    # Anything else that does not begin like JSON is YAML.
    from callscore.sources.yaml_document import read_yaml

    yield from read_yaml(data, name)
