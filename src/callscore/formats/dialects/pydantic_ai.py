"""Pydantic AI message histories, messages, parts and stream events.

Output tools such as `final_result` are calls like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import at, dicts, first, json_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace, View

ORDER = 520
_EXAMPLE_CALL = {
    "part_kind": "tool-call",
    "tool_name": "get_weather",
    "args": '{"city": "Paris"}',
    "tool_call_id": "call_1",
}
EXAMPLE = [{"kind": "response", "parts": [_EXAMPLE_CALL]}]
_MESSAGES = ("request", "response")
_HISTORIES = ("messages", "all_messages", "message_history", "new_messages")
_NATIVE_CALLS = ("builtin-tool-call", "native-tool-call")
_CALLS = ("tool-call", *_NATIVE_CALLS)
_RETURNS = ("tool-return", "builtin-tool-return", "native-tool-return")
_RETRY = "retry-prompt"
_PARTS = (*_CALLS, *_RETURNS, _RETRY)
_CALL_EVENTS = ("function_tool_call", "output_tool_call", "builtin_tool_call")
_RESULT_EVENTS = ("function_tool_result", "output_tool_result", "builtin_tool_result")
_OTHER_EVENTS = ("part_start", "part_delta", "part_end", "final_result")
_EVENTS = (*_CALL_EVENTS, *_RESULT_EVENTS, *_OTHER_EVENTS)
_MCP = "mcp_server:"
_OFFERED = ("function_tools", "output_tools")  # the tools in a request to a model
# Every item, history, state with a history and request to a model has one of these.
_MARKS = frozenset(("kind", "part_kind", "event_kind", "state", "_state", *_HISTORIES, *_OFFERED))
SIGNS = Signs(
    keys=tuple(_MARKS - {"messages"}),
    item_keys=("kind", "part_kind", "event_kind"),
    message_keys=("kind",),
)


def recognizes(document: Any) -> bool:
    """Whether it is a history, alone or under a key, or messages, parts or events of one."""
    if isinstance(document, dict):
        return not _MARKS.isdisjoint(document) and _is_record(document)
    return (isinstance(document, list) and bool(document)) and (
        all(map(_is_message, document))
        or _are_of_kinds(document, "part_kind", _PARTS)
        or _are_of_kinds(document, "event_kind", _EVENTS)
    )


def _is_record(document: dict[str, Any]) -> bool:
    history = _history(document)
    if history:
        return all(map(_is_message, history)) or _is_item(document)
    return _is_item(document) or all(isinstance(document.get(key), list) for key in _OFFERED)


def _are_of_kinds(items: list[Any], key: str, known: tuple[str, ...]) -> bool:
    """Whether all items have a kind, and one a known kind; newer versions may add others."""
    if not isinstance(items[0], dict) or key not in items[0]:
        return False
    kinds = [at(item, key) for item in items]
    return all(isinstance(kind, str) for kind in kinds) and any(kind in known for kind in kinds)


def _history(document: dict[str, Any]) -> list[Any]:
    """The messages in the result of a run, or in a state."""
    for holder in (document, first(document, "state", "_state")):
        found = first(holder, *_HISTORIES)
        if isinstance(found, list):
            return found
    return []


def _is_item(item: Any) -> bool:
    return joins_lines(item) or at(item, "part_kind") in _PARTS


def _is_message(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and item.get("kind") in _MESSAGES
        and isinstance(item.get("parts"), list)
    )


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a history, or one event of a stream."""
    return _is_message(line) or at(line, "event_kind") in _EVENTS


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages, parts or events."""
    items = document
    if isinstance(document, dict):
        items = [document] if _is_item(document) else _history(document)
    transcript = Transcript(options)
    view: View = "requested"
    value = None
    for item in dicts(items):
        parts = dicts(item.get("parts"))
        if "event_kind" in item:
            view = "executed"  # an event of a call comes before it is run
            is_about_call = item["event_kind"] in (*_CALL_EVENTS, *_RESULT_EVENTS)
            parts = dicts([first(item, "part", "result")]) if is_about_call else []
            if item["event_kind"] not in _EVENTS:
                transcript.unknown(item["event_kind"], item.get("part"))
        elif "part_kind" in item:
            parts = [item]
        else:
            asked = [part for part in parts if part.get("part_kind") == "user-prompt"]
            value = at(asked, 0, "content") if value is None else value
            _note_speaker(item, parts, transcript)
            if any(part.get("part_kind") in _CALLS for part in parts):
                transcript.step()
        for part in parts:
            _take_part(part, transcript)
    return [transcript.trace(input=value, view=view)]


def _note_speaker(
    message: dict[str, Any], parts: list[dict[str, Any]], transcript: Transcript
) -> None:
    """Note who wrote a message; a prompt beside results is what a tool returned for the model."""
    kinds = [part.get("part_kind") for part in parts]
    if message.get("kind") == "response":
        transcript.speaker(is_user=False)
    elif "user-prompt" in kinds and not any(kind in (*_RETURNS, _RETRY) for kind in kinds):
        transcript.speaker(is_user=True)


def _take_part(part: dict[str, Any], transcript: Transcript) -> None:
    kind = part.get("part_kind")
    if kind == "tool-call":
        transcript.call(part.get("tool_name"), part.get("args"), part.get("tool_call_id"))
    elif kind in _NATIVE_CALLS:
        _take_native_call(part, transcript)
    elif kind in _RETURNS:
        outcome = text_of(part.get("outcome"))  # older versions give none
        failed = None if outcome is None else outcome != "success"
        transcript.result(part.get("content"), part.get("tool_call_id"), failed=failed)
    elif kind == _RETRY and part.get("tool_name") is not None:
        transcript.result(part.get("content"), part.get("tool_call_id"), failed=True)
    else:
        transcript.unknown(kind, part)


def _take_native_call(part: dict[str, Any], transcript: Transcript) -> None:
    """Add a call that the provider made; its arguments have the call of an MCP server."""
    name, arguments, kind = part.get("tool_name"), part.get("args"), "hosted"
    if isinstance(name, str) and name.startswith(_MCP):
        kind = "mcp"
        inner = json_of(arguments)
        action = at(inner, "action")
        if action == "list_tools":
            return
        if action == "call_tool":
            name, arguments = at(inner, "tool_name"), at(inner, "tool_args")
    transcript.call(name, arguments, part.get("tool_call_id"), kind=kind)


def read_tools(document: Any) -> list[Tool]:
    """The tools beside a history, in the format of the request to a model."""
    holders = (document, at(document, "model_request_parameters"))
    offered = [at(holder, name) for holder in holders for name in _OFFERED]
    lists = (at(document, "tools"), *offered)
    return [tool for tools in lists for tool in read_definitions(tools)]
