"""Whether a process is still at a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.history.made_up import a_run

from callscore.history.locks import is_abandoned

if TYPE_CHECKING:
    from callscore.history.store import Store


def test_a_run_is_left_where_it_says_that_it_runs_and_nobody_is_at_it(store: Store) -> None:
    run = store.begin(a_run())

    with store.lock(run.id):
        assert not is_abandoned(store, run)
    assert is_abandoned(store, run)
    assert is_abandoned(store, run)  # looking leaves nothing behind


def test_a_run_that_has_ended_is_not_left(store: Store) -> None:
    run = store.begin(a_run())
    store.finish(run.id, "interrupted", {}, {})

    assert not is_abandoned(store, store.find(run.id))
