"""Claude Code transcripts (sessions, `stream-json` output, web sessions, SDK messages).

One message of the model is written in several lines, one per block, and a resumed session repeats
lines. Every session is a run; the calls of its sub-agents are marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.errors import UnknownFormat
from callscore.formats.dialects.anthropic import take_blocks
from callscore.formats.shape import as_list, at, dicts, first, list_of, name_of, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

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
_COMMAND_OUTPUT = "<local-command-"  # what a command of the program itself printed
_SESSIONS = ("sessionId", "session_id")
_DIRECTIONS = ("send", "recv")
_OTHER_CALLS = ("tool", "tool_call", "tool_use")  # blocks here, but lines of other agents
# Lines that may have no session id.
_NOTES = ("summary", "file-history-snapshot", "queue-operation")
SIGNS = Signs(
    keys=("message", "parent_tool_use_id", "loglines"),
    item_keys=("message", "parent_tool_use_id", "type"),
    message_keys=("direction",),
)


def recognizes(document: Any) -> bool:
    """Whether it is a line with a message, a list of lines, or a web session with its lines."""
    if isinstance(document, dict) and isinstance(document.get("loglines"), list):
        lines = document["loglines"]
        return not lines or any(map(_is_message, lines[:_MAX_SAMPLED]))
    sent = _sent_in(document)
    if sent is not None:
        return any(map(_is_message, sent))
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
        return _has_message(line, kind)
    if "parent_tool_use_id" not in line or "type" in line or "role" in line:
        return False
    return isinstance(line.get("content"), list | str)


def _has_message(line: dict[str, Any], speaker: str) -> bool:
    """Whether a line has a message. Records of the SDK may leave out its role: the line has it."""
    message = line.get("message")
    if not isinstance(message, dict) or "parts" in message:  # those are of Qwen Code
        return False
    if "role" in message:
        return bool(message["role"] == speaker)
    content = message.get("content")
    if isinstance(content, str):
        return "parent_tool_use_id" in line
    blocks = list_of(content)
    return bool(blocks) and all(isinstance(at(block, "type"), str) for block in blocks)


def _sent_in(document: Any) -> list[Any] | None:
    """The lines between the SDK and the program, recorded with their direction; None if it has none."""
    lines = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(lines, list) or at(lines, 0, "direction") not in _DIRECTIONS:
        return None
    sent = []
    for line in dicts(lines):
        message = line.get("message")
        if isinstance(message, dict) and line.get("direction") == _DIRECTIONS[0]:
            message = {**message, "session_id": None}  # which the SDK does not know yet
        sent.append(message)
    return sent


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
    found = list_of(document["loglines"]) if is_web_session else _sent_in(document)
    lines = dicts(as_list(document) if found is None else found)
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
        self._heard: set[str] = set()  # ids of prompts

    def take(self, line: dict[str, Any]) -> None:
        reported = at(line, "data", "message") if line.get("type") == "progress" else None
        if isinstance(reported, dict):  # what a sub-agent does, whose lines may be in another file
            line = {**reported, "isSidechain": True}
        message = line.get("message")
        if not isinstance(message, dict):
            message = line
        content = message.get("content")
        if content is None:
            self.transcript.unknown(line.get("type"), line)
            return
        is_sidechain = line.get("isSidechain") is True
        is_nested = is_sidechain or isinstance(line.get("parent_tool_use_id"), str)
        speaker = _speaker_of(line)
        if speaker == "assistant":
            message_id = first(message, "id", "message_id")
            if message_id is None or message_id != self._message_id:
                self.transcript.step()  # otherwise it is another line of the same message
            self._message_id = message_id
        if not is_nested:
            self._hear(line, speaker, content)
        if isinstance(content, list):
            caller = "subagent" if is_nested else None
            take_blocks([_typed(block) for block in content], self.transcript, caller=caller)

    def _hear(self, line: dict[str, Any], speaker: Any, content: Any) -> None:
        """Note who wrote a line; results, output of commands and repeated lines do not count."""
        if speaker != "user":
            self.transcript.role(speaker)
            return
        if any("tool_use_id" in block for block in dicts(content)):
            return
        text, name = text_in(content), name_of(line.get("uuid"))
        self.question = text if self.question is None else self.question
        if name not in self._heard and not (text or "").startswith(_COMMAND_OUTPUT):
            self._heard |= {name} if name is not None else set()
            self.transcript.speaker(is_user=True)


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
