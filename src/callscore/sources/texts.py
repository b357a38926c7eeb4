"""What a text holds: JSON, JSON lines, events that a server sent, or only itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from callscore.errors import UnreadableInput
from callscore.sources.json_document import decode_json, records_in
from callscore.sources.jsonl import Lines, decode_line
from callscore.sources.lenient import NotJSON
from callscore.sources.record import Array, BadRecord, Record
from callscore.sources.server_sent_events import read_events

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["decode_bytes", "decode_text", "read_text_file"]

_BYTES = "the bytes"  # what has no name is called in messages


class _Reading(NamedTuple):
    kind: Literal["json", "lines", "events", "text"]
    value: Any


def decode_text(text: str) -> Any:
    """The value that a text stands for: of JSON lines and of events a list, else of itself.

    What is malformed in JSON is marked. What begins like JSON and is none stays text.

    Args:
        text: JSON, JSON lines, server-sent events, or text that a model wrote.
    """
    return _read(text).value


def decode_bytes(data: bytes) -> Any:
    """The value that bytes stand for: OTLP as protobuf, or what `decode_text` makes of the text.

    Raises:
        UnreadableInput: they are neither that nor text in UTF-8, or they are damaged.
    """
    from callscore.sources.otlp_protobuf import decode_otlp, looks_like_otlp

    if looks_like_otlp(data):
        return decode_otlp(data, _BYTES)
    try:
        return decode_text(data.decode())
    except UnicodeDecodeError as error:
        problem = f"the byte 0x{data[error.start]:02x} at {error.start} is not UTF-8,"
        remedy = "and this is no OTLP protobuf. Pass text, or read the file by its path."
        raise UnreadableInput(_BYTES, f"{problem} {remedy}") from error


def read_text_file(data: bytes, name: str) -> Iterator[Lines | Array | Record | BadRecord]:
    """The records of a file of text: what `decode_text` makes of it; a blank one has none.

    Args:
        data: what is in the file.
        name: the file, as it is called in places.
    """
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
        yield from records_in(value, name)


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
    """The values of JSON lines; none where any line is not JSON."""
    values = []
    for line in data.split(b"\n"):
        if line.strip():
            record = decode_line(line, "")
            if isinstance(record, BadRecord):
                return []
            values.append(record.value)
    return values
