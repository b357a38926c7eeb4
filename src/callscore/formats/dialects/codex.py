"""Codex transcripts (session rollouts, `codex exec --json` output).

A rollout has the requests of the model, as Responses items. The printed events have what was run,
by its kind: `command_execution` and `file_change` are not tools of the model. Among the items, a
local shell call is a call of the tool `local_shell`, which here is a tool of the agent, not of the
provider. The first versions wrote the items without a wrapper, and printed pairs of events: what
begins, and what ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED, Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.families.response_items import is_item
from callscore.formats.shape import as_list, at, dicts, first, integer_of, json_of, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

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
_THREAD_STARTS = ("thread.started", "session.created")  # the second for a week in 2025
_ITEM_EVENTS = ("item.started", "item.updated", "item.completed")
_EVENTS = (*_THREAD_STARTS, "turn.started", "turn.completed", "turn.failed", *_ITEM_EVENTS)
_BEGIN, _END = "_begin", "_end"
_EXIT_CODE = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d+)", re.MULTILINE)
_HEAD_LENGTH = 400  # characters: the output of a command follows its exit code
SIGNS = Signs(
    keys=(
        *("record_type", "payload", "thread_id", "session_id", "item", "instructions", "msg"),
        "session",
    )
)


def recognizes(document: Any) -> bool:
    """Whether it is a line of a rollout, an event, a list of them, or a session with its items."""
    if _is_session(document):
        return True
    lines = document[:_MAX_SAMPLED] if isinstance(document, list) else [document]
    return any(map(_is_known, lines))


def _is_session(document: Any) -> bool:
    """Whether it is a file of the first Codex, which was written in TypeScript."""
    return isinstance(at(document, "session", "id"), str) and isinstance(
        at(document, "items"), list
    )


def _is_known(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return _is_line(value) or _is_event(value) or _is_header(value) or _is_message(value)


def _is_header(value: dict[str, Any]) -> bool:
    """Whether a line is the first one of a rollout of the first versions, which has no type."""
    return (
        "type" not in value
        and "instructions" in value
        and isinstance(value.get("timestamp"), str)
        and isinstance(value.get("id"), str)
    )


def _is_message(value: dict[str, Any]) -> bool:
    """Whether a line is an event in the wrapper of the first `exec --json`."""
    kind = at(value, "msg", "type")
    return isinstance(kind, str) and (
        kind == "session_configured"
        or (kind.removesuffix(_BEGIN).removesuffix(_END) in _BEGUN and kind not in _BEGUN)
    )


def _is_line(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("record_type") == "state":  # of the first versions, between the items
        return True
    return value.get("type") in _LINES and isinstance(value.get("payload"), dict)


def _is_event(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if kind in _THREAD_STARTS:
        return isinstance(first(value, "thread_id", "session_id"), str)
    return kind in _ITEM_EVENTS and first(value.get("item"), "type", "item_type") in tuple(_RUN)


def joins_lines(line: Any) -> bool:
    """Whether a line is one of a rollout, an item, or an event."""
    if not isinstance(line, dict):
        return False
    return (
        _is_known(line)
        or line.get("type") in _EVENTS
        or isinstance(at(line, "msg", "type"), str)
        or is_item(line)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for every session."""
    sessions = [_Session(options)]
    for line in _lines_in(document):
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


def _lines_in(document: Any) -> list[dict[str, Any]]:
    if _is_session(document):
        session = {"instructions": None, **document["session"]}
        return [session, *dicts(document["items"])]
    return dicts(as_list(document))


def _session_start(line: dict[str, Any]) -> dict[str, Any] | None:
    """The description of a session in its first line; None for any other line."""
    kind = line.get("type")
    if kind == "session_meta":
        payload = line.get("payload")
        return payload if isinstance(payload, dict) else None
    if kind in _THREAD_STARTS:
        return {"id": first(line, "thread_id", "session_id")}
    if at(line, "msg", "type") == "session_configured":
        return {"id": at(line, "msg", "session_id")}
    return line if kind is None and "instructions" in line else None


