"""Limits of requests to a model: rate, timeout and retries after transient errors."""

from __future__ import annotations

import re
import time
from contextvars import ContextVar
from random import random
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import InvalidSettings, ModelFailed
from callscore.models.usage import add_waiting_time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

__all__ = [
    "DEFAULT_LIMITS",
    "Limits",
    "Rate",
    "attempts_of",
    "is_transient",
    "is_transient_status",
    "limits_for",
    "parse_rate",
    "pause_after",
    "run_limits",
    "status_of",
    "with_retries",
    "with_retries_in_thread",
]


# Timeouts, retries and rate limits.

_PERIODS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_MAX_INTERVAL = 3600.0  # seconds between two requests
_RATE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(?:/\s*([smh]))?\s*", re.ASCII)


def _is_positive(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value < float("inf")


class Rate:
    """Rate limit: at most `starts` requests per `seconds`, evenly spaced, first come first served.

    Args:
        starts: number of requests.
        seconds: length of the period.

    Raises:
        InvalidSettings: one of the two is not a positive number, or there is less than one an hour.
    """

    def __init__(self, starts: float, seconds: float = 1.0) -> None:
        if not (_is_positive(starts) and _is_positive(seconds)):
            raise InvalidSettings(f"rate: {starts!r} in {seconds!r} s is no rate; both are above 0")
        if seconds / starts > _MAX_INTERVAL:
            raise InvalidSettings(f"rate: {starts:g} in {seconds:g} s is less than one an hour")
        self.starts = starts
        self.seconds = seconds
        self._interval = seconds / starts
        self._next = 0.0
        self._lock = Lock()  # a judge is asked from many threads

    def reserve(self) -> float:
        """Reserve the next slot; returns the seconds to wait for it."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._interval
        return turn - now

    async def wait(self) -> None:
        """Wait for the next slot."""
        pause = self.reserve()
        if pause > 0:
            from asyncio import sleep

            await sleep(pause)

    def __repr__(self) -> str:
        return f"Rate({self.starts:g}, {self.seconds:g})"


class Limits(Struct, frozen=True, kw_only=True):
    """The limits of one request.

    Attributes:
        retries: number of retries after a transient error.
        timeout: seconds for each attempt; None for no timeout.
        rate: rate limit; None for none.
    """

    retries: int = 2
    timeout: float | None = 60.0
    rate: Rate | None = None

    def __post_init__(self) -> None:
        if self.retries.__class__ is not int or self.retries < 0:
            raise InvalidSettings(f"retries: {self.retries!r} is not a number from 0 on")
        if self.timeout is not None and not _is_positive(self.timeout):
            raise InvalidSettings(f"timeout: {self.timeout!r} is not a time above 0, in seconds")
        if self.rate is not None and not isinstance(self.rate, Rate):
            raise InvalidSettings(f"rate: {self.rate!r} is not made by callscore.models.Rate(...)")


DEFAULT_LIMITS = Limits()

# What a run asks for; a chat of its own limits keeps these.
run_limits: ContextVar[Limits | None] = ContextVar("limits_in_force", default=None)


def limits_for(own: Limits | None) -> Limits:
    """The limits of a chat: its own, those of the run, or the defaults.

    The rate of a run holds for a chat of its own limits, too, unless these have one.
    """
    run = run_limits.get()
    if own is None:
        return run or DEFAULT_LIMITS
    if own.rate is None and run is not None and run.rate is not None:
        return replace(own, rate=run.rate)
    return own


def parse_rate(text: str) -> Rate:
    """Parse a rate: `10` or `10/s`, `500/m`, `1000/h`.

    Raises:
        InvalidSettings: it is written otherwise, or is 0.
    """
    found = _RATE.fullmatch(text)
    if found is None:
        raise InvalidSettings(f"rate: {text!r} is not like '10/s', '500/m' or '1000/h'")
    return Rate(float(found[1]), _PERIODS[found[2] or "s"])


# Asks again where an error may pass: too many requests, a server in trouble, a lost connection.

_Result = TypeVar("_Result")

_TRANSIENT_STATUSES = frozenset({408, 409, 429})
_SERVER_ERRORS = range(500, 600)
_VALID_STATUSES = range(100, 600)
_STATUS_ATTRIBUTES = ("status_code", "status", "code")
_FIRST_PAUSE = 0.5  # seconds
_MAX_PAUSE = 8.0
_MAX_RETRY_AFTER = 60.0  # of a server
_ATTEMPTS_ATTRIBUTE = "__callscore_attempts__"
_TRANSIENT_BUILTINS = (ConnectionError, TimeoutError, EOFError)
# What libraries that we do not import call a connection that was not made, or that was lost.
_TRANSIENT_CLASSES = frozenset(
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
_PERMANENT_CLASSES = frozenset({"SSLCertVerificationError", "UnsupportedProtocol", "InvalidURL"})
_QUOTA_CODE = "insufficient_quota"  # a 429 that only money helps against


async def with_retries(
    ask: Callable[[], Awaitable[_Result]],
    *,
    limits: Limits,
    is_transient: Callable[[Exception], bool] | None = None,
    sleep: Callable[[float], Awaitable[Any]] | None = None,
) -> tuple[_Result, int]:
    """Call `ask`, with retries after transient errors.

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
            add_waiting_time(time.monotonic() - began)
        try:
            return await _with_timeout(ask, limits.timeout), attempts
        except Exception as error:
            pause = _next_pause(error, attempts, limits, is_transient)
            if pause is None:
                raise
        await pause_for(pause)


async def _with_timeout(ask: Callable[[], Awaitable[_Result]], seconds: float | None) -> _Result:
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


def with_retries_in_thread(
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
    _set_attempts(error, attempts)
    return None


def _set_attempts(error: Exception, attempts: int) -> None:
    if attempts_of(error) < attempts:
        try:
            setattr(error, _ATTEMPTS_ATTRIBUTE, attempts)
        except (AttributeError, TypeError):  # it takes no attributes, and is just not marked
            return


def attempts_of(error: BaseException) -> int:
    """The number of attempts before the final error; 0 if unknown."""
    if isinstance(error, ModelFailed):
        return error.attempts
    attempts = getattr(error, _ATTEMPTS_ATTRIBUTE, 0)
    return attempts if isinstance(attempts, int) else 0


def is_transient(error: BaseException) -> bool:
    """Whether an error is transient: 408, 409, 429, 5xx, a lost connection, a timeout.

    Errors of every library are told by the status that they carry, or by what they are. One that
    was tried again already, by a chat for instance, does not pass any more.
    """
    if attempts_of(error):
        return False
    chain = list(_error_chain(error))
    if any(type(one).__name__ in _PERMANENT_CLASSES for one in chain):
        return False
    statuses = [status for one in chain if (status := status_of(one)) is not None]
    if statuses:
        return is_transient_status(statuses[0]) and getattr(error, "code", None) != _QUOTA_CODE
    return any(
        isinstance(one, _TRANSIENT_BUILTINS) or not _TRANSIENT_CLASSES.isdisjoint(_class_names(one))
        for one in chain
    )


def is_transient_status(status: int) -> bool:
    """Whether an answer of HTTP says that asking again may help."""
    return status in _TRANSIENT_STATUSES or status in _SERVER_ERRORS


def _error_chain(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it comes from."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__


def _class_names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def status_of(error: BaseException) -> int | None:
    """The status of HTTP that an error of any library carries; None where it has none."""
    response = getattr(error, "response", None)
    said = [getattr(one, name, None) for one in (error, response) for name in _STATUS_ATTRIBUTES]
    if isinstance(response, dict):  # as the library of a cloud has it
        about = response.get("ResponseMetadata")
        said.append(about.get("HTTPStatusCode") if isinstance(about, dict) else None)
    return next((one for one in said if isinstance(one, int) and one in _VALID_STATUSES), None)


def pause_after(error: BaseException, attempts: int) -> float:
    """Seconds to wait after an error: the Retry-After of the server, or exponential backoff.

    Args:
        error: the error; its response may say when to come again, within a minute.
        attempts: how many there have been.
    """
    wish = _retry_after(getattr(getattr(error, "response", None), "headers", None))
    if wish is not None:  # never less, and not all at the same moment
        return min(wish, _MAX_RETRY_AFTER) * (1 + 0.1 * random())  # noqa: S311  (no secret)
    pause: Final = min(_FIRST_PAUSE * 2.0 ** (attempts - 1), _MAX_PAUSE)
    return pause * (0.5 + 0.5 * random())  # noqa: S311  (no secret)


def _retry_after(headers: Any) -> float | None:
    """When the server wants to be asked again, in seconds from now."""
    get = getattr(headers, "get", None)
    if get is None:
        return None
    milliseconds = _parse_seconds(get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    written = get("retry-after") or get("Retry-After")
    seconds = _parse_seconds(written)
    return _seconds_until(written) if seconds is None and isinstance(written, str) else seconds


def _parse_seconds(text: Any) -> float | None:
    try:
        number = float(text)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < float("inf") else None


def _seconds_until(date: str) -> float | None:
    """How many seconds it is until a date of HTTP."""
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
