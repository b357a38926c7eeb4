"""Vercel AI SDK model messages (core messages in version 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.vercel_parts import is_tool_part, take_part, take_success
from callscore.formats.shape import at, dicts, first
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 592
_EXAMPLE_CALL = {
    "type": "tool-call",
    "toolCallId": "call_1",
    "toolName": "get_weather",
    "input": {"city": "Paris"},
}
EXAMPLE = [
    {"role": "user", "content": "How is the weather in Paris?"},
    {"role": "assistant", "content": [_EXAMPLE_CALL]},
]
_LISTS = ("messages", "responseMessages", "initialResponseMessages", "prompt")
_ERRORS = ("error-text", "error-json")
SIGNS = Signs(
    keys=(*_LISTS[1:], "response", "content"),
    item_keys=("content",),
    message_keys=("content",),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is a list of messages, and one of them has a part about a call."""
    messages = _messages_in(document)
    return any(map(_is_about_tools, messages)) and all(map(_is_message, messages))


def _messages_in(document: Any) -> list[Any]:
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        return [document]
    inner = first(document, *_LISTS)
    if not isinstance(inner, list) and "response" in document:
        inner = at(document, "response", "messages")
    return inner if isinstance(inner, list) else [document]


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and "content" in value


def _is_about_tools(message: Any) -> bool:
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, list) and any(map(is_tool_part, content))


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a conversation."""
    return _is_message(line) and _is_about_tools(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages of a conversation."""
    transcript = Transcript(options)
    for message in dicts(_messages_in(document)):
        parts = dicts(message.get("content"))
        transcript.role(message.get("role"))
        if any(part.get("type") == "tool-call" for part in parts):
            transcript.step()
        for part in parts:
            if part.get("type") == "tool-result" and isinstance(part.get("output"), dict):
                _take_output(part["output"], part, transcript)
            else:
                take_part(part, transcript)
    return [transcript.trace()]


def _take_output(output: dict[str, Any], part: dict[str, Any], transcript: Transcript) -> None:
    value, id_ = first(output, "value", "reason"), part.get("toolCallId")
    if output.get("type") in _ERRORS:
        transcript.result(value, id_, failed=True)
    elif output.get("type") == "execution-denied":
        transcript.result(value, id_)
    else:
        take_success(value, id_, transcript)
