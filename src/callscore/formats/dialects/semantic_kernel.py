"""Semantic Kernel chat histories and messages (Python, .NET).

The name of a function is that of its plugin and its own, joined by a hyphen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import dicts, first, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 560
_EXAMPLE_CALL = {
    "content_type": "function_call",
    "id": "call_1",
    "name": "weather-get_weather",
    "function_name": "get_weather",
    "plugin_name": "weather",
    "arguments": '{"city": "Paris"}',
}
EXAMPLE = {"messages": [{"content_type": "message", "role": "assistant", "items": [_EXAMPLE_CALL]}]}
_CALLS = ("function_call", "FunctionCallContent")
_RESULTS = ("function_result", "FunctionResultContent")
_ITEMS = (*_CALLS, *_RESULTS)
_KEYS = ("content_type", "Items", "items", "$type")
SIGNS = Signs(keys=(*_KEYS, "Messages"), item_keys=_KEYS, message_keys=_KEYS)


def recognizes(document: Any) -> bool:
    """Whether all are messages of the kernel, or all are items of such messages."""
    parts = _parts_in(document)
    return parts != [] and (all(map(joins_lines, parts)) or all(map(_is_item, parts)))


def _parts_in(document: Any) -> list[Any]:
    """The messages of a history or a list; one message; or items of one."""
    if isinstance(document, dict):
        held = first(document, "messages", "Messages")
        document = [document] if held is None else held
    return list_of(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a history."""
    if not isinstance(line, dict) or "choice_index" in line:  # a chunk of a stream
        return False
    if line.get("content_type") == "message":
        return isinstance(line.get("items"), list)
    role, items = first(line, "Role", "role"), first(line, "Items", "items")
    is_message = isinstance(first(role, "Label", "label"), str) or (
        isinstance(role, str) and any(map(_has_type, dicts(items)))
    )
    return isinstance(items, list) and is_message


def _has_type(item: dict[str, Any]) -> bool:
    """Whether it has the type of an item of .NET."""
    kind = item.get("$type")
    return isinstance(kind, str) and kind.endswith("Content")


def _is_item(item: Any) -> bool:
    return isinstance(item, dict) and _type_of(item) in _ITEMS


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages of a history."""
    transcript = Transcript(options)
    parts = dicts(_parts_in(document))
    if any(map(_is_item, parts)):
        parts = [{"items": parts}]
    for message in parts:
        transcript.close_step()
        role = first(message, "role", "Role")
        transcript.role(first(role, "label", "Label") if isinstance(role, dict) else role)
        for item in dicts(first(message, "items", "Items")):
            kind = _type_of(item)
            if kind in _CALLS:
                transcript.open_step()
                arguments = first(item, "arguments", "Arguments")
                transcript.call(_name_of(item), arguments, first(item, "call_id", "id", "Id"))
            elif kind in _RESULTS:
                id_ = first(item, "call_id", "callId", "CallId", "id")
                transcript.result(first(item, "result", "Result"), id_)
            else:
                transcript.unknown(kind, item)
    return [transcript.trace()]


def _type_of(item: dict[str, Any]) -> Any:
    return item.get("content_type") or item.get("$type")


def _name_of(item: dict[str, Any]) -> str | None:
    name = text_of(item.get("name"))
    if name:
        return name
    function = text_of(first(item, "function_name", "FunctionName", "functionName"))
    plugin = text_of(first(item, "plugin_name", "PluginName", "pluginName"))
    return f"{plugin}-{function}" if plugin and function else function
