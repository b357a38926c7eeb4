"""Names for the runs that others are compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_run

from callscore.errors import InvalidSettings, UnknownRun

if TYPE_CHECKING:
    from callscore.history.store import Store

RUN = a_run().id
OTHER = "20261116-070000-bcdf"


@pytest.fixture(autouse=True)
def _two_runs(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER, name="nightly"))


def test_a_baseline_is_found_by_its_name(store: Store) -> None:
    store.set_baseline("main", RUN)

    [baseline] = store.baselines()
    assert (baseline.name, baseline.run) == ("main", RUN)
    assert baseline.set_at > 1_700_000_000
    assert store.find("main").id == RUN


def test_a_name_means_the_last_run_it_was_given_to(store: Store) -> None:
    store.set_baseline("main", RUN)
    store.set_baseline("main", OTHER)

    assert [each.run for each in store.baselines()] == [OTHER]


def test_baselines_are_listed_by_name(store: Store) -> None:
    for name in ("staging", "Погода", "main"):
        store.set_baseline(name, RUN)

    assert [each.name for each in store.baselines()] == ["main", "staging", "Погода"]


def test_a_baseline_comes_before_a_run_of_the_same_name(store: Store) -> None:
    store.set_baseline("nightly", RUN)

    assert store.find("nightly").id == RUN


def test_a_baseline_that_is_removed_leaves_its_run(store: Store) -> None:
    store.set_baseline("main", RUN)

    assert store.remove_baseline("main")
    assert not store.remove_baseline("main")
    assert store.baselines() == []
    assert store.find(RUN).id == RUN


@pytest.mark.parametrize(
    "name",
    ["", "  ", "latest", "latest~2", "-main", "main~2", "a:b", "HEAD", "\x00", "\ud800", RUN],
)
def test_a_name_that_means_something_else_is_refused(store: Store, name: str) -> None:
    with pytest.raises(InvalidSettings, match="invalid baseline name"):
        store.set_baseline(name, RUN)

    assert store.baselines() == []


def test_a_baseline_needs_a_run(store: Store) -> None:
    with pytest.raises(UnknownRun):
        store.set_baseline("main", "20000101-000000-none")


@pytest.mark.parametrize("hostile", ["'; DROP TABLE runs; --", "[red]|<b>", "погода %_"])
def test_a_hostile_name_is_only_a_name(store: Store, hostile: str) -> None:
    store.set_baseline(hostile, RUN)

    assert store.find(hostile).id == RUN
    assert store.remove_baseline(hostile)
