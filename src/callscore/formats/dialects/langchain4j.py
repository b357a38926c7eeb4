"""LangChain4j messages (`ChatMessageSerializer`, stores of chat memories)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import as_list, at, dicts, first, text_in
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 505
_EXAMPLE_CALL = {"id": "c1", "name": "weather", "arguments": '{"city": "Munich"}'}
EXAMPLE = [
    {"type": "USER", "contents": [{"type": "TEXT", "text": "How warm is it?"}]},
    {"type": "AI", "toolExecutionRequests": [_EXAMPLE_CALL], "attributes": {}},
]
_REQUESTS = "toolExecutionRequests"
_ANSWER, _RESULT = "AI", "TOOL_EXECUTION_RESULT"
_TYPES = ("SYSTEM", "USER", _ANSWER, _RESULT, "CUSTOM")
SIGNS = Signs(
    keys=(_REQUESTS, "messages", "contents", "text"),
    item_keys=(_REQUESTS, "contents", "text"),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is a message, or messages of which at least one is only of this library."""
    messages = _messages_in(document)
    return bool(messages) and all(map(joins_lines, messages)) and any(map(_is_own, messages))


def _messages_in(document: Any) -> list[Any]:
    held = document.get("messages") if isinstance(document, dict) else None
    return held if isinstance(held, list) else as_list(document)


def _is_own(message: Any) -> bool:
    """Whether a message has a field that others do not have, or the result of a tool."""
    return _REQUESTS in message or "contents" in message or message["type"] == _RESULT


def joins_lines(line: Any) -> bool:
    """Whether a line is a message: with its type in capitals, and without a role."""
    return at(line, "type") in _TYPES and "role" not in line


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages."""
    transcript = Transcript(options)
    question = None
    for message in dicts(_messages_in(document)):
        kind = message.get("type")
        transcript.role(kind)
        if kind == _ANSWER:
            transcript.step()
            for call in dicts(message.get(_REQUESTS)):
                transcript.call(call.get("name"), call.get("arguments"), call.get("id") or None)
        elif kind == _RESULT:
            id_ = message.get("id") or None
            name = None if id_ else message.get("toolName") or None
            transcript.result(_said_in(message), id_, name=name, failed=message.get("isError"))
        elif kind == "USER" and question is None:
            question = _said_in(message)
    return [transcript.trace(input=question)]


def _said_in(message: dict[str, Any]) -> Any:
    """The text of a message; its contents, if there is something else in them."""
    contents = first(message, "contents", "text")
    texts = [{**part, "type": "text"} for part in dicts(contents) if part.get("type") == "TEXT"]
    is_text = isinstance(contents, list) and len(texts) == len(contents)
    return text_in(texts) if is_text else contents
