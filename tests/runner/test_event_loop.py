"""The event loop, and what Ctrl-C means to it."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from callscore.runner import event_loop
from callscore.runner.event_loop import DaemonExecutor, SecondInterrupt, run_until_done

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C as a program has it; whoever runs tests in several processes ignores it there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def each_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Ctrl-C is the same as the one before, however soon it comes."""
    monkeypatch.setattr(event_loop, "_SAME_PRESS_SECONDS", -1.0)


def never() -> None:
    raise AssertionError("nobody has pressed Ctrl-C")


async def one() -> int:
    return 1


def test_a_coroutine_is_run_to_its_end() -> None:
    assert run_until_done(one, never) == 1


def test_the_next_run_has_the_same_loop() -> None:
    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    first = run_until_done(loop, never)

    assert run_until_done(loop, never) is first


def test_two_threads_have_a_loop_each() -> None:
    found: list[int] = []

    async def beside() -> None:
        thread = threading.Thread(target=lambda: found.append(run_until_done(one, never)))
        thread.start()
        await asyncio.to_thread(thread.join)

    run_until_done(beside, never)

    assert found == [1]


def test_where_a_loop_runs_already_another_thread_does_it() -> None:
    async def in_a_notebook() -> int:
        return run_until_done(one, never)

    assert asyncio.run(in_a_notebook()) == 1


def test_what_is_raised_is_passed_on_and_the_next_run_is_not_harmed() -> None:
    async def failing() -> None:
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        run_until_done(failing, never)
    assert run_until_done(one, never) == 1


def test_a_forgotten_task_that_wants_to_end_the_process_does_not() -> None:
    async def ending() -> None:
        sys.exit(3)

    async def main() -> int:
        task = asyncio.create_task(ending())
        await asyncio.wait([task])
        assert isinstance(task.exception(), SystemExit)
        return 1

    assert run_until_done(main, never) == 1


def test_the_end_of_the_coroutine_itself_is_passed_on() -> None:
    async def ending() -> None:
        sys.exit(3)

    with pytest.raises(SystemExit):
        run_until_done(ending, never)


def test_what_is_left_behind_is_told_to_end() -> None:
    told: list[str] = []

    async def left() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            told.append("to end")

    async def main() -> None:
        asyncio.create_task(left()).set_name("left")
        await asyncio.sleep(0)

    run_until_done(main, never)

    assert told == ["to end"]


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_is_a_wish_to_stop() -> None:
    stopped = asyncio.Event()

    async def main() -> str:
        signal.raise_signal(signal.SIGINT)
        await stopped.wait()
        return "stopped"

    before = signal.getsignal(signal.SIGINT)
    assert run_until_done(main, stopped.set) == "stopped"
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.usefixtures("ctrl_c", "each_counts")
def test_a_second_ctrl_c_is_an_order() -> None:
    async def main() -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(SecondInterrupt):
        run_until_done(main, lambda: None)
    assert run_until_done(one, never) == 1


@pytest.mark.usefixtures("ctrl_c")
def test_a_ctrl_c_that_comes_twice_at_once_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    async def main() -> int:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return 1

    def once_more(seconds: float) -> None:
        """Press it when the work is done, while a duplicate is waited for."""
        assert seconds > 0
        told.append("done")
        signal.raise_signal(signal.SIGINT)

    # A clock that stands still: a slow machine must not make two presses of one.
    monkeypatch.setattr(event_loop, "monotonic", lambda: 100.0)
    monkeypatch.setattr(event_loop, "sleep", once_more)

    assert run_until_done(main, lambda: told.append("stop")) == 1
    assert told == ["stop", "done"]


@pytest.mark.usefixtures("ctrl_c", "each_counts")
def test_after_the_second_ctrl_c_nobody_complains(caplog: pytest.LogCaptureFixture) -> None:
    async def pressing() -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0)
        signal.raise_signal(signal.SIGINT)

    async def main() -> None:
        await asyncio.wait([asyncio.create_task(pressing())])

    gc.collect()  # tasks that earlier tests left
    caplog.clear()
    with pytest.raises(SecondInterrupt):
        run_until_done(main, lambda: None)
    gc.collect()

    assert caplog.messages == []


