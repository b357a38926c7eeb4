"""OpenCode sessions (`opencode export`, `opencode run --format json`, stored parts, events).

A call and its result are one part of a message. Events write a part again whenever its state
changes: the last state counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED, TRUNCATED
from callscore.formats.shape import (
    as_list,
    at,
    dicts,
    first,
    integer_of,
    name_of,
    text_in,
    text_of,
)
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 371
_EXAMPLE_PART = {
    "id": "prt_1",
    "messageID": "msg_1",
    "sessionID": "ses_1",
    "type": "tool",
    "tool": "read",
    "callID": "call_1",
    "state": {"status": "completed", "input": {"filePath": "a.py"}, "output": "print()"},
}
EXAMPLE = {
    "info": {"id": "ses_1", "title": "Read a.py"},
    "messages": [
        {"info": {"id": "msg_1", "role": "assistant"}, "parts": [_EXAMPLE_PART]},
    ],
}
_MAX_SAMPLED = 100  # events of the program around a session come first
_PRINTED = ("step_start", "step_finish", "tool_use", "text", "reasoning", "error")
_EVENTS = ("message.updated", "message.part.updated", "session.created", "session.updated")
_REDACTED = {"redacted"}  # what an export with `--sanitize` has in place of the arguments
SIGNS = Signs(
    keys=("info", "part", "properties", "state", "parts", "sessionID", "payload"),
    message_keys=("info", "parts"),
)


def recognizes(document: Any) -> bool:
    """Whether it is a session, a message, a part, an event, or a list of these."""
    if isinstance(document, dict):
        messages = document.get("messages")
        if isinstance(messages, list) and isinstance(document.get("info"), dict):
            is_session = isinstance(at(document, "info", "id"), str) and not messages
            return is_session or any(map(_is_message, messages[:_MAX_SAMPLED]))
        return _is_known(document)
    return isinstance(document, list) and any(map(_is_known, document[:_MAX_SAMPLED]))


def _is_known(value: Any) -> bool:
    return isinstance(value, dict) and (
        _is_part(value) or _is_message(value) or _is_line(value) or _is_event(_unwrapped(value))
    )


def _is_part(value: Any) -> bool:
    """Whether it is a part with a call."""
    return (
        isinstance(value, dict)
        and value.get("type") == "tool"
        and isinstance(at(value, "state", "status"), str)
        and isinstance(first(value, "tool", "name"), str)
    )


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("parts"), list) and isinstance(at(value, "info", "role"), str):
        return True
    # The messages of the next version.
    return value.get("type") == "assistant" and any(map(_is_part, dicts(value.get("content"))))


def _is_line(value: dict[str, Any]) -> bool:
    """Whether it is a line that `run --format json` prints."""
    return value.get("type") in _PRINTED and isinstance(value.get("sessionID"), str)


def _is_event(value: dict[str, Any]) -> bool:
    """Whether it is an event of the server."""
    return value.get("type") in _EVENTS and isinstance(value.get("properties"), dict)


def _unwrapped(value: dict[str, Any]) -> dict[str, Any]:
    """The event in the wrapper that has it if the events are those of all projects."""
    inner = value.get("payload")
    return inner if isinstance(inner, dict) and "properties" in inner else value


def joins_lines(line: Any) -> bool:
    """Whether a line is one of a run, a message, a part, or an event; a session may be one line."""
    if not isinstance(line, dict):
        return False
    event = _unwrapped(line)
    is_event = isinstance(event.get("type"), str) and isinstance(event.get("properties"), dict)
    return _is_known(line) or (is_event and "." in event["type"])


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for every session."""
    sessions: dict[str | None, dict[str, dict[str, Any]]] = {}
    subagents: set[str | None] = set()
    for about in _sessions_in(document):
        sessions.setdefault(text_of(about.get("id")), {})
        if isinstance(about.get("parentID"), str):
            subagents.add(text_of(about.get("id")))
    first_name = next(iter(sessions), None)
    for part in _parts_in(document):
        parts = sessions.setdefault(text_of(part.get("sessionID")) or first_name, {})
        # A part that is known stays where it first was, in its new state.
        parts[name_of(first(part, "id", "callID")) or f"#{len(parts)}"] = part
    traces = []
    for name, parts in (sessions or {None: {}}).items():
        transcript = Transcript(options)
        caller = "subagent" if name in subagents else None
        _take_parts(parts.values(), transcript, caller)
        traces.append(transcript.trace(id=name, input=_question_in(document)))
    return traces


