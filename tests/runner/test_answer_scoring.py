"""One answer: the calls in it, and what every scorer says."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from typing import Any

import pytest
from tests.runner.agents import RIGHT, WEATHER, a_case, a_question

from callscore import expect
from callscore.core.results import Answer, Failure, MetricValue, Result
from callscore.models.limits import Limits, run_limits
from callscore.runner import answer_scoring as scoring
from callscore.runner.answer_scoring import score_answer
from callscore.runner.event_loop import DaemonExecutor

COMPLETION = {
    "object": "chat.completion",
    "choices": [
        {
            "message": {
                "role": "assistant",
                "tool_calls": [
                    {
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
                    }
                ],
            }
        }
    ],
}


def score(document: Any, *cases: Any, seconds: float | None = None, **options: Any) -> Any:
    question = a_question(list, *cases, **options)
    return asyncio.run(score_answer(question, Answer(document=document), seconds=seconds))


def failure_of(result: Result) -> Failure:
    assert result.failure is not None
    return result.failure


@pytest.mark.parametrize("document", [RIGHT, COMPLETION, [("get_weather", {"city": "Paris"})]])
def test_the_calls_are_read_in_any_dialect(document: Any) -> None:
    for _ in range(2):  # the second one is recognised at once
        found = score(document)

        assert found.passed
        assert [call.name for call in found.case.actual or ()] == ["get_weather"]
        assert found.values == (MetricValue("accuracy", 1.0),)


@pytest.mark.parametrize("words", ["Hello!", "Hi", "", "Use {braces} as you like", "42"])
def test_a_text_without_calls_is_words(words: str) -> None:
    assert score(words, a_case(expected=[])).passed is True


@pytest.mark.parametrize("document", [{"a": 1}, 42, [1], {}])
def test_an_answer_that_no_format_reads_is_no_score(document: Any) -> None:
    found = failure_of(score(document))

    assert found.kind == "unreadable"
    assert found.problem.startswith("no calls can be read from the answer")


def test_a_case_that_expects_nothing_in_particular_has_no_score() -> None:
    def polite(output: Any) -> bool:
        return "please" in output

    found = score("Yes, please", a_case(expected=None), scorers=["accuracy", polite])

    assert found.score is None
    assert found.passed is True
    assert [value.value for value in found.values] == [None, 1.0]


def test_no_scorer_with_a_number_decides_nothing() -> None:
    assert score(RIGHT, a_case(expected=None)).passed is None


def test_a_forbidden_call_does_not_pass() -> None:
    case = a_case(expected=[expect.forbid("get_*")])

    assert score(RIGHT, case, scorers=["recall"]).passed is False


def test_the_tools_are_those_of_the_evaluation_or_of_the_case() -> None:
    wrong = [{"name": "get_weather", "arguments": {"city": 1}}]

    of_all = score(wrong, tools=[WEATHER], scorers=["parameters_valid"])
    of_case = score(wrong, a_case(tools=[WEATHER]), scorers=["parameters_valid"])
    of_none = score(wrong, scorers=["parameters_valid"])

    assert [found.values[0].value for found in (of_all, of_case, of_none)] == [0.0, 0.0, None]


def test_tools_of_a_case_that_are_none_are_no_score() -> None:
    found = failure_of(score(RIGHT, a_case(tools=[{"description": "no name"}])))

    assert (
        "no calls can be read from the case weather: `tools` holds no definitions" in found.problem
    )


def test_the_best_of_several_answers_counts() -> None:
    first, second = COMPLETION["choices"][0], {"message": {"role": "assistant", "content": "Hi"}}
    document = {**COMPLETION, "choices": [second, first]}

    assert score(document).passed is False
    assert score(document, top_k=2).passed is True


def test_a_scorer_is_given_what_it_asks_for() -> None:
    def everything(**given: Any) -> bool:
        return sorted(given) == [
            *("calls", "case", "expected", "input", "output", "score", "tools")
        ]

    assert score(RIGHT, scorers=[everything]).passed is True


def test_a_scorer_that_hangs_is_given_up() -> None:
    async def hung(case: Any) -> float:
        await asyncio.sleep(60)
        return float(case.id)

    found = score(RIGHT, scorers=[hung], seconds=0.05)

    assert found.values[0].reason == "it took more than 0.05 s and was given up."
    assert found.passed is False


def test_a_judge_does_not_keep_the_loop_waiting() -> None:
    turns: list[int] = []

    def judge(question: str, _: Any) -> bool:
        time.sleep(0.1)
        return question == "is it Paris?"

    async def both() -> Any:
        async def turn() -> None:
            while True:
                turns.append(1)
                await asyncio.sleep(0.001)

        beside = asyncio.create_task(turn())
        question = a_question(
            list,
            a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})]),
            judge=judge,
        )
        found = await score_answer(question, Answer(document=RIGHT))
        beside.cancel()
        return found

    found = asyncio.run(both())

    assert found.passed
    assert len(turns) > 1  # it had its turns in the meantime


def test_a_judge_that_fails_is_an_error_and_no_score() -> None:
    def judge(_: str, value: Any) -> bool:
        raise ValueError(f"I cannot say anything about {value}")

    case = a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})])
    found = failure_of(score(RIGHT, case, judge=judge))

    assert (found.kind, found.case) == ("raised", "weather")
    assert "the answer cannot be scored: judge: the function raised ValueError" in found.problem


def test_a_case_that_needs_a_judge_says_so() -> None:
    case = a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})])

    found = failure_of(score(RIGHT, case))

    assert "`$judge` needs one" in found.problem


# --- people's scorers -------------------------------------------------------------------------


class Odd(BaseException):
    """What no `except Exception` catches."""


async def _raising(score: Any) -> float:
    raise ValueError(f"bad key sk-abcdefghijk12 in {type(score).__name__}")


def _ending(score: Any) -> float:
    sys.exit(score.correct)


async def _odd(score: Any) -> float:
    raise Odd(score)


async def _cancelled(score: Any) -> float:
    raise asyncio.CancelledError(score)


async def _cancelling_itself(score: Any) -> Any:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)
    return score.f1


@pytest.mark.parametrize(
    ("scorer", "reason"),
    [
        (_raising, "it raises ValueError in "),
        (_odd, "it raises Odd"),
        (_cancelled, "it was cancelled from within."),
        (_cancelling_itself, "it was cancelled from within."),
    ],
)
@pytest.mark.parametrize("seconds", [None, 60.0])
def test_whatever_a_scorer_does_the_others_have_their_say(
    scorer: Any, reason: str, seconds: float | None
) -> None:
    found = score(RIGHT, scorers=[scorer, "accuracy"], seconds=seconds)

    broken, right = found.values
    assert broken.is_broken
    assert broken.reason.startswith(reason)
    assert right.reason is None
    assert found.passed is False


def test_a_scorer_that_wants_to_end_the_process_does_not() -> None:
    found = score(RIGHT, scorers=[_ending])

    assert found.values[0].value is None
    assert found.values[0].reason.startswith("it raises SystemExit")


def test_a_scorer_in_a_thread_that_hangs_is_given_up() -> None:
    never = threading.Event()

    def hung(score: Any) -> bool:
        return never.wait() and score is None

    async def asked() -> Any:
        asyncio.get_running_loop().set_default_executor(DaemonExecutor())
        question = a_question(list, scorers=[hung])
        return await score_answer(question, Answer(document=RIGHT), seconds=0.05)

    found = asyncio.run(asked())
    never.set()

    assert found.values[0].reason == "it took more than 0.05 s and was given up."


def test_a_scorer_that_does_not_listen_is_given_up_too() -> None:
    let_go = asyncio.Event()
    ends = asyncio.Event()

    async def deaf(score: Any) -> float:
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        ends.set()
        return float(score.f1)

    async def asked() -> Any:
        question = a_question(list, scorers=[deaf])
        found = await score_answer(question, Answer(document=RIGHT), seconds=0.05)
        let_go.set()
        await ends.wait()
        return found

    assert asyncio.run(asked()).values[0].reason == "it took more than 0.05 s and was given up."


def test_whoever_stops_waiting_for_a_scorer_is_not_kept() -> None:
    began = asyncio.Event()

    async def hung(score: Any) -> float:
        began.set()
        await asyncio.sleep(60)
        return float(score.f1)

    async def stop() -> None:
        question = a_question(list, scorers=[hung])
        waiting = asyncio.create_task(score_answer(question, Answer(document=RIGHT)))
        await began.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(stop())


def test_a_scorer_may_say_why() -> None:
    def kind(output: Any) -> tuple[float, str]:
        return 0.5, f"sk-abcdefghijk12 {len(output)}"

    assert score(RIGHT, scorers=[kind]).values == (MetricValue("kind", 0.5, "*** 1"),)


def test_a_judge_is_asked_in_a_thread_that_knows_the_limits_of_the_run() -> None:
    heard: list[Any] = []

    def judge(*_: Any) -> bool:
        thread = threading.current_thread()
        heard.append((thread is threading.main_thread(), thread.daemon, run_limits.get()))
        return True

    async def asked() -> Any:
        run_limits.set(Limits(retries=7))
        case = a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})])
        question = a_question(list, case, judge=judge)
        return await score_answer(question, Answer(document=RIGHT))

    assert asyncio.run(asked()).passed
    assert heard == [(False, True, Limits(retries=7))]


def test_only_so_many_shapes_of_answers_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callscore.runner.answer_scoring._dialect_by_shape", {})
    monkeypatch.setattr("callscore.runner.answer_scoring._MAX_SHAPES", 1)

    for document in (COMPLETION, {**COMPLETION, "id": "1"}, {**COMPLETION, "id": "2"}):
        assert score(document).passed
    assert len(scoring._dialect_by_shape) == 1


def test_what_only_looks_like_the_answers_before_is_read_as_what_it_is() -> None:
    assert score(COMPLETION).passed
    found = failure_of(score({"object": "chat.completion", "choices": 3}))

    assert found.kind == "unreadable"
