"""The judges of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.runner.agents import RIGHT, a_case, a_plan
from tests.servers.openai_server import Reply, openai_server

from callscore import Settings, expect, models
from callscore.core.results import JudgeCounts
from callscore.errors import InvalidSettings, MissingKey
from callscore.runner.running import RunJudges, RunOptions, run

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.evaluations.plan import Plan
    from callscore.history.store import Store


class Judge:
    """A judge that has judged before."""

    def __init__(self, model: str) -> None:
        self.judged = 5
        self.store: Any = None
        self._model = model

    def __call__(self, *_: Any) -> bool:
        self.judged += 1
        return True

    def counts(self) -> JudgeCounts:
        return JudgeCounts(self._model, self.judged, self.judged - 1)

    def remember_in(self, store: Any) -> None:
        self.store = store


class Keyless:
    """A judge who says whether he can be asked."""

    problem = "the disk is full"

    def __call__(self, *_: Any) -> bool:
        return True

    def counts(self) -> JudgeCounts:
        return JudgeCounts("keyless")

    def remember_in(self, store: Any) -> None:
        """Nothing is remembered."""

    def require(self) -> None:
        raise MissingKey("there is no key")


def judged(settings: Settings, *arguments: Any) -> tuple[Plan, list[str]]:
    """A plan with such arguments expected, and the names of what was asked."""
    asked: list[str] = []

    def task(case: Case) -> Any:
        asked.append(case.id)
        return RIGHT

    cases = [
        a_case(f"case-{at}", expected=[expect.call("get_weather", city=each)])
        for at, each in enumerate(arguments)
    ]
    return a_plan(task, *cases, settings=settings), asked


@pytest.mark.parametrize(
    "argument", [expect.judge("A city?"), [expect.one_of(expect.judge("A city?"), "Rome")]]
)
def test_a_judge_that_is_not_there_is_missed_before_anything_is_asked(argument: Any) -> None:
    plan, asked = judged(Settings(), "Paris", argument)

    with pytest.raises(InvalidSettings, match=r"assistant: `\$judge` needs a judge"):
        run(plan)
    assert asked == []


def test_a_judge_without_a_key_is_found_out_before_anything_is_asked(store: Store) -> None:
    plan, asked = judged(Settings(judge=Keyless()), expect.judge("A city?"))

    with pytest.raises(MissingKey):
        run(plan)
    assert asked == []
    assert run(plan, RunOptions(use_cache=True), store=store).evaluations[0].passed == 1


def test_a_judge_who_is_not_needed_needs_no_key_and_his_trouble_is_told() -> None:
    plan, _ = judged(Settings(judge=Keyless()), {"name": ["Paris"]})

    assert run(plan).warnings == ("what the judge said is not kept: the disk is full",)


def test_what_they_were_asked_in_this_run_is_counted_by_model(store: Store) -> None:
    one, same_model, other = Judge("small"), Judge("small"), Judge("large")
    judges = [one, one, same_model, other, None, lambda *_: True]
    groups = [a_plan(list, judge=judge).groups[0] for judge in judges]
    at_work = RunJudges(groups)

    one()
    same_model()
    at_work.remember_in(store)

    assert at_work.counts() == (JudgeCounts("small", 2, 2), JudgeCounts("large", 0, 0))
    assert other.store is store


def test_real_judges_ask_nothing_that_the_history_remembers(store: Store) -> None:
    from callscore import expect

    case = a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})])
    verdict = Reply(text='{"verdict": true, "reason": "It is."}')
    with openai_server(lambda *_: verdict) as server:
        runs = []
        for _ in range(2):
            judge = models.judge("strict", base_url=server.base_url)
            plan = a_plan(lambda _: RIGHT, case, judge=judge)
            runs.append(run(plan, store=store))

    assert [found.evaluations[0].passed for found in runs] == [1, 1]
    assert [found.judges for found in runs] == [
        (JudgeCounts("strict", 1, 1),),
        (JudgeCounts("strict", 1, 0),),
    ]
    assert len(server.requests) == 1
