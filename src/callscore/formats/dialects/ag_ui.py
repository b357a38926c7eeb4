"""AG-UI (events of a run, and the input of a run with its messages).

The arguments of a call come in pieces. A snapshot of the messages repeats calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, at, dicts, first, name_of, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 596
EXAMPLE = [
    {"type": "RUN_STARTED", "threadId": "t1", "runId": "r1"},
    {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "get_weather"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"city": "Paris"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "c1"},
    {"type": "RUN_FINISHED", "threadId": "t1", "runId": "r1"},
]
_MAX_SAMPLED = 20
_START, _PIECE, _CHUNK = "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"
_END, _RESULT, _SNAPSHOT = "TOOL_CALL_END", "TOOL_CALL_RESULT", "MESSAGES_SNAPSHOT"
_OTHERS = frozenset(
    (
        *("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "STEP_STARTED", "STEP_FINISHED"),
        *("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TEXT_MESSAGE_CHUNK"),
        *("STATE_SNAPSHOT", "STATE_DELTA", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA"),
        *("THINKING_START", "THINKING_END", "THINKING_TEXT_MESSAGE_START"),
        *("THINKING_TEXT_MESSAGE_CONTENT", "THINKING_TEXT_MESSAGE_END"),
        *("REASONING_START", "REASONING_END", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CHUNK"),
        *("REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_ENCRYPTED_VALUE"),
    )
)
_SHARED = ("RAW", "CUSTOM")  # types that messages of others have, too
_EVENTS = _OTHERS | {_START, _PIECE, _CHUNK, _END, _RESULT, _SNAPSHOT}


# Most events have one of them.
_IDS = frozenset(
    (
        *("threadId", "thread_id", "runId", "run_id", "messageId", "message_id", "toolCallId"),
        *("tool_call_id", "stepName", "step_name", "snapshot"),
    )
)
SIGNS = Signs(keys=tuple(_IDS), reads_plain_chat=False)


def recognizes(document: Any) -> bool:
    """Whether it is the input of a run, an event, or a list of events."""
    if isinstance(document, list):
        events = document[:_MAX_SAMPLED]
        return any(map(_is_event, events)) and all(map(joins_lines, events))
    return _is_event(document) or _is_input(document)


def _is_event(value: Any) -> bool:
    if not isinstance(value, dict) or _IDS.isdisjoint(value):
        return False
    kind = value.get("type")
    return isinstance(kind, str) and kind in _EVENTS


def _is_input(value: Any) -> bool:
    has_ids = all(
        isinstance(first(value, *keys), str)
        for keys in (("threadId", "thread_id"), ("runId", "run_id"))
    )
    return has_ids and isinstance(at(value, "messages"), list)


def joins_lines(line: Any) -> bool:
    """Whether a line is an event."""
    kind = at(line, "type")
    return isinstance(kind, str) and (kind in _EVENTS or kind in _SHARED)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all events, or all messages."""
    run = _Run(options)
    if _is_input(document):
        run.take_messages(document["messages"])
    else:
        for event in dicts(as_list(document)):
            run.take(event)
    return [run.finish()]


class _Run:
    """A run, as far as its events have been read."""

    def __init__(self, options: ReadOptions) -> None:
        self.transcript = Transcript(options, once=True)
        self.question: str | None = None
        self.name: str | None = None
        self._open: dict[str | None, tuple[Any, list[str]]] = {}  # names and pieces, by id
        self._last: str | None = None
        self._heard: set[str | None] = set()  # ids of messages

    def take(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        id_ = name_of(first(event, "toolCallId", "tool_call_id"))
        if kind == "RUN_STARTED":
            self.name = text_of(first(event, "runId", "run_id"))
            self._hear(at(event, "input", "messages"))
        elif kind in (_START, _CHUNK, _PIECE):
            self._add(event, id_ or self._last)
        elif kind == _END:
            self._write(id_)
        elif kind == _RESULT:
            self._write_all()
            self.transcript.close_step()
            self.transcript.result(event.get("content"), id_)
        elif kind == _SNAPSHOT:
            self._write_all()
            self.take_messages(event.get("messages"))
        elif kind in ("TEXT_MESSAGE_START", "STEP_STARTED"):
            self.transcript.close_step()
            self.transcript.role(event.get("role"))

    def _add(self, event: dict[str, Any], id_: str | None) -> None:
        name = first(event, "toolCallName", "tool_call_name")
        if id_ not in self._open:
            self._open[id_] = (name, [])
        self._last = id_
        if isinstance(event.get("delta"), str):
            self._open[id_][1].append(event["delta"])

    def _write(self, id_: str | None) -> None:
        if id_ in self._open:
            name, pieces = self._open.pop(id_)
            self.transcript.open_step()
            self.transcript.call(name, "".join(pieces) or {}, id_)

    def _write_all(self) -> None:
        for id_ in list(self._open):
            self._write(id_)

    def _hear(self, messages: Any) -> None:
        """Note who wrote each message that no earlier list of messages has."""
        for message in dicts(messages):
            id_ = name_of(message.get("id"))
            if id_ is None or id_ not in self._heard:
                self._heard.add(id_)
                self.transcript.role(message.get("role"))

    def take_messages(self, messages: Any) -> None:
        # After calls that were streamed, it is too late to say which message they follow.
        is_first = not len(self.transcript)
        for message in dicts(messages):
            if is_first:
                self._hear([message])
            content = message.get("content")
            if message.get("role") == "user" and self.question is None:
                self.question = text_in(content)
            calls = dicts(first(message, "toolCalls", "tool_calls"))
            if calls:
                self.transcript.step()
            for call in calls:
                function = call.get("function")
                arguments = at(function, "arguments")
                self.transcript.call(at(function, "name"), arguments or {}, call.get("id"))
            if message.get("role") == "tool":
                id_, error = first(message, "toolCallId", "tool_call_id"), message.get("error")
                self.transcript.result(content, id_, failed=True if error else None)

    def finish(self) -> Trace:
        self._write_all()
        return self.transcript.trace(id=self.name, input=self.question)


def read_tools(document: Any) -> list[Tool]:
    """The tools that the input of a run offers."""
    return read_definitions(at(document, "tools")) if _is_input(document) else []
