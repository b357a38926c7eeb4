"""What the history does not take goes to a file beside it, from which it comes back."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.errors import UnusableStore
from callscore.history.exchange.import_export import import_records
from callscore.history.exchange.json_lines import read_lines
from callscore.history.writer import (
    BackgroundWriter,
    FallbackStore,
    FinishArguments,
    fallback_store_for,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.history.exchange.json_lines import Record
    from callscore.history.store import Store

RUN = a_run().id
ENDED: FinishArguments = (RUN, "finished", {"passed": 1}, {0: {"mean": 1.0}})


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))


@pytest.fixture
def rescue() -> FallbackStore:
    made = FallbackStore()
    made.begin(a_run())
    made.add_evaluation(an_evaluation(RUN))
    return made


def records(file: Path) -> list[Record]:
    return list(read_lines(file.read_bytes().splitlines(), file.name))


def _refusing(*folders: str) -> Callable[..., int]:
    """What opens files, but not in these folders."""
    real = os.open

    def opened(path: Path, *others: int) -> int:
        if Path(path).parent.name in folders:
            raise PermissionError(13, "Permission denied")
        return real(path, *others)

    return opened


@pytest.mark.parametrize(
    ("closed", "found"), [([".callscore"], "here"), ([".callscore", "here"], "temporary")]
)
def test_where_a_folder_is_closed_the_next_one_is_used(
    rescue: FallbackStore, monkeypatch: pytest.MonkeyPatch, closed: list[str], found: str
) -> None:
    monkeypatch.setattr(os, "open", _refusing(*closed))
    rescue.save_results([a_result(RUN)])

    assert [file.parent.name for file in rescue.files] == [found]
    assert len(records(rescue.files[0])) == 3


def test_a_disk_that_fills_up_leaves_whole_lines_and_the_rest_goes_elsewhere(
    rescue: FallbackStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rescue.save_results([a_result(RUN)])
    real, left = os.write, [40]

    def write(file: int, data: bytes) -> int:
        if left[0] == 0:
            monkeypatch.setattr(os, "write", real)
            monkeypatch.setattr(os, "open", _refusing(".callscore"))
            raise OSError(28, "No space left on device")
        taken, left[0] = left[0], 0
        return real(file, data[:taken])

    monkeypatch.setattr(os, "write", write)
    rescue.save_results([a_result(RUN, "other")])

    first, second = rescue.files
    assert records(first) == [a_run(), an_evaluation(RUN), a_result(RUN)]
    assert records(second) == [a_run(), an_evaluation(RUN), a_result(RUN, "other")]
    assert rescue.location_text().endswith(
        f"callscore import .callscore/{first.name} {second.name}"
    )


def test_a_file_of_somebody_else_is_left_alone(rescue: FallbackStore) -> None:
    taken = Path(".callscore") / f"unsaved-{RUN}.jsonl"
    taken.parent.mkdir()
    taken.write_text("mine")

    rescue.save_results([a_result(RUN)])

    assert taken.read_text() == "mine"
    assert [file.name for file in rescue.files] == [f"unsaved-{RUN}-2.jsonl"]


# --- beside a history -----------------------------------------------------------------------------


class _Away:
    """A history that takes nothing while it is away."""

    place = "postgresql://host/db"
    path = None

    def __init__(self) -> None:
        self.is_away = True
        self.kept: list[object] = []

    def save_results(self, some: list[object]) -> None:
        if self.is_away:
            raise UnusableStore(self.place, "the connection to the server was lost.")
        self.kept += some

    def finish(self, *_: object) -> None:
        self.save_results([])


def test_results_that_the_history_never_accepts_are_in_the_fallback_file(
    rescue: FallbackStore,
) -> None:
    away = _Away()
    with BackgroundWriter(away, rescue) as writer:  # type: ignore[arg-type]  # as much of one as it needs
        for case in ("a", "b"):
            writer.put(a_result(RUN, case))

    assert records(rescue.files[0])[2:] == [a_result(RUN, "a"), a_result(RUN, "b")]
    assert (
        writer.problem
        == f"{away.place}: the connection to the server was lost. {rescue.location_text()}"
    )
    trouble = rescue.finish_both(away, ENDED)  # type: ignore[arg-type]  # likewise
    assert trouble == f"{away.place}: the connection to the server was lost."
    assert len(records(rescue.files[0])) == 6


def test_a_history_that_comes_back_needs_no_file(rescue: FallbackStore) -> None:
    away = _Away()
    with BackgroundWriter(away, rescue) as writer:  # type: ignore[arg-type]  # likewise
        writer.put(a_result(RUN))
        writer.flush()
        away.is_away = False

    assert away.kept == [a_result(RUN)]
    assert (writer.problem, rescue.files) == (None, [])
    assert rescue.finish_both(away, ENDED) == ""  # type: ignore[arg-type]  # likewise
    assert rescue.files == []


def test_while_something_is_only_in_the_file_the_run_did_not_end_in_the_history(
    store: Store, rescue: FallbackStore
) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([a_result(RUN, "kept")])
    rescue.save_results([a_result(RUN, "rescued")])
    ended: FinishArguments = (RUN, "finished", {"answered": 2}, {0: {"passed": 2}})

    assert rescue.finish_both(store, ended) == ""

    here = store.find(RUN)
    assert (here.status, here.totals, store.evaluations(RUN)[0].summary) == ("interrupted", {}, {})
    (imported,) = import_records(store, records(rescue.files[0]))
    there = store.find(RUN)
    assert (there.status, there.totals, imported.missing) == ("finished", {"answered": 2}, 0)
    assert store.evaluations(RUN)[0].summary == {"passed": 2}


def test_a_command_finds_the_history_that_was_named(tmp_path: Path) -> None:
    made = fallback_store_for(str(tmp_path / "else where/h.db"))
    made.begin(a_run())
    made.save_results([a_result(RUN)])

    assert made.files[0].parent == tmp_path / "else where"
    assert made.location_text().endswith(f" --store '{tmp_path}/else where/h.db'")
    assert "позже: callscore import" in made.location_text("ru")
    assert (
        fallback_store_for("postgresql:me:s3cret@host").command_options
        == ' --store "$CALLSCORE_STORE"'
    )
