"""Scorers and judges that people write: whatever they do, the other scorers have their say."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET
from tests.runner.agents import RIGHT, WEATHER, a_case, an_evaluation

from callscore import Case, evaluate, expect

if TYPE_CHECKING:
    from callscore.core.results import EvaluationResults

JUDGED = a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})])


def found(returned: Any, *cases: Case, timeout: float = 300, **options: Any) -> EvaluationResults:
    asked = an_evaluation(lambda _: returned, *cases, **options)
    (each,) = evaluate(asked, show="all", timeout=timeout, retries=0).evaluations
    return each


def test_a_scorer_is_given_what_it_asks_for() -> None:
    def everything(**given: Any) -> bool:
        return sorted(given) == [
            *("calls", "case", "expected", "input", "output", "score", "tools")
        ]

    assert found(RIGHT, scorers=[everything]).passed == 1


def test_a_case_that_expects_nothing_in_particular_is_decided_by_scorers_alone() -> None:
    def polite(output: Any) -> tuple[bool, str]:
        return "please" in output, "sk-abcdefghijk12"

    case = a_case(expected=UNSET)
    each = found("Yes, please", case, scorers=["accuracy", polite])

    assert (each.passed, each.undecided) == (1, 0)
    assert [scorer.scored for scorer in each.scorers] == [0, 1]
    assert found("Yes, please", case).undecided == 1


def test_a_forbidden_call_does_not_pass_whatever_the_scorer() -> None:
    case = a_case(expected=[expect.forbid("get_*")])

    assert found(RIGHT, case, scorers=["recall"]).passed == 0


def test_the_tools_are_those_of_the_evaluation_or_of_the_case() -> None:
    wrong = [{"name": "get_weather", "arguments": {"city": 1}}]

    of_all = found(wrong, tools=[WEATHER], scorers=["parameters_valid"])
    of_case = found(wrong, a_case(tools=[WEATHER]), scorers=["parameters_valid"])
    of_none = found(wrong, scorers=["parameters_valid"])
    broken = found(RIGHT, a_case(tools=[{"description": "no name"}]))

    assert [each.scorers[0].mean for each in (of_all, of_case, of_none)] == [0.0, 0.0, None]
    assert "'tools' has no tool definitions" in broken.failures[0].problem


class Odd(BaseException):
    """What no `except Exception` catches."""


async def _raising(score: Any) -> float:
    raise ValueError(f"bad key sk-abcdefghijk12 in {type(score).__name__}")


def _ending(score: Any) -> float:
    sys.exit(score.correct)


async def _odd(score: Any) -> float:
    raise Odd(score)


async def _cancelling_itself(score: Any) -> Any:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)
    return score.f1


async def _hung(score: Any) -> float:
    await asyncio.sleep(60)
    return float(score.f1)


def _hung_in_a_thread(score: Any) -> bool:
    return threading.Event().wait() and score is None


@pytest.mark.parametrize(
    ("scorer", "reason"),
    [
        (_raising, "it raises ValueError in "),
        (_ending, "it raises SystemExit"),
        (_odd, "it raises Odd"),
        (_cancelling_itself, "it was cancelled by its own code."),
        pytest.param(_hung, "it took more than 10 s.", marks=pytest.mark.slow),
        pytest.param(_hung_in_a_thread, "it took more than 10 s.", marks=pytest.mark.slow),
    ],
)
def test_whatever_a_scorer_does_the_others_have_their_say(scorer: Any, reason: str) -> None:
    cases = [a_case("a"), a_case("b")]
    timeout = 10 if "more than 10 s" in reason else 300  # for the task, too
    each = found(RIGHT, *cases, scorers=[scorer, "accuracy"], timeout=timeout)

    broken, right = each.scorers
    assert (broken.scored, right.scored, right.mean) == (0, 2, 1.0)
    assert each.passed == 0
    assert broken.broken.count == 2
    assert broken.broken.names[0].startswith(reason)
    assert "sk-" not in str(broken.broken)


def test_a_judge_does_not_keep_the_loop_waiting() -> None:
    is_asked, has_had_its_turn = threading.Event(), threading.Event()

    def judge(question: str, _: Any) -> bool:
        is_asked.set()
        return has_had_its_turn.wait(300) and question == "is it Paris?"

    async def agent(case: Any) -> Any:
        if case.id == "beside":
            await asyncio.to_thread(is_asked.wait)
            has_had_its_turn.set()
        return RIGHT

    asked = an_evaluation(agent, JUDGED, a_case("beside"), judge=judge)

    assert evaluate(asked, jobs=2).evaluations[0].passed == 2


def test_a_judge_that_fails_is_an_error_and_no_score() -> None:
    def judge(_: str, value: Any) -> bool:
        raise ValueError(f"I cannot say anything about {value}")

    (failure,) = found(RIGHT, JUDGED, judge=judge).failures

    assert (failure.kind, failure.case) == ("unscored", "weather")
    assert "the answer cannot be scored: judge: the function raised ValueError" in failure.problem
