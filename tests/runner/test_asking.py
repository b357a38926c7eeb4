"""One question: whatever a task does, there is an answer or a sentence."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from openai import AsyncOpenAI
from tests.runner.agents import RIGHT, a_case, a_plan, a_question
from tests.servers.openai_server import Reply, openai_server

from callscore import models
from callscore.core.results import Answer, Failure, Usage
from callscore.hiding.markers import MARKER
from callscore.models.limits import Limits, Rate, run_limits
from callscore.models.usage import add_waiting_time
from callscore.runner import asking
from callscore.runner.answers import case_for_task
from callscore.runner.asking import Workers, ask, ask_in_task
from callscore.runner.event_loop import SecondInterrupt
from callscore.runner.running import RunHooks, RunOptions, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from callscore.core.case import Case
    from callscore.evaluations.evaluation import Question
    from callscore.evaluations.plan import Plan
    from callscore.history.store import Store

PATIENT = Limits(timeout=300, retries=0)  # nobody waits for so long, and a busy machine may
SOON = Limits(timeout=0.05, retries=0)


def asked(question: Question, limits: Limits = PATIENT, **options: Any) -> Answer | Failure:
    return asyncio.run(ask(question, limits, **options))


def answer_of(task: Any, limits: Limits = PATIENT) -> Any:
    found = asked(a_question(task), limits)
    assert isinstance(found, Answer), found
    return found.document


def failure_of(task: Any, limits: Limits = PATIENT, **options: Any) -> Failure:
    found = asked(a_question(task), limits, **options)
    assert isinstance(found, Failure)
    return found


# --- answers ----------------------------------------------------------------------------------


def test_a_task_may_be_a_coroutine_function_or_not() -> None:
    async def awaited(case: Any) -> Any:
        return [case.id]

    async def generated(case: Any) -> AsyncIterator[Any]:
        yield case.id

    def generated_in_a_thread(case: Any) -> Iterator[Any]:
        yield case.id

    class Callable:
        async def __call__(self, case: Any) -> Any:
            return [case.id]

    for task in (
        awaited,
        generated,
        generated_in_a_thread,
        Callable(),
        lambda case: [case.id],
        lambda case: awaited(case),  # noqa: PLW0108  (a plain function that gives a coroutine)
        lambda case: generated(case),  # noqa: PLW0108  (or a generator)
    ):
        assert answer_of(task) == ["weather"], task


def test_a_task_that_gives_a_stream_is_read_to_the_end() -> None:
    async def streamed(_: Any) -> Any:
        return iter(RIGHT)

    assert answer_of(streamed) == RIGHT


def test_a_task_that_is_no_coroutine_function_runs_beside_the_loop() -> None:
    threads: list[Any] = []

    def task(_: Any) -> Any:
        threads.append((threading.current_thread() is threading.main_thread(), run_limits.get()))
        return []

    asked(a_question(task), Limits(retries=1))

    assert threads == [(False, Limits(retries=1))]


def test_a_variant_gives_the_task_keywords() -> None:
    def task(_: Any, *, city: str) -> Any:
        return [("get_weather", {"city": city})]

    question = a_question(task, variants={"north": {"city": "Oslo"}})

    found = asked(question)

    assert isinstance(found, Answer)
    assert found.document == [["get_weather", {"city": "Oslo"}]]


def test_a_case_knows_its_trial_where_there_are_several() -> None:
    once, twice = a_question(list), a_question(list, trials=2)

    assert (case_for_task(once).trial, case_for_task(twice).trial) == (None, 1)


def test_an_answer_says_how_long_it_took_and_what_it_cost() -> None:
    async def task(_: Any) -> Any:
        await asyncio.sleep(0.01)
        usage = {"prompt_tokens": 20, "completion_tokens": 10}
        return {"choices": [{"message": {"role": "assistant", "content": "Hi"}}], "usage": usage}

    found = asked(a_question(task), Limits())

    assert isinstance(found, Answer)
    assert found.seconds >= 0.01
    assert found.usage == Usage(1, 20, 10)
    assert not found.is_reused


def test_waiting_for_ones_turn_is_not_the_agents_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0])
    monkeypatch.setattr("callscore.runner.asking.perf_counter", lambda: next(clock))

    class Slow(Rate):
        async def wait(self) -> None:
            add_waiting_time(4.0)

    found = asked(a_question(lambda _: []), Limits(rate=Slow(1)))

    assert isinstance(found, Answer)
    assert found.seconds == pytest.approx(6.0, abs=0.5)


def test_recorded_answers_cost_nothing_now() -> None:
    class Recorded:
        def __call__(self, _: Any) -> Any:
            usage = {"prompt_tokens": 20, "completion_tokens": 10}
            return {"choices": [{"message": {"content": "Hi"}}], "usage": usage}

        def identity(self) -> dict[str, Any]:
            return {}

    found = asked(a_question(Recorded()))

    assert isinstance(found, Answer)
    assert found.usage == Usage()


# --- a model ----------------------------------------------------------------------------------


def test_a_chat_repeats_its_requests_itself_and_they_are_counted() -> None:
    def script(_: Any, number: int) -> Reply:
        return Reply(status=500) if number == 1 else Reply(text="Hi")

    with openai_server(script) as server:
        task = models.chat("small", base_url=server.base_url)
        found = asked(a_question(task), Limits(retries=1))

    assert isinstance(found, Answer)
    assert found.usage == Usage(2, 20, 10)


def test_a_chat_that_gets_no_answer_is_a_failure_with_its_attempts() -> None:
    with openai_server(lambda *_: Reply(status=500, headers={"retry-after": "0"})) as server:
        task = models.chat("small", base_url=server.base_url)
        found = asked(a_question(task), Limits(retries=1))

    assert isinstance(found, Failure)
    assert (found.kind, found.attempts) == ("raised", 2)
    assert "500" in found.problem


def test_a_model_that_never_answers_is_a_timeout() -> None:
    with openai_server(lambda *_: Reply(is_hung=True)) as server:
        task = models.chat("small", base_url=server.base_url)
        found = asked(a_question(task), SOON)

    assert isinstance(found, Failure)
    assert found.kind == "timeout"


# --- what goes wrong --------------------------------------------------------------------------


def test_what_a_task_raises_is_told_with_the_place() -> None:
    def inner() -> NoReturn:
        raise ZeroDivisionError("division by zero")

    async def task(_: Any) -> Any:
        inner()

    found = failure_of(task)

    assert (found.kind, found.problem) == (
        "raised",
        "the task raised ZeroDivisionError: division by zero",
    )
    assert found.details.splitlines()[-1].strip() == 'raise ZeroDivisionError("division by zero")'
    assert "runner/asking.py" not in found.details


def test_a_task_may_raise_anything() -> None:
    async def cancelled(_: Any) -> Any:
        raise asyncio.CancelledError

    def stopped(_: Any) -> Any:
        return next(iter([]))

    assert (
        failure_of(cancelled).problem
        == "the task raised RuntimeError: it was cancelled by its own code"
    )
    assert failure_of(stopped).problem == "the task raised StopIteration"


def test_an_error_that_may_pass_is_tried_again() -> None:
    tries: list[int] = []

    async def task(_: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise ConnectionError("lost")
        return []

    found = asked(a_question(task), Limits(retries=1))

    assert isinstance(found, Answer)
    assert (found.attempts, len(tries)) == (2, 2)


def test_an_error_that_does_not_pass_is_told_with_the_attempts() -> None:
    async def lost(_: Any) -> Any:
        raise ConnectionError("lost")

    async def wrong(_: Any) -> Any:
        raise ValueError("wrong")

    assert failure_of(lost, Limits(retries=1)).attempts == 2
    assert failure_of(wrong, Limits(retries=1)).attempts == 1


def test_a_hung_task_is_given_up_and_not_asked_again() -> None:
    async def hung(_: Any) -> Any:
        await asyncio.sleep(60)

    def hung_in_a_thread(_: Any) -> Any:
        time.sleep(60)

    async def hung_in_its_own_thread(_: Any) -> Any:
        await asyncio.wrap_future(_in_thread(time.sleep, 60))

    for task in (hung, hung_in_a_thread, hung_in_its_own_thread):
        found = failure_of(task, Limits(timeout=0.05, retries=3))
        assert (found.kind, found.attempts) == ("timeout", 1)
        assert found.problem == "the task took more than 0.05 s"


def _in_thread(function: Any, *arguments: Any) -> Any:
    from callscore.runner.event_loop import DaemonExecutor

    return DaemonExecutor().submit(function, *arguments)


def test_a_task_that_makes_something_else_of_being_stopped_is_late_all_the_same() -> None:
    async def answering(_: Any) -> Any:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return []

    async def raising(_: Any) -> Any:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ValueError("not now") from None

    for task in (answering, raising):
        assert failure_of(task, SOON).kind == "timeout"


def test_a_task_that_does_not_listen_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callscore.runner.asking._GRACE_SECONDS", 0.02)
    let_go, ended = asyncio.Event(), asyncio.Event()

    async def deaf(_: Any) -> Any:
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        ended.set()
        return []

    async def ask_and_wait() -> Answer | Failure:
        found = await ask(a_question(deaf), SOON)
        assert not ended.is_set()
        let_go.set()
        await ended.wait()
        return found

    found = asyncio.run(ask_and_wait())

    assert isinstance(found, Failure)
    assert found.kind == "timeout"


def test_a_task_that_wants_to_end_the_process_does_not() -> None:
    async def ending(_: Any) -> Any:
        sys.exit(3)

    def ending_in_a_thread(_: Any) -> Any:
        sys.exit("no more")

    assert failure_of(ending).kind == "exited"
    assert failure_of(ending).problem == "the task tried to end the process: sys.exit(3)"
    assert "sys.exit('no more')" in failure_of(ending_in_a_thread).problem


async def _interrupting(_: Any) -> Any:
    raise KeyboardInterrupt


def test_a_keyboard_interrupt_is_the_tasks_own_only_where_somebody_handles_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt):
        asked(a_question(_interrupting))

    found = failure_of(_interrupting, takes_interrupts=True)

    assert (found.kind, found.problem) == (
        "exited",
        "the task tried to end the process: KeyboardInterrupt",
    )


def test_the_second_ctrl_c_is_nobodys_own() -> None:
    async def interrupted(_: Any) -> Any:
        raise SecondInterrupt

    with pytest.raises(SecondInterrupt):
        asked(a_question(interrupted), takes_interrupts=True)


@pytest.mark.parametrize("returned", [None, object(), asyncio.sleep, {"a": {1: object()}}])
def test_what_is_no_data_is_refused_in_a_sentence(returned: Any) -> None:
    found = failure_of(lambda _: returned)

    assert found.kind == "unreadable"
    assert found.problem.startswith("the task returned ")


def test_what_cannot_be_asked_at_all_is_refused() -> None:
    task = models.chat("small", base_url="https://models.example/v1", key_variable="NO_SUCH_KEY")

    found = failure_of(task)

    assert found.kind == "refused"
    assert "NO_SUCH_KEY" in found.problem


def test_whoever_stops_waiting_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callscore.runner.asking._GRACE_SECONDS", 0.02)
    began = asyncio.Event()

    async def hung(_: Any) -> Any:
        began.set()
        await asyncio.sleep(60)

    async def stop() -> None:
        waiting = asyncio.create_task(ask(a_question(hung), Limits()))
        await began.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(stop())


def test_the_trial_is_told_where_there_are_several() -> None:
    def task(_: Any) -> Any:
        raise ValueError

    found = asked(a_question(task, trials=2))

    assert isinstance(found, Failure)
    assert found.label == "weather #1"


PROGRAM = """
import asyncio, time
from callscore import Case, evaluate, evaluation

