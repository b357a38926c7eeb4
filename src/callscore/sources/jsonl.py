"""JSON lines: one value a line, read one line at a time, so that no file is too long."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from callscore.errors import UnreadableInput
from callscore.sources.lenient import NotJSON, read_leniently
from callscore.sources.record import BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

__all__ = ["REFUSALS", "Lines", "decode_line", "read_lines"]

_BOM = b"\xef\xbb\xbf"
_BLOCK = 1 << 18
_decode = msgspec.json.Decoder().decode
# What the fast decoder raises where it does not accept a text.
REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


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


def read_lines(opening: bytes, rest: BufferedReader, name: str, first_line: int) -> Iterator[Lines]:
    """The lines of a file, many at a time; what comes before a place that breaks is not lost.

    Args:
        opening: what has been read of the file already.
        rest: what has not.
        name: the file, as it is called in places.
        first_line: the number of the line that `opening` begins with.
    """
    pending = [opening]
    while True:
        try:
            chunk = rest.read1(_BLOCK)
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
    """The record of one line; what is malformed in it is marked, and the rest is as it should be."""
    try:
        return Record(place, _decode(line))
    except REFUSALS:
        pass
    try:
        return Record(place, read_leniently(line.removeprefix(_BOM), unit="line"))
    except NotJSON as broken:
        return BadRecord(f"{place}:{broken.column}", broken.problem)
