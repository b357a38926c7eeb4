"""The answer of a server as plain data, streamed or not; errors as text without a key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from os import strerror
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.large_number import decode_json, number_from_text
from callscore.core.rendering import clip, escape
from callscore.errors import ModelFailed
from callscore.formats.dialects.openai_stream import Fragments, fragment_in, index_of
from callscore.formats.shape import text_in
from callscore.models.limits import attempts_of, is_transient_status, status_of
from callscore.models.secrets import hide_secrets
from callscore.sources.text_document import read_events
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    import httpx2

_MAX_MESSAGE_LENGTH = 300  # characters of foreign text
_MAX_EXCERPT_BYTES = 100_000  # bytes of foreign text in which keys are searched
_TIMEOUTS = ("TimeoutError", "APITimeoutError", "Timeout")
_CONNECT_ERRORS = ("ConnectError", "ConnectTimeout")
_LIBRARIES = ("openai", "httpx2", "httpcore2", "httpx", "httpcore")
_HTTP_STATUSES = frozenset(HTTPStatus)
_LOST_CALL_CODE = "tool_use_failed"
_EVENT_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
_BOM = "\ufeff".encode()  # some servers begin with it


class UnusableAnswer(Exception):
    """An answer that cannot be used; `status` is the HTTP status in its body, if any."""

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.status = status


class EmptyAnswer(UnusableAnswer, ConnectionError):
    """An empty answer; another attempt may succeed."""


def read_completion(response: httpx2.Response, key: str) -> dict[str, Any]:
    """The completion in a response, streamed or not; the key is removed from messages of errors.

    Raises:
        UnusableAnswer: it is not a completion.
        EmptyAnswer: it is empty.
        ConnectionError: it is an incomplete stream.
    """
    content = response.content
    document: Any
    if content.removeprefix(_BOM).lstrip()[:6].startswith(_EVENT_STARTS):
        document = assemble_stream(response.text.removeprefix("\ufeff"))
        content = msgspec.json.encode(document)
    else:
        document = _decoded(response, key)
    if not isinstance(document, dict) or not isinstance(document.get("choices"), list):
        raise _unusable(document, _excerpt(content, key))
    if not all(isinstance(choice, dict) for choice in document["choices"]):
        raise UnusableAnswer(f"the server's answer has no message: {_excerpt(content, key)}")
    if not document["choices"]:
        raise EmptyAnswer("the server's answer is empty")
    return document


def _unusable(document: Any, beginning: str) -> UnusableAnswer:
    error = document.get("error") if isinstance(document, dict) else None
    if not error:
        return UnusableAnswer(f"the server's answer has no choices: {beginning}")
    # Some servers send errors with the status 200.
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and is_transient_status(code) else None
    return UnusableAnswer(f"the server returned an error: {_message_text(error)}", status)


def _decoded(response: httpx2.Response, key: str) -> Any:
    try:
        return decode_json(response.content)
    except (ValueError, RecursionError):
        pass
    try:  # a lone surrogate, or NaN, which not every JSON decoder accepts
        return json_safe(
            response.json(parse_int=number_from_text, parse_float=number_from_text), exact=True
        )
    except (ValueError, RecursionError):
        shown = _excerpt(response.content, key)
    raise UnusableAnswer(f"the server's answer is not JSON: {shown}")


def _excerpt(content: bytes, key: str) -> str:
    """The beginning of an answer; clipped after keys are hidden, as half a key is not found."""
    text = hide_secrets(content[:_MAX_EXCERPT_BYTES].decode("utf-8", "replace"), (key,))
    return repr(clip(_one_line(text), _MAX_MESSAGE_LENGTH // 3))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def read_lost_call(error: Exception) -> dict[str, Any] | None:
    """The call that the server rejected as malformed, if its error contains it.

    It is a mistake of the model, which is scored.
    """
    body = getattr(error, "body", None)
    if not isinstance(body, dict) or body.get("code") != _LOST_CALL_CODE:
        return None
    return {"error": json_safe(body)}


def model_failure(error: Exception, *, model: str, server: str | None, key: str) -> ModelFailed:
    """The final error of the SDK, of the network or of this module, as a message without the key."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    attempts = max(1, attempts_of(error))
    text = hide_secrets(_failure_text(error, kinds, server), (key,))
    problem = clip(_one_line(text), _MAX_MESSAGE_LENGTH)
    return ModelFailed(
        model,
        problem + (f" ({attempts} attempts)" if attempts > 1 else ""),
        status=status_of(error),
        attempts=attempts,
        is_timeout=not kinds.isdisjoint(_TIMEOUTS),
    )


