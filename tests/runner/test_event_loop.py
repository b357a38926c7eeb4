"""The event loop, and what Ctrl-C means to it."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys

import pytest

from callscore.runner import event_loop
from callscore.runner.event_loop import SecondInterrupt, run_until_done


@pytest.fixture
def each_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Ctrl-C is the same as the one before, however soon it comes."""
    monkeypatch.setattr(event_loop, "_SAME_PRESS_SECONDS", -1.0)


def never() -> None:
    raise AssertionError("nobody has pressed Ctrl-C")


async def one() -> int:
    return 1


def test_where_a_loop_runs_already_another_thread_does_it() -> None:
    async def in_a_notebook() -> int:
        return run_until_done(one, never)

    assert asyncio.run(in_a_notebook()) == 1


def test_an_unfinished_task_is_cancelled_when_the_main_function_returns() -> None:
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


@pytest.mark.usefixtures("each_counts")
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


NOTEBOOK = """
import asyncio, signal, threading
from callscore.runner.event_loop import run_until_done


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


WAITING = """
import asyncio, os, signal, sys, time
from callscore.runner import event_loop
from callscore.runner.event_loop import SecondInterrupt, run_until_done

event_loop._SAME_PRESS_SECONDS = -1.0  # each one counts, however soon it comes

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
