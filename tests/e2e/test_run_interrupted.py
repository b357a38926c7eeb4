"""`callscore run` that does not come to its end, and goes on later."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.e2e.agents import add_file, asked
from tests.e2e.processes import started, wait_until

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from tests.e2e.conftest import Program

# The second case hangs until a file says that it need not any more.
HANGING = """
from time import sleep

@evaluation(cases=CASES, fail_under={"accuracy": 1.0})
def hanging(case):
    asking(case)
    if case.id == "sum" and not Path("go-on").exists():
        Path("hangs").touch()
        sleep(600)
    return ANSWERS[case.id]
"""
# A task that ends the whole process, and everything in it.
VANISHING = HANGING.replace("sleep(600)", "__import__('os')._exit(7)")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    add_file(tmp_path, "eval_hanging.py", HANGING)
    return tmp_path


def hangs_with_one_kept(folder: Path, place: str | None = None) -> bool:
    """Whether the first answer is kept, and the second one is never going to come."""
    if not (folder / "hangs").exists():
        return False
    with open_store(place or folder / ".callscore/history.db") as store:
        return any(len(list(store.results(run.id))) == 1 for run in store.runs())


def wait_for_it(folder: Path) -> None:
    wait_until(lambda: hangs_with_one_kept(folder), "one answer is kept, another one hangs")


def test_ctrl_c_shows_what_there_is_and_keeps_it(callscore: Program, folder: Path) -> None:
    with started(folder, "run", "--jobs", "1") as process:
        wait_for_it(folder)
        process.send_signal(signal.SIGINT)
        code = process.wait()

    out, err = (folder / "stdout").read_text(), (folder / "stderr").read_text()
    assert code == 130
    assert "\n1 passed, interrupted: 2 not run\n3 cases in " in out
    assert err == (
        "callscore: interrupted; finished results are saved. To continue: callscore run . --resume --jobs 1\n"
    )
    (folder / "go-on").touch()
    ran = callscore("run", "--resume", "--jobs", "1")
    assert ran.returncode == 0
    assert "All 3 passed\n3 cases (1 reused) in " in ran.stdout
    assert asked(folder) == ["weather", "sum", "sum", "greeting"]
    run = next(line for line in out.splitlines() if line.startswith("run "))
    assert run in ran.stdout.splitlines()  # it is the same one


def test_a_killed_run_goes_on_without_asking_anything_twice(
    callscore: Program, folder: Path
) -> None:
    options = ["-k", "weather or sum", "--jobs", "1", "--trials", "1"]
    with started(folder, "run", "eval_hanging.py", *options) as process:
        wait_for_it(folder)
        process.kill()
        assert process.wait() == -signal.SIGKILL

    (folder / "go-on").touch()
    ran = callscore("run", "eval_hanging.py", "--resume")
    again = callscore("run", "eval_hanging.py", "--resume")
    assert ran.returncode == 0
    assert "All 2 passed\n2 cases (1 reused) in " in ran.stdout  # what was selected then
    assert asked(folder) == ["weather", "sum", "sum"]
    assert again.returncode == 2
    assert "no unfinished run of 'eval_hanging.py'" in again.stderr


def test_a_killed_run_goes_on_from_a_server(
    callscore: Program, folder: Path, postgres_url: str
) -> None:
    store = {"CALLSCORE_STORE": postgres_url}
    with started(folder, "run", "--jobs", "1", environment=store) as process:
        wait_until(lambda: hangs_with_one_kept(folder, postgres_url), "one answer is kept")
        busy = callscore("run", "--resume", "--store", postgres_url)
        process.kill()
        process.wait()

    (folder / "go-on").touch()
    ran = callscore("run", "--resume", "--jobs", "1", CALLSCORE_STORE=postgres_url)
    assert busy.returncode == 2
    assert "is in use by another process" in busy.stderr
    assert ran.returncode == 0
    assert "All 3 passed\n3 cases (1 reused) in " in ran.stdout
    assert asked(folder) == ["weather", "sum", "sum", "greeting"]
    assert not (folder / ".callscore").exists()


def test_a_task_that_ends_the_process_loses_nothing_that_was_answered(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(tmp_path, "eval_vanishing.py", VANISHING)

    ran = callscore("run", "--jobs", "1")

    assert (ran.returncode, ran.stdout) == (5, "")
    (tmp_path / "go-on").touch()
    resumed = callscore("run", "--resume", "--jobs", "1", "--lang", "ru")
    assert resumed.returncode == 0
    assert "Все 3 пройдены\n" in resumed.stdout


def test_a_report_that_cannot_be_written_loses_nothing(callscore: Program, folder: Path) -> None:
    (folder / "go-on").touch()
    with Path("/dev/full").open("wb") as full, started(folder, "run", stdout=full.fileno()) as ran:
        code = ran.wait()
    file = callscore("run", "-o", "/dev/full")

    err = (folder / "stderr").read_text()
    assert (code, file.returncode) == (2, 2)
    for said in (err, file.stderr):
        assert "Usage" not in said
        assert "No space left on device" in said
        run = re.findall(r"run ([-\w]+) is kept; callscore show \1 shows it\n", said)
        assert "All 3 passed" in callscore("rescore", *run).stdout


def test_ctrl_c_while_files_are_read_ends_it_without_a_report(tmp_path: Path) -> None:
    slow = """
    Path("hangs").touch()
    __import__("time").sleep(600)
    """
    add_file(tmp_path, "eval_slow.py", slow)
    with started(tmp_path, "run") as process:
        wait_until((tmp_path / "hangs").exists, "the file is being read")
        process.send_signal(signal.SIGINT)
        code = process.wait()

    assert code == 130
    assert (tmp_path / "stdout").read_bytes() == b""
    assert b"Traceback" not in (tmp_path / "stderr").read_bytes()


def test_two_runs_at_once_share_one_history(callscore: Program, folder: Path) -> None:
    with started(folder, "run", "--jobs", "1") as process:
        wait_for_it(folder)
        (folder / "go-on").touch()
        beside = callscore("run", "--jobs", "1")
        resumed = callscore("run", "--resume")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130

    assert beside.returncode == 0
    assert "All 3 passed\n" in beside.stdout
    assert resumed.returncode == 2
    assert "is in use by another process" in resumed.stderr
    with open_store(folder / ".callscore/history.db") as store:
        assert [run.status for run in store.runs()] == ["finished", "interrupted"]
