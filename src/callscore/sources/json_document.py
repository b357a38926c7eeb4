"""JSON and JSON lines: whole documents, and files that are read line by line."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.call import split_concatenated_objects
from callscore.errors import UnreadableInput
from callscore.sources.lenient_json import NotJSON, decode_leniently
from callscore.sources.record import Array, BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

__all__ = ["Lines", "decode_json", "decode_line", "read_json", "read_lines", "records_in"]


# JSON lines: one value a line, read one line at a time, so that no file is too long.

_BOM = b"\xef\xbb\xbf"
_BLOCK_SIZE = 1 << 18
_decode = msgspec.json.Decoder().decode
# What the fast decoder raises where it does not accept a text.
DECODE_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class Lines(Struct, frozen=True, gc=False):
    """Some whole lines of a file, not yet decoded.

    Attributes:
        name: the file, as it is called in places.
        first_line: the number of the first of these lines.
        data: the lines with their line breaks.
    """

    name: str
    first_line: int
    data: bytes

    def records(self) -> Iterator[Record | BadRecord]:
        """The records of the lines; blank lines are passed over, but counted."""
        for number, line in enumerate(self.data.split(b"\n"), self.first_line):
            if line.strip():
                yield decode_line(line, f"{self.name}:{number}")

    def record(self, position: int) -> Record | BadRecord:
        """The record of one line, counted from 0; for lines of which none is blank."""
        place = f"{self.name}:{self.first_line + position}"
        return decode_line(_split(self.data)[position], place)


@lru_cache(maxsize=1)  # where one line is asked for, most others will be
def _split(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def read_lines(head: bytes, stream: BufferedReader, name: str, first_line: int) -> Iterator[Lines]:
    """The lines of a file in batches; what precedes a read error is not lost.

    Args:
        head: what has been read of the file already.
        stream: what has not.
        name: the file, as it is called in places.
        first_line: the number of the line that `head` begins with.
    """
    pending = [head]
    while True:
        try:
            chunk = stream.read1(_BLOCK_SIZE)
        except UnreadableInput:
            data = b"".join(pending)
            yield Lines(name, first_line, data[: data.rfind(b"\n") + 1])
            raise
        if not chunk:
            break
        end = chunk.rfind(b"\n") + 1
        if end:
            data = b"".join([*pending, memoryview(chunk)[:end]])
            yield Lines(name, first_line, data)
            first_line += len(data) - len(data.replace(b"\n", b""))  # quicker than `count`
            pending = []
        pending.append(chunk[end:])
    yield Lines(name, first_line, b"".join(pending))


def decode_line(line: bytes, place: str) -> Record | BadRecord:
    """The record of one line; malformed values in it are marked."""
    try:
        return Record(place, _decode(line))
    except DECODE_ERRORS:
        pass
    try:
        return Record(place, decode_leniently(line.removeprefix(_BOM), unit="line"))
    except NotJSON as broken:
        return BadRecord(f"{place}:{broken.column}", broken.problem)


# A JSON document: an array of cases, an object with `cases`, or one case.


def read_json(data: bytes, name: str) -> Iterator[Record | BadRecord | Array]:
    """The records of a whole JSON document; they come as one where the document is an array.

    Args:
        data: the document.
        name: the file, as it is called in places.
    """
    try:
        value = decode_json(data, unit="file")
    except NotJSON as broken:
        # Some exporters write one indented object after another.
        values = _objects_of(data)
        if values:
            yield Array(name, values)
        else:
            yield BadRecord(f"{name}:{broken.line}:{broken.column}", broken.problem)
        return
    yield from records_in(value, name)


def _objects_of(data: bytes) -> list[dict[str, Any]]:
    try:
        return split_concatenated_objects(data.decode())
    except UnicodeDecodeError:
        return []


def records_in(value: Any, name: str) -> Iterator[Record | Array]:
    """The records of a document that is decoded already.

    Args:
        value: the document.
        name: the file, as it is called in places.
    """
    cases = value.get("cases") if isinstance(value, dict) else None
    if isinstance(value, list):
        yield Array(name, value)
    elif isinstance(cases, list):  # which says itself that each is a record
        yield from Array(name, cases).records()
    else:
        yield Record(name, value)


def decode_json(data: bytes, *, unit: str) -> Any:
    """The value of a JSON text; what is malformed in it is marked.

    Args:
        data: the text, as bytes.
        unit: what the text is, for messages: `file`.

    Raises:
        NotJSON: the structure itself is broken, or the text ends too early.
    """
    try:
        return msgspec.json.decode(data)
    except DECODE_ERRORS:
        return decode_leniently(data, unit=unit)
