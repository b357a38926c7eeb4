"""Texts that a server sent piece by piece: `data:` lines, or one JSON value a line."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["read_body", "read_events"]


def read_events(text: str) -> list[Any] | None:
    """The JSON values behind `data:`, one an event; None where the text is no such stream."""
    events: list[Any] = []
    lines: list[str] = []
    has_data = False
    # Not `splitlines`: a line separator within a JSON text ends no line of the stream.
    for line in [*text.split("\n"), ""]:
        if line.startswith("data:"):
            has_data = True
            lines.append(line.removeprefix("data:"))
        elif lines and not line.strip():
            events += _decoded("\n".join(lines)) or _decoded_lines(lines)
            lines = []
    return events if has_data else None


def read_body(text: str) -> Any:
    """What the body of an answer holds: a JSON value, the list of what was sent, or the text."""
    whole = _decoded(text)
    if whole:
        return whole[0]
    events = read_events(text)
    if events is not None:
        return events
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    values = _decoded_lines(lines)
    return values if values and len(values) == len(lines) else text


def _decoded_lines(lines: list[str]) -> list[Any]:
    return [value for line in lines for value in _decoded(line)]


def _decoded(text: str) -> list[Any]:
    """The value in a text; nothing where it is no JSON, such as the `[DONE]` of a stream."""
    try:
        return [msgspec.json.decode(text)]
    except (ValueError, RecursionError):
        return []
