"""Server-sent events: what a provider streams, as a recording of the response holds it."""

from __future__ import annotations

import re
from typing import Any

from callscore.core.malformed import Malformed, excerpt
from callscore.sources.json_document import decode_json
from callscore.sources.lenient import NotJSON

__all__ = ["begins_like_events", "read_events"]

# What the specification calls the end of a line; `splitlines` knows more, and JSON may hold those.
_LINE_END = re.compile(r"\r\n|\n|\r")
_FIELD = re.compile(r"(data|event|id|retry|): ?")
_LONGEST_NAME = len("event: ")
_LAST = "[DONE]"


def begins_like_events(data: bytes) -> bool:
    """Whether data can be a stream of events: it begins with a field or a comment."""
    return _FIELD.match(data[:_LONGEST_NAME].decode("utf-8", "replace")) is not None


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
            events += _event(data)
            data = []
        elif field[1] == "data":
            data.append(line[field.end() :])
    return events if any(isinstance(event, dict | list) for event in events) else None


def _event(lines: list[str]) -> list[Any]:
    """The data of one event, in a list; an empty one where there is none to keep."""
    data = "\n".join(lines)
    if not data.strip() or data.strip() == _LAST:
        return []
    try:
        return [decode_json(data.encode("utf-8", "surrogatepass"), unit="event")]
    except NotJSON as broken:
        if len(lines) > 1 and all(map(_begins_like_json, lines)):
            # Whoever kept this stream lost the blank lines between the events.
            return [event for line in lines for event in _event([line])]
        is_broken_json = _begins_like_json(data)
        return [Malformed(excerpt(data), broken.problem) if is_broken_json else data]


def _begins_like_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))