@evaluation(cases=[Case("a", id="thread"), Case("b", id="to_thread"), Case("c", id="deaf")])
def assistant(case):
    return {"thread": lambda: time.sleep(60), "to_thread": to_thread, "deaf": deaf}[case.id]()

async def to_thread():
    await asyncio.to_thread(time.sleep, 60)

async def deaf():
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass

(found,) = evaluate(assistant, timeout=0.1).evaluations
print(*sorted(failure.kind for failure in found.failures))
"""


def test_nothing_that_hangs_keeps_the_process_from_ending() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )

    assert (ran.stdout, ran.stderr) == ("timeout timeout timeout\n", "")


def test_a_case_is_not_changed_by_being_asked() -> None:
    case = a_case(tools=[{"name": "get_weather"}])
    given: list[Any] = []

    asked(a_question(given.append, case))

    assert given[0].input == case.input
    assert given[0].tools == case.tools


# --- cancelled, and worse ---------------------------------------------------------------------


async def _cancelling_itself(_: Any) -> Any:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def _cancelling_itself_and_returning(_: Any) -> Any:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    return []


@pytest.mark.parametrize("task", [_cancelling_itself, _cancelling_itself_and_returning])
def test_a_task_that_cancels_whoever_asks_it_is_told(task: Any) -> None:
    found = failure_of(task)

    assert (found.kind, found.problem) == (
        "raised",
        "the task cancelled the asyncio task that runs it",
    )


def test_a_task_that_cancels_and_returns_does_not_harm_the_next_question() -> None:
    async def quick(_: Any) -> Any:
        await asyncio.sleep(0)
        return RIGHT

    async def both() -> Any:
        with pytest.raises(asyncio.CancelledError):
            await ask_in_task(
                a_question(_cancelling_itself_and_returning), PATIENT, on_stuck=_unstuck
            )
        return await ask_in_task(a_question(quick), PATIENT, on_stuck=_unstuck)

    assert asyncio.run(both()).document == RIGHT


def _unstuck(failure: Failure) -> NoReturn:
    raise AssertionError(failure)


def test_a_task_that_waits_for_what_was_cancelled_is_told() -> None:
    async def task(_: Any) -> Any:
        other = asyncio.ensure_future(asyncio.sleep(60))
        other.cancel()
        await other

    assert (
        failure_of(task).problem == "the task raised RuntimeError: it was cancelled by its own code"
    )


class Odd(BaseException):
    """What no `except Exception` catches, as some libraries have it."""


async def _odd(_: Any) -> Any:
    raise Odd("no Exception")


def _odd_in_a_thread(_: Any) -> Any:
    raise Odd("no Exception")


@pytest.mark.parametrize("task", [_odd, _odd_in_a_thread])
def test_what_is_no_exception_at_all_is_told_like_any_other(task: Any) -> None:
    found = failure_of(task)

    assert (found.kind, found.problem) == ("raised", "the task raised Odd: no Exception")
    assert 'raise Odd("no Exception")' in found.details


def test_a_keyboard_interrupt_in_a_thread_is_the_tasks_own_too() -> None:
    def task(_: Any) -> Any:
        raise KeyboardInterrupt

    assert failure_of(task, takes_interrupts=True).kind == "exited"


def test_whoever_stops_waiting_while_the_time_is_over_is_not_told_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("callscore.runner.asking._GRACE_SECONDS", 50)
    told = asyncio.Event()

    async def slow_to_listen(_: Any) -> Any:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            told.set()
            await asyncio.sleep(60)

    async def stop() -> None:
        question = a_question(slow_to_listen)
        asking = asyncio.create_task(ask_in_task(question, SOON, on_stuck=_unstuck))
        await told.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(stop())


# --- blocking and streams ---------------------------------------------------------------------


def test_a_task_that_blocks_the_loop_is_late_as_soon_as_it_lets_go() -> None:
    async def blocking(_: Any) -> Any:
        time.sleep(0.1)  # noqa: ASYNC251  (that is the point)
        await asyncio.sleep(60)

    assert failure_of(blocking, SOON).kind == "timeout"


def test_a_stream_that_never_ends_is_given_up() -> None:
    never = threading.Event()

    async def streamed(_: Any) -> AsyncIterator[Any]:
        yield {}
        await asyncio.sleep(60)

    def streamed_in_a_thread(_: Any) -> Iterator[Any]:
        yield {}
        never.wait()

    async def stream_returned(_: Any) -> Any:
        return streamed_in_a_thread(_)

    for task in (streamed, streamed_in_a_thread, stream_returned):
        assert failure_of(task, SOON).kind == "timeout", task
    never.set()  # so that no thread is left behind


def test_what_a_stream_raises_is_told() -> None:
    async def streamed(_: Any) -> AsyncIterator[Any]:
        yield {}
        raise ValueError("half of it")

    def streamed_in_a_thread(_: Any) -> Iterator[Any]:
        yield {}
        raise ValueError("half of it")

    for task in (streamed, streamed_in_a_thread):
        assert failure_of(task).problem == "the task raised ValueError: half of it", task


def test_the_object_of_an_sdk_is_an_answer_with_its_usage() -> None:
    async def task(case: Any) -> Any:
        async with AsyncOpenAI(base_url=server.base_url, api_key="-", max_retries=0) as client:
            said: Any = [{"role": "user", "content": case.input}]
            return await client.chat.completions.create(model="small", messages=said)

    with openai_server(lambda *_: Reply(calls=[("get_weather", {"city": "Paris"})])) as server:
        found = asked(a_question(task), Limits(retries=0))

    assert isinstance(found, Answer)
    assert found.document["choices"][0]["message"]["tool_calls"][0]["id"] == "call_1"
    assert found.usage == Usage(1, 20, 10)


@pytest.mark.parametrize(("status", "attempts"), [(503, 3), (429, 3), (400, 1), (401, 1)])
def test_an_error_of_an_sdk_is_tried_again_where_it_may_pass(
    status: int, attempts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-pattern-but-secret")

    async def task(_: Any) -> Any:
        async with AsyncOpenAI(base_url=server.base_url, max_retries=0) as client:
            said: Any = [{"role": "user", "content": "Hi"}]
            return await client.chat.completions.create(model="small", messages=said)

    reply = Reply(
        status=status,
        headers={"retry-after-ms": "1"},
        message="not-a-pattern-but-secret is wrong, sk-abcdefghijkl123456, too",
    )
    with openai_server(lambda *_: reply) as server:
        found = asked(a_question(task), Limits(retries=2))

    assert isinstance(found, Failure)
    assert (found.kind, found.attempts, len(server.requests)) == ("raised", attempts, attempts)
    assert "(hidden) is wrong, ***, too" in MARKER.sub("(hidden)", found.problem)
    assert "secret" not in found.problem + found.details


def test_a_chat_inside_of_a_task_is_not_repeated_by_two() -> None:
    with openai_server(lambda *_: Reply(status=500, headers={"retry-after-ms": "1"})) as server:
        chat = models.chat("small", base_url=server.base_url)

        async def task(case: Any) -> Any:
            return await chat(case)

        found = asked(a_question(task), Limits(retries=2))

    assert isinstance(found, Failure)
    assert (found.attempts, len(server.requests)) == (3, 3)


@pytest.mark.parametrize("is_async", [False, True])
def test_what_a_task_does_to_its_case_is_for_itself_alone(is_async: bool) -> None:
    messages = [{"role": "user", "content": "Hi!"}]
    asked: list[int] = []

    def change(case: Case, more: list[int]) -> list[Any]:
        case.input.append("mine")
        case.metadata["mine"] = 1
        case.expected[0].arguments["city"] = "mine"  # type: ignore[index]  # there is one
        more.append(1)
        asked.append(len(case.input) + len(more))
        return []

    async def change_async(case: Case, more: list[int]) -> list[Any]:
        return change(case, more)

    variants = {"one": {"more": [0]}}
    case = a_case(input=messages, metadata={})
    question = a_question(change_async if is_async else change, case, variants=variants)
    for _ in range(2):
        asyncio.run(ask(question, Limits()))

    assert asked == [4, 4]
    assert (question.case.input, question.case.metadata) == (messages[:1], {})
    assert question.case.expected == a_question(list).case.expected


def test_an_input_that_cannot_be_copied_is_handed_over_itself() -> None:
    lock = threading.Lock()

    found = asyncio.run(
        ask(a_question(lambda case: [str(case.input is lock)], a_case(input=lock)), Limits())
    )

    assert isinstance(found, Answer)
    assert found.document == ["True"]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_task_that_raises_generator_exit_has_failed(is_async: bool) -> None:
    def leave(_: Case) -> None:
        raise GeneratorExit

    async def leave_async(case: Case) -> None:
        leave(case)

    found = asyncio.run(ask(a_question(leave_async if is_async else leave), Limits()))

    assert isinstance(found, Failure)
    assert (found.kind, found.problem) == ("raised", "the task raised GeneratorExit")


def test_an_async_task_that_blocks_everything_has_taken_too_long() -> None:
    async def block(_: Case) -> list[Any]:
        time.sleep(0.2)  # noqa: ASYNC251  (this is what is wrong with it)
        return []

    found = asyncio.run(ask(a_question(block), Limits(timeout=0.05)))

    assert isinstance(found, Failure)
    assert found.kind == "timeout"
    assert "waiting without `await`" in found.problem


# The workers: how many ask at once, and what becomes of tasks that do not play by the rules.

LIMITS = Limits(timeout=300, retries=0)
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
    monkeypatch.setattr("callscore.runner.asking._SLOW_SECONDS", 0.0)
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
    monkeypatch.setattr(asking, "_GRACE_SECONDS", 0.02)
    # Only the first has little time: a slow machine must not make the second late.
    seconds, timeout = iter([0.05, 600.0]), asking._Timeout
    monkeypatch.setattr(asking, "_Timeout", lambda _, on_stuck: timeout(next(seconds), on_stuck))
    stopped: list[str] = []
    let_go = asyncio.Event()

    async def agent(case: Any) -> Any:
        while case.id == "case-0" and len(stopped) < 2:
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                stopped.append(case.id)
        if case.id == "case-0":
            let_go.set()  # the first does answer, and nobody wants to know
        await let_go.wait()
        return RIGHT

    options = RunOptions(jobs=1, limits=Limits(retries=0))
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


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_a_deeply_nested_reference_is_scored(store: Store) -> None:
    expected = [("f", {"x": _nested(450)})]
    asked = a_plan(lambda _: RIGHT, a_case("deep", expected=expected), a_case("plain"))

    found = run(asked, RunOptions(jobs=2, limits=LIMITS), store=store)

    (each,) = found.evaluations
    assert (each.answered, each.errors) == (2, 0)
    assert {result.case for result in store.results(found.id)} == {"deep", "plain"}


@pytest.mark.parametrize("depth", [600, 5000])
def test_a_reference_that_is_nested_too_deeply_refuses_its_evaluation(
    store: Store, depth: int
) -> None:
    expected = [("f", {"x": _nested(depth)})]
    asked = a_plan(lambda _: RIGHT, a_case("deep", expected=expected), a_case("plain"))

    found = run(asked, RunOptions(jobs=2, limits=LIMITS), store=store)

    (unloaded,) = found.unloaded
    assert found.evaluations == ()
    assert "nested too deeply" in unloaded.problem
    assert "cases[0]" in unloaded.place


@pytest.mark.parametrize("depth", [450, 600, 5000])
def test_an_answer_that_is_nested_too_deeply_is_an_error_of_its_case(
    store: Store, depth: int
) -> None:
    def answer(question: Any) -> Any:
        if question.id == "deep":
            return [{"name": "get_weather", "arguments": {"city": _nested(depth)}}]
        return RIGHT

    found = run(
        a_plan(answer, a_case("deep"), a_case("plain")),
        RunOptions(jobs=2, limits=LIMITS),
        store=store,
    )

    (each,) = found.evaluations
    assert (each.answered, each.passed, each.errors) == (1, 1, 1)
    assert "nested too deeply" in each.failures[0].problem
    assert {result.case for result in store.results(found.id)} == {"deep", "plain"}


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
