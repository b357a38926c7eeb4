"""The worker processes of the server, and the lanes in which they work."""

from __future__ import annotations

import math
import sys
from io import BytesIO, TextIOWrapper
from time import monotonic
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import pytest
from msgspec import structs

from callscore.integrations import mcp_workers
from callscore.integrations.mcp_workers import (
    MOST_WAITING,
    QUICK_PLACES,
    SHORT,
    SLOW_PLACES,
    Lanes,
    Worker,
    Workers,
    limit_memory,
    pack_message,
    receive_message,
    run_worker,
)
from callscore.integrations.tools import TOOLS, ToolAnswer, check_tool_calls, run_tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

SCORE = TOOLS["score_tool_calls"]
SMALL = {"expected": [{"tool": "f", "args": {"a": 1}}], "actual": [{"tool": "f", "args": {}}]}


# A worker whose calls wait for a file, and no longer.
WAITING = """
import sys, time; sys.path[:] = sys.argv[1:]
from pathlib import Path
import callscore.integrations.mcp_workers as workers
def run_tool(tool, arguments, run=workers.run_tool):
    while "until" in arguments and not Path(arguments["until"]).exists():
        time.sleep(0.01)
    return run(tool, {key: arguments[key] for key in arguments if key != "until"})
workers.run_tool = run_tool
workers.run_worker()
"""
IS_BUSY = "the server is busy with other slow calls. Try again in "


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A call that lasts until the file `go-on` exists."""
    monkeypatch.setattr(mcp_workers, "_PROGRAM", WAITING)
    return {**SMALL, "until": str(tmp_path / "go-on")}


def run(workers: Workers, what: Callable[[Workers], Awaitable[Any]]) -> Any:
    with workers:
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
    found = run(Workers(), lambda workers: workers.answer(SCORE, arguments))

    assert found == run_tool(SCORE, arguments)


def test_what_takes_too_long_is_stopped_and_the_next_call_answered(slow: dict[str, Any]) -> None:
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


def test_a_tool_can_have_a_limit_and_advice_of_its_own(slow: dict[str, Any]) -> None:
    tool = structs.replace(SCORE, seconds=0.3, if_slow="Do it in a shell.")

    found = run(Workers(seconds=600), lambda workers: workers.answer(tool, slow))

    said = "the call took more than 0.3 s and was stopped. Do it in a shell."
    assert found == ToolAnswer({"error": said}, is_error=True)


def test_a_call_that_is_cancelled_ends_the_work_and_frees_its_place(slow: dict[str, Any]) -> None:
    started: list[Worker] = []

    async def give_up(workers: Workers) -> None:
        started.extend(workers._idle)
        with anyio.move_on_after(0.3):
            await workers.answer(SCORE, slow)
        assert workers._lanes._free == QUICK_PLACES

    run(Workers(), give_up)

    assert [worker.process.returncode for worker in started] == [-9]


def test_calls_share_a_few_processes() -> None:
    async def ask(workers: Workers) -> int:
        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(workers.answer, SCORE, SMALL)
        return len(workers._idle)

    assert run(Workers(), ask) <= QUICK_PLACES


def test_a_quick_call_is_answered_while_slow_ones_work_and_those_without_a_place_are_refused(
    slow: dict[str, Any], tmp_path: Path
) -> None:
    answers: list[ToolAnswer] = []
    before: list[ToolAnswer] = []

    async def ask_slowly(workers: Workers) -> None:
        answers.append(await workers.answer(SCORE, slow))

    async def ask(workers: Workers) -> ToolAnswer:
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(ask_slowly, workers)
            await anyio.lowlevel.checkpoint()
            quick = await workers.answer(SCORE, SMALL)
            before.extend(answers)
            (tmp_path / "go-on").touch()
        return quick

    quick = run(Workers(seconds=600), ask)

    assert quick == run_tool(SCORE, SMALL)
    assert all(each.content["error"].startswith(IS_BUSY) for each in before)
    assert len(answers) == 8
    assert sum(each == quick for each in answers) >= SLOW_PLACES


def test_slow_calls_keep_their_places_if_nothing_waits(
    slow: dict[str, Any], tmp_path: Path
) -> None:
    answers: list[ToolAnswer] = []

    async def ask_slowly(workers: Workers) -> None:
        answers.append(await workers.answer(SCORE, slow))

    async def ask(workers: Workers) -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(SLOW_PLACES + QUICK_PLACES):
                tasks.start_soon(ask_slowly, workers)
            # Until all others are in the quick lane.
            while len(workers._lanes._slow) < SLOW_PLACES:  # noqa: ASYNC110  (nothing tells it)
                await anyio.sleep(0.01)
            (tmp_path / "go-on").touch()

    run(Workers(seconds=600), ask)

    assert answers == [run_tool(SCORE, SMALL)] * (SLOW_PLACES + QUICK_PLACES)


def test_a_call_that_finds_the_queue_full_is_refused_at_once(
    slow: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(mcp_workers, "QUICK_SECONDS", 600)  # no place becomes free
    refused: list[ToolAnswer] = []

    async def ask(workers: Workers) -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(QUICK_PLACES + MOST_WAITING):
                tasks.start_soon(workers.answer, SCORE, slow)
            await anyio.lowlevel.checkpoint()
            refused.append(await workers.answer(SCORE, slow))
            (tmp_path / "go-on").touch()

    run(Workers(seconds=600), ask)

    problem = (
        "the server is busy: too many calls are waiting. Try again in 1 s, or send a shorter call."
    )
    assert refused == [ToolAnswer({"error": problem}, is_error=True)]


def test_in_the_queue_the_shortest_call_is_first_and_the_longest_is_refused() -> None:
    admitted: list[tuple[int, bool]] = []

    async def enter(lanes: Lanes, size: int) -> None:
        admitted.append((size, await lanes.enter(size)))

    async def ask() -> None:
        lanes = Lanes()
        for _ in range(QUICK_PLACES):
            assert await lanes.enter(1)
        async with anyio.create_task_group() as tasks:
            for size in [900, *range(200, 200 + MOST_WAITING), 100]:
                tasks.start_soon(enter, lanes, size)
            await anyio.wait_all_tasks_blocked()
            while lanes.has_waiting:
                lanes.leave()
                await anyio.wait_all_tasks_blocked()

    anyio.run(ask)

    longest = 200 + MOST_WAITING - 1
    assert sorted(size for size, is_admitted in admitted if not is_admitted) == [longest, 900]
    assert [size for size, is_admitted in admitted if is_admitted] == [100, *range(200, longest)]


def test_one_place_is_only_for_short_calls() -> None:
    entered: list[int] = []

    async def enter(lanes: Lanes, size: int) -> None:
        await lanes.enter(size)
        entered.append(size)

    async def ask() -> None:
        lanes = Lanes()
        async with anyio.create_task_group() as tasks:
            for _ in range(QUICK_PLACES):
                tasks.start_soon(enter, lanes, SHORT + 1)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(enter, lanes, SHORT)
            await anyio.wait_all_tasks_blocked()
            for _ in range(2):  # the first place that is free is that for short calls
                lanes.leave()
                await anyio.wait_all_tasks_blocked()

    anyio.run(ask)

    assert entered == [*[SHORT + 1] * (QUICK_PLACES - 1), SHORT, SHORT + 1]


def test_a_call_that_is_cancelled_in_the_queue_leaves_it() -> None:
    async def enter_and_leave(lanes: Lanes) -> None:
        if await lanes.enter(1):
            lanes.leave()

    async def ask() -> tuple[bool, int]:
        lanes = Lanes()
        for _ in range(QUICK_PLACES):
            assert await lanes.enter(1)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(enter_and_leave, lanes)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        has_waiting = lanes.has_waiting
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(enter_and_leave, lanes)
            await anyio.wait_all_tasks_blocked()
            lanes.leave()  # it is admitted, and cancelled before it knows
            tasks.cancel_scope.cancel()
        return has_waiting, lanes._free

    assert anyio.run(ask) == (False, 1)


def test_who_waits_too_long_in_the_queue_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_workers, "SECONDS_PER_CALL", 0.01)

    async def ask() -> bool:
        lanes = Lanes()
        for _ in range(QUICK_PLACES):
            await lanes.enter(1)
        return await lanes.enter(1)

    assert anyio.run(ask) is False


def test_the_time_after_which_to_try_again_is_that_of_the_next_slow_place() -> None:
    lanes = Lanes()
    before = lanes.retry_seconds()
    now = monotonic()

    for number in range(SLOW_PLACES):
        assert lanes.slow_down(number, now + 1000 + 1000 * number)

    assert not lanes.slow_down("one more", now)
    assert before == 1
    assert 900 < lanes.retry_seconds() <= 1000
    lanes.leave_slow(0)
    assert lanes.retry_seconds() == 1


@pytest.mark.parametrize("is_noticed", [True, False])
def test_a_process_that_broke_down_is_replaced(
    is_noticed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(workers: Workers) -> list[ToolAnswer]:
        (worker,) = workers._idle
        worker.wait_until_ready()
        worker.process.kill()
        worker.process.wait()
        if not is_noticed:  # it breaks down in the middle of a call
            monkeypatch.setattr(worker.process, "poll", lambda: None)
        return [await workers.answer(SCORE, SMALL) for _ in range(2)]

    first, second = run(Workers(), ask)

    assert second == run_tool(SCORE, SMALL)
    if is_noticed:
        assert first == second
    else:
        assert first.is_error
        assert first.content["error"].startswith("the worker process ended unexpectedly. ")


def test_what_no_process_can_be_given_is_refused_by_the_tool() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]

    found = run(Workers(), lambda workers: workers.answer(SCORE, {"expected": value, "actual": []}))

    assert found.is_error
    assert "nested too deeply" in found.content["error"]


def test_nothing_is_left_behind() -> None:
    with Workers() as workers:
        started = [*workers._idle]

    assert [worker.process.poll() for worker in started] == [-9]
    assert all(worker._incoming.closed for worker in started)


# The process in which tools run, asked as its parent asks it.

CHECK = {"actual": [{"tool": "f", "args": {}}, {"tool": "f", "args": {}}]}


class _Unwritable(BytesIO):
    def write(self, _: Any) -> int:
        raise BrokenPipeError


def worked(calls: bytes, answers: BytesIO, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Work off these calls; returns how the process would have been left."""
    left: list[int] = []
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(calls)))
    monkeypatch.setattr("sys.stdout", TextIOWrapper(answers))
    run_worker(left.append)
    return left


