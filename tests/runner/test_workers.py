"""The workers: how many ask at once, and what becomes of tasks that do not play by the rules."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.runner.agents import RIGHT, a_case, a_plan
from tests.servers.openai_server import openai_server

from callscore import models
from callscore.models.limits import Limits
from callscore.runner.running import RunHooks, RunOptions, run
from callscore.runner.workers import Workers

if TYPE_CHECKING:
    from callscore.evaluations.plan import Plan
    from callscore.history.store import Store

LIMITS = Limits(timeout=30.0, retries=0)
MANY = [a_case(f"case-{number}") for number in range(60)]


def worked(asked: Plan, jobs: int = 1, limits: Limits = LIMITS, **others: Any) -> dict[str, Any]:
    """What becomes of each case, without a history."""
    told: dict[str, Any] = {}

    def report(group: int, position: int, question: Any, outcome: Any) -> None:
        assert asked.groups[group].questions[position] is question
        told[question.case.id] = outcome

    workers = Workers(asked.groups, jobs=jobs, limits=limits, recorder=None, **others)
    asyncio.run(workers.run(report, lambda _: None))
    assert not workers.is_interrupted
    return told


@pytest.mark.parametrize("jobs", [1, 3, 40])
def test_no_more_are_asked_at_once_than_is_wished_for(store: Store, jobs: int) -> None:
    """With many workers, each may ask the next question while its answer is being kept."""
    with openai_server(latency=0.005) as server:
        chat = models.chat("small", base_url=server.base_url)
        found = run(a_plan(chat, *MANY), RunOptions(jobs=jobs, limits=LIMITS), store=store)

    assert found.evaluations[0].answered == len(MANY)
    assert 1 <= server.most_in_flight <= jobs
    assert len(server.requests) == len(MANY)
    assert len(list(store.results(found.id))) == len(MANY)


def test_a_long_answer_is_kept_before_the_next_is_asked_for_however_many_ask(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callscore.runner.workers._SLOW_SECONDS", 0.0)
    kept: list[int] = []

    async def agent(_: Any) -> Any:
        kept.append(len(done))
        return RIGHT

    done: list[Any] = []
    hooks = RunHooks(on_done=lambda question, _: done.append(question))
    run(a_plan(agent, *MANY), RunOptions(jobs=20), hooks, store)

    # Of each worker everything is reported before it goes on.
    assert all(asked - reported < 20 for asked, reported in enumerate(kept))


def test_questions_are_asked_in_the_order_of_the_plan() -> None:
    asked: list[str] = []

    async def agent(case: Any, **_: Any) -> Any:
        asked.append(case.id)
        return RIGHT

    told = worked(a_plan(agent, *MANY[:4], variants={"a": {"x": 1}, "b": {"x": 2}}))

    assert asked == [case.id for case in MANY[:4]] * 2
    assert all(outcome.failure is None for outcome in told.values())


def test_a_task_that_cancels_whoever_asks_it_has_no_answer() -> None:
    async def agent(case: Any) -> Any:
        if case.id == "case-0":
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            task.cancel()
            await asyncio.sleep(1)
        return RIGHT

    told = worked(a_plan(agent, *MANY[:3]))

    failed = told.pop("case-0").failure
    assert failed is not None
    assert failed.kind == "raised"
    assert "cancelled" in failed.problem
    assert all(outcome.failure is None for outcome in told.values())


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_task_that_does_not_listen_is_left_behind_and_the_others_are_asked(
    store: Store, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    monkeypatch.setattr("callscore.runner.asking._GRACE_SECONDS", 0.02)
    stopped: list[str] = []

    async def agent(case: Any) -> Any:
        while case.id == "case-0" and len(stopped) < 2:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stopped.append(case.id)
        await asyncio.sleep(0.01)  # by then the first does answer, and nobody wants to know
        return RIGHT

    options = RunOptions(jobs=1, limits=Limits(timeout=0.05, retries=0))
    found = run(a_plan(agent, *MANY[:2]), options, store=store if is_kept else None)

    (failed,) = found.evaluations[0].failures
    assert (failed.case, failed.kind) == ("case-0", "timeout")
    assert found.evaluations[0].passed == 1
    if is_kept:
        assert {one.case: one.status for one in store.results(found.id)} == {
            "case-0": "error",
            "case-1": "scored",
        }


class _Speechless:
    """A task that cannot say what it asks."""

    async def __call__(self, _: Any) -> Any:
        return RIGHT

    def identity(self) -> Any:
        raise ValueError("who knows")


@pytest.mark.parametrize("depth", [450, 600, 5000])
def test_a_case_that_is_nested_too_deeply_holds_nobody_up(store: Store, depth: int) -> None:
    deep: Any = 1
    for _ in range(depth):
        deep = [deep]
    asked = a_plan(lambda _: RIGHT, a_case("deep", expected=[("f", {"x": deep})]), a_case("plain"))

    found = run(asked, RunOptions(jobs=2, limits=LIMITS), store=store)

    (each,) = found.evaluations
    assert each.answered + each.errors == 2
    assert "plain" in [result.case for result in store.results(found.id)]


def test_a_task_that_cannot_say_what_it_asks_is_a_failure(store: Store) -> None:
    found = run(a_plan(_Speechless(), *MANY[:2]), store=store)

    assert found.errors == 2
    assert "who knows" in found.evaluations[0].failures[0].problem


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("hook", ["on_started", "on_done"])
def test_whoever_listens_and_raises_ends_the_run(store: Store, hook: str, is_kept: bool) -> None:
    def raising(*_: Any) -> None:
        raise ValueError("enough")

    told: dict[str, Any] = {hook: raising}
    asked = a_plan(lambda _: RIGHT, *MANY)

    with pytest.raises(ValueError, match="enough"):
        run(asked, RunOptions(jobs=3), RunHooks(**told), store if is_kept else None)


def test_what_is_stopped_is_not_waited_for(store: Store) -> None:
    asked = a_plan(_never, *MANY)
    workers: list[Workers] = []

    def stop(_: Any) -> None:
        asyncio.get_running_loop().call_soon(workers[0].stop)

    workers.append(Workers(asked.groups, jobs=4, limits=LIMITS, recorder=None))
    asyncio.run(workers[0].run(lambda *_: None, stop))

    assert workers[0].is_interrupted
    assert store.runs() == []


async def _never(_: Any) -> Any:
    await asyncio.sleep(60)
