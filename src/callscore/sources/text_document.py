"""Text as records: JSON, JSON lines, server-sent events, or plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import msgspec
from msgspec import Struct

from callscore.core.call import Malformed, excerpt, split_concatenated_objects
from callscore.errors import UnreadableInput
from callscore.sources.duplicate_keys import DuplicateKey, duplicate_keys, may_have_duplicates
from callscore.sources.lenient_json import NotJSON, decode_leniently
from callscore.sources.record import Array, BadRecord, Record

if TYPE_CHECKING:
    from io import BufferedReader


# --- JSON lines: one value per line, read in batches, so that a file can be of any length ------

BOM = b"\xef\xbb\xbf"
_BLOCK_SIZE = 1 << 18
_decode = msgspec.json.Decoder().decode
_decode_lines = msgspec.json.Decoder().decode_lines
# What the fast decoder raises for a text that it does not accept.
_DECODE_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class Lines(Struct, frozen=True, gc=False):
    """Some whole lines of a file with their line breaks, not yet decoded.

    The offset is the number of bytes before them. Where the number of the first line is not known, a
    line is named by its offset.
    """

    name: str
    first_line: int | None
    data: bytes
    offset: int = 0

    def records(self) -> Iterator[Record | BadRecord]:
        """The records of the lines; blank lines are skipped, but counted."""
        for place, _, line in self.lines():
            if line.strip():
                yield read_line(line, place)

    def lines(self) -> Iterator[tuple[str, int, bytes]]:
        """The lines, each with its place and its offset."""
        offset, name, first = self.offset, self.name, self.first_line
        for number, line in enumerate(self.data.split(b"\n"), first or 0):
            yield (f"{name}@{offset}" if first is None else f"{name}:{number}"), offset, line
            offset += len(line) + 1

    def line_at(self, offset: int) -> bytes:
        """The line with this number of bytes before it in the file."""
        start = offset - self.offset
        end = self.data.find(b"\n", start)
        return self.data[start:] if end < 0 else self.data[start:end]

    def record(self, position: int) -> Record | BadRecord:
        """The record of one line, counted from 0; only if no line is blank.

        It does not say whether a key is given twice.
        """
        return decode_line(_split(self.data)[position], self.place(position))

    def place(self, position: int) -> str:
        """The place of one line, counted likewise."""
        return f"{self.name}:{(self.first_line or 0) + position}"

    @property
    def may_have_duplicates(self) -> bool:
        """Whether an object in one of the lines may have a key twice."""
        try:
            return may_have_duplicates(self.data, _decode_lines(self.data))
        except _DECODE_ERRORS:
            return True


@lru_cache(maxsize=1)  # if one line is requested, most others will be
def _split(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def read_lines(head: bytes, stream: BufferedReader, name: str, first_line: int) -> Iterator[Lines]:
    """The lines of a file in batches, from `head` on; those before a read error are not lost."""
    pending = [head]
    offset = 0
    while True:
        try:
            chunk = stream.read1(_BLOCK_SIZE)
        except UnreadableInput:
            data = b"".join(pending)
            yield Lines(name, first_line, data[: data.rfind(b"\n") + 1], offset)
            raise
        if not chunk:
            break
        end = chunk.rfind(b"\n") + 1
        if end:
            data = b"".join([*pending, memoryview(chunk)[:end]])
            if not data.isspace():
                yield Lines(name, first_line, data, offset)
            offset += len(data)
            first_line += len(data) - len(data.replace(b"\n", b""))  # quicker than `count`
            pending = []
        pending.append(chunk[end:])
    yield Lines(name, first_line, b"".join(pending), offset)


def decode_line(line: bytes, place: str) -> Record | BadRecord:
    """The record of one line; malformed values in it are marked."""
    try:
        return Record(place, _decode(line))
    except _DECODE_ERRORS:
        pass
    try:
        return Record(place, decode_leniently(line.removeprefix(BOM), unit="line"))
    except NotJSON as broken:
        return BadRecord(f"{place}:{broken.column}", broken.problem)


def read_line(line: bytes, place: str, *, only_sides: bool = False) -> Record | BadRecord:
    """The record of one line; it says so if a key is given twice, or only a side of a case."""
    record = decode_line(line, place)
    if isinstance(record, BadRecord) or not may_have_duplicates(line, record.value):
        return record
    duplicates = duplicate_keys(line.removeprefix(BOM))
    if only_sides:
        duplicates = [found for found in duplicates if found.is_side]
    if not duplicates:
        return record
    return Record(record.place, record.value, duplicates[0].in_line(record.place))


def read_json(data: bytes, name: str) -> Iterator[Record | BadRecord | Array]:
    """The records of a whole JSON document; an array is yielded as one `Array`."""
    try:
        value = decode_json(data, unit="file")
    except NotJSON as broken:
        # Some exporters write one indented object after another.
        try:
            values = split_concatenated_objects(data.decode())
        except UnicodeDecodeError:
            values = []
        if values:
            yield Array(name, values)
        else:
            yield BadRecord(f"{name}:{broken.line}:{broken.column}", broken.problem)
        return
    yield from _records_in(value, name, data)


def _records_in(value: Any, name: str, data: bytes) -> Iterator[Record | Array]:
    """The records of the value of a whole text."""
    may_repeat = isinstance(value, dict | list) and may_have_duplicates(data, value)
    found = duplicate_keys(data.removeprefix(BOM)) if may_repeat else []
    cases = value.get("cases") if isinstance(value, dict) else None
    if isinstance(value, list):
        duplicates = {key.path[0]: key.in_document(name) for key in reversed(found) if key.path}
        yield Array(name, value, duplicates=cast("dict[int, BadRecord]", duplicates))
    elif isinstance(cases, list):  # the key says that each item is a record
        yield from Array(
            name, cases, duplicates=_duplicates_by_case(found, name, len(cases))
        ).records()
    else:
        yield Record(name, value, found[0].in_document(name) if found else None)


def _duplicates_by_case(found: list[DuplicateKey], name: str, number: int) -> dict[int, BadRecord]:
    """The first duplicate of each case; one that is in no case concerns all of them."""
    duplicates: dict[int, BadRecord] = {}
    for key in reversed(found):
        if len(key.path) > 1 and key.path[0] == "cases":
            duplicates[cast("int", key.path[1])] = key.in_document(name)
        else:
            return dict.fromkeys(range(number), key.in_document(name))
    return duplicates


def decode_json(data: bytes, *, unit: str) -> Any:
    """The value of a JSON text; malformed values in it are marked. Messages call it a `unit`.

    Raises:
        NotJSON: the structure itself is broken, or the text ends too early.
    """
    try:
        return msgspec.json.decode(data)
    except _DECODE_ERRORS:
        return decode_leniently(data, unit=unit)


# The line ends of the specification; `splitlines` knows more, which JSON may contain.
_LINE_END = re.compile(r"\r\n|\n|\r")
_FIELD = re.compile(r"(data|event|id|retry|): ?")
_MAX_FIELD_LENGTH = len("event: ")
_DONE_MARK = "[DONE]"


def looks_like_events(data: bytes) -> bool:
    """Whether data can be a stream of events: it begins with a field or a comment."""
    return _FIELD.match(data[:_MAX_FIELD_LENGTH].decode("utf-8", "replace")) is not None


def read_events(text: str) -> list[Any] | None:
    """The data of each event in a text, decoded; None if the text is not a stream of events.

    It is one if every line is a field, a comment or blank, and at least one event has a JSON object
    or array as its data. Data that is not JSON is text, or marked if it begins like JSON. The
    `[DONE]` at the end is left out, and so are the names of the events: the data repeats them.
    """
    events: list[Any] = []
    data: list[str] = []
    for line in [*_LINE_END.split(text), ""]:
        field = _FIELD.match(line)
        if field is None and line.strip():
            return None
        if field is None:
            events += _event_data(data)
            data = []
        elif field[1] == "data":
            data.append(line[field.end() :])
    return events if any(isinstance(event, dict | list) for event in events) else None


def _event_data(lines: list[str]) -> list[Any]:
    """The data of one event, in a list; empty if there is nothing to keep."""
    data = "\n".join(lines)
    if not data.strip() or data.strip() == _DONE_MARK:
        return []
    try:
        return [decode_json(data.encode("utf-8", "surrogatepass"), unit="event")]
    except NotJSON as broken:
        if len(lines) > 1 and all(map(_looks_like_json, lines)):
            # The recorded stream has lost the blank lines between the events.
            return [event for line in lines for event in _event_data([line])]
        is_broken_json = _looks_like_json(data)
        return [Malformed(excerpt(data), broken.problem) if is_broken_json else data]


def _looks_like_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))


# --- text of any kind: JSON, JSON lines, events, or plain text ---------------------------------

_JSON_BEGINNINGS = (b"{", b"[")
_BYTES_PLACE = "the bytes"  # where an error is, if there is no file


class _Reading(NamedTuple):
    kind: Literal["json", "lines", "events", "text"]
    value: Any


def decode_text(text: str) -> Any:
    """The value of a text: a list for JSON lines and events, otherwise JSON or the text itself.

    Malformed values in JSON are marked. Text that only begins like JSON stays text.
    """
    return _read(text).value


def decode_bytes(data: bytes) -> Any:
    """The value of bytes: OTLP as protobuf, or text as `decode_text` reads it.

    Raises:
        UnreadableInput: they are neither, or damaged.
    """
    if data[:1] in _JSON_BEGINNINGS:  # as no protobuf does
        try:
            return _decode(data)
        except _DECODE_ERRORS:
            pass
    from callscore.sources.otlp_protobuf import decode_otlp, looks_like_otlp

    if looks_like_otlp(data):
        return decode_otlp(data, _BYTES_PLACE)
    try:
        return decode_text(data.decode())
    except UnicodeDecodeError as error:
        problem = f"the byte 0x{data[error.start]:02x} at {error.start} is not UTF-8,"
        remedy = "and the data is not OTLP protobuf. Pass text, or the path of the file."
        raise UnreadableInput(_BYTES_PLACE, f"{problem} {remedy}") from error


def read_text_file(data: bytes, name: str) -> Iterator[Lines | Array | Record | BadRecord]:
    """The records of a text file, as `decode_text` reads it; a blank one has none."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"the byte 0x{data[error.start]:02x} is not UTF-8. Save the file as UTF-8."
        yield BadRecord(f"{name}:{line}", problem)
        return
    if not text.strip().removeprefix("\ufeff"):
        return
    kind, value = _read(text)
    if kind == "lines":
        yield Lines(name, 1, data)
    elif kind == "events":
        yield Array(name, value)
    else:
        yield from _records_in(value, name, data)


def _read(text: str) -> _Reading:
    text = text.removeprefix("\ufeff")
    data = text.encode("utf-8", "surrogatepass")
    try:
        return _Reading("json", decode_json(data, unit="text"))
    except NotJSON:
        pass
    lines = _read_lines(data)
    if lines:
        return _Reading("lines", lines)
    events = read_events(text)
    return _Reading("text", text) if events is None else _Reading("events", events)


def _read_lines(data: bytes) -> list[Any]:
    """The values of JSON lines; none if any line is not JSON."""
    values = []
    for line in data.split(b"\n"):
        if line.strip():
            record = decode_line(line, "")
            if isinstance(record, BadRecord):
                return []
            values.append(record.value)
    return values
