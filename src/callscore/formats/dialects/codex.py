"""Codex transcripts (session rollouts, `codex exec --json` output).

A rollout has the requests of the model, as Responses items. The printed events have what was run,
by its kind: `command_execution` and `file_change` are not tools of the model. Among the items, a
local shell call is a call of the tool `local_shell`, which here is a tool of the agent, not of the
provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED, Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, at, dicts, first, integer_of, json_of, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

__all__ = ["EXAMPLE", "ORDER", "SIGNS", "joins_lines", "read", "read_tools", "recognizes"]

ORDER = 340
EXAMPLE = [
    {"type": "session_meta", "payload": {"id": "0199a213", "cwd": "/home/ana/shop"}},
    {
        "type": "response_item",
        "payload": {
            "type": "function_call",
            "name": "shell",
            "arguments": '{"command": ["ls"]}',
            "call_id": "call_1",
        },
    },
]
_MAX_SAMPLED = 20
_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_EVENTS = ("thread.started", "turn.started", "item.started", "item.updated", "item.completed")
_EXIT_CODE = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d+)", re.MULTILINE)
_HEAD_LENGTH = 400  # characters: the output of a command follows its exit code
SIGNS = Signs(keys=("record_type", "payload", "thread_id", "item"))


def recognizes(document: Any) -> bool:
    """Whether it is a line of a rollout, an event, or a list of them."""
    lines = document[:_MAX_SAMPLED] if isinstance(document, list) else [document]
    return any(map(_is_known, lines))


def _is_known(value: Any) -> bool:
    if not isinstance(value, dict) or not ("type" in value or "record_type" in value):
        return False
    return _is_line(value) or _is_event(value)


def _is_line(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("record_type") == "state":  # of the first versions, between the items
        return True
    return value.get("type") in _LINES and isinstance(value.get("payload"), dict)


def _is_event(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if kind == "thread.started":
        return isinstance(value.get("thread_id"), str)
    return kind in _EVENTS[2:] and at(value, "item", "type") in tuple(_RUN)


def joins_lines(line: Any) -> bool:
    """Whether a line is one of a rollout, or an event."""
    if _is_line(line) or at(line, "type") in _EVENTS:
        return True
    # The first versions begin without a type.
    return isinstance(line, dict) and "instructions" in line and "timestamp" in line


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for every session."""
    sessions = [_Session(options)]
    for line in dicts(as_list(document)):
        session = sessions[-1]
        start = _session_start(line)
        if start is None:
            session.take(line)
            continue
        if session.name is not None and start.get("id") not in (session.name, session.parent):
            session = _Session(options)
            sessions.append(session)
        session.begin(start)
    return [session.trace() for session in sessions]


def _session_start(line: dict[str, Any]) -> dict[str, Any] | None:
    """The description of a session in its first line; None for any other line."""
    kind = line.get("type")
    if kind == "session_meta":
        payload = line.get("payload")
        return payload if isinstance(payload, dict) else None
    if kind == "thread.started":
        return {"id": line.get("thread_id")}
    return line if kind is None and "instructions" in line else None


class _Session:
    """A session, as far as its lines have been read."""

    def __init__(self, options: ReadOptions) -> None:
        self.name: str | None = None
        self.parent: Any = None  # of a fork, which repeats the beginning of its parent
        self._transcript = Transcript(options)
        self._question: str | None = None
        self._caller: str | None = None
        self._started: set[str] = set()
        self._is_run = False

    def trace(self) -> Trace:
        view = "executed" if self._is_run else "requested"
        return self._transcript.trace(id=self.name, input=self._question, view=view)

    def begin(self, start: dict[str, Any]) -> None:
        if self.name is None:
            self.name = text_of(start.get("id"))
            self.parent = start.get("forked_from_id")
            self._caller = "subagent" if at(start, "source", "subagent") is not None else None

    def take(self, line: dict[str, Any]) -> None:
        kind, payload = line.get("type"), line.get("payload")
        if kind in _EVENTS:
            self._take_run(line)
        elif kind == "response_item":
            self._take_item(payload)
        elif kind == "event_msg" and at(payload, "type") == "user_message":
            self._question = self._question or text_of(at(payload, "message"))
        elif "payload" not in line:
            self._take_item(line)

    def _take_item(self, item: Any) -> None:
        """Add an item; the calls up to the next result belong together."""
        kind = at(item, "type")
        if not isinstance(kind, str):
            return
        if kind in _CALLS:
            self._transcript.open_step()
            call_id = first(item, "call_id", "id")
            self._transcript.call(*_CALLS[kind](item), call_id, caller=self._caller)
        elif kind.endswith("_output"):
            self._transcript.close_step()
            output = item.get("output")
            self._transcript.result(output, item.get("call_id"), failed=_failed(output))
        elif kind == "message" and item.get("role") == "user":
            self._transcript.close_step()

    def _take_run(self, event: dict[str, Any]) -> None:
        """Add a call when it starts, or else when it ends, and its result."""
        self._is_run = True
        item = event.get("item")
        kind = at(item, "type")
        if not isinstance(item, dict) or not isinstance(kind, str) or kind not in _RUN:
            return
        call_id = text_of(item.get("id"))
        if call_id not in self._started:
            if call_id is not None:
                self._started.add(call_id)
            self._transcript.step()
            self._transcript.call(
                *_RUN[kind](item),
                call_id,
                kind="mcp" if kind == "mcp_tool_call" else None,
                caller=self._caller,
                error=NOT_CAPTURED if kind == "collab_tool_call" else None,
            )
        if event.get("type") == "item.completed":
            result = first(item, "error", "result", "aggregated_output")
            is_refused = item.get("status") in ("failed", "declined")
            failed = is_refused or item.get("exit_code") not in (None, 0)
            self._transcript.result(result, call_id, failed=failed)


def _read_shell_call(item: dict[str, Any]) -> tuple[Any, Any]:
    action = item.get("action")
    if not isinstance(action, dict):
        return "local_shell", action
    return "local_shell", {key: value for key, value in action.items() if key != "type"}


# The name and the arguments of a call, by the type of the item.
_Call = Callable[[dict[str, Any]], tuple[Any, Any]]
_CALLS: dict[str, _Call] = {
    "function_call": lambda item: (item.get("name"), item.get("arguments")),
    "custom_tool_call": lambda item: (item.get("name"), {"input": item.get("input")}),
    "local_shell_call": _read_shell_call,
}
_RUN: dict[str, _Call] = {
    "command_execution": lambda item: ("command_execution", {"command": item.get("command")}),
    "file_change": lambda item: ("file_change", {"changes": item.get("changes")}),
    "mcp_tool_call": lambda item: (item.get("tool"), item.get("arguments")),
    "collab_tool_call": lambda item: (item.get("tool"), None),
}


def _failed(output: Any) -> bool | None:
    """Whether a call failed, by the flag or the exit code in its output; None if it has neither."""
    if isinstance(output, dict):
        flag = output.get("success")
        return not flag if isinstance(flag, bool) else None
    text = text_in(output)
    if text is None:
        return None
    if text.startswith("{") and '"exit_code"' in text:
        code = integer_of(at(json_of(text), "metadata", "exit_code"))
    else:
        stated = _EXIT_CODE.search(text, 0, _HEAD_LENGTH)
        code = int(stated[1]) if stated else None
    return None if code is None else code != 0


def read_tools(document: Any) -> list[Tool]:
    """The tools that the program around a session gave it."""
    lines = dicts(document)
    return [
        tool for line in lines for tool in read_definitions(at(line, "payload", "dynamic_tools"))
    ]
