"""pi sessions (session files, `--mode json` output), and those of OpenClaw and Factory Droid.

All of them write a line per message, below a line about the session. The blocks of a message are
those of pi, or those of Anthropic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.dialects.anthropic import note_speaker, take_blocks
from callscore.formats.shape import as_list, at, dicts, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 345
EXAMPLE = [
    {"type": "session", "id": "d703a1a9", "timestamp": "2026-01-20T23:33:50Z", "cwd": "/home/ana"},
    {
        "type": "message",
        "timestamp": "2026-01-20T23:33:54Z",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.md"}}
            ],
        },
    },
]
_MAX_SAMPLED = 20
_SESSIONS = ("session", "session_start")
_MESSAGES = ("message", "message_end")
_ROLES = ("user", "assistant", "toolResult", "bashExecution", "custom", "system")
_CALL, _RESULT = "toolCall", "toolResult"
# Of `--mode json`, and notes between the messages of a session.
_EVENTS = frozenset(
    (
        *("agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_update"),
        *("tool_execution_start", "tool_execution_update", "tool_execution_end"),
        *("model_change", "thinking_level_change", "compaction", "compaction_state"),
        *("branch_summary", "custom", "custom_message", "label", "session_info", "todo_state"),
    )
)
SIGNS = Signs(keys=("message", "cwd"))


def recognizes(document: Any) -> bool:
    """Whether it is a session's first line, a message, or a list of lines with one of these."""
    if isinstance(document, list):
        lines = document[:_MAX_SAMPLED]
        return any(map(_is_own, lines)) and all(map(joins_lines, lines))
    return _is_own(document)


def _is_own(line: Any) -> bool:
    return _is_session(line) or _is_message(line)


def _is_session(line: Any) -> bool:
    """Whether a line is about a session."""
    return (
        at(line, "type") in _SESSIONS
        and isinstance(line.get("id"), str)
        and isinstance(line.get("cwd"), str)
    )


def _is_message(line: Any) -> bool:
    """Whether a line holds a message and the time, by which it is told from those of others."""
    message = at(line, "message")
    return (
        at(line, "type") in _MESSAGES
        and at(message, "role") in _ROLES
        and isinstance(at(message, "content"), list | str)
        and isinstance(line.get("timestamp", message.get("timestamp")), str | int)
        and "created" not in message
    )


def joins_lines(line: Any) -> bool:
    """Whether a line is one of a session."""
    return _is_own(line) or (isinstance(at(line, "type"), str) and line["type"] in _EVENTS)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for every session."""
    runs: list[_Run] = []
    for line in dicts(as_list(document)):
        if _is_session(line) or not runs:
            runs.append(_Run(options))
        runs[-1].take(line)
    return [
        run.transcript.trace(id=run.name, input=run.question) for run in runs or [_Run(options)]
    ]


class _Run:
    """A session, as far as its lines have been read."""

    def __init__(self, options: ReadOptions) -> None:
        self.transcript = Transcript(options, once=True)
        self.name: str | None = None
        self.question: str | None = None

    def take(self, line: dict[str, Any]) -> None:
        if _is_session(line):
            self.name = text_of(line["id"])
            return
        message = line.get("message") if line.get("type") in _MESSAGES else None
        role, content = at(message, "role"), at(message, "content")
        if isinstance(message, dict):
            note_speaker(message, self.transcript)
        if role == "assistant":
            self.transcript.step()
        elif role == "user" and self.question is None:
            self.question = text_in(content)
        elif role == _RESULT and isinstance(message, dict):
            failed = message.get("isError")
            self.transcript.result(content, message.get("toolCallId"), failed=failed)
            return
        for block in dicts(content):
            if block.get("type") == _CALL:
                self.transcript.call(block.get("name"), block.get("arguments"), block.get("id"))
            else:
                take_blocks([block], self.transcript)
