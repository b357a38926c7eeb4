"""Kimi Code sessions (`wire.jsonl`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import as_list, at, dicts, first, text_in
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 348
EXAMPLE = [
    {
        "type": "context.append_loop_event",
        "event": {
            "type": "tool.call",
            "toolCallId": "Bash_0",
            "name": "Bash",
            "args": {"command": "ls"},
        },
    }
]
_MAX_SAMPLED = 50
_LOOP = "context.append_loop_event"
SIGNS = Signs(keys=("event", "protocol_version", "time"))


def recognizes(document: Any) -> bool:
    """Whether it is a line about a step, the first line, or a list of lines with one of these."""
    if isinstance(document, list):
        lines = document[:_MAX_SAMPLED]
        return any(map(_is_own, lines)) and all(map(joins_lines, lines))
    return _is_own(document)


def _is_own(line: Any) -> bool:
    kind = at(line, "type")
    if kind == _LOOP:
        return isinstance(line.get("event"), dict)
    return bool(kind == "metadata") and isinstance(line.get("protocol_version"), str)


def joins_lines(line: Any) -> bool:
    """Whether a line is one of a session."""
    kind = at(line, "type")
    is_note = isinstance(kind, str) and "." in kind and isinstance(line.get("time"), int)
    return is_note or _is_own(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all steps."""
    transcript = Transcript(options, once=True)
    question = None
    for line in dicts(as_list(document)):
        if line.get("type") == "turn.prompt":
            transcript.speaker(is_user=True)
            question = text_in(line.get("input")) if question is None else question
        event = line.get("event") if line.get("type") == _LOOP else None
        kind = at(event, "type")
        if kind == "step.begin":
            transcript.close_step()
            transcript.speaker(is_user=False)
        elif kind == "tool.call":
            transcript.open_step()
            transcript.call(at(event, "name"), at(event, "args"), at(event, "toolCallId"))
        elif kind == "tool.result":
            result = at(event, "result")
            value = first(result, "output", "content")
            failed = at(result, "isError") is True or None
            transcript.result(value, at(event, "toolCallId"), failed=failed)
        elif event is not None:
            transcript.unknown(kind)
    return [transcript.trace(input=question)]
