"""What a text contains: JSON, JSON lines, server-sent events, or plain text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from callscore.core.call import Malformed, excerpt
from callscore.errors import UnreadableInput
from callscore.sources.json_document import Lines, decode_json, decode_line, records_in
from callscore.sources.lenient_json import NotJSON
from callscore.sources.record import Array, BadRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["decode_bytes", "decode_text", "looks_like_events", "read_events", "read_text_file"]


# Server-sent events: what a provider streams, as a recording of the response holds it.

# What the specification calls the end of a line; `splitlines` knows more, and JSON may hold those.
_LINE_END = re.compile(r"\r\n|\n|\r")
_FIELD = re.compile(r"(data|event|id|retry|): ?")
_MAX_FIELD_LENGTH = len("event: ")
_DONE_MARK = "[DONE]"


def looks_like_events(data: bytes) -> bool:
    """Whether data can be a stream of events: it begins with a field or a comment."""
    return _FIELD.match(data[:_MAX_FIELD_LENGTH].decode("utf-8", "replace")) is not None


def read_events(text: str) -> list[Any] | None:
    """The data of each event in a text, decoded; None where the text is not such a stream.

    It is one if every line is a field, a comment or blank, and the data of one event at least is a
    JSON object or array. Data that is not JSON is text, or marked where it begins like JSON. The
    `[DONE]` at the end is left out; the names of the events are, too, for the data repeats them.
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
    """The data of one event, in a list; an empty one where there is none to keep."""
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


# What a text holds: JSON, JSON lines, events that a server sent, or only itself.

_BYTES_PLACE = "the bytes"  # what has no name is called in messages


class _Reading(NamedTuple):
    kind: Literal["json", "lines", "events", "text"]
    value: Any


def decode_text(text: str) -> Any:
    """The value of a text: a list for JSON lines and events, otherwise JSON or the text itself.

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
        return decode_otlp(data, _BYTES_PLACE)
    try:
        return decode_text(data.decode())
    except UnicodeDecodeError as error:
        problem = f"the byte 0x{data[error.start]:02x} at {error.start} is not UTF-8,"
        remedy = "and this is no OTLP protobuf. Pass text, or read the file by its path."
        raise UnreadableInput(_BYTES_PLACE, f"{problem} {remedy}") from error


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
