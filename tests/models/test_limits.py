"""How patient we are with a model, and how fast it may be asked."""

from __future__ import annotations

import asyncio
import ssl
import time
from email.utils import formatdate
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from callscore import InvalidSettings
from callscore.models.limits import (
    DEFAULT_LIMITS,
    Limits,
    Rate,
    is_transient,
    limits_for,
    parse_rate,
    pause_after,
    run_limits,
    status_of,
    with_retries,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still; its first item is the time."""
    now = [100.0]
    monkeypatch.setattr("callscore.models.limits.time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_turns_are_spread_evenly_over_the_period(clock: list[float]) -> None:
    rate = Rate(4, 2.0)

    assert [rate.reserve() for _ in range(4)] == [0.0, 0.5, 1.0, 1.5]

    clock[0] += 10
    assert [rate.reserve() for _ in range(2)] == [0.0, 0.5]


def test_who_comes_first_goes_first() -> None:
    rate = Rate(1000)
    order: list[int] = []

    async def come(number: int) -> None:
        await rate.wait()
        order.append(number)

    async def main() -> None:
        await asyncio.gather(*(come(number) for number in range(5)))

    asyncio.run(main())
    assert order == [0, 1, 2, 3, 4]


def test_who_gives_up_waiting_is_no_trouble_for_the_next() -> None:
    rate = Rate(50)

    async def main() -> None:
        await rate.wait()
        given_up = asyncio.create_task(rate.wait())
        await asyncio.sleep(0)
        given_up.cancel()
        await rate.wait()
        assert given_up.cancelled()

    asyncio.run(main())


@pytest.mark.parametrize(
    "given",
    [
        (0,),
        (float("nan"),),
        ("5",),
        (1, 3601),
    ],
)
def test_an_invalid_rate_is_refused(given: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidSettings, match="rate: "):
        Rate(*given)


@pytest.mark.parametrize(
    ("text", "starts", "seconds"),
    [
        ("10", 10, 1),
        ("10/s", 10, 1),
        (" 500 / m ", 500, 60),
        ("1000/h", 1000, 3600),
        ("0.5", 0.5, 1),
    ],
)
def test_a_rate_is_written_as_people_do(text: str, starts: float, seconds: float) -> None:
    rate = parse_rate(text)

    assert (rate.starts, rate.seconds) == (starts, seconds)
    assert repr(rate) == f"Rate({starts:g}, {seconds:g})"


@pytest.mark.parametrize(
    "given",
    [
        {"retries": -1},
        {"timeout": True},
        {"retries": 1.5},
        {"timeout": float("nan")},
    ],
)
def test_limits_that_make_no_sense_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings):
        Limits(**given)


def test_a_chat_has_its_own_limits_those_of_the_run_or_the_usual_ones() -> None:
    run, own = Limits(retries=5), Limits(retries=1)

    assert limits_for(None) is DEFAULT_LIMITS
    assert limits_for(own) is own
    token = run_limits.set(run)
    try:
        assert limits_for(None) is run
        assert limits_for(own) is own
    finally:
        run_limits.reset(token)


def test_the_rate_of_the_run_holds_for_everybody_without_one() -> None:
    slow, own = Rate(1), Rate(2)
    token = run_limits.set(Limits(rate=slow))
    try:
        assert limits_for(Limits(retries=1)) == Limits(retries=1, rate=slow)
        assert limits_for(Limits(rate=own)).rate is own
    finally:
        run_limits.reset(token)


# Asking again: what may pass, how long to wait, and when to give up.


class Response:
    def __init__(self, status: int, **headers: str) -> None:
        self.status_code = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class StatusError(Exception):
    """As SDKs have it: an error with the response that it came with."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(f"status {status}")
        self.response = Response(status, **headers)


class Task:
    """Fails with some errors, one after another, and then succeeds."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.times = 0

    async def __call__(self) -> str:
        return self.blocking()

    def blocking(self) -> str:
        self.times += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


class Sleeper:
    """Notes for how long somebody wants to sleep, and does not."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.pauses.append(seconds)


def run(task: Callable[[], Awaitable[Any]], limits: Limits, **options: Any) -> Any:
    return asyncio.run(with_retries(task, limits=limits, **options))


def test_each_attempt_waits_for_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    rate = Rate(1000)
    turns: list[float] = []

    async def wait() -> None:
        turns.append(0.0)

    monkeypatch.setattr(rate, "wait", wait)

    run(Task(StatusError(500)), Limits(rate=rate), sleep=Sleeper())

    assert len(turns) == 2


def test_who_is_cancelled_is_not_asked_again() -> None:
    task = Task()

    async def main() -> None:
        running = asyncio.create_task(_first(with_retries(_hang, limits=Limits())))
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    async def _hang() -> str:
        task.times += 1
        await asyncio.sleep(60)
        return ""

    async def _first(found: Awaitable[Any]) -> Any:
        return await found

    asyncio.run(main())
    assert task.times == 1


class APIConnectionError(Exception):
    """As SDKs call it."""


class UnsupportedProtocol(Exception):
    """As libraries for HTTP call it."""


class Coded(Exception):
    def __init__(self, code: Any) -> None:
        super().__init__(code)
        self.code = code


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def used_up() -> Exception:
    error = StatusError(429)
    error.code = "insufficient_quota"  # type: ignore[attr-defined]  # as the SDK sets it
    return error


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        *[(StatusError(status), True) for status in (408, 409, 429, 500, 502, 503, 529)],
        *[(StatusError(status), False) for status in (400, 401, 403, 404, 422)],
        (Coded(503), True),
        (Coded(400), False),
        (Coded("invalid"), False),
        (ConnectionResetError(), True),
        (TimeoutError(), True),
        (asyncio.IncompleteReadError(b"", 1), True),
        (APIConnectionError(), True),
        (caused(RuntimeError("wrapped"), ConnectionError()), True),
        (caused(APIConnectionError(), UnsupportedProtocol()), False),
        (caused(APIConnectionError(), ssl.SSLCertVerificationError()), False),
        (used_up(), False),
        (ValueError("x"), False),
        (OSError("disk"), False),
    ],
    ids=repr,
)
def test_the_status_and_class_of_an_error_decide_whether_it_is_transient(
    error: Exception, passes: bool
) -> None:
    assert is_transient(error) is passes


