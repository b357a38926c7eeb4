"""Qwen Code sessions (`chats/*.jsonl`).

A line has the wrapper of a Claude Code transcript around a content of the Gemini API. What the
program says about a result is beside the content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.gemini_content import ContentReader, is_content, text_in_content
from callscore.formats.shape import as_list, at, dicts, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 325
EXAMPLE = [
    {
        "uuid": "a1",
        "sessionId": "5b3f0c77",
        "type": "assistant",
        "message": {
            "role": "model",
            "parts": [{"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a"}}}],
        },
    }
]
_MAX_SAMPLED = 20
_KINDS = ("user", "assistant", "tool_result")
_OUTCOMES = {"success": False, "error": True, "cancelled": True}
SIGNS = Signs(keys=("message",))


def recognizes(document: Any) -> bool:
    """Whether it is a line with a content, or a list of lines that has one."""
    if isinstance(document, list):
        lines = document[:_MAX_SAMPLED]
        return any(map(_is_message, lines)) and all(map(joins_lines, lines))
    return _is_message(document)


def _is_message(line: Any) -> bool:
    return at(line, "type") in _KINDS and is_content(at(line, "message"))


def joins_lines(line: Any) -> bool:
    """Whether a line is a message, or a note between messages."""
    is_note = at(line, "type") == "system" and isinstance(at(line, "sessionId"), str)
    return _is_message(line) or is_note


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for every session, in the order of their starts."""
    sessions: dict[str | None, _Session] = {}
    for line in filter(_is_message, dicts(as_list(document))):
        name = text_of(line.get("sessionId"))
        if name not in sessions:
            sessions[name] = _Session(options)
        sessions[name].take(line)
    found = sessions or {None: _Session(options)}
    return [
        session.reader.finish().trace(id=name, input=session.question)
        for name, session in found.items()
    ]


class _Session:
    """A session, as far as its lines have been read."""

    def __init__(self, options: ReadOptions) -> None:
        self.reader = ContentReader(options)
        self.question: str | None = None

    def take(self, line: dict[str, Any]) -> None:
        message = line["message"]
        if line["type"] == "user" and self.question is None:
            self.question = text_in_content(message)
        status = at(line, "toolCallResult", "status")
        responses = [at(part, "functionResponse") for part in dicts(message.get("parts"))]
        if isinstance(status, str) and status in _OUTCOMES and any(responses):
            for response in dicts(responses):
                self.reader.transcript.result(
                    response.get("response"),
                    response.get("id"),
                    name=None if response.get("id") else response.get("name"),
                    failed=_OUTCOMES[status],
                )
            return
        self.reader.begin()
        self.reader.take(message)
