"""Which run somebody means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_run

from callscore.errors import UnknownRun

if TYPE_CHECKING:
    from pathlib import Path

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


def _resolve(reference: str) -> str | None:
    """A repository in which `main` is a commit, and `empty` is one that nobody has run."""
    return {"main": "ab" * 20, "empty": "cd" * 20, IDS[0]: "cd" * 20}.get(reference)


@pytest.mark.parametrize(
    ("runs", "meant"),
    [
        ([("finished", False), ("finished", False)], 1),
        ([("finished", False), ("finished", True)], 0),
        ([("finished", None), ("finished", True)], 0),
        ([("finished", True), ("finished", True)], 1),
        ([("finished", True), ("interrupted", False), ("running", False)], 0),
    ],
)
def test_a_commit_means_its_newest_finished_run_a_clean_one_first(
    store: Store, runs: list[tuple[Any, bool | None]], meant: int
) -> None:
    for name, (status, is_dirty) in zip(IDS, runs, strict=False):
        store.begin(a_run(name, status=status, git_commit="ab" * 20, git_dirty=is_dirty))

    assert store.find("main", resolve=_resolve).id == IDS[meant]


@pytest.mark.parametrize(
    ("runs", "meant"),
    [
        # Complete before partial, also where only the one that it has its answers from says so.
        ([{}, {"arguments": {"keyword": "weather"}}], 0),
        ([{"arguments": {"limit": 3}}, {"command": "rescore", "parent": IDS[0]}], 1),
        ([{}, {"arguments": {"limit": 3}}, {"command": "rescore", "parent": IDS[1]}], 0),
        # One that asked before files, also where it is dirty; clean before dirty.
        ([{"git_dirty": True}, {"command": "score"}], 0),
        ([{"git_dirty": False}, {"git_dirty": True}, {"command": "score"}], 0),
        ([{}, {"command": "rescore", "parent": IDS[0]}], 1),
        # The newest is the one that began last, and not the one that was written last.
        ([{"started_at": 2.0}, {"started_at": 1.0}], 0),
    ],
)
def test_a_commit_means_the_run_that_says_most_about_it(
    store: Store, runs: list[dict[str, Any]], meant: int
) -> None:
    for name, about in zip(IDS, runs, strict=False):
        store.begin(a_run(name, status="finished", git_commit="ab" * 20, **about))

    assert store.find("main", resolve=_resolve).id == IDS[meant]


def test_a_variant_of_a_run_is_told_from_its_name(three: Store) -> None:
    with pytest.raises(UnknownRun, match="What follows a colon is a variant"):
        three.find("production:large")


def test_what_a_run_is_called_comes_before_what_git_knows(three: Store) -> None:
    assert three.find(IDS[0], resolve=_resolve).id == IDS[0]


def test_the_id_of_a_run_comes_before_the_name_of_another(three: Store) -> None:
    other = three.begin(a_run("20261117-070000-bcdf", name=IDS[0]))

    assert three.find(IDS[0]).id == IDS[0]
    assert three.find(other.id).name == IDS[0]


def test_a_commit_that_nobody_has_run_is_told(three: Store) -> None:
    with pytest.raises(UnknownRun) as caught:
        three.find("empty", resolve=_resolve)

    assert str(caught.value) == (
        "there is no finished run of the commit cdcdcdcdcd (empty); the newest are "
        + ", ".join(IDS[::-1])
    )


def test_git_is_not_asked_where_nobody_wants_it(three: Store) -> None:
    with pytest.raises(UnknownRun, match="there is no run 'HEAD'"):
        three.find("HEAD", resolve=None)


def test_the_name_of_a_baseline_may_be_meant(three: Store) -> None:
    three.set_baseline("production", IDS[0])

    with pytest.raises(UnknownRun, match="Is 'production' meant"):
        three.find("productoin")


def test_by_default_git_is_asked_in_the_working_directory(
    three: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UnknownRun, match="there is no run 'HEAD'"):
        three.find("HEAD")
