"""What keeps a run: its evaluations, its answers, and what goes wrong with that."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.runner.agents import RIGHT, a_case, a_question, an_evaluation

from callscore import models
from callscore.core.results import Answer, Failure, Result
from callscore.errors import InvalidSettings
from callscore.evaluations.plan import make_plan
from callscore.history.records import RunRecord
from callscore.runner.recorder import Recorder, begin_recording
from callscore.runner.resuming import KnownAnswers
from callscore.runner.running import RunOptions

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
    with store.altering() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.exec_driver_sql(f"DROP TABLE {table}")


def test_a_run_that_goes_on_finds_its_evaluations_by_name(store: Store, run: RunRecord) -> None:
    recorder_of(store, run, "a", "b").close()
    recorder = recorder_of(store, run, "new", "b")
    question = a_question(list)
    kept = Event()
    failed = Failure(case="weather", kind="raised", problem="no")

    result = Result(case=question.case, status="error", failure=failed)
    recorder.put_result(1, question, result, digest="00ff", position=0, on_saved=kept.set)
    recorder.flush_soon()
    assert kept.wait(300)
    recorder.close()

    assert [each.name for each in store.evaluations(run.id)] == ["a", "b", "new"]
    assert [result.evaluation for result in store.results(run.id)] == [1]


def test_an_answer_is_kept_under_its_digests(store: Store, run: RunRecord) -> None:
    recorder = recorder_of(store, run, "a", use_cache=True)
    question = a_question(list)
    digests = recorder.digests(question)

    assert recorder.known(question, digests) is None
    recorder.put_answer(question, digests, Answer(document=RIGHT))
    recorder.close()

    found = recorder.known(question, digests)
    assert found is not None
    assert (found.document, found.is_reused) == (RIGHT, True)
    assert store.answer_of_run(run.id, digests[0], 1) is not None
    unasked = recorder_of(store, run, "a")
    assert unasked.known(question, digests) is None
    unasked.close()


def test_what_goes_wrong_with_the_history_is_said_once(store: Store, run: RunRecord) -> None:
    recorder = recorder_of(store, run, "a", use_cache=True)
    broken(store, "answers")

    for _ in range(2):
        assert recorder.known(a_question(list), ("00ff", "")) is None
    recorder.put_answer(a_question(list), ("00ff", ""), Answer(document=[]))
    recorder.close()

    assert len(recorder.problems) == 1
    assert "the file is damaged" in recorder.problems[0]


def test_a_run_whose_end_cannot_be_kept_says_so(store: Store, run: RunRecord) -> None:
    recorder = recorder_of(store, run)
    broken(store, "evaluations")
    broken(store, "runs")

    recorder.finish_run("finished", [])
    recorder.close()

    (problem,) = recorder.problems
    assert "the file is damaged" in problem


# How a run begins in the history, and what is said where files have changed since.

PATHS = {"paths": ["evals"]}


def groups_at(*sources: tuple[str, str], task: Any = list) -> tuple[Group, ...]:
    """Groups of evaluations at these places, with the digests of their text."""
    made = [
        replace(an_evaluation(task, name=f"agent-{at}"), place=place, source=source)
        for at, (place, source) in enumerate(sources)
    ]
    return make_plan(made).groups


def begun(store: Store, asked: tuple[Group, ...], **options: Any) -> tuple[Any, list[str]]:
    recorder, warnings = begin_recording(store, asked, RunOptions(arguments=PATHS, **options))
    recorder.close()
    recorder.release()
    return recorder.run, warnings


def test_a_run_is_kept_with_what_was_asked_for(store: Store) -> None:
    asked = groups_at(("eval_a.py:3", "aa"), ("eval_a.py:9", "aa"), ("suite.yaml", "bb"))

    run, warnings = begun(store, asked, use_cache=True)

    assert warnings == []
    assert store.find("latest") == run
    assert run.arguments == {
        "paths": ["evals"],
        "cache": True,
        "sources": {"eval_a.py": "aa", "suite.yaml": "bb"},
    }
    assert "callscore" in run.versions
    kept = store.evaluations(run.id)
    assert [(each.number, each.name) for each in kept] == [
        (0, "agent-0"),
        (1, "agent-1"),
        (2, "agent-2"),
    ]


def test_what_says_itself_what_it_asks_has_no_text_to_watch(store: Store) -> None:
    chat = models.chat("small", base_url="http://localhost:1/v1")
    asked = groups_at(("eval_a.py:3", "aa"), task=chat)
    nothing = make_plan([an_evaluation(list, a_case(skip=True))]).groups

    assert begun(store, asked + nothing)[0].arguments["sources"] == {}


def test_a_run_whose_file_has_changed_goes_on_and_it_is_said(store: Store) -> None:
    run, _ = begun(store, groups_at(("eval_a.py:3", "aa"), ("eval_b.py:3", "bb")))

    again, warnings = begun(
        store,
        groups_at(("eval_a.py:5", "changed"), ("eval_b.py:3", "bb"), ("eval_new.py:3", "cc")),
        resume=True,
    )

    assert again.id == run.id
    assert warnings == [
        "eval_a.py has changed since the run began: earlier answers are from the old version"
    ]
    assert again.arguments == run.arguments


def test_of_a_run_that_says_nothing_of_its_files_nothing_is_said(store: Store) -> None:
    run, _ = begun(store, groups_at(("eval_a.py:3", "aa")))
    store.begin(replace(run, arguments=PATHS))

    assert begun(store, groups_at(("eval_a.py:3", "changed")), resume=True)[1] == []


def test_a_run_that_took_kept_answers_goes_on_to_take_them(store: Store) -> None:
    asked = groups_at(("eval_a.py:3", "aa"))
    begun(store, asked, use_cache=True)

    recorder, _ = begin_recording(store, asked, RunOptions(arguments=PATHS, resume=True))
    recorder.close()

    assert recorder._known.use_cache


def test_a_run_is_not_called_like_a_baseline(store: Store) -> None:
    first, _ = begun(store, groups_at(("eval_a.py", "aa")), name="nightly")
    store.set_baseline("main", first.id)

    with pytest.raises(InvalidSettings, match="'main' is the name of a baseline"):
        begun(store, groups_at(("eval_a.py", "aa")), name="main")

    assert [run.id for run in store.runs()] == [first.id]
