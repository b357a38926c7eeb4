"""Asking again: what may pass, how long to wait, and when to give up."""

from __future__ import annotations

import asyncio
import ssl
import time
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

import pytest

from callscore import ModelFailed
from callscore.models.limits import (
    Limits,
    Rate,
    attempts_of,
    is_transient,
    pause_after,
    status_of,
    with_retries,
    with_retries_in_thread,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


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


def test_what_passes_is_asked_again() -> None:
    task = Task(StatusError(429), ConnectionResetError(), StatusError(503))

    assert run(task, Limits(retries=3), sleep=Sleeper()) == ("done", 4)


def test_after_the_last_attempt_the_error_is_raised_as_it_was_with_the_count() -> None:
    error = StatusError(500)

    with pytest.raises(StatusError) as raised:
        run(Task(StatusError(500), StatusError(500), error), Limits(retries=2), sleep=Sleeper())

    assert raised.value is error
    assert attempts_of(error) == 3


def test_what_does_not_pass_is_asked_once() -> None:
    task = Task(StatusError(400))

    with pytest.raises(StatusError):
        run(task, Limits(retries=5))
    assert task.times == 1


def test_an_error_that_was_retried_already_does_not_pass_any_more() -> None:
    error = StatusError(500)
    with pytest.raises(StatusError):
        run(Task(error), Limits(retries=0))

    assert not is_transient(error)
    assert not is_transient(ModelFailed("m", "503", status=503))


def test_an_attempt_that_takes_too_long_is_given_up_and_made_again() -> None:
    times: list[int] = []

    async def hang_once() -> str:
        times.append(1)
        if len(times) == 1:
            await asyncio.sleep(60)
        return "done"

    assert run(hang_once, Limits(retries=1, timeout=0.01), sleep=Sleeper()) == ("done", 2)


def test_who_never_answers_is_given_up_with_a_sentence() -> None:
    with pytest.raises(TimeoutError, match=r"no answer within 0\.01 s"):
        run(lambda: asyncio.sleep(60), Limits(retries=0, timeout=0.01))


def test_a_timeout_of_somebody_else_is_left_as_it_is() -> None:
    with pytest.raises(TimeoutError, match="of the database"):
        run(Task(TimeoutError("of the database")), Limits(retries=0))


def test_somebody_may_say_what_passes() -> None:
    task = Task(KeyError("x"))

    result = run(task, Limits(), is_transient=lambda e: isinstance(e, KeyError), sleep=Sleeper())

    assert result == ("done", 2)


def test_each_attempt_waits_for_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    rate = Rate(1000)
    turns: list[float] = []

    def reserve() -> float:
        turns.append(0.0)
        return 0.0

    monkeypatch.setattr(rate, "reserve", reserve)

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


def test_what_blocks_is_asked_again_too() -> None:
    pauses: list[float] = []
    task = Task(StatusError(429, retry_after="2"))

    found = with_retries_in_thread(
        task.blocking, limits=Limits(rate=Rate(1e6)), sleep=pauses.append
    )

    assert found == ("done", 2)
    assert 2 <= pauses[1] <= 2.2


def test_what_blocks_is_given_up_likewise() -> None:
    with pytest.raises(StatusError) as raised:
        with_retries_in_thread(Task(StatusError(404)).blocking, limits=Limits())
    assert attempts_of(raised.value) == 1


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
def test_what_may_pass_is_told_by_status_and_by_kind(error: Exception, passes: bool) -> None:
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
def test_what_the_server_wishes_is_done(headers: dict[str, str], low: float, high: float) -> None:
    assert low <= pause_after(StatusError(429, **headers), 1) <= high


@pytest.mark.parametrize(("seconds", "low", "high"), [(-60, 0, 0), (20, 10, 22)])
def test_the_server_may_wish_for_a_time_of_day(seconds: float, low: float, high: float) -> None:
    moment = formatdate(time.time() + seconds, usegmt=True)  # now, not when the test was collected

    assert low <= pause_after(StatusError(429, retry_after=moment), 1) <= high


@pytest.mark.parametrize("wish", ["soon", "-5", "nan", "inf", ""])
def test_a_wish_that_makes_no_sense_is_not_minded(wish: str) -> None:
    assert pause_after(StatusError(429, retry_after=wish), 1) <= 0.001


def test_an_error_that_takes_no_mark_is_raised_all_the_same() -> None:
    class Bare(Exception):
        def __setattr__(self, name: str, value: Any) -> None:
            raise AttributeError(name)

    with pytest.raises(Bare) as raised:
        run(Task(Bare()), Limits())
    assert attempts_of(raised.value) == 0
