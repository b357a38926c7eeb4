"""The two runs that a gate looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.engines.gating_runs import MissingBaselineError, gate_sides
from callscore.errors import UnknownRun
from callscore.history.opening import open_store
from callscore.history.records import RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.history.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A history without runs, in a folder that is no repository."""
    monkeypatch.chdir(tmp_path)
    with open_store(tmp_path / "history.db") as opened:
        yield opened


def add(  # noqa: PLR0913  (most tests need one of them)
    store: Store,
    name: str,
    *,
    errors: int | None = 0,
    keyword: str = "",
    parent: str | None = None,
    commit: str | None = None,
) -> str:
    """Add a run without cases, and without an end where nobody knows its errors; its id."""
    number = len(store.runs())
    run = RunRecord(
        id=f"20261115-18000{number}-aaaa",
        command="run" if parent is None else "rescore",
        started_at=1_794_744_000.0 + number,
        name=name,
        arguments={"keyword": keyword},
        parent=parent,
        git_commit=commit,
    )
    store.begin(run)
    if errors is not None:
        store.finish(run.id, "finished", {"errors": errors}, {})
    return run.id


def complaint(store: Store, run: str, against: str) -> str:
    """What is said of a baseline that is not there."""
    with pytest.raises(MissingBaselineError) as caught:
        gate_sides(store, run, against)
    return str(caught.value)


def test_a_baseline_is_known_by_its_name(store: Store) -> None:
    first, second = add(store, "first"), add(store, "second")
    store.set_baseline("main", first)

    held, by_id = gate_sides(store, "latest", "main"), gate_sides(store, second, first)

    assert (held.before.run, held.after.run, held.baseline) == (first, second, "main")
    assert by_id.baseline is None
    assert (held.is_partial, held.notes) == (False, ())


def test_a_run_that_was_saved_last_but_is_older_by_its_time_is_noted(store: Store) -> None:
    first, second = add(store, "first"), add(store, "second")
    late = RunRecord(id="late", command="run", started_at=1_794_000_000.0)
    store.begin(late)
    store.finish(late.id, "finished", {"errors": 0}, {})

    newest, named = gate_sides(store, "latest", first), gate_sides(store, second, first)

    assert newest.after.run == second
    [note] = newest.notes
    assert note.text("en").startswith("the run that was saved last, late, is older by its time")
    assert named.notes == ()


def test_runs_that_left_cases_out_are_noted_also_where_they_were_scored_again(store: Store) -> None:
    part = add(store, "part", keyword="oslo")
    again = add(store, "again", parent=part)
    whole = add(store, "whole")

    held, turned = gate_sides(store, again, whole), gate_sides(store, whole, part)

    assert held.is_partial
    assert [note.values for note in held.notes] == [{"side": again}]
    assert not turned.is_partial
    assert [note.values for note in turned.notes] == [{"side": part}]


def test_only_what_is_whole_and_well_is_proposed_and_never_the_run_itself(store: Store) -> None:
    good = add(store, "good")
    add(store, "part", keyword="oslo")
    add(store, "outage", errors=3)
    add(store, "killed", errors=None)
    add(store, "now")

    assert complaint(store, "now", "main").endswith(
        f"\n    callscore baseline set {good} --name main"
    )
    assert complaint(store, good, "main").count("callscore baseline set ") == 1


def test_where_nothing_would_do_somebody_is_told_to_run_it(store: Store) -> None:
    add(store, "outage", errors=3)
    add(store, "now")

    told = complaint(store, "now", "it's main")

    assert "\n  There are no baselines yet.\n  No other run is complete" in told
    assert told.endswith("""callscore baseline set latest --name 'it'"'"'s main'""")


def test_a_variant_that_is_not_there_is_no_missing_baseline(store: Store) -> None:
    add(store, "first")
    add(store, "second")

    with pytest.raises(UnknownRun):
        gate_sides(store, "second", "first:small")
    assert "unknown baseline or run 'nobody'" in complaint(store, "second", "nobody:small")


@pytest.mark.parametrize("against", ["latest~1", "HEAD~2", "latest"])
def test_no_command_is_proposed_that_would_be_refused(store: Store, against: str) -> None:
    with pytest.raises(UnknownRun, match="unknown run") as caught:
        gate_sides(store, add(store, "now") if against != "latest" else "now", against)

    assert "baseline set" not in str(caught.value)


def test_a_branch_is_not_taken_for_a_baseline_without_a_note(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "ab12" * 10
    monkeypatch.setattr(
        "callscore.engines.gating_runs.resolve_commit_here",
        {"main": commit, "ab12ab12": commit, "HEAD": commit}.get,
    )
    monkeypatch.setattr(
        "callscore.history.run_metadata.resolve_commit",
        lambda _, name: commit if name in ("main", "ab12ab12", "HEAD") else None,
    )
    first = add(store, "first", commit=commit)

    told = complaint(store, "first", "main")
    by_commit = gate_sides(store, "first", "ab12ab12")
    second = add(store, "second")
    noted = gate_sides(store, "second", "main")
    store.set_baseline("main", second)
    named = gate_sides(store, "first", "main")

    assert f"\n  The run of the branch or tag 'main' is {first}, which is the run to check." in told
    assert told.endswith("\n    callscore baseline set latest --name main")
    assert (by_commit.before.run, by_commit.notes) == (first, ())
    assert [note.values for note in noted.notes] == [
        {"name": "main", "run": first, "typed": "main"}
    ]
    assert (named.before.run, named.notes) == (second, ())
