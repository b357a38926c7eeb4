"""What a server answered, as plain data; and what went wrong, as a sentence without a key in it."""

from __future__ import annotations

from http import HTTPStatus
from os import strerror
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.plain import plain
from callscore.core.text import clip
from callscore.errors import ModelFailed
from callscore.models.retrying import attempts_of, is_transient_status, status_of
from callscore.models.secrets import cleaned, holds, scrubbed

if TYPE_CHECKING:
    import httpx2

__all__ = [
    "NoAnswer",
    "Unusable",
    "completion_in",
    "is_unconnected",
    "lost_call_in",
    "model_failed",
]

_LONGEST = 300  # characters of what somebody else says
_READ = 100_000  # bytes of it that are looked at
_TIMEOUTS = ("TimeoutError", "APITimeoutError", "Timeout")
_UNCONNECTED = ("ConnectError", "ConnectTimeout")
_LIBRARIES = ("openai", "httpx2", "httpcore2", "httpx", "httpcore")
_LOST_CALL = "tool_use_failed"
_EVENTS = (b"data:", b"event:", b"id:", b"retry:", b":")
_MARK = "\ufeff".encode()  # which some put in front of all they write
_decode = msgspec.json.Decoder().decode


class Unusable(Exception):
    """An answer that cannot be used.

    Attributes:
        problem: why, in a sentence.
        status: the status of HTTP that the server means, where it says so in the answer.
    """

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.status = status


class NoAnswer(Unusable, ConnectionError):
    """An answer with nothing in it, which another attempt may bring."""


def completion_in(response: httpx2.Response, key: str) -> dict[str, Any]:
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
    if content.removeprefix(_MARK).lstrip()[:6].startswith(_EVENTS):
        from callscore.models.streams import gathered

        document = gathered(response.text.removeprefix("\ufeff"))
        content = msgspec.json.encode(document)  # a key may have come in pieces
    else:
        document = _decoded(response, key)
    if not isinstance(document, dict) or not isinstance(document.get("choices"), list):
        raise _unusable(document, _beginning(content, key))
    if not all(isinstance(choice, dict) for choice in document["choices"]):
        raise Unusable(f"the server's answer has no message: {_beginning(content, key)}")
    if not document["choices"]:
        raise NoAnswer("there is no answer in what the server sent")
    return _without(key, document) if holds(content, key) else document


def _unusable(document: Any, beginning: str) -> Unusable:
    error = document.get("error") if isinstance(document, dict) else None
    if not error:
        return Unusable(f"the server's answer has no choices: {beginning}")
    # Some servers say so with the status of success.
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and is_transient_status(code) else None
    return Unusable(f"the server answered with an error: {_message_in(error)}", status)


def _without(key: str, document: dict[str, Any]) -> dict[str, Any]:
    try:
        clean: dict[str, Any] = cleaned(document, lambda text: scrubbed(text, (key,)))
    except RecursionError:
        raise Unusable("the server's answer is nested too deep") from None
    return clean


def _decoded(response: httpx2.Response, key: str) -> Any:
    try:
        return _decode(response.content)
    except (ValueError, RecursionError):
        pass
    try:  # half a surrogate pair, or NaN, which not every reader of JSON takes
        return plain(response.json())
    except (ValueError, RecursionError):
        shown = _beginning(response.content, key)
    raise Unusable(f"the server's answer is not JSON: {shown}")


def _beginning(content: bytes, key: str) -> str:
    """How an answer begins; cut long after what is shown, for half a key would not be known."""
    text = scrubbed(content[:_READ].decode("utf-8", "replace"), (key,))
    return repr(clip(_one_line(text), _LONGEST // 3))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def lost_call_in(error: Exception, key: str) -> dict[str, Any] | None:
    """The answer of a server that threw the model's call away, because it made no sense.

    The model has called something, which is not an error of ours but what there is to score.

    Args:
        error: of the SDK.
        key: which was sent, and is not kept.
    """
    body = getattr(error, "body", None)
    if not isinstance(body, dict) or body.get("code") != _LOST_CALL:
        return None
    return {"error": cleaned(plain(body), lambda text: scrubbed(text, (key,)))}


def model_failed(error: Exception, *, model: str, server: str | None, key: str) -> ModelFailed:
    """What went wrong for good, in a sentence that holds no key.

    Args:
        error: of the SDK, of the network, or of ours.
        model: which was asked.
        server: where; None for OpenAI's own.
        key: what must not be shown.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    attempts = max(1, attempts_of(error))
    problem = clip(_one_line(scrubbed(_sentence(error, kinds, server), (key,))), _LONGEST)
    return ModelFailed(
        model,
        problem + (f" (asked {attempts} times)" if attempts > 1 else ""),
        status=status_of(error),
        attempts=attempts,
        is_timeout=not kinds.isdisjoint(_TIMEOUTS),
    )


def _sentence(error: Exception, kinds: set[str], server: str | None) -> str:
    status = status_of(error)
    if isinstance(error, Unusable | TimeoutError):
        return str(error) or "there was no answer in time"
    if status is not None:
        return f"the server answered {_status_text(status)}: {_said_in(error)}"
    if "APIConnectionError" in kinds or isinstance(error, ConnectionError):
        return _unconnected(error, server or "OpenAI's address")
    return f"{type(error).__name__}: {error}"


def is_unconnected(error: BaseException) -> bool:
    """Whether there never was a connection, so that nothing can have been sent."""
    return type(error.__cause__).__name__ in _UNCONNECTED


def _unconnected(error: BaseException, server: str) -> str:
    innermost = _innermost(error)
    if isinstance(innermost, ConnectionRefusedError):
        return f"connection refused: is the server running at {server}?"
    number = innermost.errno if isinstance(innermost, OSError) else None
    said = strerror(number) if number is not None and number > 0 else str(innermost)
    return f"the connection to {server} failed: {said or type(innermost).__name__}"


def _innermost(error: BaseException) -> BaseException:
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


def _said_in(error: Exception) -> str:
    body = getattr(error, "body", None)
    return _message_in(body) if body else str(error)


def _message_in(body: Any) -> str:
    message = body.get("message") if isinstance(body, dict) else body
    return message if isinstance(message, str) else str(plain(body))
