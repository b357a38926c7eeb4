"""Whatever a task does, there is an answer or a sentence, and the other cases are run."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import UUID

import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion
from tests.runner.agents import RIGHT, WEATHER, a_case, a_plan, an_evaluation
from tests.servers.openai_server import Reply, openai_server

from callscore import ToolCall, evaluate, expect, models
from callscore.core.results import Usage
from callscore.runner.rescoring import rescore
from callscore.runner.running import RunHooks, RunOptions, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from callscore.core.case import Case
    from callscore.core.results import EvaluationResults, Failure
    from callscore.history.store import Store

MANY = [a_case(f"case-{number}") for number in range(60)]
ANYWHERE = [expect.call("weather")]


def found(task: Any, *cases: Case, **options: Any) -> EvaluationResults:
    """What becomes of an evaluation; nobody waits as long as that, and a busy machine may."""
    limits: dict[str, Any] = {"timeout": 300, "retries": 0}
    limits |= {
        name: options.pop(name) for name in ("timeout", "retries", "jobs") if name in options
    }
    results = evaluate(an_evaluation(task, *cases, **options), show="all", **limits)
    assert results.unloaded == ()
    (each,) = results.evaluations
    return each


def failure_of(task: Any, **options: Any) -> Failure:
    (failure,) = found(task, **options).failures
    return failure


# --- answers ------------------------------------------------------------------------------------


def test_a_task_may_be_a_coroutine_function_a_generator_or_neither() -> None:
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
        assert found(task, a_case(expected=ANYWHERE)).passed == 1, task


COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "small",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "tool_calls": [
                    {
                        "id": "1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
                    }
                ],
            },
        }
    ],
}


@dataclass
class Call:
    name: str
    arguments: dict[str, Any]


@pytest.mark.parametrize(
    "returned",
    [
        RIGHT,
        (ToolCall("get_weather", {"city": "Paris"}),),
        [Call("get_weather", {"city": "Paris"})],
        [("get_weather", {"city": "Paris"})],
        b'[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
        COMPLETION,
        ChatCompletion.model_validate(COMPLETION),
    ],
)
def test_calls_are_read_from_what_a_task_returns(returned: Any) -> None:
    assert found(lambda _: returned, tools=[WEATHER]).passed == 1


class Colour(Enum):
    RED = "red"


VALUES = [
    *(date(2026, 1, 2), Decimal("1.50"), UUID(int=7), {3}, b"bytes", Colour.RED, {1: 2}, nan, inf),
    *("half \ud800", Path("a/b"), (1, [date(2026, 1, 2)]), 10**400),
]


def test_every_value_equals_itself_now_and_when_it_is_scored_again(store: Store) -> None:
    calls = {
        repr(value): [{"name": "book", "arguments": {"day": value, "more": [{"days": value}]}}]
        for value in VALUES
    }
    cases = [a_case(name, expected=made) for name, made in calls.items()]

    first = run(a_plan(lambda case: calls[case.id], *cases), store=store)
    again = rescore(store, store.find("latest"))

    passed = [each.evaluations[0].passed for each in (first, again)]
    assert passed == [len(VALUES), len(VALUES)]


class Hostile:
    __slots__ = ()

    def __repr__(self) -> str:
        return "\x1b[2J" + "x" * 10_000


class Broken:
    def model_dump(self, **_: Any) -> Any:
        raise ValueError("no")


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        (None, "the task returned nothing. Return the response"),
        ({"calls": [object()]}, "the task returned <object "),
        (iter([object()]), "the task returned "),
        ([Hostile()], "the task returned "),
        (Broken(), "the answer of the task cannot be read: a "),
        (ENDLESS, "the answer of the task cannot be read"),
        ({"a": 1}, "the calls cannot be read: answer"),
    ],
)
def test_an_unreadable_answer_is_reported_in_one_short_line(returned: Any, problem: str) -> None:
    failure = failure_of(lambda _: returned)

    assert failure.kind == "unreadable"
    assert failure.problem.startswith(problem)
    assert len(failure.problem) <= 500
    assert not {"\n", "\x1b"} & set(failure.problem)


@pytest.mark.parametrize("words", ["Hello!", "", "Use {braces} as you like", "42", b"\xff!"])
def test_a_text_without_calls_is_words(words: Any) -> None:
    assert found(lambda _: words, a_case(expected=[])).passed == 1


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_an_answer_nested_too_deeply_is_refused_and_the_other_cases_are_run(store: Store) -> None:
    def answer(case: Any) -> Any:
        depth = int(case.id) if case.id.isdigit() else 0
        return [{"name": "get_weather", "arguments": {"city": _nested(depth)}}] if depth else RIGHT

    ran = run(a_plan(answer, *map(a_case, ["600", "5000", "plain"])), store=store)
    expected = [("f", {"x": _nested(5000)})]
    refused = evaluate(an_evaluation(answer, a_case(expected=expected)))

    (each,) = ran.evaluations
    assert (each.answered, each.passed, each.errors) == (1, 1, 2)
    assert all("nested too deeply" in failure.problem for failure in each.failures)
    assert len(list(store.results(ran.id))) == 3
    assert "nested too deeply" in refused.unloaded[0].problem


def test_an_answer_may_have_turns_and_a_state() -> None:
    returned = {"turns": [["f"], {"actual": ["g"]}], "actual_state": {"x": 1}}
    expected = [expect.turn("f"), expect.turn("g"), expect.end_state({"x": 1})]

    each = found(lambda _: returned, a_case(expected=expected), scorers=["turn_min", "state"])

    assert [scorer.mean for scorer in each.scorers] == [1.0, 1.0]


def test_an_answer_says_what_it_cost() -> None:
    with openai_server(lambda *_: Reply(calls=[("get_weather", {"city": "Paris"})])) as server:

        async def task(case: Any) -> Any:
            async with AsyncOpenAI(base_url=server.base_url, api_key="-", max_retries=0) as client:
                said: Any = [{"role": "user", "content": case.input}]
                return await client.chat.completions.create(model="small", messages=said)

        each = found(task)

    assert (each.passed, each.usage) == (1, Usage(1, 20, 10))


@pytest.mark.parametrize("is_async", [False, True])
def test_changes_that_a_task_makes_to_its_case_do_not_reach_other_trials(is_async: bool) -> None:
    messages = [{"role": "user", "content": "Hi!"}]
    seen: list[int] = []

    def change(case: Case, more: list[int]) -> list[Any]:
        case.input.append("mine")
        case.metadata["mine"] = 1
        case.expected[0].arguments["city"] = "mine"  # type: ignore[index]  # there is one
        more.append(1)
        seen.append(len(case.input) + len(more))
        return RIGHT

    async def change_async(case: Case, more: list[int]) -> list[Any]:
        return change(case, more)

    case = a_case(input=messages, metadata={})
    options: dict[str, Any] = {"variants": {"one": {"more": [0]}}, "trials": 2}
    each = found(change_async if is_async else change, case, **options)

    assert seen == [4, 4]
    assert each.passed == 2
    assert (messages, case.metadata) == ([{"role": "user", "content": "Hi!"}], {})


# --- what goes wrong ----------------------------------------------------------------------------


class Odd(BaseException):
    """What no `except Exception` catches, as some libraries have it."""


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("error", "kind", "problem"),
    [
        (ZeroDivisionError("by zero"), "raised", "the task raised ZeroDivisionError: by zero"),
        (ValueError(), "raised", "the task raised ValueError"),
        (Odd("no Exception"), "raised", "the task raised Odd: no Exception"),
        (GeneratorExit(), "raised", "the task raised GeneratorExit"),
        (StopIteration(), "raised", "the task raised StopIteration"),
        (Unprintable(), "raised", "the task raised Unprintable: (its message cannot be printed)"),
        (SystemExit(3), "exited", "the task tried to end the process: sys.exit(3)"),
        (KeyboardInterrupt(), "exited", "the task tried to end the process: KeyboardInterrupt"),
    ],
)
def test_whatever_a_task_raises_is_told(
    error: BaseException, kind: str, problem: str, is_async: bool
) -> None:
    def task(case: Any) -> Any:
        if case.id == "b":
            raise error
        return RIGHT

    async def task_async(case: Any) -> Any:
        return task(case)

    each = found(task_async if is_async else task, *map(a_case, "abc"))

    assert each.passed == 2
    assert [(one.case, one.kind, one.problem) for one in each.failures] == [("b", kind, problem)]


def test_the_place_is_told_from_the_task_on_without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", "raise_with_this")
    monkeypatch.setenv("SOME_API_KEY", " verysecretkey\n")

    def raise_with_this() -> NoReturn:
        raise ValueError("verysecretkey or sk-abcdef123456")

    async def task(_: Any) -> Any:
        raise_with_this()

    failure = failure_of(task)

    assert re.sub(r"\[hidden \w+\]", "(hidden)", failure.problem) == (
        "the task raised ValueError: (hidden) or ***"
    )
    assert "in task" in failure.details
    assert failure.details.splitlines()[-1].strip().startswith("raise ValueError(")
    assert "raise_with_this" not in failure.details
    assert "runner/asking.py" not in failure.details


async def _cancelled(_: Any) -> Any:
    raise asyncio.CancelledError


async def _waiting_for_cancelled(_: Any) -> Any:
    other = asyncio.ensure_future(asyncio.sleep(60))
    other.cancel()
    await other


async def _cancelling_itself(_: Any) -> Any:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    task.cancel()
    await asyncio.sleep(0)


async def _cancelling_itself_and_returning(_: Any) -> Any:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    return []


@pytest.mark.parametrize(
    ("cancelling", "problem"),
    [
        (_cancelled, "it was cancelled by its own code"),
        (_waiting_for_cancelled, "it was cancelled by its own code"),
        (_cancelling_itself, "the task cancelled the asyncio task that runs it"),
        (_cancelling_itself_and_returning, "the task cancelled the asyncio task that runs it"),
    ],
)
def test_a_task_that_cancels_harms_no_other(cancelling: Any, problem: str) -> None:
    async def agent(case: Any) -> Any:
        return await cancelling(case) if case.id == "case-0" else RIGHT

    each = found(agent, *MANY[:3], jobs=1)

    assert each.passed == 2
    assert [(one.case, one.kind) for one in each.failures] == [("case-0", "raised")]
    assert each.failures[0].problem.endswith(problem)


class Speechless:
    """A task that cannot say what it asks."""

    def __call__(self, _: Any) -> Any:
        return RIGHT

    def identity(self) -> Any:
        raise ValueError("who knows")


def test_a_task_that_cannot_say_what_it_asks_is_a_failure(tmp_path: Path) -> None:
    results = evaluate(an_evaluation(Speechless(), *MANY[:2]), save=tmp_path / "history.db")

    assert results.errors == 2
    assert "who knows" in results.evaluations[0].failures[0].problem


def test_an_exception_raised_by_a_stream_is_reported() -> None:
    async def streamed(_: Any) -> AsyncIterator[Any]:
        yield {}
        raise ValueError("half of it")

    def streamed_in_a_thread(_: Any) -> Iterator[Any]:
        yield {}
        raise ValueError("half of it")

    for task in (streamed, streamed_in_a_thread):
        assert failure_of(task).problem == "the task raised ValueError: half of it", task


# --- time ---------------------------------------------------------------------------------------


async def _hung(_: Any) -> Any:
    await asyncio.sleep(60)


async def _answering_late(_: Any) -> Any:
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        return []


async def _stream_without_end(_: Any) -> AsyncIterator[Any]:
    yield {}
    await asyncio.sleep(60)


def _hung_in_a_thread(_: Any) -> Any:
    time.sleep(60)


async def _blocking(_: Any) -> Any:
    time.sleep(0.1)  # noqa: ASYNC251  (that is the point)
    await asyncio.sleep(60)


@pytest.mark.parametrize(
    "task", [_hung, _answering_late, _stream_without_end, _hung_in_a_thread, _blocking]
)
def test_a_hung_task_is_given_up_and_not_asked_again(task: Any) -> None:
    failure = failure_of(task, timeout=0.05, retries=3)

    assert (failure.kind, failure.attempts) == ("timeout", 1)
    assert failure.problem.startswith("the task took more than 0.05 s")


def test_an_async_task_that_blocks_everything_is_told_why() -> None:
    async def block(_: Case) -> list[Any]:
        time.sleep(0.2)  # noqa: ASYNC251  (this is what is wrong with it)
        return []

    assert "waiting without `await`" in failure_of(block, timeout=0.05).problem


PROGRAM = """
import asyncio, time
from callscore import Case, evaluate, evaluation

