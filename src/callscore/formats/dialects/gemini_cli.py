"""Gemini CLI recordings (sessions, saved chats, `stream-json` output, telemetry).

Also of its forks, such as Qwen Code. A session in lines writes a message again whenever it changes,
and can go back to an earlier message: the last state of every message counts. Telemetry has the
calls that were run, without ids, and their arguments only if the logging of prompts is on; its
spans repeat them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED
from callscore.formats.families.gemini_content import ContentReader, is_content, text_in_content
from callscore.formats.families.span_records import is_batch, raw_attributes, records_in
from callscore.formats.families.spans import read_attributes
from callscore.formats.shape import as_list, at, dicts, first, name_of, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 195  # before the formats of spans, some of which are among the telemetry
EXAMPLE = {
    "sessionId": "730077db",
    "projectHash": "0b7dfb12",
    "startTime": "2026-02-13T19:00:05.416Z",
    "messages": [
        {
            "id": "m1",
            "type": "gemini",
            "content": "",
            "toolCalls": [{"id": "read_file-1", "name": "read_file", "args": {"path": "a.py"}}],
        }
    ],
}
_MAX_SAMPLED = 20
_ANSWER = "gemini"
_MESSAGES = ("user", _ANSWER, "info", "error", "warning")
_SET, _REWIND = "$set", "$rewindTo"
_OUTCOMES = {"success": False, "error": True, "cancelled": True}
_STREAM = ("init", "message", "tool_use", "tool_result", "error", "result")
_EVENT_NAME, _TOOL_EVENT = "event.name", ".tool_call"
_TELEMETRY = ("gemini_cli.", "qwen-code.")
_SERVICES = ("gemini-cli", "qwen-code")
SIGNS = Signs(
    keys=(
        *("sessionId", "toolCalls", _SET, _REWIND, "tool_id", "session_id"),
        *("attributes", "tool_name", "projectHash", "history", "resourceLogs", "resource_logs"),
    )
)


def recognizes(document: Any) -> bool:
    """Whether it is a session, a line of one, an event, a log record, or a list of these."""
    if isinstance(document, dict):
        return _is_known(document) or _is_saved_chat(document)
    return isinstance(document, list) and any(map(_is_known, document[:_MAX_SAMPLED]))


def _is_known(value: Any) -> bool:
    return isinstance(value, dict) and (
        _is_header(value) or _is_change(value) or _is_event(value) or _is_telemetry(value)
    )


def _is_header(value: dict[str, Any]) -> bool:
    """Whether it is a session, or the first line of one."""
    return isinstance(value.get("sessionId"), str) and "projectHash" in value


def _is_change(value: dict[str, Any]) -> bool:
    """Whether it is a later line of a session that no other format has."""
    return (
        isinstance(value.get(_SET), dict)
        or isinstance(value.get(_REWIND), str)
        or (value.get("type") == _ANSWER and isinstance(value.get("toolCalls"), list))
    )


def _is_event(value: dict[str, Any]) -> bool:
    """Whether it is an event of `stream-json` that no other format has."""
    kind = value.get("type")
    if kind == "init":
        return isinstance(value.get("session_id"), str) and "model" in value
    if kind not in ("tool_use", "tool_result") or not isinstance(value.get("tool_id"), str):
        return False
    return kind == "tool_result" or isinstance(value.get("tool_name"), str)


def _is_telemetry(value: dict[str, Any]) -> bool:
    """Whether it is a log record, or a batch of them, as a collector writes them."""
    if "resourceLogs" in value or "resource_logs" in value:
        return _is_own_batch(value)
    return _is_record(value.get("attributes"))


def _is_record(attributes: Any) -> bool:
    name = at(attributes, _EVENT_NAME)
    return isinstance(name, str) and name.startswith(_TELEMETRY)


def _is_own_batch(value: dict[str, Any]) -> bool:
    """Whether it is a batch of log records or spans of this program, which names itself."""
    if not is_batch(value):
        return False
    sent = [held for held in value.values() if isinstance(held, list)]
    resources = [at(batch, "resource", "attributes") for batches in sent for batch in batches]
    return any(read_attributes(found).get("service.name") in _SERVICES for found in resources)


def _is_saved_chat(value: dict[str, Any]) -> bool:
    """Whether it is a file of `/chat save`, which has the contents of the API."""
    contents = value.get("history")
    return (
        isinstance(contents, list)
        and all(is_content(item) and item.get("role") in ("user", "model") for item in contents)
        and bool(contents)
    )


def joins_lines(line: Any) -> bool:
    """Whether a line is one of a session, an event, or a log record; a session may be one line."""
    if not isinstance(line, dict) or (_is_header(line) and "messages" in line):
        return False
    if _is_known(line) or _is_own_batch(line):
        return True
    is_dated = isinstance(line.get("timestamp"), str)
    is_message = line.get("type") in _MESSAGES and "content" in line and "id" in line
    return is_dated and (is_message or line.get("type") in _STREAM)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run for a session or a stream; one for each session in a telemetry file."""
    lines = dicts(as_list(document))
    if isinstance(document, dict) and _is_saved_chat(document):
        return [_read_saved_chat(dicts(document["history"]), options)]
    if any(map(_is_telemetry, lines)):
        return _read_telemetry(lines, options)
    if any(map(_is_event, lines)):
        return [_read_stream(lines, options)]
    return [_read_session(lines, options)]