def test_the_status_is_found_in_the_errors_of_many_libraries() -> None:
    cloud = Exception("throttled")
    cloud.response = {"ResponseMetadata": {"HTTPStatusCode": 429}}  # type: ignore[attr-defined]  # as it is there
    bare = Exception("odd")
    bare.response = {"ResponseMetadata": None}  # type: ignore[attr-defined]  # likewise

    assert status_of(cloud) == 429
    assert status_of(StatusError(418)) == 418
    assert status_of(bare) is None
    assert status_of(Coded(7)) is None


def test_pauses_grow_and_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callscore.models.limits._FIRST_PAUSE", 0.5)
    pauses = [[pause_after(ValueError(), attempt) for _ in range(50)] for attempt in (1, 2, 3, 9)]

    for (low, high), found in zip([(0.25, 0.5), (0.5, 1), (1, 2), (4, 8)], pauses, strict=True):
        assert all(low <= pause <= high for pause in found)
        assert len(set(found)) > 1


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [
        ({"retry_after": "3"}, 3, 3.3),
        ({"Retry_After": "3"}, 3, 3.3),
        ({"retry_after": "0.5"}, 0.5, 0.55),
        ({"retry_after_ms": "1500", "retry_after": "9"}, 1.5, 1.65),
        ({"retry_after": "86400"}, 60, 66),
    ],
)
def test_the_pause_follows_the_retry_after_headers_of_the_server(
    headers: dict[str, str], low: float, high: float
) -> None:
    assert low <= pause_after(StatusError(429, **headers), 1) <= high


@pytest.mark.parametrize(("seconds", "low", "high"), [(-60, 0, 0), (20, 19, 22)])
def test_the_server_may_wish_for_a_time_of_day(
    seconds: float, low: float, high: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr("callscore.models.limits.time.time", lambda: now)
    moment = formatdate(now + seconds, usegmt=True)

    assert low <= pause_after(StatusError(429, retry_after=moment), 1) <= high


@pytest.mark.parametrize("wish", ["soon", "-5", "nan", "inf", ""])
def test_a_wish_that_makes_no_sense_is_not_minded(wish: str) -> None:
    assert pause_after(StatusError(429, retry_after=wish), 1) <= 0.001
