"""A history in a file: where the file goes, what was in it goes, and no longer."""

from __future__ import annotations

import sqlite3
from random import Random
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.history.made_up import a_result, a_run

from callscore.errors import UnusableStore
from callscore.history import run_results
from callscore.history.cleanup import remove_old_runs
from callscore.history.opening import open_store
from callscore.history.queries import results_of_cases
from callscore.history.run_queries import saved_run

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store

RUN = a_run().id
OTHER = "20261116-070000-bcdf"


def test_results_can_be_written_while_they_are_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_results, "_WHOLE_PAGE", 1)
    store.begin(a_run())
    store.save_results([a_result(RUN, "a"), a_result(RUN, "b")])

    reading = store.results(RUN)
    first = next(reading)
    store.save_results([a_result(RUN, "c")])

    assert [first.case, *(result.case for result in reading)] == ["a", "b"]


def test_one_case_is_found_without_a_search_of_the_whole_run(store: Store) -> None:
    store.begin(a_run())
    store.save_results([a_result(RUN, "a"), a_result(RUN, "b")])
    queries: list[str] = []
    with store.reading() as connection:
        assert isinstance(connection, sqlite3.Connection)
        connection.set_trace_callback(queries.append)
        run = saved_run(connection, RUN)
        assert results_of_cases(connection, run, ["b"]).keys() == {(0, "b")}
        connection.set_trace_callback(None)
        plans = [connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall() for query in queries]

    [plan] = [plan for query, plan in zip(queries, plans, strict=True) if "payloads" in query]
    assert "(run=? AND case_id=?)" in plan[0][3]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_writing_to_a_history_file_that_was_moved_or_replaced_is_refused(
    store: Store, path: Path, is_replaced: bool
) -> None:
    store.begin(a_run())
    path.rename(path.with_name("moved.db"))
    if is_replaced:
        path.write_bytes(b"")

    with pytest.raises(UnusableStore, match="moved or deleted"):
        store.save_results([a_result(RUN)])
    with pytest.raises(UnusableStore, match="moved or deleted"):
        store.finish(RUN, "finished", {}, {})


def test_a_history_file_is_small_after_its_run_was_cleared(path: Path) -> None:
    with open_store(path) as store:
        store.begin(a_run())
        texts = [Random(number).randbytes(3_000).hex() for number in range(200)]
        store.save_results(
            a_result(RUN, f"case-{position}", answer=text) for position, text in enumerate(texts)
        )
        store.finish(RUN, "finished", {}, {})
    before = path.stat().st_size

    with open_store(path) as store:
        remove_old_runs(store, 0, is_dry=False)

    assert before > 500_000
    assert path.stat().st_size < 200_000


def test_only_the_run_that_was_asked_stops(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))

    store.request_stop(RUN)
    store.request_stop(RUN)

    assert (store.is_stop_requested(RUN), store.is_stop_requested(OTHER)) == (True, False)


def test_a_resumed_run_goes_on(store: Store) -> None:
    store.begin(a_run())
    store.request_stop(RUN)
    store.finish(RUN, "interrupted", {}, {})

    store.begin(replace(store.find(RUN), status="running", finished_at=None))

    assert not store.is_stop_requested(RUN)
