"""Asks again where an error may pass: too many requests, a server in trouble, a lost connection."""

from __future__ import annotations

import time
from random import random
from typing import TYPE_CHECKING, Any, Final, TypeVar

from callscore.errors import ModelFailed
from callscore.models.counting import count_waiting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from callscore.models.limits import Limits

__all__ = [
    "attempts_of",
    "is_transient",
    "is_transient_status",
    "pause_after",
    "retrying",
    "retrying_in_thread",
    "status_of",
]

_Result = TypeVar("_Result")

_PASSING = frozenset({408, 409, 429})
_SERVER_ERRORS = range(500, 600)
_STATUSES = range(100, 600)
_STATUS_NAMES = ("status_code", "status", "code")
_FIRST_PAUSE = 0.5  # seconds
_LONGEST_PAUSE = 8.0
_LONGEST_WISH = 60.0  # of a server
_MARK = "__callscore_attempts__"
_BUILTIN = (ConnectionError, TimeoutError, EOFError)
# What libraries that we do not import call a connection that was not made, or that was lost.
_LOST = frozenset(
    {
        "APIConnectionError",
        "ChunkedEncodingError",
        "ClientConnectionError",
        "ClientPayloadError",
        "ConnectionError",
        "HTTPClientError",
        "Timeout",
        "TransportError",
    }
)
# What looks the same from outside, and does not pass.
_LASTING = frozenset({"SSLCertVerificationError", "UnsupportedProtocol", "InvalidURL"})
_USED_UP = "insufficient_quota"  # a 429 that only money helps against


async def retrying(
    ask: Callable[[], Awaitable[_Result]],
    *,
    limits: Limits,
    is_transient: Callable[[Exception], bool] | None = None,
    sleep: Callable[[float], Awaitable[Any]] | None = None,
) -> tuple[_Result, int]:
    """What `ask` gives, asked again where it fails in a way that may pass.

    Each attempt waits for its turn, and is given up after the time that the limits allow.

    Args:
        ask: what is awaited; it is called anew for each attempt.
        limits: how often, for how long and how fast.
        is_transient: whether an error may pass; by default the function of that name.
        sleep: what waits between two attempts.

    Returns:
        What was given, and the number of attempts.

    Raises:
        Exception: the last error, as it was; `attempts_of` tells how often it was tried.
    """
    import asyncio

    pause_for = sleep or asyncio.sleep
    attempts = 0
    while True:
        attempts += 1
        if limits.rate is not None:
            began = time.monotonic()
            await limits.rate.wait()
            count_waiting(time.monotonic() - began)
        try:
            return await _in_time(ask, limits.timeout), attempts
        except Exception as error:
            pause = _next_pause(error, attempts, limits, is_transient)
            if pause is None:
                raise
        await pause_for(pause)


async def _in_time(ask: Callable[[], Awaitable[_Result]], seconds: float | None) -> _Result:
    if seconds is None:
        return await ask()
    import asyncio

    deadline = asyncio.timeout(seconds)
    try:
        async with deadline:
            return await ask()
    except TimeoutError:
        if not deadline.expired():
            raise
    raise TimeoutError(f"there was no answer within {seconds:g} s")


def retrying_in_thread(
    ask: Callable[[], _Result],
    *,
    limits: Limits,
    sleep: Callable[[float], Any] = time.sleep,
) -> tuple[_Result, int]:
    """As `retrying`, for what blocks; how long an attempt may take is up to `ask`."""
    attempts = 0
    while True:
        attempts += 1
        if limits.rate is not None:
            sleep(limits.rate.reserve())
        try:
            return ask(), attempts
        except Exception as error:
            pause = _next_pause(error, attempts, limits, None)
            if pause is None:
                raise
        sleep(pause)


def _next_pause(
    error: Exception,
    attempts: int,
    limits: Limits,
    is_passing: Callable[[Exception], bool] | None,
) -> float | None:
    """How long to wait for the next attempt; None where there is none, and the error says so."""
    if attempts <= limits.retries and (is_passing or is_transient)(error):
        return pause_after(error, attempts)
    _mark(error, attempts)
    return None


def _mark(error: Exception, attempts: int) -> None:
    if attempts_of(error) < attempts:
        try:
            setattr(error, _MARK, attempts)
        except (AttributeError, TypeError):  # it takes no attributes, and is just not marked
            return


def attempts_of(error: BaseException) -> int:
    """How often something was tried before it failed for good; 0 where nobody has counted."""
    if isinstance(error, ModelFailed):
        return error.attempts
    attempts = getattr(error, _MARK, 0)
    return attempts if isinstance(attempts, int) else 0


def is_transient(error: BaseException) -> bool:
    """Whether an error may pass by itself: 408, 409, 429, 5xx, a lost connection, a timeout.

    Errors of every library are told by the status that they carry, or by what they are. One that
    was tried again already, by a chat for instance, does not pass any more.
    """
    if attempts_of(error):
        return False
    chain = list(_chain(error))
    if any(type(one).__name__ in _LASTING for one in chain):
        return False
    statuses = [status for one in chain if (status := status_of(one)) is not None]
    if statuses:
        return is_transient_status(statuses[0]) and getattr(error, "code", None) != _USED_UP
    return any(isinstance(one, _BUILTIN) or not _LOST.isdisjoint(_kinds(one)) for one in chain)


def is_transient_status(status: int) -> bool:
    """Whether an answer of HTTP says that asking again may help."""
    return status in _PASSING or status in _SERVER_ERRORS


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it comes from."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__


def _kinds(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def status_of(error: BaseException) -> int | None:
    """The status of HTTP that an error of any library carries; None where it has none."""
    response = getattr(error, "response", None)
    said = [getattr(one, name, None) for one in (error, response) for name in _STATUS_NAMES]
    if isinstance(response, dict):  # as the library of a cloud has it
        about = response.get("ResponseMetadata")
        said.append(about.get("HTTPStatusCode") if isinstance(about, dict) else None)
    return next((one for one in said if isinstance(one, int) and one in _STATUSES), None)


def pause_after(error: BaseException, attempts: int) -> float:
    """For how many seconds to wait after an error: what the server wishes, or longer each time.

    Args:
        error: the error; its response may say when to come again, within a minute.
        attempts: how many there have been.
    """
    wish = _wish_of(getattr(getattr(error, "response", None), "headers", None))
    if wish is not None:  # never less, and not all at the same moment
        return min(wish, _LONGEST_WISH) * (1 + 0.1 * random())  # noqa: S311  (no secret)
    pause: Final = min(_FIRST_PAUSE * 2.0 ** (attempts - 1), _LONGEST_PAUSE)
    return pause * (0.5 + 0.5 * random())  # noqa: S311  (no secret)


def _wish_of(headers: Any) -> float | None:
    """When the server wants to be asked again, in seconds from now."""
    get = getattr(headers, "get", None)
    if get is None:
        return None
    milliseconds = _number(get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    written = get("retry-after") or get("Retry-After")
    seconds = _number(written)
    return _until(written) if seconds is None and isinstance(written, str) else seconds


def _number(text: Any) -> float | None:
    try:
        number = float(text)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < float("inf") else None


def _until(date: str) -> float | None:
    """How many seconds it is until a date of HTTP."""
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
