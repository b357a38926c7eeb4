"""The answer of a server as plain data, streamed or not; errors as text without a key."""

from __future__ import annotations

import re
from http import HTTPStatus
from os import strerror
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.rendering import clip
from callscore.errors import ModelFailed
from callscore.formats.dialects.openai_stream import Fragments, fragment_in, index_of
from callscore.formats.shape import text_in
from callscore.models.limits import attempts_of, is_transient_status, status_of
from callscore.models.secrets import hide_secrets, map_texts, may_contain_key
from callscore.sources.text_document import read_events
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    import httpx2

__all__ = [
    "EmptyAnswer",
    "UnusableAnswer",
    "assemble_stream",
    "model_failure",
    "never_connected",
    "read_completion",
    "read_lost_call",
]


# What a server answered, as plain data; and what went wrong, as a sentence without a key in it.

_MAX_MESSAGE_LENGTH = 300  # characters of foreign text
_MAX_EXCERPT_BYTES = 100_000  # bytes of it that are looked at
_TIMEOUTS = ("TimeoutError", "APITimeoutError", "Timeout")
_CONNECT_ERRORS = ("ConnectError", "ConnectTimeout")
_LIBRARIES = ("openai", "httpx2", "httpcore2", "httpx", "httpcore")
_LOST_CALL_CODE = "tool_use_failed"
_EVENT_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
_BOM = "\ufeff".encode()  # which some put in front of all they write
_decode = msgspec.json.Decoder().decode


class UnusableAnswer(Exception):
    """An answer that cannot be used.

    Attributes:
        problem: why, in a sentence.
        status: the status of HTTP that the server means, where it says so in the answer.
    """

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.status = status


class EmptyAnswer(UnusableAnswer, ConnectionError):
    """An answer with nothing in it, which another attempt may bring."""


def read_completion(response: httpx2.Response, key: str) -> dict[str, Any]:
    """The completion that a server answered, put together where it was streamed.

    Args:
        response: what came.
        key: which was sent, and is taken out of an answer that repeats it.

    Raises:
        Unusable: it is something else.
        NoAnswer: there is nothing in it.
        ConnectionError: it is the first half of a stream.
    """
    content = response.content
    document: Any
    if content.removeprefix(_BOM).lstrip()[:6].startswith(_EVENT_STARTS):
        document = assemble_stream(response.text.removeprefix("\ufeff"))
        content = msgspec.json.encode(document)  # a key may have come in pieces
    else:
        document = _decoded(response, key)
    if not isinstance(document, dict) or not isinstance(document.get("choices"), list):
        raise _unusable(document, _excerpt(content, key))
    if not all(isinstance(choice, dict) for choice in document["choices"]):
        raise UnusableAnswer(f"the server's answer has no message: {_excerpt(content, key)}")
    if not document["choices"]:
        raise EmptyAnswer("there is no answer in what the server sent")
    return _hide_key(key, document) if may_contain_key(content, key) else document


def _unusable(document: Any, beginning: str) -> UnusableAnswer:
    error = document.get("error") if isinstance(document, dict) else None
    if not error:
        return UnusableAnswer(f"the server's answer has no choices: {beginning}")
    # Some servers say so with the status of success.
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and is_transient_status(code) else None
    return UnusableAnswer(f"the server answered with an error: {_message_text(error)}", status)


def _hide_key(key: str, document: dict[str, Any]) -> dict[str, Any]:
    try:
        clean: dict[str, Any] = map_texts(document, lambda text: hide_secrets(text, (key,)))
    except RecursionError:
        raise UnusableAnswer("the server's answer is nested too deep") from None
    return clean


def _decoded(response: httpx2.Response, key: str) -> Any:
    try:
        return _decode(response.content)
    except (ValueError, RecursionError):
        pass
    try:  # half a surrogate pair, or NaN, which not every reader of JSON takes
        return json_safe(response.json())
    except (ValueError, RecursionError):
        shown = _excerpt(response.content, key)
    raise UnusableAnswer(f"the server's answer is not JSON: {shown}")


