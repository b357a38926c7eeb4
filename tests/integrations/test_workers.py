"""The processes in which a server runs its tools."""

from __future__ import annotations

import math
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from callscore.integrations.tools import TOOLS, ToolAnswer, check_tool_calls, run_tool
from callscore.integrations.workers import (
    MOST_WORKERS,
    Workers,
    pack_message,
    receive_message,
    run_worker,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from subprocess import Popen

SCORE = TOOLS["score_tool_calls"]
SMALL = {"expected": [{"tool": "f", "args": {"a": 1}}], "actual": [{"tool": "f", "args": {}}]}


def call(number: int, *, items: range) -> dict[str, Any]:
    return {"tool": "f", "args": {"a": [[number, item] for item in items]}}


# Half a minute of work: lists of lists that are compared in any order, each with each.
SLOW = {
    "mode": "outcome",
    "expected": [call(number, items=range(10)) for number in range(100)],
    "actual": [call(number, items=range(9, -2, -1)) for number in range(100)],
}


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


def test_what_takes_too_long_is_stopped_and_the_next_call_answered() -> None:
    async def ask(workers: Workers) -> list[ToolAnswer]:
        before = await workers.answer(SCORE, SMALL)
        workers._seconds = 0.3
        stopped = await workers.answer(SCORE, SLOW)
        workers._seconds = 60
        return [before, stopped, await workers.answer(SCORE, SMALL)]

    before, stopped, after = run(Workers(seconds=60), ask)

    assert stopped == ToolAnswer(
        {
            "error": "this took more than 0.3 s and was stopped. Send fewer calls at once, or"
            " simpler rules."
        },
        is_error=True,
    )
    assert before == after == run_tool(SCORE, SMALL)


def test_whoever_stops_waiting_ends_the_work() -> None:
    started: list[Popen[bytes]] = []

    async def give_up(workers: Workers) -> None:
        started.extend(workers._idle)
        with anyio.move_on_after(0.3):
            await workers.answer(SCORE, SLOW)
        assert workers._idle == []

    run(Workers(), give_up)

    assert [worker.returncode for worker in started] == [-9]


def test_calls_share_a_few_processes() -> None:
    async def ask(workers: Workers) -> int:
        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(workers.answer, SCORE, SMALL)
        return len(workers._idle)

    assert run(Workers(), ask) == MOST_WORKERS


@pytest.mark.parametrize("is_noticed", [True, False])
def test_a_process_that_broke_down_is_replaced(
    is_noticed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(workers: Workers) -> list[ToolAnswer]:
        (worker,) = workers._idle
        worker.kill()
        worker.wait()
        if not is_noticed:  # it breaks down in the middle of a call
            monkeypatch.setattr(worker, "poll", lambda: None)
        return [await workers.answer(SCORE, SMALL) for _ in range(2)]

    first, second = run(Workers(), ask)

    assert second == run_tool(SCORE, SMALL)
    if is_noticed:
        assert first == second
    else:
        assert first.is_error
        assert first.content["error"].startswith("the process that worked on this broke down. ")


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

    assert [worker.poll() for worker in started] == [-9]
    assert all(worker.stdin and worker.stdin.closed for worker in started)


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
    content, is_error = receive_message(answers)
    assert (content, is_error) == (check_tool_calls(CHECK), False)
    content, is_error = receive_message(answers)
    assert is_error
    assert content["error"].startswith("actual: give the calls that were made")


def test_it_ends_when_its_input_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert worked(b"", BytesIO(), monkeypatch) in ([0], [])


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
