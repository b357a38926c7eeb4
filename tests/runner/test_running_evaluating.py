"""Evaluations run from Python."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.runner.agents import RIGHT, a_case, an_evaluation

import callscore
from callscore.errors import InvalidSettings
from callscore.history.opening import open_store
from callscore.models.limits import Rate

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.case import Case

FILE = """
from callscore import Case, evaluation

@evaluation(cases=[Case("a", id="a", expected=[])])
def assistant(case):
    return []
"""


def right(_: Any) -> Any:
    return RIGHT


def test_evaluations_are_run_and_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    found = callscore.evaluate(an_evaluation(right), an_evaluation(right, name="other"))

    assert [each.passed for each in found.evaluations] == [1, 1]
    assert found.id == ""
    assert list(tmp_path.iterdir()) == []


def test_files_and_folders_will_do(tmp_path: Path) -> None:
    (tmp_path / "eval_a.py").write_text(FILE, encoding="utf-8")
    (tmp_path / "eval_b.py").write_text("import nothing_like_it", encoding="utf-8")

    found = callscore.evaluate(tmp_path, an_evaluation(right, name="other"))
    named = callscore.evaluate(str(tmp_path / "eval_a.py"))

    assert [each.name for each in found.evaluations] == ["assistant", "other"]
    assert len(found.unloaded) == 1
    assert [each.name for each in named.evaluations] == ["assistant"]
    assert not named.unloaded


def test_a_run_can_be_kept_and_its_answers_be_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = callscore.evaluate(an_evaluation(right), keep=True)

    second = callscore.evaluate(an_evaluation(right), keep=True, cache=True)
    elsewhere = callscore.evaluate(an_evaluation(right), keep=tmp_path / "other.db", cache=True)

    assert [each.evaluations[0].reused for each in (first, second, elsewhere)] == [0, 1, 0]
    with open_store() as store:
        assert {run.id for run in store.runs()} == {first.id, second.id}


def test_a_run_is_kept_in_the_history_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = callscore.evaluate(an_evaluation(right), store="mine.db")
    second = callscore.evaluate(an_evaluation(right), keep=True, store="mine.db", cache=True)

    assert [each.evaluations[0].reused for each in (first, second)] == [0, 1]
    with open_store("mine.db") as store:
        assert [run.id for run in store.runs()] == [second.id, first.id]
    assert not (tmp_path / ".callscore").exists()


def test_a_history_is_named_once() -> None:
    with pytest.raises(InvalidSettings, match="say one of them"):
        callscore.evaluate(an_evaluation(right), keep="a.db", store="b.db")


def test_kept_answers_are_in_a_history() -> None:
    with pytest.raises(InvalidSettings, match="say keep=True"):
        callscore.evaluate(an_evaluation(right), cache=True)


def test_what_is_asked_can_be_selected() -> None:
    cases = [a_case("a", tags=["smoke"]), a_case("b"), a_case("c", tags=["slow"])]
    asked: list[str] = []

    def noting(case: Case) -> Any:
        asked.append(case.id)
        return right(case)

    selections: list[dict[str, Any]] = [
        {"keyword": "b"},
        {"tags": "smoke"},
        {"tags": ["smoke", "slow"]},
        {"limit": 2},
    ]
    for options in selections:
        callscore.evaluate(an_evaluation(noting, *cases), jobs=1, **options)

    assert asked == ["b", "a", "a", "c", "a", "b"]


def test_only_so_many_cases_are_in_the_results() -> None:
    wrong = an_evaluation(lambda _: [], a_case("a"), a_case("b"))

    found = callscore.evaluate(wrong, most=1).evaluations[0]

    assert (found.answered, len(found.results.cases)) == (2, 1)


def test_no_other_process_is_started_for_a_run_from_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a copy of the process"))

    found = callscore.evaluate(an_evaluation(right), keep=tmp_path / "history.db")

    assert found.evaluations[0].passed == 1


@pytest.mark.parametrize("rate", ["1000/s", 1000, Rate(1000), None])
def test_a_rate_may_be_written_in_several_ways(rate: Any) -> None:
    assert callscore.evaluate(an_evaluation(right), rate=rate).evaluations[0].passed == 1


def test_anything_else_is_refused() -> None:
    what: Any = 3

    with pytest.raises(InvalidSettings, match="3 is neither an evaluation nor the path"):
        callscore.evaluate(what)


def test_it_works_where_a_loop_runs_already() -> None:
    async def cell() -> callscore.RunResults:
        return callscore.evaluate(an_evaluation(right))

    assert asyncio.run(cell()).evaluations[0].passed == 1


def test_a_client_that_a_module_holds_works_in_the_next_run_too() -> None:
    lock = asyncio.Lock()

    async def task(_: Any) -> Any:
        async with lock:
            await asyncio.sleep(0)
            return RIGHT

    cases = [a_case(name) for name in "abc"]
    for _ in range(2):
        assert callscore.evaluate(an_evaluation(task, *cases)).evaluations[0].passed == 3


@pytest.mark.parametrize(
    "options", [{"rate": "fast"}, {"rate": 0}, {"timeout": 0}, {"retries": -1}, {"jobs": 0}]
)
def test_an_option_that_cannot_be_is_refused_before_anything_is_asked(
    options: dict[str, Any],
) -> None:
    told: list[Any] = []

    with pytest.raises(InvalidSettings):
        callscore.evaluate(an_evaluation(told.append), **options)

    assert told == []


def test_one_that_goes_wrong_is_in_the_results_and_the_others_are_asked() -> None:
    def task(case: Any) -> Any:
        if case.id == "b":
            sys.exit("no more")
        return RIGHT

    (found,) = callscore.evaluate(
        an_evaluation(task, *(a_case(name) for name in "abc")), trials=2, fail_under=0.5
    ).evaluations

    assert (found.passed, sorted(failure.label for failure in found.failures)) == (
        4,
        ["b #1", "b #2"],
    )
    assert [scorer.threshold for scorer in found.scorers] == [0.5]


def test_a_scorer_that_is_cancelled_loses_no_question() -> None:
    async def cancelled(calls: Any) -> float:
        raise asyncio.CancelledError(calls)

    (found,) = callscore.evaluate(
        an_evaluation(right, *(a_case(name) for name in "abc"), scorers=[cancelled, "accuracy"]),
        jobs=1,
    ).evaluations

    assert [scorer.scored for scorer in found.scorers] == [0, 3]
