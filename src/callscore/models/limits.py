"""Limits of requests and tasks: rate, timeout, retries, and work that is abandoned."""

from __future__ import annotations

import atexit
import re
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from random import random
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import InvalidSettings, ModelFailed
from callscore.models.usage import add_waiting_time

if TYPE_CHECKING:
    from asyncio import Future, Task

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
        InvalidSettings: one of the two is not a positive number, or less than one request per hour.
    """

    def __init__(self, starts: float, seconds: float = 1.0) -> None:
        if not (_is_positive(starts) and _is_positive(seconds)):
            raise InvalidSettings(f"rate: expected two numbers > 0, got {starts!r} and {seconds!r}")
        if seconds / starts > _MAX_INTERVAL:
            raise InvalidSettings(f"rate: {starts:g} per {seconds:g} s is less than one per hour")
        self.starts = starts
        self.seconds = seconds
        self._interval = seconds / starts
        self._next = 0.0
        self._lock = Lock()  # a judge is asked from many threads

    def reserve(self) -> float:
        """Reserve the next slot; returns the seconds to wait for it."""
        return max(self._reserve_turn() - time.monotonic(), 0.0)

    def _reserve_turn(self) -> float:
        """Reserve the next slot; returns when it is, later than every one before it."""
        with self._lock:
            turn = max(time.monotonic(), self._next)
            self._next = turn + self._interval
        return turn

    async def wait(self) -> None:
        """Wait for the next slot."""
        from asyncio import get_running_loop

        # At the time itself, even if it has come: the loop lets those with earlier slots go first. To
        # sleep until then would order them by when they were put to sleep.
        loop = get_running_loop()
        come = loop.create_future()
        timer = loop.call_at(self._reserve_turn(), come.set_result, None)
        try:
            await come
        finally:
            timer.cancel()

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
            raise InvalidSettings(f"retries: expected a whole number ≥ 0, got {self.retries!r}")
        if self.timeout is not None and not _is_positive(self.timeout):
            raise InvalidSettings(f"timeout: expected seconds > 0, got {self.timeout!r}")
        if self.rate is not None and not isinstance(self.rate, Rate):
            raise InvalidSettings(f"rate: expected a callscore.models.Rate, got {self.rate!r}")


DEFAULT_LIMITS = Limits()

# The limits of the run; limits that a chat sets itself take precedence.
run_limits: ContextVar[Limits | None] = ContextVar("limits_in_force", default=None)


def limits_for(own: Limits | None) -> Limits:
    """The limits of a chat: its own, those of the run, or the defaults.

    The rate of the run also applies to a chat with its own limits, unless these have a rate.
    """
    run = run_limits.get()
    if own is None:
        return run or DEFAULT_LIMITS
    if own.rate is None and run is not None and run.rate is not None:
        return replace(own, rate=run.rate)
    return own


def parse_rate(text: str) -> Rate:
    """Parse a rate: `10` or `10/s`, `500/m`, `1000/h`."""
    found = _RATE.fullmatch(text)
    if found is None:
        raise InvalidSettings(
            f"rate: expected a rate such as '10/s', '500/m' or '1000/h', got {text!r}"
        )
    return Rate(float(found[1]), _PERIODS[found[2] or "s"])


# --- retries ----------------------------------------------------------------------------------

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
# Errors of failed or lost connections in libraries that are not imported.
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
# Errors of connections that are not transient.
_PERMANENT_CLASSES = frozenset({"SSLCertVerificationError", "UnsupportedProtocol", "InvalidURL"})
_QUOTA_CODE = "insufficient_quota"  # a 429 that no retry changes


async def with_retries(
    ask: Callable[[], Awaitable[_Result]],
    *,
    limits: Limits,
    sleep: Callable[[float], Awaitable[Any]] | None = None,
) -> tuple[_Result, int]:
    """Call `ask`, with retries after transient errors; returns the result and the number of attempts.

    Each attempt waits for the rate limit, and is cancelled after the timeout. The last error is
    raised unchanged; `attempts_of` returns the number of attempts.
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
            pause = _next_pause(error, attempts, limits)
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
    raise TimeoutError(f"no answer within {seconds:g} s")


def with_retries_in_thread(
    ask: Callable[[], _Result],
    *,
    limits: Limits,
    sleep: Callable[[float], Any] = time.sleep,
) -> tuple[_Result, int]:
    """Like `with_retries`, for blocking code; `ask` itself limits the time of an attempt."""
    attempts = 0
    while True:
        attempts += 1
        if limits.rate is not None:
            sleep(limits.rate.reserve())
        try:
            return ask(), attempts
        except Exception as error:
            pause = _next_pause(error, attempts, limits)
            if pause is None:
                raise
        sleep(pause)


def _next_pause(error: Exception, attempts: int, limits: Limits) -> float | None:
    """The seconds until the next attempt; None for a final error, which is marked as such."""
    if attempts <= limits.retries and is_transient(error):
        return pause_after(error, attempts)
    if attempts_of(error) < attempts:
        with suppress(AttributeError, TypeError):  # some errors accept no attributes
            setattr(error, _ATTEMPTS_ATTRIBUTE, attempts)
    return None


def attempts_of(error: BaseException) -> int:
    """The number of attempts before the final error; 0 if unknown."""
    if isinstance(error, ModelFailed):
        return error.attempts
    attempts = getattr(error, _ATTEMPTS_ATTRIBUTE, 0)
    return attempts if isinstance(attempts, int) else 0