def _is_prompt(line: dict[str, Any]) -> bool:
    """Whether the user wrote a line; what the program adds for the model begins with a tag."""
    kind, payload = line.get("type"), line.get("payload")
    if "user_message" in (at(payload, "type"), at(line, "msg", "type")):
        return True
    item = payload if kind == "response_item" else line
    if at(item, "type") != "message" or at(item, "role") != "user":
        return kind == "turn.started"  # of a run that has no prompts in its events
    text = text_in(at(item, "content")) or ""
    return bool(text) and not text.startswith(("<", "# AGENTS.md"))


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
        if self._caller is None and _is_prompt(line):
            self._transcript.speaker(is_user=True)
        if kind in _EVENTS:
            self._take_run(line)
        elif isinstance(line.get("msg"), dict):
            self._take_message(line["msg"])
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
            self._transcript.call(
                *_CALLS[kind](item),
                first(item, "call_id", "id"),
                kind="hosted" if _is_hosted(item) else None,
                caller=self._caller,
                error=NOT_CAPTURED if kind == "image_generation_call" else None,
            )
        elif kind.endswith("_output"):
            self._transcript.close_step()
            output = first(item, "output", "tools")
            self._transcript.result(output, item.get("call_id"), failed=_failed(output))
        elif kind == "message" and item.get("role") == "user":
            self._transcript.close_step()
        elif kind == "message":
            self._transcript.role(item.get("role"))
        else:
            self._transcript.unknown(kind, item)

    def _take_run(self, event: dict[str, Any]) -> None:
        """Add a call when it starts, or else when it ends, and its result."""
        self._is_run = True
        item = event.get("item")
        kind = first(item, "type", "item_type")
        if not isinstance(item, dict) or not isinstance(kind, str) or kind not in _RUN:
            self._transcript.unknown(kind, item)
            return
        call_id = text_of(item.get("id"))
        if call_id not in self._started:
            if call_id is not None:
                self._started.add(call_id)
            self._transcript.step()
            self._transcript.call(
                *_RUN[kind](item),
                call_id,
                kind=_RUN_KINDS.get(kind),
                caller=self._caller,
                error=NOT_CAPTURED if kind == "collab_tool_call" else None,
            )
        if event.get("type") == "item.completed":
            result = first(item, "error", "result", "aggregated_output")
            is_refused = item.get("status") in ("failed", "declined")
            failed = is_refused or item.get("exit_code") not in (None, 0)
            self._transcript.result(result, call_id, failed=failed)

    def _take_message(self, event: dict[str, Any]) -> None:
        """Add what an event of the first `exec --json` begins, or the result of what it ends."""
        self._is_run = True
        kind, call_id = event.get("type"), event.get("call_id")
        if not isinstance(kind, str):
            return
        what = kind.removesuffix(_BEGIN).removesuffix(_END)
        if what not in _BEGUN or kind == what:
            self._transcript.unknown(what, event)
            return
        if kind.endswith(_BEGIN):
            self._transcript.step()
            run_kind = "mcp" if what == "mcp_tool_call" else None
            self._transcript.call(*_BEGUN[what](event), call_id, kind=run_kind, caller=self._caller)
        else:
            self._transcript.result(*_end_of(event), failed=_end_failed(event))


def _end_of(event: dict[str, Any]) -> tuple[Any, Any]:
    """The result in an event that ends a call, and the id of the call."""
    texts = [text for key in ("stdout", "stderr") if (text := text_of(event.get(key)))]
    result = event.get("result")
    found = first(result, "Ok", "Err") if isinstance(result, dict) else None
    return ("\n".join(texts) if found is None else found), event.get("call_id")


def _end_failed(event: dict[str, Any]) -> bool | None:
    if isinstance(event.get("success"), bool):
        return not event["success"]
    if integer_of(event.get("exit_code")) is not None:
        return bool(event["exit_code"] != 0)
    result = event.get("result")
    if not isinstance(result, dict):
        return None
    return "Err" in result or first(result.get("Ok"), "is_error", "isError") is True


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
    "tool_search_call": lambda item: ("tool_search", item.get("arguments")),
    "web_search_call": lambda item: ("web_search", item.get("action")),
    "image_generation_call": lambda _: ("image_generation", None),
}
_HOSTED = ("web_search_call", "image_generation_call")
_RUN: dict[str, _Call] = {
    "command_execution": lambda item: ("command_execution", {"command": item.get("command")}),
    "file_change": lambda item: ("file_change", {"changes": item.get("changes")}),
    "mcp_tool_call": lambda item: (item.get("tool"), item.get("arguments")),
    "collab_tool_call": lambda item: (item.get("tool"), None),
    "web_search": lambda item: ("web_search", {"query": item.get("query")}),
}
_RUN_KINDS = {"mcp_tool_call": "mcp", "web_search": "hosted"}
# The same in the events of the first versions, which begin and end.
_BEGUN: dict[str, _Call] = {
    "exec_command": _RUN["command_execution"],
    "patch_apply": _RUN["file_change"],
    "mcp_tool_call": lambda event: (
        at(event, "invocation", "tool") or event.get("tool"),
        at(event, "invocation", "arguments") or event.get("arguments"),
    ),
}


def _is_hosted(item: dict[str, Any]) -> bool:
    return item.get("type") in _HOSTED or (
        item.get("type") == "tool_search_call" and item.get("execution") == "server"
    )


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
    """The tools that the program around a session gave it, and those that a search found."""
    tools: list[Tool] = []
    for line in _lines_in(document):
        item = line["payload"] if isinstance(line.get("payload"), dict) else line
        tools += _grouped_tools(item.get("dynamic_tools"))
        if item.get("type") == "tool_search_output":
            tools += _grouped_tools(item.get("tools"))
    return tools


def _grouped_tools(entries: Any) -> list[Tool]:
    """The tools of a list, some of which are in a group with a name of its own."""
    tools: list[Tool] = []
    for entry in dicts(as_list(entries)):
        inner = entry.get("tools")
        tools += read_definitions(inner if isinstance(inner, list) else [entry])
    return tools