def _sessions_in(document: Any) -> list[dict[str, Any]]:
    """What a document says about its sessions."""
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        return dicts([document.get("info")])
    events = [_unwrapped(item) for item in dicts(as_list(document))]
    about = [at(event, "properties", "info") for event in events]
    return [info for info in dicts(about) if "role" not in info and "id" in info]


def _parts_in(document: Any) -> list[dict[str, Any]]:
    """The parts of all messages, each with the ids of its message and its session."""
    messages = at(document, "messages")
    items = dicts(messages if isinstance(messages, list) else as_list(document))
    roles = _roles_in(items)
    parts: list[dict[str, Any]] = []
    for place, item in enumerate(items):
        inner = first(item, "parts", "content")
        if isinstance(inner, list):
            about = item["info"] if isinstance(item.get("info"), dict) else item
            own = {"messageID": about.get("id") or place, "sessionID": about.get("sessionID")}
            parts += [{**own, **part, "role": about.get("role")} for part in dicts(inner)]
        else:
            known = at(_unwrapped(item), "properties", "part") or item.get("part")
            is_part = "state" in item or "messageID" in item
            found = dicts([known or (item if is_part else None)])
            parts += [{**part, "role": roles.get(name_of(part.get("messageID")))} for part in found]
    return parts


def _roles_in(items: list[dict[str, Any]]) -> dict[str | None, Any]:
    """Who wrote each message, by its id, as events report it."""
    about = dicts([at(_unwrapped(item), "properties", "info") for item in items])
    return {name_of(info.get("id")): info["role"] for info in about if "role" in info}


def _take_parts(
    parts: Iterable[dict[str, Any]], transcript: Transcript, caller: str | None
) -> None:
    """Add the calls of a session; those of one message up to the next step belong together."""
    message = None
    for part in parts:
        if part.get("type") == "step-start" or part.get("messageID") != message:
            transcript.close_step()
        message = part.get("messageID")
        is_synthetic = part.get("role") == "user" and part.get("synthetic") is True
        if caller is None and not is_synthetic:
            transcript.role(part.get("role"))
        if part.get("type") == "tool" and isinstance(part.get("state"), dict):
            transcript.open_step()
            _take_call(part, part["state"], transcript, caller)
        else:
            transcript.unknown(part.get("type"), part)


def _take_call(
    part: dict[str, Any], state: dict[str, Any], transcript: Transcript, caller: str | None
) -> None:
    arguments, error = state.get("input"), None
    call_id = first(part, "callID", "id")
    if state.get("status") == "pending" and not arguments:
        arguments, error = state.get("raw") or None, TRUNCATED
    elif isinstance(arguments, dict) and arguments.keys() == _REDACTED:
        arguments, error = None, NOT_CAPTURED
    transcript.call(first(part, "tool", "name"), arguments, call_id, caller=caller, error=error)
    if state.get("status") == "error":
        transcript.result(first(state, "error", "output"), call_id, failed=True)
    elif state.get("status") == "completed" or "output" in state:
        code = integer_of(at(state, "metadata", "exit"))
        value = first(state, "output", "content", "structured")
        transcript.result(value, call_id, failed=code not in (None, 0))


def _question_in(document: Any) -> str | None:
    """What the user asked first; notes of the program about attached files are left out."""
    messages = at(document, "messages")
    for message in dicts(messages if isinstance(messages, list) else document):
        if at(message, "info", "role") == "user":
            parts = [p for p in dicts(message.get("parts")) if p.get("synthetic") is not True]
            return text_in([part for part in parts if part.get("type") == "text"])
    return None