def test_where_ctrl_c_is_ignored_it_stays_so() -> None:
    async def main() -> None:
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run_until_done(main, never)
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_executor_tells_what_a_function_gives_or_raises() -> None:
    executor = DaemonExecutor()

    assert executor.submit(int, "3").result() == 3
    with pytest.raises(SystemExit):
        executor.submit(sys.exit).result()


NOTEBOOK = """
import asyncio, signal, threading
from callscore.runner.event_loop import run_until_done

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started it may ignore Ctrl-C

async def cell():
    stopped = asyncio.Event()
    async def main():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        await stopped.wait()
        return "stopped"
    return run_until_done(main, stopped.set)

loop = asyncio.new_event_loop()
print(loop.run_until_complete(cell()))
loop.close()
"""


def test_ctrl_c_in_a_notebook_reaches_the_other_thread() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", NOTEBOOK],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )

    assert (ran.stdout, ran.stderr) == ("stopped\n", "")


def test_a_function_that_nobody_wants_any_more_is_not_run() -> None:
    class Starting(threading.Thread):
        """A thread that begins only after the future was cancelled."""

        def start(self) -> None:
            begin.append(super().start)

    begin: list[Any] = []
    ran: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading, "Thread", Starting)
        future = DaemonExecutor().submit(ran.append, 1)
    assert future.cancel()
    begin[0]()
    for thread in threading.enumerate():
        if isinstance(thread, Starting):
            thread.join()

    assert ran == []


def test_nothing_that_hangs_in_a_thread_keeps_the_process_from_ending() -> None:
    program = """
import asyncio, time
from callscore.runner.event_loop import run_until_done

async def main():
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
    return "ended"

print(run_until_done(main, print))
"""
    ran = _run(program)

    assert (ran.stdout, ran.stderr) == ("ended\n", "")


WAITING = """
import asyncio, os, signal, sys, time
from callscore.runner import event_loop
from callscore.runner.event_loop import SecondInterrupt, run_until_done

event_loop._SAME_PRESS_SECONDS = -1.0  # each one counts, however soon it comes
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started it may ignore Ctrl-C

def say(word):
    os.write(1, word.encode() + b"\\n")  # a signal may come while `print` is at work, which says more

def stop():
    say("wish")
    if sys.argv[1] == "listens":
        stopped.set()

async def main():
    global stopped
    stopped = asyncio.Event()
    if sys.argv[1] == "blocks":
        loop = asyncio.get_running_loop()
        telling = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *given: (say("heard"), telling(*given))
    say("began")
    if sys.argv[1] == "blocks":
        time.sleep(600)
    await stopped.wait()
    return "stopped"

async def cell():
    return run_until_done(main, stop)

try:
    print(asyncio.run(cell()) if sys.argv[2] == "notebook" else run_until_done(main, stop))
except SecondInterrupt:
    print("order")
"""


def _interrupted(listens: str, where: str, times: int) -> list[str]:
    """What a process says that is sent so many SIGINTs, each when the last one was heard."""
    command = [sys.executable, "-c", WAITING, listens, where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        said = []
        for _ in range(times):
            said.append(process.stdout.readline().strip())
            process.send_signal(signal.SIGINT)
        said += process.stdout.read().split()
    assert process.returncode == 0
    return said


@pytest.mark.parametrize("where", ["program", "notebook"])
def test_a_process_stops_at_ctrl_c_and_ends_at_the_second(where: str) -> None:
    assert _interrupted("listens", where, 1) == ["began", "wish", "stopped"]
    assert _interrupted("waits", where, 2) == ["began", "wish", "order"]


def test_a_process_whose_loop_is_blocked_ends_at_the_second_ctrl_c() -> None:
    assert _interrupted("blocks", "program", 2) == ["began", "heard", "order"]


def _run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