@evaluation(cases=[Case("a", id="thread"), Case("b", id="to_thread"), Case("c", id="deaf")])
def assistant(case):
    return {"thread": lambda: time.sleep(600), "to_thread": to_thread, "deaf": deaf}[case.id]()

async def to_thread():
    await asyncio.to_thread(time.sleep, 600)

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


def test_an_error_that_may_pass_is_tried_again_and_another_is_not() -> None:
    tries: list[str] = []

    async def task(case: Any) -> Any:
        tries.append(case.id)
        if case.id == "wrong":
            raise ValueError("wrong")
        if case.id == "lost" or tries.count(case.id) == 1:
            raise ConnectionError("lost")
        return RIGHT

    each = found(task, *map(a_case, ["wrong", "lost", "passes"]), retries=1)

    assert each.passed == 1
    assert {one.case: one.attempts for one in each.failures} == {"wrong": 1, "lost": 2}
    assert [tries.count(name) for name in ("wrong", "lost", "passes")] == [1, 2, 2]


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
        failure = failure_of(task, retries=2)

    assert (failure.kind, failure.attempts, len(server.requests)) == ("raised", attempts, attempts)
    assert "(hidden) is wrong, ***, too" in re.sub(r"\[hidden \w+\]", "(hidden)", failure.problem)
    assert "secret" not in failure.problem + failure.details