def _failure_text(error: Exception, kinds: set[str], server: str | None) -> str:
    status = status_of(error)
    if isinstance(error, UnusableAnswer | TimeoutError):
        return str(error) or "no answer before the timeout"
    if status is not None:
        return _status_text(error, status)
    if "APIConnectionError" in kinds or isinstance(error, ConnectionError):
        return _connection_text(error, server or "api.openai.com")
    return f"{type(error).__name__}: {error}"


_REDIRECTS = range(300, 400)


def _status_text(error: Exception, status: int) -> str:
    phrase = f" {HTTPStatus(status).phrase}" if status in _HTTP_STATUSES else ""
    if status in _REDIRECTS:
        return f"the server returned {status}{phrase}{_target_text(error)}. It is not followed."
    body = getattr(error, "body", None)
    return f"the server returned {status}{phrase}: {_message_text(body or str(error))}"


def _target_text(error: Exception) -> str:
    """Where a redirect leads to, if its server says so."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    location = headers.get("location")
    return f" to {escape(location)}" if location else ""


def never_connected(error: BaseException) -> bool:
    """Whether there was no connection, so that nothing was sent."""
    return type(error.__cause__).__name__ in _CONNECT_ERRORS


def _connection_text(error: BaseException, server: str) -> str:
    innermost = _root_cause(error)
    if isinstance(innermost, ConnectionRefusedError):
        return f"connection refused. Is the server running at {server}?"
    number = innermost.errno if isinstance(innermost, OSError) else None
    problem = strerror(number) if number is not None and number > 0 else str(innermost)
    return f"the connection to {server} failed: {problem or type(innermost).__name__}"


def _root_cause(error: BaseException) -> BaseException:
    """The innermost cause of an error that has a message.

    Errors of the SDK's libraries have their cause, or hide it in the context; the context of
    Python's own errors is unrelated.
    """
    found = error
    inner = error.__cause__
    while inner is not None and not isinstance(inner, BaseExceptionGroup):
        found = inner if str(inner) or not str(found) else found
        is_library = type(inner).__module__.partition(".")[0] in _LIBRARIES
        inner = inner.__cause__ or (inner.__context__ if is_library else None)
    return found


def _message_text(body: Any) -> str:
    message = body.get("message") if isinstance(body, dict) else body
    return message if isinstance(message, str) else str(json_safe(body))


_DONE_LINE = re.compile(r"^data: ?\[DONE\]\s*$", re.MULTILINE)  # no JSON has a line like this
_TEXT_FIELDS = ("content", "refusal", "reasoning_content", "reasoning")
_METADATA_FIELDS = ("id", "model", "created", "system_fingerprint", "service_tier")


class _StreamedChoice:
    """One of the choices of a stream."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._texts: dict[str, list[str]] = {}
        self._fragments = Fragments()
        self._finish: Any = None

    @property
    def is_finished(self) -> bool:
        """Whether there was a finish reason."""
        return bool(self._finish)

    def take(self, choice: dict[str, Any]) -> None:
        """Add a chunk."""
        delta = fragment_in(choice)
        self._finish = choice.get("finish_reason") or self._finish
        if not isinstance(delta, dict):
            return
        self._fragments.take(delta)
        for name in _TEXT_FIELDS:
            text = text_in(delta.get(name))
            if text is not None:
                self._texts.setdefault(name, []).append(text)

    def whole(self) -> dict[str, Any]:
        """The choice as in an answer that is not streamed."""
        texts = {name: "".join(parts) for name, parts in self._texts.items()}
        message: dict[str, Any] = {"role": "assistant", "content": None, **texts}
        calls = [
            {"type": "custom" if "custom" in call else "function", **call}
            for call in self._fragments.calls()
        ]
        if calls:
            message["content"] = message["content"] or None
            message["tool_calls"] = calls
        return {"index": self._index, "message": message, "finish_reason": self._finish}


def assemble_stream(text: str) -> dict[str, Any]:
    """The completion that the events of a stream add up to, or the error among them.

    Raises `ConnectionError` if the stream ends in the middle.
    """
    events = [event for event in read_events(text) or () if isinstance(event, dict)]
    for event in events:
        if event.get("error"):
            return {"error": json_safe(event["error"])}
    choices = _choices_in(events)
    is_finished = bool(choices) and all(choice.is_finished for choice in choices)
    if not is_finished and _DONE_LINE.search(text) is None:
        raise ConnectionError("the stream ended early")
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
