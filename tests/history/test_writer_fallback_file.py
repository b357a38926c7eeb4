"""What the history does not take goes to a file beside it, from which it comes back."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.errors import UnusableStore
from callscore.history.exchange.import_export import import_records
from callscore.history.exchange.json_lines import read_lines
from callscore.history.records import RunRecord
from callscore.history.writer import FallbackFile, RunWriter, fallback_file_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.history.exchange.json_lines import Record
    from callscore.history.store import Store

RUN = a_run().id


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))


@pytest.fixture
def rescue() -> FallbackFile:
    made = FallbackFile()
    made.begin(a_run())
    made.add_evaluation(an_evaluation(RUN))
    return made


def records(file: Path) -> list[Record]:
    return list(read_lines(file.read_bytes().splitlines(), file.name))


def _refusing(*folders: str) -> Callable[..., int]:
    """What opens files, but not in these folders."""
    real = os.open

    def opened(path: Path, *others: int, **named: int) -> int:
        if Path(path).parent.name in folders:
            raise PermissionError(13, "Permission denied")
        return real(path, *others, **named)

    return opened


@pytest.mark.parametrize(
    ("closed", "found"), [([".callscore"], "here"), ([".callscore", "here"], "temporary")]
)
def test_where_a_folder_is_closed_the_next_one_is_used(
    rescue: FallbackFile, monkeypatch: pytest.MonkeyPatch, closed: list[str], found: str
) -> None:
    monkeypatch.setattr(os, "open", _refusing(*closed))
    rescue.save_results([a_result(RUN)])

    assert [file.parent.name for file in rescue.files] == [found]
    assert len(records(rescue.files[0])) == 3


def test_a_disk_that_fills_up_leaves_whole_lines_and_the_rest_goes_elsewhere(
    rescue: FallbackFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    rescue.save_results([a_result(RUN)])
    monkeypatch.setattr(os, "open", _refusing(".callscore"))
    rescue.save_results([a_result(RUN, "other")])

    first, second = rescue.files
    assert records(first) == [a_run(), an_evaluation(RUN), a_result(RUN)]
    assert records(second) == [a_run(), an_evaluation(RUN), a_result(RUN, "other")]
    assert rescue.location_text().endswith(
        f"callscore import .callscore/{first.name} {second.name}"
    )


FULL = """
import resource, sys
from pathlib import Path
from callscore.history.writer import FallbackFile
from tests.history.made_up import a_result, a_run

file = FallbackFile(Path("history.db"))
file.begin(a_run())
file.save_results([a_result(a_run().id)])
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, resource.RLIM_INFINITY))
try:
    file.save_results([a_result(a_run().id, "x" * 3_000)])
except Exception as error:
    print(error)
