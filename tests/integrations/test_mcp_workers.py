"""The worker processes of the server."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import pytest

from callscore import processes
from callscore.integrations import mcp_workers
from callscore.integrations.mcp_workers import Workers, limit_memory
from callscore.integrations.tools import TOOLS, ToolAnswer, run_tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from callscore.processes import Process

SCORE = TOOLS["score_tool_calls"]
SMALL = {"expected": [{"tool": "f", "args": {"a": 1}}], "actual": [{"tool": "f", "args": {}}]}


# A worker whose calls wait for a file, and no longer.
WAITING = """
import sys, time; sys.path[:] = sys.argv[1:]
from pathlib import Path
import callscore.integrations.mcp_workers as workers
from callscore.processes import answer_calls
def run_tool(tool, arguments, run=workers.run_tool):
    while "until" in arguments and not Path(arguments["until"]).exists():
        time.sleep(0.01)
    return run(tool, {key: arguments[key] for key in arguments if key != "until"})
workers.run_tool = run_tool
answer_calls()
"""


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A call that lasts until the file `go-on` exists."""
    monkeypatch.setattr(processes, "_PROGRAM", WAITING)
    monkeypatch.setattr(mcp_workers, "SECONDS_PER_CALL", 600.0)  # a worker may start slowly
    return {**SMALL, "until": str(tmp_path / "go-on")}


def run(workers: Workers, what: Callable[[Workers], Awaitable[Any]]) -> Any:
    with closing(workers):
        return anyio.run(what, workers)


@pytest.mark.parametrize(
    "arguments",
    [
        SMALL,
        {"expected": []},
        {"expected": [{"tool": "f", "args": {"a": float("inf"), "b": 10**30}}], "actual": []},
    ],
)
def test_an_answer_is_the_one_that_the_tool_gives(arguments: Any) -> None:
    found = run(Workers(seconds=600), lambda workers: workers.answer(SCORE, arguments))

    assert found == run_tool(SCORE, arguments)


def test_a_call_that_takes_too_long_is_stopped_and_the_next_one_answered(
    slow: dict[str, Any],
) -> None:
    async def ask(workers: Workers) -> list[ToolAnswer]:
        before = await workers.answer(SCORE, SMALL)
        workers._seconds = 0.3
        stopped = await workers.answer(SCORE, slow)
        workers._seconds = 600
        return [before, stopped, await workers.answer(SCORE, SMALL)]

    before, stopped, after = run(Workers(seconds=600), ask)

    assert stopped == ToolAnswer(
        {
            "error": "the call took more than 0.3 s and was stopped. Send fewer calls at once, or"
            " simpler matchers."
        },
        is_error=True,
    )
    assert before == after == run_tool(SCORE, SMALL)


def test_a_call_that_finds_no_place_is_refused_and_the_others_are_answered(
    slow: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_workers, "PLACES", 1)
    answers: list[ToolAnswer] = []

    async def ask_slowly(workers: Workers) -> None:
        answers.append(await workers.answer(SCORE, slow))

    async def ask(workers: Workers) -> ToolAnswer:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask_slowly, workers)
            await anyio.lowlevel.checkpoint()
            monkeypatch.setattr(mcp_workers, "SECONDS_PER_CALL", 0.1)
            refused = await workers.answer(SCORE, SMALL)
            (tmp_path / "go-on").touch()
        return refused

    refused = run(Workers(seconds=600), ask)

    assert refused.content["error"].startswith("the server is busy. Try again in a moment")
    assert answers == [run_tool(SCORE, SMALL)]


@pytest.mark.parametrize("is_noticed", [True, False])
def test_a_process_that_broke_down_is_replaced(
    is_noticed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(workers: Workers) -> list[ToolAnswer]:
        await workers.answer(SCORE, SMALL)
        (worker,) = workers._idle
        worker._process.kill()
        worker._process.wait()
        if not is_noticed:  # it breaks down when it is called
            monkeypatch.setattr(worker._process, "poll", lambda: None)
        return [await workers.answer(SCORE, SMALL) for _ in range(2)]

    first, second = run(Workers(seconds=600), ask)

    assert second == run_tool(SCORE, SMALL)
    if is_noticed:
        assert first == second
    else:
        assert first.is_error
        assert first.content["error"].startswith("the worker process ended unexpectedly. ")


def test_closed_workers_leave_no_process_and_no_open_pipe() -> None:
    started: list[Process] = []

    async def ask(workers: Workers) -> None:
        await workers.answer(SCORE, SMALL)
        started.extend(workers._idle)

    run(Workers(seconds=600), ask)

    assert [worker._process.poll() for worker in started] == [-9]
    assert all(worker._requests.closed and worker._answers.closed for worker in started)


# The process in which tools run, asked as its parent asks it.


@pytest.mark.parametrize(("hard", "limit"), [(-1, 2 << 30), (1 << 30, 1 << 30)])
def test_the_memory_of_a_worker_is_limited(
    hard: int, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    limits: list[Any] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (-1, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: limits.append(both))

    limit_memory()

    assert limits == [(limit, hard)]
