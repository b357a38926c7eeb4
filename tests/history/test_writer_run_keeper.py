"""One run is kept: in the history, or in a file, and never half a run as a whole one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.errors import UnusableStore
from callscore.history.writer import FallbackStore, RunWriter

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.records import EvaluationRecord
    from callscore.history.store import Store

RUN = a_run().id


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_run_that_is_kept_as_a_whole_has_ended(store: Store) -> None:
    keeper = RunWriter(store, store.begin(a_run()))
    keeper.add_evaluation(an_evaluation(RUN))
    keeper.put(a_result(RUN))
    keeper.flush_soon()
    keeper.flush()
    keeper.finish("finished", {"answered": 1}, {0: {"passed": 1}})

    assert (store.find(RUN).status, store.find(RUN).totals) == ("finished", {"answered": 1})
    assert (keeper.problems, keeper.saved(), keeper.is_aside) == ([], "", False)


def test_where_results_are_missing_it_did_not_end(store: Store) -> None:
    keeper = RunWriter(store, store.begin(a_run()))
    keeper.add_evaluation(an_evaluation(RUN))
    keeper.put(a_result(RUN, trial=10**30))
    keeper.finish("finished", {"answered": 1}, {})

    assert (store.find(RUN).status, store.find(RUN).totals) == ("interrupted", {})
    assert "callscore import" in keeper.problems[0]


def test_an_evaluation_that_was_not_taken_is_tried_again_at_the_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = RunWriter(store, store.begin(a_run()))

    def refuse(_: EvaluationRecord) -> None:
        raise UnusableStore("here", "the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(store, "add_evaluation", refuse)
        with pytest.raises(UnusableStore):
            keeper.add_evaluation(an_evaluation(RUN))
        keeper.finish("finished", {}, {})
        assert store.find(RUN).status == "interrupted"
    keeper.finish("finished", {}, {})

    assert store.evaluations(RUN) == [an_evaluation(RUN)]
    assert store.find(RUN).status == "finished"


def test_a_run_that_somebody_removed_is_in_a_file(store: Store) -> None:
    keeper = RunWriter(store, store.begin(a_run()))
    keeper.add_evaluation(an_evaluation(RUN))
    store.begin(a_run(status="finished"))
    store.clear(0, is_dry=False)
    keeper.finish("finished", {"answered": 1}, {})

    assert "another process has removed it" in keeper.problems[0]
    assert "callscore import" in keeper.problems[0]


def test_where_there_is_no_history_all_of_it_is_in_a_file() -> None:
    keeper = RunWriter(FallbackStore(), a_run())
    keeper.add_evaluation(an_evaluation(RUN))
    keeper.put(a_result(RUN))
    keeper.finish("finished", {"answered": 1}, {})
    keeper.release()

    assert keeper.is_aside
    assert "callscore import .callscore/unsaved-" in keeper.saved()
    assert "сохранены" in keeper.saved("ru")
