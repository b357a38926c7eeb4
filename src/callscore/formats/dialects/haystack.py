"""Haystack chat messages, and results of agents and pipelines.

Each part of a message is an object whose only key says what it is. Older versions put an underscore
before the keys of a message; those before them had the calls as JSON in place of the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import at, dicts, first, json_of, list_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 545
_EXAMPLE_CALL = {"tool_name": "get_weather", "arguments": {"city": "Paris"}, "id": "call_1"}
EXAMPLE: dict[str, Any] = {
    "messages": [
        {"role": "assistant", "name": None, "meta": {}, "content": [{"tool_call": _EXAMPLE_CALL}]}
    ]
}
_PART_KEYS = frozenset(("text", "tool_call", "tool_call_result", "image", "reasoning", "file"))
_LISTS = ("messages", "replies", "tool_messages")
_MESSAGE_KEYS = ("meta", "_meta", "_content")
_MAX_SAMPLED = 20
SIGNS = Signs(
    keys=("replies", "tool_messages", *_MESSAGE_KEYS, "serialized_data"),
    item_keys=_MESSAGE_KEYS,
    message_keys=_MESSAGE_KEYS,
    value_types=(dict,),  # of the results of a pipeline, each under the name of a component
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether all are messages of Haystack: in a list, or among the results of a pipeline."""
    messages = _messages_in(document)[:_MAX_SAMPLED]
    return bool(messages) and all(map(joins_lines, messages))


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a conversation."""
    if not isinstance(line, dict):
        return False
    if isinstance(line.get("_content"), list):
        return isinstance(line.get("_role"), str)
    is_message = isinstance(line.get("role"), str) and isinstance(line.get("meta"), dict)
    return is_message and "name" in line and _has_own_content(line)


def _has_own_content(message: dict[str, Any]) -> bool:
    content = message.get("content")
    if isinstance(content, list):
        return all(map(_is_part, content))
    return isinstance(content, str) and (bool(_calls_in_text(message)) or _is_plain(message))


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    is_flat = "tool_name" in part and "arguments" in part
    return is_flat or (len(part) == 1 and not _PART_KEYS.isdisjoint(part))


def _is_plain(message: dict[str, Any]) -> bool:
    return message.keys() == {"content", "role", "name", "meta"}


def _messages_in(document: Any) -> list[Any]:
    """The messages of a list, of an agent, or of the components of a pipeline."""
    if not isinstance(document, dict):
        return list_of(document)
    if joins_lines(document):
        return [document]
    held = document.get("serialized_data", document)
    components = held.values() if isinstance(held, dict) else ()
    return _lists_in(held) or [message for value in components for message in _lists_in(value)]


def _lists_in(value: Any) -> list[Any]:
    """The messages under the first of the usual keys: the others repeat some of them."""
    return next((held for key in _LISTS if (held := list_of(at(value, key)))), [])


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages; those that a component only passes on are there once."""
    transcript = Transcript(options, once=True)
    heard: list[Any] = []
    for message in dicts(_messages_in(document)):
        transcript.close_step()
        # The components of a pipeline repeat what they were given.
        if isinstance(document, list) or message not in heard:
            transcript.role(first(message, "role", "_role"))
            heard.append(message)
        content = message.get("_content") if "_content" in message else message.get("content")
        for part in dicts(content):
            _take_part(part, transcript)
        for call in _calls_in_text(message):
            transcript.open_step()
            function = call["function"]
            transcript.call(function.get("name"), function.get("arguments"), call.get("id"))
    return [transcript.trace()]


def _take_part(part: dict[str, Any], transcript: Transcript) -> None:
    call = part if "tool_name" in part else part.get("tool_call")
    if isinstance(call, dict):
        transcript.open_step()
        transcript.call(call.get("tool_name"), call.get("arguments"), call.get("id"))
    result = part if "origin" in part else part.get("tool_call_result")
    if isinstance(result, dict):
        origin = result.get("origin")  # a copy of the call
        id_, name = at(origin, "id"), at(origin, "tool_name")
        transcript.result(result.get("result"), id_, name=name, failed=result.get("error"))
    if call is None and result is None:
        transcript.unknown_keys(part, _PART_KEYS)


def _calls_in_text(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of OpenAI that are JSON in place of the text, as in the oldest versions."""
    content = message.get("content")
    if at(message, "meta", "finish_reason") not in ("tool_calls", "function_call"):
        return []
    if not isinstance(content, str) or content[:1] != "[":
        return []
    return [call for call in dicts(json_of(content)) if isinstance(call.get("function"), dict)]