def test_calls_are_answered_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = BytesIO()

    worked(
        pack_message(("check_tool_calls", CHECK)) + pack_message(("check_tool_calls", {})),
        answers,
        monkeypatch,
    )

    answers.seek(0)
    assert receive_message(answers) == "ready"
    content, is_error = receive_message(answers)
    assert (content, is_error) == (check_tool_calls(CHECK), False)
    content, is_error = receive_message(answers)
    assert is_error
    assert content["error"].startswith("actual: missing. Send the actual calls")


def test_it_ends_when_its_input_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert worked(b"", BytesIO(), monkeypatch) in ([0], [])


def test_a_call_that_needs_too_much_memory_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any) -> ToolAnswer:
        raise MemoryError

    monkeypatch.setattr(mcp_workers, "run_tool", fail)

    assert 1 in worked(pack_message(("check_tool_calls", CHECK)), BytesIO(), monkeypatch)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no limits of processes")
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


def test_it_ends_quietly_when_nobody_wants_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    worked(pack_message(("check_tool_calls", CHECK)), _Unwritable(), monkeypatch)


@pytest.mark.parametrize(
    "value",
    [None, 10**100, "\ud800", math.inf, {"a": [1.5, True, ("b",)]}, "x" * 100_000],
    ids=["null", "large", "half of a pair", "infinite", "nested", "long"],
)
def test_a_message_is_what_it_was(value: Any) -> None:
    assert receive_message(BytesIO(pack_message(value))) == value


@pytest.mark.parametrize("rest", [b"", pack_message([1])[:3], pack_message([1])[:8]])
def test_the_end_is_told_apart_from_a_message(rest: bytes) -> None:
    with pytest.raises(EOFError):
        receive_message(BytesIO(rest))


def test_what_is_no_plain_data_is_refused() -> None:
    with pytest.raises(ValueError, match="unmarshallable"):
        pack_message(object())
