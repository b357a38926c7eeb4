"""Gemini generateContent (responses, streams, requests, contents; also Vertex AI)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callscore.formats.families.gemini_content import (
    ContentReader,
    is_content,
    read_declarations,
    text_in_content,
)
from callscore.formats.families.written_calls import take_written_calls
from callscore.formats.shape import at, dicts, first, integer_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import Tool

ORDER = 660
_EXAMPLE_CALL = {"name": "get_weather", "args": {"city": "Paris"}}
EXAMPLE = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"functionCall": _EXAMPLE_CALL}]},
            "finishReason": "STOP",
        }
    ]
}
_HISTORY = ("automaticFunctionCallingHistory", "automatic_function_calling_history")
_FEEDBACK = ("promptFeedback", "prompt_feedback")
_USAGE = ("usageMetadata", "usage_metadata")
_MARKS = frozenset(("candidates", *_FEEDBACK, *_HISTORY))  # every answer has one of them
SIGNS = Signs(keys=(*_MARKS, "response", "contents", "parts"), item_keys=(*_MARKS, "parts"))


def recognizes(document: Any) -> bool:
    """Whether it has candidates, contents or feedback on a prompt, or is a list of these."""
    if isinstance(document, list):
        return _is_conversation(document) or _is_stream(document)
    return isinstance(document, dict) and (
        _is_response(document)
        or _is_response(document.get("response"))
        or _is_conversation(document.get("contents"))
        or ("parts" in document and _is_conversation([document]))
    )


def _is_response(value: Any) -> bool:
    """Whether it is an answer, or the reason why there is none."""
    if not isinstance(value, dict) or _MARKS.isdisjoint(value):
        return False
    if value.get("candidates"):
        return _is_candidate(at(value, "candidates", 0))
    return isinstance(first(value, *_FEEDBACK), dict) or any(key in value for key in _HISTORY)


def _is_candidate(value: Any) -> bool:
    return isinstance(at(value, "content"), dict) or _finish_reason(value) is not None


def _finish_reason(candidate: Any) -> Any:
    return first(candidate, "finishReason", "finish_reason")


def _is_stream(document: list[Any]) -> bool:
    """Whether all items are pieces of answers; the last may have only the usage."""
    return any(map(_is_response, document)) and all(
        _is_response(item) or isinstance(first(item, *_USAGE), dict) for item in document
    )


def _is_conversation(contents: Any) -> bool:
    return (
        isinstance(contents, list)
        and bool(contents)
        and all(map(is_content, contents))
        and any(item.get("role") is not None for item in contents)
    )


def joins_lines(line: Any) -> bool:
    """Whether a line is a piece of an answer that continues in the next line."""
    candidate = at(line, "candidates", 0)
    return _is_candidate(candidate) and _finish_reason(candidate) is None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """The chosen candidate of each answer, or all contents of a conversation."""
    if isinstance(document, list) and at(document, 0, "parts") is None:
        answers = _answers_in(document)
        return [_read_answer(pieces, options, is_only=len(answers) == 1) for pieces in answers]
    if isinstance(document, dict):
        if "response" in document:  # a line of a batch
            return [_read_answer([document["response"]], options, key=text_of(document.get("key")))]
        if "contents" not in document and "parts" not in document:
            return [_read_answer([document], options)]
        document = document.get("contents", [document])
    contents = ContentReader(options)
    messages = dicts(document)
    for message in messages:
        contents.begin()
        # Without a role, it is the user's.
        contents.take(message if message.get("role") else {"role": "user", **message})
    asked = [message for message in messages if message.get("role") in ("user", None)]
    return [contents.finish().trace(input=text_in_content(at(asked, 0)))]


def _answers_in(document: list[Any]) -> list[list[Any]]:
    """The pieces of each answer: they share an id, or the last one has a finish reason."""
    answers: list[list[Any]] = []
    last_id: Any = None
    is_over = True
    for piece in dicts(document):
        id_ = first(piece, "responseId", "response_id")
        is_other = is_over if id_ is None or last_id is None else id_ != last_id
        if not answers or (is_other and piece.get("candidates")):
            answers.append([])
        answers[-1].append(piece)
        last_id = last_id if id_ is None else id_
        if piece.get("candidates"):
            is_over = _finish_reason(at(piece, "candidates", 0)) is not None
    return answers


def _read_answer(
    pieces: list[Any], options: ReadOptions, *, is_only: bool = True, key: str | None = None
) -> Trace:
    """One answer, after the calls that the SDK made by itself.

    If it is not the only answer in the document, the answers before it have these calls.
    """
    # A piece of a stream may have only some of the candidates.
    numbered = [list(_numbered(piece)) for piece in pieces]
    number = options.choose([index for piece in numbered for index, _ in piece])
    candidates = [
        next((candidate for index, candidate in piece if index == number), None)
        for piece in numbered
    ]
    if number and not any(candidates):
        return Trace(id=key)  # no such answer, which is not an answer without calls
    contents = ContentReader(options)
    history = list_of(first(pieces[0], *_HISTORY)) if is_only else []
    for content in history:
        contents.begin()
        contents.take(content)
    contents.begin()
    for candidate in candidates:
        content = at(candidate, "content")
        # The last call that the SDK ran by itself can be the answer, too.
        if not history or content not in history[-2:]:
            contents.take(content)
        message = first(candidate, "finishMessage", "finish_message")
        contents.take_loss(_finish_reason(candidate), message)
    transcript = contents.finish()
    if not len(transcript):
        texts = [text_in_content(at(candidate, "content")) or "" for candidate in candidates]
        take_written_calls("".join(texts), transcript, has_results=False)
    return transcript.trace(id=key)


def _numbered(answer: Any) -> Iterator[tuple[int, Any]]:
    for position, candidate in enumerate(list_of(at(answer, "candidates"))):
        index = integer_of(at(candidate, "index"))
        yield position if index is None else index, candidate


def read_tools(document: Any) -> list[Tool]:
    """The functions that a request declares."""
    request = first(document, "request") or document
    return read_declarations(at(request, "tools") or at(request, "config", "tools"))