"""


def test_a_file_that_takes_half_a_record_takes_none_of_it(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FULL],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert "no file can be written" in ran.stdout
    [file] = tmp_path.glob("unsaved-*.jsonl")
    assert records(file) == [a_run(), a_result(RUN)]


def test_a_file_of_somebody_else_is_left_alone(rescue: FallbackFile) -> None:
    taken = Path(".callscore") / f"unsaved-{RUN}.jsonl"
    taken.parent.mkdir()
    taken.write_text("mine")

    rescue.save_results([a_result(RUN)])

    assert taken.read_text() == "mine"
    assert [file.name for file in rescue.files] == [f"unsaved-{RUN}-2.jsonl"]


# --- beside a history -----------------------------------------------------------------------------


class _Away:
    """A history that takes nothing while it is away."""

    path = None
    command_options = ""

    def __init__(self) -> None:
        self.is_away = True
        self.kept: list[object] = []

    def save_results(self, some: list[object]) -> None:
        if self.is_away:
            raise UnusableStore("postgresql://host/db", "the connection to the server was lost.")
        self.kept += some

    def add_evaluation(self, record: object) -> None:
        self.save_results([record])

    def finish(self, *_: object) -> None:
        self.save_results([])


def _writer(store: Any) -> RunWriter:
    writer = RunWriter(store, a_run())
    with suppress(UnusableStore):
        writer.add_evaluation(an_evaluation(RUN))
    return writer


def test_results_that_the_history_never_accepts_are_in_the_fallback_file() -> None:
    writer = _writer(_Away())
    for case in ("a", "b"):
        writer.put(a_result(RUN, case))
    writer.finish("finished", {"passed": 1}, {0: {"mean": 1.0}})

    [file] = Path(".callscore").glob("unsaved-*.jsonl")
    found = records(file)
    assert found[2:4] == [a_result(RUN, "a"), a_result(RUN, "b")]
    assert [each.status for each in found if isinstance(each, RunRecord)] == ["running", "finished"]
    [problem] = writer.problems
    assert problem.startswith(
        "postgresql://host/db: the connection to the server was lost. Results"
    )
    assert problem.endswith(f"callscore import {file}")


def test_a_history_that_comes_back_needs_no_file() -> None:
    away = _Away()
    writer = _writer(away)
    is_told = Event()
    writer.put(a_result(RUN), is_told.set)
    assert is_told.wait(300)
    away.is_away = False
    writer.finish("finished", {}, {})

    assert away.kept == [a_result(RUN), an_evaluation(RUN)]
    assert (writer.problems, list(Path.cwd().rglob("unsaved-*"))) == ([], [])


def test_while_something_is_only_in_the_file_the_run_did_not_end_in_the_history(
    store: Store,
) -> None:
    store.begin(a_run())
    writer = _writer(store)
    writer.put(a_result(RUN, "kept"))
    writer.put(a_result(RUN, "refused", trial=10**30))
    writer.finish("finished", {"answered": 1}, {0: {"passed": 1}})

    here = store.find(RUN)
    assert (here.status, here.totals, store.evaluations(RUN)[0].summary) == ("interrupted", {}, {})


def test_the_file_beside_a_history_completes_its_run(store: Store, rescue: FallbackFile) -> None:
    store.begin(a_run())
    store.add_evaluation(an_evaluation(RUN))
    store.save_results([a_result(RUN, "kept")])
    store.finish(RUN, "interrupted", {}, {})
    rescue.save_results([a_result(RUN, "rescued")])
    rescue.finish(RUN, "finished", {"answered": 2}, {0: {"passed": 2}})

    (imported,) = import_records(store, records(rescue.files[0]))
    there = store.find(RUN)
    assert (there.status, there.totals, imported.missing) == ("finished", {"answered": 2}, 0)
    assert store.evaluations(RUN)[0].summary == {"passed": 2}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("is_together", [True, False])
def test_two_files_complete_a_run_in_any_order(
    store: Store,
    rescue: FallbackFile,
    monkeypatch: pytest.MonkeyPatch,
    order: tuple[int, int],
    is_together: bool,
) -> None:
    rescue.save_results([a_result(RUN)])
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", _refusing(".callscore"))
        rescue.save_results([a_result(RUN, "other")])
    rescue.finish(RUN, "finished", {"answered": 2}, {0: {"passed": 2}})

    files = [records(rescue.files[number]) for number in order]
    for each in [files[0] + files[1]] if is_together else files:
        import_records(store, each)

    run = store.find(RUN)
    assert (run.status, run.totals) == ("finished", {"answered": 2})
    assert store.evaluations(RUN)[0].summary == {"passed": 2}
    assert len(list(store.results(RUN))) == 2


def test_a_command_finds_the_history_that_was_named(tmp_path: Path) -> None:
    made = fallback_file_for(str(tmp_path / "else where/h.db"))
    made.begin(a_run())
    made.save_results([a_result(RUN)])

    assert made.files[0].parent == tmp_path / "else where"
    assert made.location_text().endswith(f" --store '{tmp_path}/else where/h.db'")
    assert "позже: callscore import" in made.location_text("ru")
    assert (
        fallback_file_for("postgresql:me:s3cret@host").command_options
        == ' --store "$CALLSCORE_STORE"'
    )
