"""Ollama chat (responses, requests, streams)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.dialects.openai_chat import take_message
from callscore.formats.families.written_calls import take_written_calls
from callscore.formats.shape import at, dicts, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 700
EXAMPLE = {
    "model": "qwen3",
    "message": {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Paris"}}}],
    },
    "done": True,
}
SIGNS = Signs(
    keys=("done",),
    item_keys=("done", "tool_name", "tool_calls"),
    message_keys=("tool_name", "tool_calls"),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is an answer that says whether it is done, or has messages with Ollama's marks."""
    if isinstance(document, list):
        return bool(document) and (
            all(map(_is_response, document)) or any(map(_is_marked, document))
        )
    return isinstance(document, dict) and (
        _is_response(document) or any(map(_is_marked, list_of(document.get("messages"))))
    )


def _is_response(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("message"), dict)
        and isinstance(item.get("done"), bool)
    )


def _is_marked(message: Any) -> bool:
    """Whether a result names its tool, or a call has an object and neither an id nor a type."""
    if not isinstance(message, dict) or not ("tool_name" in message or "tool_calls" in message):
        return False
    role = message.get("role")
    if role == "tool":
        return isinstance(message.get("tool_name"), str)
    call = at(message, "tool_calls", 0) if role == "assistant" else None
    is_bare = isinstance(call, dict) and "id" not in call and "type" not in call
    return is_bare and isinstance(at(call, "function", "arguments"), dict)


def joins_lines(line: Any) -> bool:
    """Whether a line is a piece of an answer that continues in the next line."""
    return _is_response(line) and line["done"] is False


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run for each answer, or one for all messages of a conversation."""
    if isinstance(document, list) and any(map(_is_response, document)):
        return [_read_answer(pieces, options) for pieces in _answers_in(document)]
    if isinstance(document, dict) and "messages" not in document:
        return [_read_answer([document], options)]
    transcript = Transcript(options)
    question = None
    for message in dicts(document if isinstance(document, list) else at(document, "messages")):
        if question is None and message.get("role") == "user":
            question = text_of(message.get("content"))
        before = len(transcript)
        transcript.role(message.get("role"))
        take_message(message, transcript)
        if message.get("role") == "assistant" and len(transcript) == before:
            take_written_calls(message.get("content"), transcript)
    return [transcript.trace(input=question)]


def _answers_in(document: list[Any]) -> list[list[Any]]:
    """The pieces of each answer; the last one is marked as done."""
    answers: list[list[Any]] = [[]]
    for piece in document:
        answers[-1].append(piece)
        if at(piece, "done") is True:
            answers.append([])
    return [pieces for pieces in answers if pieces]


def _read_answer(pieces: list[Any], options: ReadOptions) -> Trace:
    """One answer: the calls of all its pieces are those of one message."""
    transcript = Transcript(options)
    calls = [call for piece in pieces for call in list_of(at(piece, "message", "tool_calls"))]
    take_message({"role": "assistant", "tool_calls": calls}, transcript)
    if not calls:
        texts = [text_of(at(piece, "message", "content")) or "" for piece in pieces]
        take_written_calls("".join(texts), transcript, has_results=False)
    return transcript.trace()


def read_tools(document: Any) -> list[Tool]:
    """The tools that a request offers."""
    return read_definitions(at(document, "tools"))
