"""Which run goes on, and which answers need not be asked for again."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.runner.agents import a_question

from callscore.core.results import Usage
from callscore.engines import saving
from callscore.errors import UnknownRun
from callscore.history.locks import RunLock
from callscore.history.records import AnswerRecord, RunRecord
from callscore.runner.resuming import KnownAnswers, begin_or_resume, find_unfinished_run

if TYPE_CHECKING:
    from callscore.history.store import Store

ARGUMENTS = {"paths": ["evals"]}


def keep(store: Store, run: str, status: Any = "running", **others: Any) -> RunRecord:
    fields: dict[str, Any] = {"command": "run", "started_at": time(), "arguments": ARGUMENTS}
    begun = store.begin(RunRecord(id=run, **fields | others))
    if status != "running":
        store.finish(run, status, {}, {})
    return begun


def taken(store: Store, arguments: dict[str, Any]) -> str:
    """The run that goes on, which is let go at once."""
    held = find_unfinished_run(store, arguments)
    held.lock.release()
    return held.record.id


def test_a_run_that_another_process_is_at_is_left_alone(store: Store) -> None:
    keep(store, "older", "interrupted")
    keep(store, "busy")

    with RunLock(store, "busy"):
        assert taken(store, ARGUMENTS) == "older"
        with (
            RunLock(store, "older"),
            pytest.raises(UnknownRun, match="of 'evals' is in use by another process"),
        ):
            find_unfinished_run(store, ARGUMENTS)

    assert taken(store, ARGUMENTS) == "busy"


def test_a_run_that_goes_on_goes_on_in_one_process(store: Store) -> None:
    keep(store, "meant", "interrupted")
    held = find_unfinished_run(store, ARGUMENTS)
    with pytest.raises(UnknownRun, match="in use by another process"):
        find_unfinished_run(store, ARGUMENTS)

    assert begin_or_resume(store, resume=held, arguments=ARGUMENTS).record.id == "meant"


def test_a_run_that_ends_while_we_look_for_one_does_not_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(store, "older", "interrupted")
    keep(store, "ending")
    seen = store.runs()
    store.finish("ending", "finished", {}, {})
    monkeypatch.setattr(store, "runs", lambda: seen)

    assert taken(store, ARGUMENTS) == "older"
    assert RunLock(store, "ending").take()


def test_a_run_id_that_another_process_has_locked_is_not_used(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(store, "known")
    names = iter(["busy", "known"])
    monkeypatch.setattr(saving, "new_run_id", lambda _: next(names))

    with RunLock(store, "busy"):
        held = begin_or_resume(store, resume=False, arguments=ARGUMENTS)

    assert held.record.id not in {"busy", "known"}
    assert not RunLock(store, held.record.id).take()
    assert RunLock(store, "known").take()


def answer(run: str, **others: Any) -> AnswerRecord:
    fields: dict[str, Any] = {
        "question": "00ff",
        "source": "aa",
        "trial": 1,
        "answer": [run],
        "seconds": 0.5,
        "usage": Usage(1, 2, 3),
        "attempts": 2,
        "run": run,
    }
    return AnswerRecord(**fields | others)


@pytest.fixture
def answered(store: Store) -> Store:
    for name in ("mine", "newer"):
        keep(store, name)
        store.save_results([answer(name)])
    return store


def test_answers_of_code_from_before_something_changed_are_not_taken(answered: Store) -> None:
    known_by_content = AnswerRecord(
        question="00ff", source="", trial=1, answer=["known"], asked_at=5.0
    )
    answered.save_results([known_by_content])
    looking = KnownAnswers(store=answered, use_cache=True, since=1e12)

    assert looking.answer(a_question(list), ("00ff", "aa")) is None
    known = looking.answer(a_question(list), ("00ff", ""))
    assert known is not None
    assert known.document == ["known"]


def test_an_answer_in_which_a_secret_is_hidden_is_asked_for_again(store: Store) -> None:
    keep(store, "mine")
    store.save_results([answer("mine", answer=[{"arguments": {"[hidden 5f2c91ab90c4]": 1}}])])
    looking = KnownAnswers(store=store, run="mine", use_cache=True)

    assert looking.answer(a_question(list), ("00ff", "aa")) is None
