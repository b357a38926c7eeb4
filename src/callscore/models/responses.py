"""What a server answered, as plain data; and what went wrong, as a sentence without a key in it."""

from __future__ import annotations

from http import HTTPStatus
from os import strerror
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.plain import plain
from callscore.core.text import clip
from callscore.errors import ModelFailed
from callscore.models.keys import scrubbed
from callscore.models.retrying import attempts_of, is_transient_status, status_of

if TYPE_CHECKING:
    import httpx2

__all__ = ["Unusable", "completion_in", "lost_call_in", "model_failed"]

_LONGEST = 300  # characters of what somebody else says
_TIMEOUTS = ("TimeoutError", "APITimeoutError", "Timeout")
_LOST_CALL = "tool_use_failed"
_EVENTS = (b"data:", b"event:", b":")
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


def completion_in(response: httpx2.Response) -> dict[str, Any]:
    """The completion that a server answered, put together where it was streamed.

    Raises:
        Unusable: it is something else.
        ConnectionError: it is the first half of a stream.
    """
    content = response.content
    document: Any
    if content.lstrip()[:6].startswith(_EVENTS):
        from callscore.models.streams import gathered

        document = gathered(response.text)
    else:
        document = _decoded(response)
    if isinstance(document, dict) and isinstance(document.get("choices"), list):
        return document
    error = document.get("error") if isinstance(document, dict) else None
    if error:  # some servers say so with the status of success
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and is_transient_status(code) else None
        raise Unusable(f"the server answered with an error: {_message_in(error)}", status)
    raise Unusable(f"the server's answer has no choices: {_beginning(content)}")


def _decoded(response: httpx2.Response) -> Any:
    try:
        return _decode(response.content)
    except (ValueError, RecursionError):
        pass
    try:  # half a surrogate pair, or NaN, which not every reader of JSON takes
        return plain(response.json())
    except (ValueError, RecursionError):
        raise Unusable(f"the server's answer is not JSON: {_beginning(response.content)}") from None


def _beginning(content: bytes) -> str:
    return repr(clip(_one_line(content[: 4 * _LONGEST].decode("utf-8", "replace")), _LONGEST // 3))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def lost_call_in(error: Exception) -> dict[str, Any] | None:
    """The answer of a server that threw the model's call away, because it made no sense.

    The model has called something, which is not an error of ours but what there is to score.
    """
    body = getattr(error, "body", None)
    if not isinstance(body, dict) or body.get("code") != _LOST_CALL:
        return None
    return {"error": plain(body)}


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
    problem = clip(_one_line(scrubbed(_sentence(error, kinds, server), key)), _LONGEST)
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
    where = server or "the server"
    if "APIConnectionError" in kinds or isinstance(error, ConnectionError):
        return f"the connection to {where} failed: {_reason_of(error)}"
    return f"{type(error).__name__}: {error}"


def _reason_of(error: BaseException) -> str:
    """What the innermost of the errors says that led to one another."""
    reason = ""
    found: BaseException | None = error.__cause__ or error
    while found is not None and not isinstance(found, BaseExceptionGroup):
        number = found.errno if isinstance(found, OSError) else None
        said = strerror(number) if number is not None and number > 0 else str(found)
        reason = said or reason or type(found).__name__
        found = found.__cause__ or found.__context__
    return reason


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