def is_transient(error: BaseException) -> bool:
    """Whether an error is transient: 408, 409, 429, 5xx, a lost connection, a timeout.

    Errors of any library are recognized by their status, or by the names of their classes. One
    after which retries were made already, by a chat for instance, is not transient.
    """
    if attempts_of(error):
        return False
    chain: list[BaseException] = []  # the error and its causes
    found: BaseException | None = error
    while found is not None and not any(found is one for one in chain):
        chain.append(found)
        found = found.__cause__
    if any(type(one).__name__ in _PERMANENT_CLASSES for one in chain):
        return False
    statuses = [status for one in chain if (status := status_of(one)) is not None]
    if statuses:
        return is_transient_status(statuses[0]) and getattr(error, "code", None) != _QUOTA_CODE
    return any(
        isinstance(one, _TRANSIENT_BUILTINS)
        or not _TRANSIENT_CLASSES.isdisjoint(kind.__name__ for kind in type(one).__mro__)
        for one in chain
    )


def is_transient_status(status: int) -> bool:
    """Whether a request with this HTTP status may succeed later."""
    return status in _TRANSIENT_STATUSES or status in _SERVER_ERRORS


def status_of(error: BaseException) -> int | None:
    """The HTTP status in an error of any library; None if it has none."""
    response = getattr(error, "response", None)
    statuses = [
        getattr(one, name, None) for one in (error, response) for name in _STATUS_ATTRIBUTES
    ]
    if isinstance(response, dict):  # as in boto
        about = response.get("ResponseMetadata")
        statuses.append(about.get("HTTPStatusCode") if isinstance(about, dict) else None)
    return next((one for one in statuses if isinstance(one, int) and one in _VALID_STATUSES), None)


def pause_after(error: BaseException, attempts: int) -> float:
    """Seconds to wait after an error: the Retry-After of the server, or exponential backoff."""
    wanted = _retry_after(getattr(getattr(error, "response", None), "headers", None))
    if wanted is not None:  # never less, and not all at the same moment
        return min(wanted, _MAX_RETRY_AFTER) * (1 + 0.1 * random())  # noqa: S311  (no secret)
    pause: Final = min(_FIRST_PAUSE * 2.0 ** (attempts - 1), _MAX_PAUSE)
    return pause * (0.5 + 0.5 * random())  # noqa: S311  (no secret)


def _retry_after(headers: Any) -> float | None:
    """The seconds that the server asks to wait: milliseconds, seconds, or an HTTP date."""
    get = getattr(headers, "get", None)
    if get is None:
        return None
    milliseconds = _parse_seconds(get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    written = get("retry-after") or get("Retry-After")
    seconds = _parse_seconds(written)
    if seconds is None and isinstance(written, str):
        from email.utils import parsedate_to_datetime

        with suppress(ValueError, OverflowError):
            return max(0.0, parsedate_to_datetime(written).timestamp() - time.time())
    return seconds


def _parse_seconds(text: Any) -> float | None:
    try:
        number = float(text)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < float("inf") else None


# --- work that may never end: daemon threads and abandoned tasks --------------------------------


async def run_in_daemon_thread(function: Callable[..., _Result], *arguments: Any) -> _Result:
    """Run a function that may block in a thread of its own, and await its result.

    A thread that is not awaited any more does not keep the process alive, unlike that of a pool.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    future: Future[Any] = loop.create_future()
    context = copy_context()

    def finish(result: Any, raised: BaseException | None) -> None:
        if not future.done():
            future.set_result((result, raised))

    def run() -> None:
        result: Any = None
        raised: BaseException | None = None
        try:
            result = context.run(function, *arguments)
        except BaseException as error:  # noqa: BLE001  (it is raised where it is waited for)
            raised = error
        try:
            loop.call_soon_threadsafe(finish, result, raised)
        except RuntimeError:  # the loop is closed: no one is waiting
            return

    Thread(target=run, daemon=True, name="callscore-task").start()
    outcome: tuple[_Result, BaseException | None] = await future
    result, raised = outcome
    if raised is not None:
        raise raised
    return result


def run_with_timeout(function: Callable[[], _Result], seconds: float | None) -> _Result:
    """Run a function that may block; with a timeout, in a thread that is not joined."""
    if seconds is None:
        return function()
    from concurrent.futures import Future, wait

    future: Future[_Result] = Future()
    context = copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(function))
        except BaseException as error:  # noqa: BLE001  (it is raised where it is waited for)
            future.set_exception(error)

    Thread(target=run, daemon=True, name="callscore-request").start()
    if not wait([future], seconds).done:  # what the function raises may be a TimeoutError, too
        raise TimeoutError(f"no answer within {seconds:g} s")
    return future.result()


_task_contexts: WeakKeyDictionary[Task[Any], Context] = WeakKeyDictionary()
# Asyncio only keeps weak references to tasks.
_abandoned: set[Task[Any]] = set()


def create_abandonable_task(work: Coroutine[Any, Any, _Result]) -> Task[_Result]:
    """Start a task that can be abandoned."""
    import asyncio

    context = copy_context()
    task = asyncio.create_task(work, context=context)
    _task_contexts[task] = context
    return task


def abandon_task(task: Task[Any]) -> None:
    """Cancel a task without waiting for it; its result and its exception are ignored."""
    _abandoned.add(task)

    def discard(done: Task[Any]) -> None:
        _abandoned.discard(done)
        if not done.cancelled():
            done.exception()  # retrieved, or asyncio would log a warning

    task.add_done_callback(discard)
    task.cancel()


@atexit.register
def _close_abandoned() -> None:
    """Close the remaining coroutines, each in its own context, to avoid warnings at exit."""
    while _abandoned:
        task = _abandoned.pop()
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001  (asyncio has no public way)
        work: Any = task.get_coro()
        with suppress(BaseException):  # user code may raise anything
            _task_contexts[task].run(work.close)
