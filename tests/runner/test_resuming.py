"""Which run goes on, and which answers need not be asked for again."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.runner.agents import a_question

from callscore.core.results import Usage
from callscore.errors import UnknownRun, UnusableStore
from callscore.history.locks import RunLock
from callscore.history.records import AnswerRecord, RunRecord
from callscore.runner import resuming
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


def test_the_newest_run_of_the_same_paths_that_did_not_end_goes_on(store: Store) -> None:
    keep(store, "older")
    keep(store, "meant", "interrupted")
    keep(store, "finished", "finished")
    keep(store, "elsewhere", arguments={"paths": ["others"]})
    keep(store, "rescored", command="rescore")

    assert taken(store, {"paths": ["evals"], "limit": 3}) == "meant"


def test_unfinished_runs_of_other_paths_are_named_with_what_to_type(store: Store) -> None:
    for name in ("one", "two", "under way", "a b", "three", "four"):
        keep(store, name, "interrupted", arguments={"paths": [f"{name}.py"]})
    keep(store, "four again", arguments={"paths": ["four.py"]})
    keep(store, "done", "finished", arguments={"paths": ["done.py"]})
    keep(store, "rescored", "interrupted", command="rescore", arguments={"run": "four"})
    lock = RunLock(store.path, "three")
    assert lock.take()

    with pytest.raises(UnknownRun) as caught:
        find_unfinished_run(store, {"paths": ["."]})
    lock.release()

    assert str(caught.value) == (
        "no unfinished run of '.'. Other unfinished runs: "
        f"callscore run four.py --resume{store.command_options}; callscore run 'a b.py' --resume{store.command_options}; "
        f"callscore run 'under way.py' --resume{store.command_options}"
    )
    assert taken(store, {"paths": ["a b.py"]}) == "a b"  # nothing is held


def test_without_an_unfinished_run_it_says_so(store: Store) -> None:
    keep(store, "finished", "finished")

    with pytest.raises(UnknownRun, match=r"no unfinished run of 'evals'\. Start a new run without"):
        find_unfinished_run(store, ARGUMENTS)


def test_a_run_that_another_process_is_at_is_left_alone(store: Store) -> None:
    keep(store, "older", "interrupted")
    keep(store, "busy")
    assert store.path is not None

    with RunLock(store.path, "busy"):
        assert taken(store, ARGUMENTS) == "older"
        with (
            RunLock(store.path, "older"),
            pytest.raises(UnknownRun, match="of 'evals' is in use by another process"),
        ):
            find_unfinished_run(store, ARGUMENTS)

    assert taken(store, ARGUMENTS) == "busy"


def test_a_new_run_gets_a_name_and_a_time(store: Store) -> None:
    record = RunRecord(id="", command="run", started_at=0.0, arguments=ARGUMENTS)

    held = begin_or_resume(store, record, resume=False)

    begun = held.record
    assert not RunLock(store.path, begun.id).take()
    assert begun.id
    assert begun.started_at > 0.0
    assert store.runs() == [begun]


def test_a_run_that_goes_on_keeps_what_it_was_asked_for(store: Store) -> None:
    before = keep(store, "meant", "interrupted", name="nightly")
    record = RunRecord(
        id="", command="run", started_at=9e9, arguments=ARGUMENTS, versions={"callscore": "9"}
    )

    begun = begin_or_resume(store, record, resume=True).record

    assert not RunLock(store.path, begun.id).take()
    assert (begun.id, begun.name, begun.started_at) == ("meant", "nightly", before.started_at)
    assert (begun.status, begun.finished_at) == ("running", None)
    assert begun.versions == {"callscore": "9"}
    assert [run.status for run in store.runs()] == ["running"]


def test_a_run_that_goes_on_goes_on_in_one_process(store: Store) -> None:
    keep(store, "meant", "interrupted")
    record = RunRecord(id="", command="run", started_at=0.0, arguments=ARGUMENTS)

    held = find_unfinished_run(store, ARGUMENTS)
    with pytest.raises(UnknownRun, match="in use by another process"):
        find_unfinished_run(store, ARGUMENTS)

    assert begin_or_resume(store, record, resume=held).record.id == "meant"


def test_a_run_that_ends_while_we_look_for_one_does_not_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(store, "older", "interrupted")
    keep(store, "ending")
    seen = store.runs()
    store.finish("ending", "finished", {}, {})
    monkeypatch.setattr(store, "runs", lambda: seen)

    assert taken(store, ARGUMENTS) == "older"
    assert RunLock(store.path, "ending").take()


def test_what_another_process_has_taken_is_given_another_name(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = RunRecord(id="", command="run", started_at=0.0, arguments=ARGUMENTS)
    keep(store, "known")
    names = iter(["busy", "known"])
    monkeypatch.setattr(resuming, "new_run_id", lambda _: next(names))

    with RunLock(store.path, "busy"):
        held = begin_or_resume(store, record, resume=False)

    assert held.record.id not in {"busy", "known"}
    assert not RunLock(store.path, held.record.id).take()
    assert RunLock(store.path, "known").take()


def test_a_run_that_cannot_begin_is_let_go(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resuming, "new_run_id", lambda _: "new")
    record = RunRecord(id="", command="run", started_at=0.0, arguments=ARGUMENTS)

    def full(_: RunRecord) -> RunRecord:
        raise UnusableStore("history.db", "the disk is full")

    monkeypatch.setattr(store, "begin", full)
    with pytest.raises(UnusableStore):
        begin_or_resume(store, record, resume=False)

    assert RunLock(store.path, "new").take()


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


@pytest.mark.parametrize(
    ("known", "digests", "found"),
    [
        ({"run": "mine"}, ("00ff", "aa"), ["mine"]),
        ({"run": "mine"}, ("00ff", "changed"), ["mine"]),
        ({"run": "mine", "use_cache": True}, ("00ff", "aa"), ["mine"]),
        ({"use_cache": True}, ("00ff", "aa"), ["newer"]),
        ({"use_cache": True}, ("00ff", "changed"), None),
        ({"run": "mine", "use_cache": True}, ("ffff", "aa"), None),
        ({}, ("00ff", "aa"), None),
    ],
)
def test_answers_are_found_in_the_run_that_goes_on_or_in_any(
    answered: Store, known: dict[str, Any], digests: tuple[str, str], found: Any
) -> None:
    looking = KnownAnswers(store=answered, **known)

    kept = looking.answer(a_question(list), digests)

    assert looking.reuses_answers is bool(known)
    assert (kept and kept.document) == found
    if kept is not None:
        assert (kept.seconds, kept.usage, kept.attempts) == (0.5, Usage(1, 2, 3), 2)
        assert kept.is_reused


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


def test_another_trial_is_another_question(answered: Store) -> None:
    second = a_question(list, trials=2)
    looking = KnownAnswers(store=answered, run="mine", use_cache=True)
    from msgspec.structs import replace

    assert looking.answer(second, ("00ff", "aa")) is not None
    assert looking.answer(replace(second, trial=2), ("00ff", "aa")) is None


def test_a_run_that_goes_on_keeps_its_name_unless_it_gets_another(store: Store) -> None:
    record = RunRecord(id="", command="run", started_at=0.0, name="first", arguments=ARGUMENTS)
    for name, called in ((None, "first"), ("second", "second")):
        begun = begin_or_resume(store, record, resume=False)
        begun.lock.release()
        held = begin_or_resume(store, replace(record, name=name), resume=True)
        held.lock.release()

        assert store.find(held.record.id).name == called


def test_an_answer_in_which_a_secret_is_hidden_is_asked_for_again(store: Store) -> None:
    keep(store, "mine")
    store.save_results([answer("mine", answer=[{"arguments": {"[hidden 5f2c91ab90c4]": 1}}])])
    looking = KnownAnswers(store=store, run="mine", use_cache=True)

    assert looking.answer(a_question(list), ("00ff", "aa")) is None
