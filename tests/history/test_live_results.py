"""The results of a run in progress, read little by little."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, a_run

from callscore.errors import UnknownRun, UnusableStore
from callscore.history.live_results import results_after, results_since

if TYPE_CHECKING:
    from callscore.history.store import Store

RUN = a_run().id
OTHER = "20261116-070000-bcdf"


def test_results_come_in_the_order_in_which_they_were_first_written(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))
    store.save_results([a_result(RUN, "a", passed=True), a_result(OTHER, "x")])
    first = results_after(store, RUN, -1)
    store.save_results([a_result(RUN, "b", passed=False, failure=("timeout", "slow"))])

    later = results_after(store, RUN, first[-1].number)

    assert [each.case for each in first] == ["a"]
    assert [(each.case, each.passed, each.failure) for each in later] == [("b", False, "slow")]
    assert results_after(store, RUN, later[-1].number) == []


def test_a_result_that_replaces_another_is_found_by_its_time(store: Store) -> None:
    store.begin(a_run())
    store.save_results([a_result(RUN, "a", finished_at=1.0), a_result(RUN, "b", finished_at=2.0)])
    before = results_after(store, RUN, -1)
    store.save_results([a_result(RUN, "a", passed=False, finished_at=3.0)])

    assert results_after(store, RUN, before[-1].number) == []
    [found] = results_since(store, RUN, 3.0)
    assert (found.case, found.number) == ("a", before[0].number)


def test_what_was_changed_by_others_is_refused(store: Store) -> None:
    store.begin(a_run())
    store.save_results([a_result(RUN, "a")])
    with store.connected() as connection:
        connection.exec_driver_sql("UPDATE results SET f1 = 0.25")
        connection.commit()

    with pytest.raises(UnusableStore, match="a result is damaged"):
        results_after(store, RUN, -1)


def test_an_unknown_run_is_an_error(store: Store) -> None:
    with pytest.raises(UnknownRun):
        results_after(store, RUN, -1)
