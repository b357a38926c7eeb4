"""Mistral Agents API conversations (responses, histories, requests, streams).

Mistral's chat completions have the format of OpenAI's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, at, dicts, first, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 710
EXAMPLE = {
    "object": "conversation.response",
    "conversation_id": "conv_1",
    "outputs": [
        {
            "type": "function.call",
            "tool_call_id": "c1",
            "name": "get_weather",
            "arguments": '{"city": "Paris"}',
        }
    ],
}
_OBJECTS = ("conversation.response", "conversation.history")
_LISTS = ("outputs", "entries", "inputs")
_ENTRIES = (
    *("message.input", "message.output"),
    *("function.call", "function.result"),
    *("tool.execution", "agent.handoff"),
)
_EVENTS = (
    *("conversation.response.started", "conversation.response.done"),
    *("conversation.response.error", "message.output.delta", "function.call.delta"),
    *("tool.execution.started", "tool.execution.delta", "tool.execution.done"),
    *("agent.handoff.started", "agent.handoff.done"),
)
SIGNS = Signs(keys=("object", "type", "data", *_LISTS), item_keys=("type", "data"))


def recognizes(document: Any) -> bool:
    """Whether it is a conversation, a list of its entries, or a list of the events of a stream."""
    if isinstance(document, list):
        return _are_entries(document) or (bool(document) and all(map(joins_lines, document)))
    return isinstance(document, dict) and (
        document.get("object") in _OBJECTS
        or joins_lines(document)
        or _are_entries(first(document, *_LISTS))
    )


def _are_entries(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_entry, value))


def _is_entry(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") in _ENTRIES


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a stream."""
    event = _data(line)
    kind = event.get("type") if isinstance(event, dict) else None
    return isinstance(kind, str) and kind in _EVENTS


def _data(item: Any) -> Any:
    """The event itself, without the name that it was sent under."""
    data = item.get("data") if isinstance(item, dict) else None
    return data if isinstance(data, dict) else item


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the entries of a conversation. The calls of tools that Mistral runs are marked."""
    transcript = Transcript(options)
    for entry in _entries_in(document):
        kind = entry.get("type")
        if kind in ("function.call", "tool.execution"):
            transcript.open_step()
            _take_call(entry, transcript)
        elif kind == "function.result":
            transcript.result(entry.get("result"), entry.get("tool_call_id"))
            transcript.close_step()
        elif kind in ("message.input", "message.output"):
            is_output = kind == "message.output"
            transcript.role("assistant" if is_output else entry.get("role", "user"))
            transcript.close_step()
        else:
            transcript.unknown(kind, entry)
    return [transcript.trace()]


def _take_call(entry: dict[str, Any], transcript: Transcript) -> None:
    name, arguments = entry.get("name"), entry.get("arguments")
    if entry["type"] == "function.call":
        transcript.call(name, arguments, first(entry, "tool_call_id", "id"))
        return
    code = at(entry, "info", "code")
    if not arguments and isinstance(code, str):  # in older answers, only the information has it
        arguments = {"code": code}
    transcript.call(name, arguments, entry.get("id"), kind="hosted")
    if entry.get("info") and isinstance(entry.get("id"), str):
        transcript.result(entry["info"], entry["id"])


def _entries_in(document: Any) -> list[dict[str, Any]]:
    items = as_list(document)
    if any(map(joins_lines, items)):
        return _streamed_entries([_data(item) for item in dicts(items)])
    return dicts(document if isinstance(document, list) else first(document, *_LISTS))


def _streamed_entries(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries, put together from the events of a stream."""
    entries: dict[str, dict[str, Any]] = {}
    texts: dict[str, list[str]] = {}
    for event in events:
        kind = event.get("type")
        if kind not in _EVENTS or not kind.startswith(("function.call", "tool.execution")):
            continue
        key = str(first(event, "tool_call_id", "id", "output_index"))
        entry = entries.setdefault(key, {**event, "type": ".".join(kind.split(".")[:2])})
        entry["info"] = event.get("info")
        texts.setdefault(key, []).append(text_of(event.get("arguments")) or "")
    for key, pieces in texts.items():
        entries[key]["arguments"] = "".join(pieces)
    return list(entries.values())


def read_tools(document: Any) -> list[Tool]:
    """The functions that a request offers."""
    return read_definitions(at(document, "tools"))
