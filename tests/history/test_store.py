"""The history: runs begin, go on and end; answers are found by what was asked."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from sqlalchemy import update
from sqlalchemy.exc import DBAPIError
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.errors import UnknownRun, UnusableStore
from callscore.history import run_queries
from callscore.history import store as store_module
from callscore.history.opening import open_store
from callscore.history.schema import payloads

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store

RUN = a_run().id
OTHER = "20261116-070000-bcdf"


def test_the_newest_run_is_the_first(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))

    assert [run.id for run in store.runs()] == [OTHER, RUN]
    assert [run.id for run in store.runs(limit=1)] == [OTHER]


def test_a_run_whose_id_another_process_has_taken_gets_another(store: Store) -> None:
    store.begin(a_run(started_at=1.0))

    begun = store.begin(a_run(started_at=2.0))

    assert begun.id != RUN
    assert begun.started_at == 2.0
    assert {run.id for run in store.runs()} == {RUN, begun.id}


def test_a_run_that_goes_on_is_the_same_run(store: Store) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN, place="old.py"))
    store.save_results([a_result(RUN, failure=("timeout", "too slow")), a_result(RUN, "other")])
    store.finish(RUN, "interrupted", {"answered": 2}, {})

    again = store.begin(replace(store.find(RUN), status="running", finished_at=None))
    store.add_evaluation(an_evaluation(RUN, place="new.py"))
    store.save_results([a_result(RUN)])

    assert again.id == RUN
    assert [run.status for run in store.runs()] == ["running"]
    assert store.evaluations(RUN) == [an_evaluation(RUN, place="new.py")]
    assert list(store.results(RUN)) == [a_result(RUN), a_result(RUN, "other")]


def test_a_finished_run_has_its_totals_and_summaries(store: Store) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.add_evaluation(an_evaluation(RUN, 1))

    store.finish(RUN, "finished", {"passed": 2}, {1: {"mean": 0.5}})

    run = store.find(RUN)
    assert (run.status, run.totals) == ("finished", {"passed": 2})
    assert run.finished_at is not None
    assert [each.summary for each in store.evaluations(RUN)] == [{}, {"mean": 0.5}]


def test_results_come_in_the_order_they_were_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_PAGE", 3)
    store.begin(a_run())
    store.begin(a_run(OTHER))
    cases = [f"case-{number * 7 % 10}" for number in range(10)]
    for number, case in enumerate(cases):
        store.save_results([a_result(RUN, case, evaluation=number % 2), a_result(OTHER, case)])

    assert [result.case for result in store.results(RUN)] == cases
    assert [result.case for result in store.results(RUN, 1)] == cases[1::2]
    assert [result.run for result in store.results(OTHER)] == [OTHER] * 10


def test_results_can_be_written_while_they_are_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_PAGE", 1)
    store.begin(a_run())
    store.save_results([a_result(RUN, "a"), a_result(RUN, "b")])

    reading = store.results(RUN)
    first = next(reading)
    store.save_results([a_result(RUN, "c")])

    assert [first.case, *(result.case for result in reading)] == ["a", "b", "c"]


def test_a_run_knows_how_often_its_cases_were_asked(store: Store) -> None:
    run = store.begin(a_run()).id
    for number in (0, 1):
        store.add_evaluation(an_evaluation(run, number))
    store.save_results(a_result(run, trial=trial) for trial in (1, 3, 2))
    store.save_results([a_result(run, evaluation=1)])

    assert store.trials(run) == {0: 3, 1: 1}


def test_the_newest_answer_to_a_question_counts(store: Store) -> None:
    store.begin(a_run())
    old, new = an_answer(RUN, answer="old"), an_answer(answer="new")
    store.save_results([old, new])

    assert store.answer("00ff", "", 1) == new
    assert store.answer_of_run(RUN, "00ff", 1) == old


@pytest.mark.parametrize(
    "asked", [("00fe", "", 1), ("00ff", "ab", 1), ("00ff", "", 2), ("ff", "", 1)]
)
def test_an_answer_to_anything_else_is_none(store: Store, asked: tuple[str, str, int]) -> None:
    store.save_results([an_answer()])

    assert store.answer(*asked) is None


def test_an_answer_of_another_run_is_not_one_of_this(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))
    store.save_results([an_answer(OTHER)])

    assert store.answer_of_run(RUN, "00ff", 1) is None


def test_a_judgement_is_kept_by_its_key(store: Store) -> None:
    store.save_judgement("ключ", "gpt-4.1-mini", {"verdict": True})
    store.save_judgement("ключ", "gpt-4.1-mini", [False, "on second thought"])

    assert store.judgement("ключ") == [False, "on second thought"]
    assert store.judgement("another") is None


def test_what_is_kept_together_is_kept_or_not_together(store: Store) -> None:
    store.begin(a_run())

    with pytest.raises(UnusableStore):
        store.save_results([an_answer(RUN), a_result(RUN, status=None)])

    assert store.answer("00ff", "", 1) is None


def test_many_threads_share_a_store(store: Store) -> None:
    store.begin(a_run())

    def write(number: int) -> None:
        store.save_results([a_result(RUN, f"case-{number}")])
        store.save_judgement(f"{number}", "gpt-4.1-mini", number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(100)))

    assert len(list(store.results(RUN))) == 100
    assert [store.judgement(f"{number}") for number in range(100)] == list(range(100))


def test_all_is_there_when_it_is_opened_again(place: Path | str) -> None:
    with open_store(place) as store:
        store.begin(a_run())
        store.save_results([a_result(RUN), an_answer(RUN)])

    with open_store(place) as again:
        assert list(again.results(RUN)) == [a_result(RUN)]
        assert again.answer_of_run(RUN, "00ff", 1) == an_answer(RUN)


@pytest.mark.parametrize("number", [0, None])
def test_a_run_that_never_was_has_nothing(store: Store, number: int | None) -> None:
    with pytest.raises(UnknownRun, match="unknown run 'never'"):
        store.results("never", number)
    with pytest.raises(UnknownRun):
        store.evaluations("never")
    with pytest.raises(UnknownRun):
        store.save_results([a_result("never")])
    with pytest.raises(UnknownRun):
        store.finish("never", "finished", {}, {})


@pytest.mark.parametrize("body", [b"x\x01damaged", b"{damaged", b""])
def test_a_damaged_payload_is_told_as_such(store: Store, body: bytes) -> None:
    store.begin(a_run())
    store.save_results([a_result(RUN), an_answer(RUN)])
    with store.altering() as connection:
        connection.execute(update(payloads).values(body=body))

    with pytest.raises(UnusableStore, match="is damaged"):
        list(store.results(RUN))
    with pytest.raises(UnusableStore, match="is damaged"):
        store.answer("00ff", "", 1)


def test_what_goes_into_a_file_that_was_deleted_is_not_kept(store: Store, path: Path) -> None:
    store.begin(a_run())
    path.unlink()

    with pytest.raises(UnusableStore, match="moved or deleted"):
        store.save_results([a_result(RUN)])


def test_what_goes_into_a_file_that_was_replaced_is_not_kept(store: Store, path: Path) -> None:
    store.begin(a_run())
    path.rename(path.with_name("moved.db"))
    path.write_bytes(b"")

    with pytest.raises(UnusableStore, match="moved or deleted"):
        store.save_results([a_result(RUN)])


def test_a_baseline_that_is_removed_twice_by_one_who_asks_once_was_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.begin(a_run())
    store.set_baseline("main", RUN)
    remove = run_queries.delete_baseline

    def and_no_answer_comes(connection: Any, name: str) -> bool:
        monkeypatch.setattr(run_queries, "delete_baseline", remove)
        remove(connection, name)
        connection.commit()
        raise UnusableStore("there", "lost") from _cut_off()

    monkeypatch.setattr(run_queries, "delete_baseline", and_no_answer_comes)

    assert store.remove_baseline("main")
    assert store.baselines() == []
    assert not store.remove_baseline("main")


def _cut_off() -> Exception:
    error = sqlite3.OperationalError("cut off")
    return DBAPIError("DELETE", {}, error, connection_invalidated=True)


def test_a_file_that_is_deleted_keeps_no_end(store: Store, path: Path) -> None:
    store.begin(a_run())
    path.unlink()

    with pytest.raises(UnusableStore, match="moved or deleted"):
        store.finish(RUN, "finished", {}, {})
