"""Which reader a file needs: its content has the last word, its name the first."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

from callscore.errors import UnreadableInput
from callscore.sources.files import open_bytes, place_of
from callscore.sources.json_document import read_json
from callscore.sources.jsonl import Lines, decode_line, read_lines
from callscore.sources.record import BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader

__all__ = ["Kind", "read_batches", "read_records"]

Kind = Literal["jsonl", "json", "yaml"]

_SUFFIXES: dict[str, Kind] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
}
# A line of a document that is written over several lines ends like this; a whole value never does.
_CONTINUED = (b"{", b"[", b",", b":")
_COMPRESSED = (".gz", ".zst")
_BOM = b"\xef\xbb\xbf"
_UTF_16_BOMS = (b"\xff\xfe", b"\xfe\xff")


def read_records(path: str) -> Iterator[Record | BadRecord]:
    """The records of a file of cases; an empty file has none.

    JSON lines are streamed. JSON and YAML documents are read whole.

    Args:
        path: a JSONL, JSON or YAML file, or gzip or zstd of one; `-` is standard input.

    Raises:
        UnreadableInput: the file cannot be read as far as its text.
        MissingExtra: it is a zstd file, and the extra `zstd` is not installed.
    """
    for batch in read_batches(path):
        if isinstance(batch, Lines):
            yield from batch.records()
        else:
            yield batch


def read_batches(
    path: str, *, on_bytes: Callable[[int], None] | None = None
) -> Iterator[Lines | Record | BadRecord]:
    """As `read_records`, but JSON lines come many at a time and not yet decoded.

    Args:
        path: as for `read_records`.
        on_bytes: is told how many more bytes of the file, as it is on disk, have been read.
    """
    name = place_of(path)
    try:
        yield from _read_batches(path, name, on_bytes)
    except OSError as error:
        raise UnreadableInput(name, f"reading failed ({error}).") from error


def _read_batches(
    path: str, name: str, on_bytes: Callable[[int], None] | None
) -> Iterator[Lines | Record | BadRecord]:
    with open_bytes(path, on_bytes=on_bytes) as stream:
        number, first = _next_line(stream, 0)
        if first.startswith(_UTF_16_BOMS):
            raise UnreadableInput(name, "the text is UTF-16. Save the file as UTF-8.")
        if not first:
            return
        kind = _kind_by_name(path)
        opening = first
        if kind != "yaml" and first.lstrip().startswith((b"{", b"[")):
            next_number, second = _next_line(stream, number)
            opening += b"\n" * (next_number - number - 1) + second
            kind = _kind_of_json(first, second, kind)
        # What does not begin like a case in JSON is YAML, unless its name says otherwise.
        yield from _read_as(kind or "yaml", opening, stream, _Start(name, number))


class _Start(NamedTuple):
    name: str
    line: int


def _next_line(stream: BinaryIO, number: int) -> tuple[int, bytes]:
    """The next line that is not blank, and its number; an empty one at the end of the stream."""
    for line in stream:
        number += 1
        text = line.removeprefix(_BOM)
        if text.strip():
            return number, text
    return number + 1, b""


def _kind_by_name(path: str) -> Kind | None:
    name = PurePath(path.lower())
    if name.suffix in _COMPRESSED:
        name = name.with_suffix("")
    return _SUFFIXES.get(name.suffix)


def _kind_of_json(first: bytes, second: bytes, named: Kind | None) -> Kind:
    """What begins with an object or an array: its first two lines that are not blank tell."""
    if not second:
        return "jsonl" if named == "jsonl" and first.lstrip().startswith(b"{") else "json"
    if first.rstrip().endswith(_CONTINUED):
        return "json"
    is_whole = isinstance(decode_line(first, ""), Record)
    # A broken line in front of an object is one bad line of many.
    if is_whole or named == "jsonl" or second.lstrip().startswith(b"{"):
        return "jsonl"
    return "json"


def _read_as(
    kind: Kind, opening: bytes, rest: BufferedReader, start: _Start
) -> Iterator[Lines | Record | BadRecord]:
    if kind == "jsonl":
        return read_lines(opening, rest, start.name, start.line)
    # The blank lines in front come back, or the places of errors would be too far up.
    data = b"\n" * (start.line - 1) + opening + rest.read()
    if kind == "json":
        return read_json(data, start.name)
    from callscore.sources.yaml_document import read_yaml

    return read_yaml(data, start.name)
