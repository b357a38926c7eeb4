"""Claude Code transcripts (sessions, `stream-json` output, web sessions, SDK messages).

One message of the model is written in several lines, one per block, and a resumed session repeats
lines. Every session is a run; the calls of its sub-agents are marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.errors import UnknownFormat
from callscore.formats.dialects.anthropic import take_blocks
from callscore.formats.shape import as_list, at, dicts, first, list_of, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

__all__ = ["EXAMPLE", "ORDER", "SIGNS", "joins_lines", "read", "recognizes"]

ORDER = 330
_EXAMPLE_CALL = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a"}}
EXAMPLE = [
    {
        "type": "assistant",
        "sessionId": "1f0c2b9e",
        "message": {"role": "assistant", "content": [_EXAMPLE_CALL]},
    }
]
_MAX_SAMPLED = 20
_SPEAKERS = ("user", "assistant")
_SESSIONS = ("sessionId", "session_id")
_OTHER_CALLS = ("tool", "tool_call", "tool_use")  # blocks here, but lines of other agents
# Lines that may have no session id.
_NOTES = ("summary", "file-history-snapshot", "queue-operation")
SIGNS = Signs(
    keys=("message", "parent_tool_use_id", "loglines"),
    item_keys=("message", "parent_tool_use_id", "type"),
)


def recognizes(document: Any) -> bool:
    """Whether it is a line with a message, a list of lines, or a web session with its lines."""
    if isinstance(document, dict) and isinstance(document.get("loglines"), list):
        lines = document["loglines"]
        return not lines or any(map(_is_message, lines[:_MAX_SAMPLED]))
    if not isinstance(document, list):
        return _is_message(document)
    lines = document[:_MAX_SAMPLED]
    return (
        bool(lines)
        and (any(map(_is_message, lines)) or all(map(joins_lines, lines)))
        and all(isinstance(line, dict) for line in lines)
        and not any(map(_is_of_another_agent, document))
    )


def _is_message(line: Any) -> bool:
    """Whether a line has a message, in the wrapper of a transcript or as an object of the SDK."""
    if not isinstance(line, dict):
        return False
    kind = line.get("type")
    if kind in _SPEAKERS:
        return _is_said_by(kind, line.get("message"))
    if "parent_tool_use_id" not in line or "type" in line or "role" in line:
        return False
    return isinstance(line.get("content"), list | str)


def _is_said_by(speaker: Any, message: Any) -> bool:
    """Whether a message is by this speaker; the role can be missing, if there are blocks."""
    if not isinstance(message, dict) or "parts" in message:  # those are of Qwen Code
        return False
    if "role" in message:
        return bool(message["role"] == speaker)
    blocks = message.get("content")
    return (
        isinstance(blocks, list)
        and bool(blocks)
        and all(isinstance(at(block, "type"), str) for block in blocks)
    )


def _is_of_another_agent(line: Any) -> bool:
    """Whether a line is a call of an agent that writes all other lines as Claude Code does."""
    return at(line, "type") in _OTHER_CALLS or isinstance(at(line, "tool_call"), dict)


def joins_lines(line: Any) -> bool:
    """Whether a line is one of a transcript: a message, or a note between messages."""
    kind = at(line, "type")
    return _is_message(line) or (
        isinstance(kind, str) and (kind in _NOTES or isinstance(first(line, *_SESSIONS), str))
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for every session, in the order of their starts; other agents are an error."""
    is_web_session = isinstance(document, dict) and "loglines" in document
    lines = dicts(list_of(document["loglines"]) if is_web_session else as_list(document))
    if any(map(_is_of_another_agent, lines)):
        raise UnknownFormat("the calls in these lines are not in the format of Claude Code.")
    names = (text_of(first(line, *_SESSIONS)) for line in lines)
    name = next((name for name in names if name is not None), None)
    sessions: dict[str | None, _Session] = {name: _Session(options)}
    for line in lines:
        name = text_of(first(line, *_SESSIONS)) or name  # the SDK's user messages name none
        if name not in sessions:
            sessions[name] = _Session(options)
        sessions[name].take(line)
    return [
        session.transcript.trace(id=name, input=session.question)
        for name, session in sessions.items()
    ]


class _Session:
    """A session, as far as its lines have been read."""

    def __init__(self, options: ReadOptions) -> None:
        self.transcript = Transcript(options, once=True)
        self.question: str | None = None
        self._message_id: Any = None

    def take(self, line: dict[str, Any]) -> None:
        reported = at(line, "data", "message") if line.get("type") == "progress" else None
        if isinstance(reported, dict):  # what a sub-agent does, whose lines may be in another file
            line = {**reported, "isSidechain": True}
        message = line.get("message")
        if not isinstance(message, dict):
            message = line
        content = message.get("content")
        if content is None:
            return
        is_sidechain = line.get("isSidechain") is True
        is_nested = is_sidechain or isinstance(line.get("parent_tool_use_id"), str)
        speaker = _speaker_of(line)
        if speaker == "assistant":
            message_id = first(message, "id", "message_id")
            if message_id is None or message_id != self._message_id:
                self.transcript.step()  # otherwise it is another line of the same message
            self._message_id = message_id
        elif speaker == "user" and self.question is None and not is_nested:
            has_result = any("tool_use_id" in block for block in dicts(content))
            self.question = None if has_result else text_in(content)
        if isinstance(content, list):
            caller = "subagent" if is_nested else None
            take_blocks([_typed(block) for block in content], self.transcript, caller=caller)


def _speaker_of(line: dict[str, Any]) -> Any:
    """The role of a line; None if the program itself has added it."""
    if line.get("isMeta") is True or line.get("isCompactSummary") is True:
        return None
    if "type" in line:
        return line["type"]
    return "assistant" if isinstance(line.get("model"), str) else "user"


def _typed(block: Any) -> Any:
    """The block with a type, which blocks of the SDK have in the name of their class."""
    if not isinstance(block, dict) or "type" in block:
        return block
    if "tool_use_id" in block:
        return {**block, "type": "tool_result"} if "is_error" in block else block
    if "name" not in block or "input" not in block:
        return block
    is_server = str(block.get("id")).startswith("srvtoolu_")
    return {**block, "type": "server_tool_use" if is_server else "tool_use"}
