"""What keeps a run: its evaluations, its answers, and what goes wrong with that."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import pytest
from tests.runner.agents import RIGHT, a_question, an_evaluation

from callscore.core.results import Answer, Failure, Result
from callscore.evaluations.plan import make_plan
from callscore.history.records import RunRecord
from callscore.runner.recorder import Recorder
from callscore.runner.resuming import KnownAnswers

if TYPE_CHECKING:
    from callscore.evaluations.plan import Group
    from callscore.history.store import Store


@pytest.fixture
def run(store: Store) -> RunRecord:
    return store.begin(RunRecord(id="one", command="run", started_at=1.0))


def groups(*names: str) -> tuple[Group, ...]:
    return make_plan([an_evaluation(lambda _: RIGHT, name=name) for name in names]).groups


def recorder_of(store: Store, run: RunRecord, *names: str, use_cache: bool = False) -> Recorder:
    return Recorder(store, run, groups(*names), KnownAnswers(store=store, use_cache=use_cache))


def broken(store: Store, table: str) -> None:
    with store.writing() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.exec_driver_sql(f"DROP TABLE {table}")


def test_a_run_that_goes_on_finds_its_evaluations_by_name(store: Store, run: RunRecord) -> None:
    recorder_of(store, run, "a", "b").close()
    recorder = recorder_of(store, run, "new", "b")
    question = a_question(list)
    kept = Event()
    failed = Failure(case="weather", kind="raised", problem="no")

    result = Result(case=question.case, status="error", failure=failed)
    recorder.result(1, question, result, digest="00ff", on_kept=kept.set)
    recorder.hurry()
    assert kept.wait(10)
    recorder.close()

    assert [each.name for each in store.evaluations(run.id)] == ["a", "b", "new"]
    assert [result.evaluation for result in store.results(run.id)] == [1]


def test_an_answer_is_kept_under_its_digests(store: Store, run: RunRecord) -> None:
    recorder = recorder_of(store, run, "a", use_cache=True)
    question = a_question(list)
    digests = recorder.digests(question)

    assert recorder.known(question, digests) is None
    recorder.answer(question, digests, Answer(document=RIGHT))
    recorder.close()

    found = recorder.known(question, digests)
    assert found is not None
    assert (found.document, found.is_reused) == (RIGHT, True)
    assert store.answer_in(run.id, digests[0], 1) is not None
    unasked = recorder_of(store, run, "a")
    assert unasked.known(question, digests) is None
    unasked.close()


def test_what_goes_wrong_with_the_history_is_said_once(store: Store, run: RunRecord) -> None:
    recorder = recorder_of(store, run, "a", use_cache=True)
    broken(store, "answers")

    for _ in range(2):
        assert recorder.known(a_question(list), ("00ff", "")) is None
    recorder.answer(a_question(list), ("00ff", ""), Answer(document=[]))
    recorder.close()

    assert len(recorder.problems) == 1
    assert "no such table: answers" in recorder.problems[0]


def test_a_run_whose_end_cannot_be_kept_says_so(store: Store, run: RunRecord) -> None:
    recorder = recorder_of(store, run)
    broken(store, "evaluations")
    broken(store, "runs")

    recorder.finish("finished", [])
    recorder.close()

    (problem,) = recorder.problems
    assert "no such table: runs" in problem