def _excerpt(content: bytes, key: str) -> str:
    """How an answer begins; cut long after what is shown, for half a key would not be known."""
    text = hide_secrets(content[:_MAX_EXCERPT_BYTES].decode("utf-8", "replace"), (key,))
    return repr(clip(_one_line(text), _MAX_MESSAGE_LENGTH // 3))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def read_lost_call(error: Exception, key: str) -> dict[str, Any] | None:
    """The call that the server rejected as malformed, where its error contains it.

    The model has called something, which is not an error of ours but what there is to score.

    Args:
        error: of the SDK.
        key: which was sent, and is not kept.
    """
    body = getattr(error, "body", None)
    if not isinstance(body, dict) or body.get("code") != _LOST_CALL_CODE:
        return None
    return {"error": map_texts(json_safe(body), lambda text: hide_secrets(text, (key,)))}


def model_failure(error: Exception, *, model: str, server: str | None, key: str) -> ModelFailed:
    """The final error, as a message without the key.

    Args:
        error: of the SDK, of the network, or of ours.
        model: which was asked.
        server: where; None for OpenAI's own.
        key: what must not be shown.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    attempts = max(1, attempts_of(error))
    problem = clip(
        _one_line(hide_secrets(_failure_text(error, kinds, server), (key,))), _MAX_MESSAGE_LENGTH
    )
    return ModelFailed(
        model,
        problem + (f" (asked {attempts} times)" if attempts > 1 else ""),
        status=status_of(error),
        attempts=attempts,
        is_timeout=not kinds.isdisjoint(_TIMEOUTS),
    )


def _failure_text(error: Exception, kinds: set[str], server: str | None) -> str:
    status = status_of(error)
    if isinstance(error, UnusableAnswer | TimeoutError):
        return str(error) or "there was no answer in time"
    if status is not None:
        return f"the server answered {_status_text(status)}: {_error_text(error)}"
    if "APIConnectionError" in kinds or isinstance(error, ConnectionError):
        return _connection_text(error, server or "OpenAI's address")
    return f"{type(error).__name__}: {error}"


def never_connected(error: BaseException) -> bool:
    """Whether there never was a connection, so that nothing can have been sent."""
    return type(error.__cause__).__name__ in _CONNECT_ERRORS


def _connection_text(error: BaseException, server: str) -> str:
    innermost = _root_cause(error)
    if isinstance(innermost, ConnectionRefusedError):
        return f"connection refused: is the server running at {server}?"
    number = innermost.errno if isinstance(innermost, OSError) else None
    said = strerror(number) if number is not None and number > 0 else str(innermost)
    return f"the connection to {server} failed: {said or type(innermost).__name__}"


def _root_cause(error: BaseException) -> BaseException:
    """Where the error comes from, as far as the errors on the way have something to say.

    What the libraries of the SDK raise names its cause, or hides it. What was being handled when
    Python's own error was raised has nothing to do with it.
    """
    found = error
    inner = error.__cause__
    while inner is not None and not isinstance(inner, BaseExceptionGroup):
        found = inner if str(inner) or not str(found) else found
        is_library = type(inner).__module__.partition(".")[0] in _LIBRARIES
        inner = inner.__cause__ or (inner.__context__ if is_library else None)
    return found


def _status_text(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _error_text(error: Exception) -> str:
    body = getattr(error, "body", None)
    return _message_text(body) if body else str(error)


def _message_text(body: Any) -> str:
    message = body.get("message") if isinstance(body, dict) else body
    return message if isinstance(message, str) else str(json_safe(body))


# Streamed answers put together, as if they had come at once.

_DONE_LINE = re.compile(r"^data: ?\[DONE\]\s*$", re.MULTILINE)  # no JSON has a line like this
_TEXT_FIELDS = ("content", "refusal", "reasoning_content", "reasoning")
_METADATA_FIELDS = ("id", "model", "created", "system_fingerprint", "service_tier")


class _StreamedChoice:
    """One of the answers, as far as it has come in."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._texts: dict[str, list[str]] = {}
        self._fragments = Fragments()
        self._finish: Any = None

    @property
    def is_finished(self) -> bool:
        """Whether the model has said that it is done."""
        return bool(self._finish)

    def take(self, choice: dict[str, Any]) -> None:
        """Add what a chunk says."""
        delta = fragment_in(choice)
        self._finish = choice.get("finish_reason") or self._finish
        if not isinstance(delta, dict):
            return
        self._fragments.take(delta)
        for name in _TEXT_FIELDS:
            said = text_in(delta.get(name))
            if said is not None:
                self._texts.setdefault(name, []).append(said)

    def whole(self) -> dict[str, Any]:
        """The answer as one that is not streamed has it."""
        texts = {name: "".join(parts) for name, parts in self._texts.items()}
        message: dict[str, Any] = {"role": "assistant", "content": None, **texts}
        calls = [{"type": _call_type(call), **call} for call in self._fragments.calls()]
        if calls:
            message["content"] = message["content"] or None
            message["tool_calls"] = calls
        return {"index": self._index, "message": message, "finish_reason": self._finish}


def _call_type(call: dict[str, Any]) -> str:
    return "custom" if "custom" in call else "function"


def assemble_stream(text: str) -> dict[str, Any]:
    """The completion that a stream of events adds up to; the error that it holds, if it does.

    Raises:
        ConnectionError: the stream ends in the middle.
    """
    events = [event for event in read_events(text) or () if isinstance(event, dict)]
    for event in events:
        if event.get("error"):
            return {"error": json_safe(event["error"])}
    choices = _choices_in(events)
    is_finished = bool(choices) and all(choice.is_finished for choice in choices)
    if not is_finished and _DONE_LINE.search(text) is None:
        raise ConnectionError("the stream ended in the middle")
    about = {name: event[name] for event in events for name in _METADATA_FIELDS if event.get(name)}
    usage = [event["usage"] for event in events if isinstance(event.get("usage"), dict)]
    return {
        **about,
        "object": "chat.completion",
        "choices": [json_safe(choice.whole()) for choice in choices],
        "usage": json_safe(usage[-1]) if usage else None,
    }


def _choices_in(events: Iterable[dict[str, Any]]) -> list[_StreamedChoice]:
    found: dict[int, _StreamedChoice] = {}
    for event in events:
        for choice in event.get("choices") or ():
            if isinstance(choice, dict):
                number = index_of(choice.get("index")) or 0
                found.setdefault(number, _StreamedChoice(number)).take(choice)
    return [found[number] for number in sorted(found)]
