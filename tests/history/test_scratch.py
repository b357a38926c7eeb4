"""A temporary history beside another one: the same markers, and runs that can be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.history.scratch import ScratchStore, copy_run

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store

RUN = a_run().id


def a_saved_run(store: Store, *, cases: int = 3) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN, tools=[{"name": "search"}]))
    store.save_results([a_result(RUN, f"case-{at}", position=at) for at in range(cases)])
    store.finish(RUN, "finished", {"answered": cases}, {0: {"cases": cases}})


def test_secrets_have_the_same_markers(store: Store, tmp_path: Path) -> None:
    with ScratchStore(tmp_path / "scratch.db", store) as scratch:
        marker = scratch.markers().of("secret", "secret")
    with ScratchStore(tmp_path / "scratch.db", store) as again:
        assert again.markers().of("secret", "secret") == marker

    assert store.markers().of("secret", "secret") == marker


def test_a_run_is_copied_there_and_back(store: Store, tmp_path: Path) -> None:
    a_saved_run(store, cases=1_100)  # more than are copied at a time
    with ScratchStore(tmp_path / "scratch.db", store) as scratch:
        there = copy_run(store, scratch, store.find(RUN))
        back = copy_run(scratch, store, replace(there, started_at=there.started_at + 1))

    assert there.id == RUN
    assert back.id != RUN
    assert (back.status, back.totals) == ("finished", {"answered": 1_100})
    results = [replace(each, run=RUN) for each in store.results(back.id)]
    assert results == list(store.results(RUN))
    [evaluation] = store.evaluations(back.id)
    assert [replace(evaluation, run=RUN)] == store.evaluations(RUN)


def test_a_run_that_did_not_end_is_copied_as_interrupted(store: Store, tmp_path: Path) -> None:
    store.begin(a_run())
    with ScratchStore(tmp_path / "scratch.db", store) as scratch:
        assert copy_run(store, scratch, store.find(RUN)).status == "interrupted"


def test_judgements_are_those_of_the_other_history(store: Store, tmp_path: Path) -> None:
    store.save_judgement("asked", "model", {"passed": True})
    with ScratchStore(tmp_path / "scratch.db", store) as scratch:
        scratch.save_judgement("new", "model", {"passed": False})

        assert scratch.judgement("asked") == {"passed": True}
    assert store.judgement("new") == {"passed": False}


def test_messages_and_commands_name_the_other_history(store: Store, tmp_path: Path) -> None:
    with ScratchStore(tmp_path / "scratch.db", store) as scratch:
        assert (scratch.place, scratch.command_options) == (store.place, store.command_options)