def test_a_chat_inside_of_a_task_is_not_repeated_by_two() -> None:
    with openai_server(lambda *_: Reply(status=500, headers={"retry-after-ms": "1"})) as server:
        chat = models.chat("small", base_url=server.base_url)

        async def task(case: Any) -> Any:
            return await chat(case)

        failure = failure_of(task, retries=2)

    assert (failure.attempts, len(server.requests)) == (3, 3)


# --- many ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 3, 40])
def test_no_more_are_asked_at_once_than_is_wished_for(store: Store, jobs: int) -> None:
    with openai_server(latency=0.005) as server:
        chat = models.chat("small", base_url=server.base_url)
        ran = run(a_plan(chat, *MANY), RunOptions(jobs=jobs), store=store)

    assert ran.evaluations[0].answered == len(MANY)
    assert 1 <= server.most_in_flight <= jobs
    assert len(server.requests) == len(MANY)
    assert len(list(store.results(ran.id))) == len(MANY)


def test_questions_are_asked_in_order_and_beside_the_loop() -> None:
    asked: list[str] = []

    def agent(case: Any, **_: Any) -> Any:
        assert threading.current_thread() is not threading.main_thread()
        asked.append(case.id)
        return RIGHT

    variants: dict[str, Any] = {"a": {"x": 1}, "b": {"x": 2}}
    results = evaluate(an_evaluation(agent, *MANY[:4], variants=variants), jobs=1)

    assert asked == [case.id for case in MANY[:4]] * 2
    assert [each.passed for each in results.evaluations] == [4, 4]


@pytest.mark.parametrize("hook", ["on_started", "on_done"])
def test_whoever_listens_and_raises_ends_the_run(store: Store, hook: str) -> None:
    def raising(*_: Any) -> None:
        raise ValueError("enough")

    told: dict[str, Any] = {hook: raising}

    with pytest.raises(ValueError, match="enough"):
        run(a_plan(lambda _: RIGHT, *MANY), RunOptions(jobs=3), RunHooks(**told), store)
