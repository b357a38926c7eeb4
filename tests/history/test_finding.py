"""Which run somebody means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_run

from callscore.errors import UnknownRun

if TYPE_CHECKING:
    from callscore.history.store import Store

IDS = ["20261115-184354-k3f9", "20261115-184354-k3zz", "20261116-070000-bcdf"]


@pytest.fixture
def three(store: Store) -> Store:
    for number, name in enumerate(IDS):
        store.begin(a_run(name, name="nightly" if number < 2 else None))
    return store


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        ("latest", 2),
        ("latest~0", 2),
        ("latest~2", 0),
        (IDS[0], 0),
        ("20261116", 2),
        ("20261115-184354-k3z", 1),
        ("nightly", 1),  # the newest of that name
    ],
)
def test_a_run_is_found_by_what_people_type(three: Store, reference: str, meant: int) -> None:
    assert three.find(reference).id == IDS[meant]


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("latest~3", "there is no run 'latest~3': there are 3 runs, back to 'latest~2'"),
        ("20261115", f"'20261115' may be any of the runs {IDS[1]}, {IDS[0]}"),
        (
            "nightli",
            f"there is no run 'nightli'; the newest are {', '.join(IDS[::-1])}. Is 'nightly' meant?",
        ),
        ("", f"there is no run ''; the newest are {IDS[2]}, {IDS[1]}, {IDS[0]}"),
        ("%", f"there is no run '%'; the newest are {IDS[2]}, {IDS[1]}, {IDS[0]}"),
        ("20261116-070000-BCDF", "there is no run '20261116-070000-BCDF'"),
    ],
)
def test_a_run_that_is_not_there_is_told_with_those_that_are(
    three: Store, reference: str, sentence: str
) -> None:
    with pytest.raises(UnknownRun) as caught:
        three.find(reference)

    assert str(caught.value).startswith(sentence)


def test_of_many_runs_the_newest_are_named(store: Store) -> None:
    for number in range(8):
        store.begin(a_run(f"2026111{number}-000000-bbbb"))

    with pytest.raises(UnknownRun) as caught:
        store.find("2026")

    assert str(caught.value).endswith("20261113-000000-bbbb, ...")


def test_one_run_is_one_run(store: Store) -> None:
    store.begin(a_run())

    with pytest.raises(UnknownRun, match=r"there is 1 run, back to 'latest~0'"):
        store.find("latest~1")


@pytest.mark.parametrize("reference", ["latest", "20261115"])
def test_in_an_empty_history_it_says_how_to_begin(store: Store, reference: str) -> None:
    with pytest.raises(UnknownRun, match=r"the history is empty\. Begin with: callscore run"):
        store.find(reference)