# --- sessions ----------------------------------------------------------------------------------


def _read_session(lines: list[dict[str, Any]], options: ReadOptions) -> Trace:
    about: dict[str, Any] = {}
    messages: dict[str, dict[str, Any]] = {}
    for line in lines:
        if isinstance(line.get(_REWIND), str):
            _rewind(messages, line[_REWIND])
            continue
        record = line[_SET] if isinstance(line.get(_SET), dict) else line
        if isinstance(record.get("messages"), list):
            messages.clear()
            _add(messages, record["messages"])
        if "type" in record:
            _add(messages, [record])
        elif "messages" not in about:
            about = {**record, **about}
    transcript = Transcript(options, once=True)
    caller = "subagent" if about.get("kind") == "subagent" else None
    for message in messages.values():
        is_answer = message.get("type") == _ANSWER
        transcript.role(None if caller or is_answer else message.get("type"))
        if is_answer:
            _take_answer(message, transcript, caller)
        else:
            transcript.unknown(message.get("type"), message)
    asked = [text_in(m.get("content")) for m in messages.values() if m.get("type") == "user"]
    question = asked[0] if asked else None
    return transcript.trace(id=text_of(about.get("sessionId")), input=question)


def _add(messages: dict[str, dict[str, Any]], found: list[Any]) -> None:
    """Add messages; one with the id of an earlier one is that message in its new state."""
    for message in dicts(found):
        messages[name_of(message.get("id")) or f"#{len(messages)}"] = message


def _rewind(messages: dict[str, dict[str, Any]], name: str) -> None:
    """Remove a message and all after it; all messages if it is unknown."""
    names = list(messages)
    for later in names[names.index(name) if name in messages else 0 :]:
        del messages[later]


def _take_answer(message: dict[str, Any], transcript: Transcript, caller: str | None) -> None:
    transcript.speaker(is_user=False)
    calls = dicts(message.get("toolCalls"))
    if calls:
        transcript.step()
    for call in calls:
        transcript.call(call.get("name"), call.get("args"), call.get("id"), caller=caller)
        status = call.get("status")
        if isinstance(status, str) and status in _OUTCOMES:
            result = call.get("result")
            answers = [at(part, "functionResponse", "response") for part in dicts(result)]
            known = [answer for answer in answers if answer is not None]
            value = known[0] if known else first(call, "result", "resultDisplay")
            transcript.result(value, call.get("id"), failed=_OUTCOMES[status])


def _read_saved_chat(contents: list[dict[str, Any]], options: ReadOptions) -> Trace:
    reader = ContentReader(options)
    for content in contents:
        reader.begin()
        reader.take(content)
    asked = [content for content in contents if content.get("role") == "user"]
    return reader.finish().trace(input=text_in_content(at(asked, 0)))


# --- events of `stream-json` -------------------------------------------------------------------


def _read_stream(lines: list[dict[str, Any]], options: ReadOptions) -> Trace:
    transcript = Transcript(options, once=True)
    name = question = None
    for line in lines:
        kind = line.get("type")
        if kind == "init":
            name = text_of(line.get("session_id")) or name
        elif kind == "tool_use":
            transcript.open_step()
            transcript.call(line.get("tool_name"), line.get("parameters"), line.get("tool_id"))
        elif kind == "tool_result":
            transcript.close_step()
            failed = _OUTCOMES.get(line["status"]) if isinstance(line.get("status"), str) else None
            value = first(line, "output", "error")
            transcript.result(value, line.get("tool_id"), failed=failed)
        elif kind == "message":
            transcript.close_step()
            transcript.role(line.get("role"))
            if question is None and line.get("role") == "user":
                question = text_in(line.get("content"))
        else:
            transcript.unknown(kind, line)
    return transcript.trace(id=name, input=question)


# --- telemetry ---------------------------------------------------------------------------------


def _read_telemetry(lines: list[dict[str, Any]], options: ReadOptions) -> list[Trace]:
    sessions: dict[str | None, Transcript] = {}
    records: list[dict[str, Any]] = []
    for line in lines:
        records += [record for record, _ in records_in(line)] if is_batch(line) else [line]
    for fields in filter(_is_record, map(read_attributes, map(raw_attributes, records))):
        session = text_of(fields.get("session.id"))
        transcript = sessions.setdefault(session, Transcript(options))
        if fields[_EVENT_NAME].endswith(_TOOL_EVENT):
            _take_record(fields, transcript)
    return [
        transcript.trace(id=session, view="executed") for session, transcript in sessions.items()
    ]


def _take_record(fields: dict[str, Any], transcript: Transcript) -> None:
    arguments = fields.get("function_args")
    transcript.step()
    transcript.call(
        fields.get("function_name"),
        arguments,
        kind="mcp" if fields.get("tool_type") == "mcp" else None,
        error=NOT_CAPTURED if arguments is None else None,
    )
    if isinstance(fields.get("success"), bool):
        problem = first(fields, "error", "error.message", "error_type")
        transcript.result(problem, failed=not fields["success"])
