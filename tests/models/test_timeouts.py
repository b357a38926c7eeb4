"""What blocks runs in threads that no process waits for."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from contextvars import ContextVar
from typing import NoReturn

import pytest

from callscore.models import timeouts
from callscore.models.timeouts import (
    abandon_task,
    create_abandonable_task,
    run_in_daemon_thread,
    run_with_timeout,
)

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
    ended = threading.Event()

    def wait() -> None:
        late.wait(10)
        ended.set()

    async def main(*, frees: bool) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run_in_daemon_thread(wait), 0.01)
        if frees:
            late.set()
            await asyncio.sleep(0.05)

    asyncio.run(main(frees=True))
    late.clear()
    ended.clear()
    asyncio.run(main(frees=False))
    late.set()  # the loop is closed by now
    assert ended.wait(10)


def test_a_thread_that_hangs_does_not_keep_the_process_alive() -> None:
    program = """
import asyncio, time
from callscore.models.timeouts import run_in_daemon_thread
async def main():
    try:
        await asyncio.wait_for(run_in_daemon_thread(time.sleep, 600), 0.01)
    except TimeoutError:
        print("gone on")
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "gone on\n"


def test_what_blocks_is_waited_for_in_a_thread_and_not_for_ever() -> None:
    assert run_with_timeout(lambda: 5, None) == 5
    assert run_with_timeout(lambda: 5, 10) == 5
    with pytest.raises(KeyError):
        run_with_timeout(dict[str, int]().popitem, 10)
    with pytest.raises(TimeoutError, match=r"no answer within 0\.01 s"):
        run_with_timeout(lambda: time.sleep(0.5), 0.01)


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
        assert not timeouts._abandoned

    asyncio.run(run())


PROGRAM = """
import asyncio
from contextvars import ContextVar
from callscore.models.timeouts import abandon_task, create_abandonable_task

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
