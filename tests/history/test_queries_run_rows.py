"""A run begins under an id of its own, and ends once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_run, an_evaluation

from callscore.errors import UnknownRun
from callscore.history.queries import begin_run, end_run

if TYPE_CHECKING:
    from callscore.history.store import Store

RUN = a_run().id


def test_a_run_goes_on_or_gets_another_id(store: Store) -> None:
    with store.writing() as connection:
        assert begin_run(connection, a_run()) == a_run()
        again = begin_run(connection, a_run(command="rescore"))
        other = begin_run(connection, a_run(started_at=7.0))

    assert again.id == RUN != other.id
    assert [run.command for run in store.runs()] == ["rescore", "run"]


def test_only_the_run_that_ends_ends(store: Store) -> None:
    first, second = store.begin(a_run()), store.begin(a_run(started_at=7.0))
    for run in (first, second):
        store.add_evaluation(an_evaluation(run.id))

    with store.writing() as connection:
        summaries = {0: {"mean": 0.5}, 9: {"mean": 1.0}}
        end_run(connection, (first.id, 1), "interrupted", {"passed": 1}, summaries)

    assert [run.status for run in store.runs()] == ["interrupted", "running"]
    assert store.evaluations(first.id)[0].summary == {"mean": 0.5}
    assert store.evaluations(second.id)[0].summary == {}


def test_a_run_that_is_gone_does_not_end(store: Store) -> None:
    store.begin(a_run())

    for gone in ((RUN, 7), ("another", 1)):
        with store.writing() as connection, pytest.raises(UnknownRun, match="removed it"):
            end_run(connection, gone, "finished", {}, {})

    assert store.find(RUN).status == "running"
