"""A history in a file: where the file goes, what was in it goes, and no longer."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, a_run

from callscore.errors import UnusableStore
from callscore.history import store as store_module
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store

RUN = a_run().id


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
        store.clear(0, is_dry=False)

    assert before > 500_000
    assert path.stat().st_size < 200_000
