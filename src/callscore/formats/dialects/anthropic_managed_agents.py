"""Anthropic managed agents (session events).

They are a list, a page of a listing, or lines with the name of the client's method before each
event. The tools of the agent's own toolset are run by the provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import at, dicts, first, name_of, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 350
EXAMPLE = [
    {
        "type": "agent.custom_tool_use",
        "id": "sevt_1",
        "name": "get_weather",
        "input": {"city": "Paris"},
        "processed_at": "2026-07-06T16:26:35Z",
    },
    {
        "type": "user.custom_tool_result",
        "id": "sevt_2",
        "custom_tool_use_id": "sevt_1",
        "content": [{"type": "text", "text": "18 degrees"}],
    },
]
_MAX_SAMPLED = 20
_KINDS = {"agent.tool_use": "hosted", "agent.mcp_tool_use": "mcp", "agent.custom_tool_use": None}
_RESULTS = (
    *("agent.tool_result", "agent.mcp_tool_result"),
    *("user.tool_result", "user.custom_tool_result"),
)
_CALL_IDS = ("tool_use_id", "mcp_tool_use_id", "custom_tool_use_id")
_ENDS = (*_RESULTS, "user.message", "span.model_request_start")
# Other agents have events of such names, too, but with other keys.
_EVENT_PREFIXES = ("agent.", "user.", "session.", "span.", "system.", "workflow_run.")
_CONTENTS = ("processed_at", "content", "agent_name")
SIGNS = Signs(
    keys=("data", "events", "agent", *_CONTENTS),
    item_keys=("events", "agent", *_CONTENTS),
    has_other_items=True,
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is an event of a session, or a list or a page of them."""
    if isinstance(document, str):
        return False
    return any(map(joins_lines, _lines_of(document)[:_MAX_SAMPLED]))


def _lines_of(document: Any) -> list[Any]:
    """The lines of a list, or of a page of a listing."""
    if isinstance(document, list):
        return document
    data = document.get("data") if isinstance(document, dict) else None
    return data if isinstance(data, list) else [document]


def joins_lines(line: Any) -> bool:
    """Whether a line is an event of a session, or the session itself."""
    if isinstance(line, dict) and "events" not in line:
        return _is_event(line)
    return any(map(_is_event, _events_in(line)))


def _is_event(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if isinstance(kind, str) and kind.startswith(_EVENT_PREFIXES):
        return any(key in value for key in _CONTENTS)
    return kind == "session" and _is_session(value)


def _is_session(value: dict[str, Any]) -> bool:
    return value.get("type") == "session" and isinstance(value.get("agent"), dict)


def _events_in(line: Any, depth: int = 2) -> list[dict[str, Any]]:
    """The events in a line: itself, or those after the name of a method."""
    if isinstance(line, dict):
        sent = line.get("events")
        return dicts(sent) if isinstance(sent, list) else [line]
    if isinstance(line, list) and depth:
        return [event for part in line for event in _events_in(part, depth - 1)]
    return []


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per session; an event names no session, and belongs to the last one before it."""
    sessions = [_Session(options)]
    for line in _lines_of(document):
        for event in _events_in(line):
            session = sessions[-1]
            if not _is_session(event):
                session.take(event)
                continue
            name = text_of(event.get("id"))
            if session.name not in (None, name):
                session = _Session(options)
                sessions.append(session)
            session.name = name
    return [
        session.transcript.trace(id=session.name, input=session.question) for session in sessions
    ]


class _Session:
    """A session, as far as its events have been read."""

    def __init__(self, options: ReadOptions) -> None:
        self.name: str | None = None
        # A stream that is resumed sends events again.
        self.transcript = Transcript(options, once=True)
        self.question: str | None = None
        self._heard: set[str] = set()  # ids of messages

    def _hear(self, message: dict[str, Any]) -> None:
        """Note a message of the user, unless it is sent again or for a sub-agent."""
        id_ = name_of(message.get("id"))
        if id_ in self._heard or isinstance(message.get("session_thread_id"), str):
            return
        self._heard |= {id_} if id_ is not None else set()
        self.transcript.speaker(is_user=True)

    def take(self, event: dict[str, Any]) -> None:
        """Add a call or a result; the calls of one request to the model belong together."""
        kind = event.get("type")
        if not isinstance(kind, str):
            return
        if kind in _KINDS:
            self.transcript.open_step()
            # The events of a sub-agent are in the stream of the agent, and name a thread.
            caller = "subagent" if isinstance(event.get("session_thread_id"), str) else None
            fields = event.get("name"), event.get("input"), event.get("id")
            self.transcript.call(*fields, kind=_KINDS[kind], caller=caller)
            return
        if kind in _ENDS:
            self.transcript.close_step()
        if kind in _RESULTS:
            call_id = first(event, *_CALL_IDS)
            self.transcript.result(event.get("content"), call_id, failed=event.get("is_error"))
        elif kind == "user.message":
            self.question = self.question or text_in(event.get("content"))
            self._hear(event)
        elif kind == "agent.message":
            self.transcript.speaker(is_user=False)
        else:
            self.transcript.unknown(kind, event)


def read_tools(document: Any) -> list[Tool]:
    """The tools that the agent was given beyond the provider's own."""
    events = [event for line in _lines_of(document) for event in _events_in(line)]
    return [tool for event in events for tool in read_definitions(at(event, "agent", "tools"))]
