"""What the history does not take goes to a file beside it, from which it comes back."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.errors import UnusableStore
from callscore.history import writer as fallback_store
from callscore.history.exchange.import_export import import_records
from callscore.history.exchange.json_lines import read_lines
from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
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


def test_nothing_is_written_before_something_is_rescued(rescue: FallbackStore) -> None:
    assert rescue.location_text() == ""
    assert list(Path.cwd().iterdir()) == []


def test_what_is_rescued_can_be_read_again(rescue: FallbackStore) -> None:
    rescue.save_results([a_result(RUN), an_answer(RUN)])
    rescue.save_results([a_result(RUN, "other")])

    file = Path(".callscore") / f"unsaved-{RUN}.jsonl"
    assert [path.relative_to(Path.cwd()) for path in rescue.files] == [file]
    assert records(file) == [
        *(a_run(), an_evaluation(RUN)),
        *(a_result(RUN), an_answer(RUN), a_result(RUN, "other")),
    ]
    assert (
        rescue.location_text()
        == f"Results that are not in the history are saved in {file}. Import them later: callscore import {file}"
    )
    assert (Path(".callscore") / ".gitignore").exists()


def test_how_the_run_ended_stands_at_the_end(rescue: FallbackStore) -> None:
    rescue.save_results([a_result(RUN)])
    rescue.finish(*ENDED)

    ended = records(rescue.files[0])[3:]
    assert isinstance(ended[0], RunRecord)
    assert (ended[0].status, ended[0].totals) == ("finished", {"passed": 1})
    assert isinstance(ended[1], EvaluationRecord)
    assert ended[1].summary == {"mean": 1.0}


def test_a_file_with_nothing_but_the_end_says_it_once(rescue: FallbackStore) -> None:
    rescue.finish(*ENDED)

    assert len(records(rescue.files[0])) == 2


def test_the_end_of_another_run_is_not_its_own(rescue: FallbackStore) -> None:
    rescue.finish("other", "finished", {}, {})

    assert rescue.files == []


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


def test_where_nothing_can_be_written_at_all_it_is_said(
    rescue: FallbackStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "open", _refusing(".callscore", "here", "temporary"))

    with pytest.raises(UnusableStore, match="no file can be written"):
        rescue.save_results([a_result(RUN)])
    assert rescue.finish_both(rescue, ENDED).startswith("unsaved results: no file")


def test_a_file_of_somebody_else_is_left_alone(rescue: FallbackStore) -> None:
    taken = Path(".callscore") / f"unsaved-{RUN}.jsonl"
    taken.parent.mkdir()
    taken.write_text("mine")

    rescue.save_results([a_result(RUN)])

    assert taken.read_text() == "mine"
    assert [file.name for file in rescue.files] == [f"unsaved-{RUN}-2.jsonl"]


def test_beside_a_file_of_a_history_it_stands_in_its_folder(tmp_path: Path) -> None:
    rescue = FallbackStore(tmp_path / "elsewhere/runs.db")
    rescue.begin(a_run())
    rescue.save_results([a_result(RUN)])

    assert rescue.files == [tmp_path / f"elsewhere/unsaved-{RUN}.jsonl"]
    assert rescue.location_text().startswith(
        f"Results that are not in the history are saved in {tmp_path}"
    )


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


def test_what_cannot_be_kept_to_the_end_is_in_the_file(rescue: FallbackStore) -> None:
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


def test_an_end_that_cannot_be_kept_is_in_the_file(rescue: FallbackStore) -> None:
    trouble = rescue.finish_both(_Away(), ENDED)  # type: ignore[arg-type]  # likewise

    assert trouble.endswith(rescue.location_text())
    assert [type(record).__name__ for record in records(rescue.files[0])] == [
        "RunRecord",
        "EvaluationRecord",
    ]


def test_more_than_memory_should_hold_goes_to_the_file_at_once(
    rescue: FallbackStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callscore.history.writer._MAX_PENDING", 3)
    away = _Away()
    with BackgroundWriter(away, rescue) as writer:  # type: ignore[arg-type]  # likewise
        for number in range(5):
            writer.put(a_result(RUN, f"case-{number}"))
            writer.flush()
        before = len(records(rescue.files[0]))
        away.is_away = False

    assert before == 6  # the run, the evaluation, and four of them
    assert [record.case for record in away.kept] == ["case-4"]  # type: ignore[attr-defined]  # results


def test_where_not_even_a_file_can_be_written_both_are_said(
    rescue: FallbackStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "open", _refusing(".callscore", "here", "temporary"))
    with BackgroundWriter(_Away(), rescue) as writer:  # type: ignore[arg-type]  # likewise
        writer.put(a_result(RUN))

    assert writer.problem == (
        "postgresql://host/db: the connection to the server was lost."
        " And no file can be written. Free some space on the disk."
    )


def test_it_can_stand_for_a_history(rescue: FallbackStore) -> None:
    with rescue.lock(RUN) as lock:
        assert lock.take()
        assert rescue.evaluations(RUN) == [an_evaluation(RUN)]
        assert rescue.evaluations("other") == []


def test_what_was_rescued_completes_the_run(store: Store, rescue: FallbackStore) -> None:
    store.begin(a_run())
    store.save_results([a_result(RUN, "first")])
    rescue.save_results([a_result(RUN, "second")])

    found = records(rescue.files[0])
    store.save_results([record for record in found if isinstance(record, ResultRecord)])

    assert [result.case for result in store.results(RUN)] == ["first", "second"]


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


def test_what_is_lost_altogether_leaves_a_run_that_did_not_end(
    store: Store, rescue: FallbackStore
) -> None:
    store.begin(a_run())

    rescue.finish_both(store, ENDED, is_whole=False)

    assert store.find(RUN).status == "interrupted"
    assert rescue.files == []


def test_whichever_file_is_imported_last_says_how_the_run_ended(
    store: Store, rescue: FallbackStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rescue.save_results([a_result(RUN, "one")])
    append = fallback_store._append
    monkeypatch.setattr(fallback_store, "_append", _refuse_more)
    with suppress(UnusableStore):
        rescue.save_results([a_result(RUN, "two")])
    monkeypatch.setattr(fallback_store, "_append", append)
    rescue.save_results([a_result(RUN, "two")])
    rescue.finish(RUN, "finished", {"answered": 2}, {})
    assert len(rescue.files) == 2

    for file in reversed(rescue.files):
        import_records(store, records(file))

    assert store.find(RUN).status == "finished"


def _refuse_more(*_: object) -> None:
    raise OSError


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
