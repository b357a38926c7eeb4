"""How patient we are with a model, and how fast it may be asked."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import sys
import threading
import time
from contextvars import ContextVar
from email.utils import formatdate
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from callscore import InvalidSettings, ModelFailed
from callscore.models import limits as limits_module
from callscore.models.limits import (
    DEFAULT_LIMITS,
    Limits,
    Rate,
    abandon_task,
    attempts_of,
    create_abandonable_task,
    is_transient,
    limits_for,
    parse_rate,
    pause_after,
    run_in_daemon_thread,
    run_limits,
    run_with_timeout,
    status_of,
    with_retries,
    with_retries_in_thread,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still; its first item is the time."""
    now = [100.0]
    monkeypatch.setattr("callscore.models.limits.time.monotonic", lambda: now[0])
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


def test_who_comes_when_all_turns_have_passed_waits_for_those_before() -> None:
    rate = Rate(1000)
    order: list[int] = []

    async def come(number: int) -> None:
        if number == 4:
            time.sleep(0.02)  # noqa: ASYNC251  (nobody can go meanwhile)
        await rate.wait()
        order.append(number)

    async def main() -> None:
        await asyncio.gather(*(come(number) for number in range(6)))

    asyncio.run(main())
    assert order == [0, 1, 2, 3, 4, 5]


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
        (-1,),
        (float("nan"),),
        (float("inf"),),
        (1, 0),
        ("5",),
        (True,),
        (1, 3601),
        (0.9, 3600),
    ],
)
def test_what_is_no_rate_is_refused(given: tuple[Any, ...]) -> None:
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


@pytest.mark.parametrize("text", ["", "fast", "10/d", "1e3", "-1", "10/s/s", "٣"])
def test_another_way_to_write_a_rate_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidSettings, match="expected a rate such as '10/s'"):
        parse_rate(text)


@pytest.mark.parametrize(
    "given",
    [
        {"retries": -1},
        {"retries": True},
        {"timeout": "5"},
        {"timeout": True},
        {"rate": 5},
        {"retries": 1.5},
        {"timeout": 0},
        {"timeout": float("nan")},
    ],
)
def test_limits_that_make_no_sense_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings):
        Limits(**given)


def test_no_timeout_is_a_limit_like_any_other() -> None:
    assert Limits(timeout=None).timeout is None


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


def test_an_error_that_takes_no_mark_is_raised_all_the_same() -> None:
    class Bare(Exception):
        def __setattr__(self, name: str, value: Any) -> None:
            raise AttributeError(name)

    with pytest.raises(Bare) as raised:
        run(Task(Bare()), Limits())
    assert attempts_of(raised.value) == 0


said: ContextVar[str] = ContextVar("said", default="nothing")


def test_what_the_function_returns_is_given_and_it_knows_the_context() -> None:
    async def main() -> tuple[str, bool]:
        said.set("hello")
        is_daemon = await run_in_daemon_thread(lambda: threading.current_thread().daemon)
        return await run_in_daemon_thread(said.get), is_daemon

    assert asyncio.run(main()) == ("hello", True)


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3)])
def test_what_the_function_raises_is_raised(error: BaseException) -> None:
    def fail() -> NoReturn:
        raise error

    async def main() -> None:
        with pytest.raises(type(error)):
            await run_in_daemon_thread(fail)

    asyncio.run(main())


def test_what_comes_too_late_is_not_missed() -> None:
    late = threading.Event()
    ended: list[str] = []
    threads: SimpleQueue[threading.Thread] = SimpleQueue()

    def wait() -> None:
        threads.put(threading.current_thread())
        late.wait()
        ended.append("late")

    async def main(*, frees: bool) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run_in_daemon_thread(wait), 0.01)
        if frees:
            late.set()
            threads.get().join()  # it has told the loop
            await asyncio.sleep(0)

    asyncio.run(main(frees=True))
    late.clear()
    asyncio.run(main(frees=False))
    late.set()  # the loop is closed by now
    threads.get().join()
    assert ended == ["late", "late"]


def test_a_thread_that_hangs_does_not_keep_the_process_alive() -> None:
    program = """
import asyncio, time
from callscore.models.limits import run_in_daemon_thread
async def main():
    try:
        await asyncio.wait_for(run_in_daemon_thread(time.sleep, 600), 0.01)
    except TimeoutError:
        print("gone on")
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout == "gone on\n"


def test_what_blocks_is_waited_for_in_a_thread_and_not_for_ever() -> None:
    assert run_with_timeout(lambda: 5, None) == 5
    assert run_with_timeout(lambda: 5, 10) == 5
    with pytest.raises(KeyError):
        run_with_timeout(dict[str, int]().popitem, 10)
    with pytest.raises(TimeoutError, match=r"no answer within 0\.01 s"):
        run_with_timeout(threading.Event().wait, 0.01)


# Tasks that nobody waits for.


def test_what_is_given_up_may_end_as_it_likes() -> None:
    async def failing() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ValueError("not now") from None

    async def run() -> None:
        failed, cancelled = (
            create_abandonable_task(failing()),
            create_abandonable_task(asyncio.sleep(60)),
        )
        await asyncio.sleep(0)
        for task in (failed, cancelled):
            abandon_task(task)
        await asyncio.wait((failed, cancelled))
        await asyncio.sleep(0)
        assert not limits_module._abandoned

    asyncio.run(run())


PROGRAM = """
import asyncio
from contextvars import ContextVar
from callscore.models.limits import abandon_task, create_abandonable_task

asked = ContextVar("asked")

async def deaf():
    token = asked.set(1)
    try:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass
    finally:
        asked.reset(token)

async def main():
    task = create_abandonable_task(deaf())
    await asyncio.sleep(0)
    abandon_task(task)
    await asyncio.sleep(0)

loop = asyncio.new_event_loop()
loop.run_until_complete(main())
loop.close()
print("ended")
"""


def test_the_end_of_the_process_is_quiet() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, encoding="utf-8", check=False
    )

    assert (ran.stdout, ran.stderr) == ("ended\n", "")
