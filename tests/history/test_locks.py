"""The mark of a run that is under way."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from callscore.history.locks import RunLock, remove_stale_locks
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path


def is_free(store: Path, run: str) -> bool:
    lock = RunLock(store, run)
    try:
        return lock.take()
    finally:
        lock.release()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def test_a_run_is_one_process_s_while_the_block_runs(file: Path) -> None:
    with RunLock(file, "r"):
        during = is_free(file, "r")
        another = is_free(file, "other")

    assert (during, another, is_free(file, "r")) == (False, True, True)
    assert list(file.parent.iterdir()) == []


HOLDING = """
import os, sys
from pathlib import Path
from callscore.history.run_lock import RunLock
with RunLock(Path(sys.argv[1]), "r"):
    if sys.argv[2] == "copied" and os.fork() == 0:
        print("held", flush=True)
        sys.stdin.read()
        os._exit(0)
    if sys.argv[2] == "alone":
        print("held", flush=True)
        sys.stdin.read()
    os._exit(1)
"""


def held_elsewhere(file: Path, how: str) -> subprocess.Popen[bytes]:
    """Another process that holds the mark, and has said so."""
    command = [sys.executable, "-c", HOLDING, str(file), how]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_the_mark_ends_with_the_process_however_that_ends(file: Path) -> None:
    with held_elsewhere(file, "alone") as process:
        during = is_free(file, "r")
        process.kill()
        process.wait()

    assert (during, is_free(file, "r")) == (False, True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_the_copy_of_a_process_does_not_hold_its_mark(file: Path) -> None:
    with held_elsewhere(file, "copied") as process:
        process.wait()  # the copy goes on

        assert is_free(file, "r")


def test_where_no_mark_can_be_made_the_run_goes_on(file: Path) -> None:
    nowhere = file / "at" / "all"

    with RunLock(nowhere, "r") as lock:
        assert lock.take()
    assert RunLock(None, "r").take()


def test_a_mark_that_another_holds_stays_when_this_one_ends(file: Path) -> None:
    with RunLock(file, "r"):
        with RunLock(file, "r"):
            pass

        assert not is_free(file, "r")


def test_a_mark_that_was_removed_meanwhile_is_made_anew(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = file.with_name("history.db-r.lock")
    real = os.open
    times = iter([mark.unlink])

    def opened(*given: int) -> int:
        made = real(*given)  # type: ignore[arg-type]  # just as they were given
        next(times, lambda: None)()
        return made

    monkeypatch.setattr(os, "open", opened)
    with RunLock(file, "r") as lock:
        assert mark.exists()
        assert not is_free(file, "r")
        del lock


def test_marks_that_are_left_go_when_the_history_is_opened(file: Path) -> None:
    for run in ("gone", "busy"):
        file.with_name(f"history.db-{run}.lock").touch()

    with RunLock(file, "busy"):
        open_store(file).close()
        left = [path.name for path in file.parent.glob("*.lock")]

    assert left == ["history.db-busy.lock"]


def test_where_there_is_no_folder_nothing_is_cleared(file: Path) -> None:
    remove_stale_locks(file / "history.db")

    assert list(file.parent.iterdir()) == []
