"""A history that cannot be used, or that goes away: a sentence, the results, and a file beside."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.e2e.agents import ASSISTANT, add_file, asked
from tests.e2e.conftest import SOURCE
from tests.e2e.processes import started, wait_until
from tests.servers.cut_line import cut_line

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.conftest import Program
    from tests.servers.cut_line import CutLine
    from tests.servers.postgres_server import PostgresServer

# Asks one after the other, and each waits for a file that says that it may go on.
WAITING = """
from time import sleep

@evaluation(cases=CASES, scorers=["accuracy"])
def waiting(case):
    asking(case)
    while not Path("go-" + case.id).exists():
        sleep(0.02)
    return ANSWERS[case.id]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    add_file(tmp_path, "eval_assistant.py", ASSISTANT)
    return tmp_path


@pytest.fixture
def line(postgres_server: PostgresServer) -> Iterator[CutLine]:
    with cut_line(postgres_server.port) as made:
        yield made


def unsaved(folder: Path) -> Path:
    """The one file that holds what is not kept."""
    found = [*folder.rglob("unsaved-*.jsonl")]
    assert len(found) == 1, found
    return found[0]


def kinds(file: Path) -> list[str]:
    """What stands in each line."""
    lines = file.read_bytes().splitlines()
    return [next(key for key in msgspec.json.decode(each) if key != "version") for each in lines]


def test_a_damaged_history_stops_no_run_and_the_results_are_in_a_file(
    callscore: Program, folder: Path
) -> None:
    history = folder / ".callscore/history.db"
    history.parent.mkdir()
    history.write_bytes(b"no database, " * 500)

    ran = callscore("run")

    assert ran.returncode == 0
    assert "All 3 passed" in ran.stdout
    file = unsaved(folder)
    assert file.parent == history.parent
    assert (
        "the history cannot be used; results are saved to a file beside it: .callscore/history.db: the file is not an SQLite"
        in ran.stderr
    )
    assert (
        f"Results that are not in the history are saved in .callscore/{file.name}. Import them later: callscore import"
        in " ".join(ran.stdout.split())
    )
    assert history.read_bytes() == b"no database, " * 500

    history.unlink()
    imported = callscore("import", file)
    again = callscore("rescore", "latest")
    assert (imported.returncode, imported.stderr.count("Traceback")) == (0, 0)
    assert "All 3 passed" in again.stdout


def test_a_history_from_the_future_is_left_alone_and_the_results_are_in_a_file(
    callscore: Program, folder: Path
) -> None:
    history = folder / ".callscore/history.db"
    open_store(history).close()
    with closing(sqlite3.connect(history)) as future, future:
        future.execute("UPDATE callscore_schema SET version = 99")
    future.close()

    ran = callscore("run")

    assert ran.returncode == 0
    assert "All 3 passed" in ran.stdout
    assert "written by a newer callscore" in ran.stderr
    assert kinds(unsaved(folder)).count("result") == 3


# Runs the program twice, the second time without the rights of root, so that a folder can be closed to
# it. The first time loads what is used: the modules themselves may be closed to others, too.
UNPRIVILEGED = """
import os, sys
from contextlib import suppress
from callscore.cli.main import main

closed, first = sys.argv[1:]
sys.argv = ["callscore", "run"]
os.chdir(first)
with suppress(SystemExit):
    main()
os.chdir(closed)
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
main()
"""


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A temporary folder that everybody may enter."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


def test_a_folder_that_cannot_be_written_stops_no_run_and_the_results_are_elsewhere(
    open_to_all: Path,
) -> None:
    closed, aside, first = (open_to_all / name for name in ("closed", "aside", "first"))
    for folder in (closed, first):
        add_file(folder, "eval_assistant.py", ASSISTANT.replace("    asking(case)\n", ""))
    (first / ".callscore").write_text("no folder")
    aside.mkdir()
    aside.chmod(0o777)
    closed.chmod(0o555)

    ran = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, closed, first],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": SOURCE, "TMPDIR": str(aside)},
        check=False,
    )
    closed.chmod(0o755)

    assert ran.stdout.count("All 3 passed") == 2, ran.stderr
    assert ran.returncode == 0
    assert "the folder for the history cannot be used (Permission denied)" in ran.stderr
    file = unsaved(aside)
    assert f"callscore import {file}" in " ".join(ran.stdout.split())
    assert file.stat().st_mode & 0o077 == 0  # answers are nobody else's business


# The disk takes no more than the history has at the first question.
FULL = """
import resource

@evaluation(cases=CASES[:1], trials=30)
def full(case):
    history = Path(".callscore/history.db-wal")
    limits = (max(history.stat().st_size, 60_000), resource.RLIM_INFINITY)  # room for the file beside it
    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    return ANSWERS[case.id]
"""


def test_a_disk_that_is_full_in_the_middle_stops_no_run_and_the_rest_is_in_a_file(
    callscore: Program, folder: Path
) -> None:
    (folder / "eval_assistant.py").unlink()
    add_file(folder, "eval_full.py", FULL)

    ran = callscore("run")

    assert ran.returncode == 0, ran.stderr
    assert "All 30 trials passed" in ran.stdout
    assert "the run was not saved completely: .callscore/history.db: the disk " in ran.stdout
    assert (
        "src/callscore" not in ran.stderr
    )  # what measures the tests has no room either, and says so
    with open_store(folder / ".callscore/history.db") as store:
        assert store.find("latest").status != "finished"
    imported = callscore("import", unsaved(folder))
    assert imported.returncode == 0, imported.stderr
    with open_store(folder / ".callscore/history.db") as store:
        run = store.find("latest")
        assert run.status == "finished"
        assert len(list(store.results(run.id))) == 30


# Somebody clears up in the middle, when a part is kept already.
CLEARED = """
import shutil

@evaluation(cases=CASES[:1], trials=30)
def cleared(case):
    asking(case)
    if len(Path("asked.log").read_text().splitlines()) == 20:
        shutil.rmtree(".callscore")
    return ANSWERS[case.id]
"""


def test_a_history_that_is_deleted_in_the_middle_leaves_no_run_that_counts_as_whole(
    callscore: Program, folder: Path
) -> None:
    (folder / "eval_assistant.py").unlink()
    add_file(folder, "eval_cleared.py", CLEARED)

    ran = callscore("run", "--jobs", "1")

    assert "the file was moved or deleted while in use" in " ".join(ran.stdout.split())
    imported = callscore("import", unsaved(folder))
    assert imported.returncode == 0, imported.stderr
    assert "is incomplete" in imported.stderr
    with open_store(folder / ".callscore/history.db") as store:
        run = store.find("latest")
        assert (run.status, run.totals) == ("interrupted", {})


# --- a server -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"password": "wr0ng-one"}, "wrong user or password"),
        ({"host": ".".join(5 * [63 * "a"])}, "unknown host"),  # too long to ask anybody for
    ],
)
def test_a_server_that_cannot_be_used_stops_no_run(
    callscore: Program,
    folder: Path,
    postgres_server: PostgresServer,
    change: dict[str, str],
    sentence: str,
) -> None:
    password = change.get("password", postgres_server.password)
    url = (
        f"postgresql://postgres:{password}@{change.get('host', '127.0.0.1')}"
        f":{change.get('port', postgres_server.port)}/{change.get('database', 'postgres')}"
    )

    ran = callscore("run", "--store", url)

    assert ran.returncode == 0
    assert "All 3 passed" in ran.stdout
    assert sentence in ran.stderr
    assert "Traceback" not in ran.stderr
    assert password not in ran.stderr + ran.stdout + unsaved(folder).read_text()
    assert kinds(unsaved(folder)).count("result") == 3


def test_without_a_server_nothing_can_go_on(callscore: Program, folder: Path) -> None:
    ran = callscore("run", "--resume", "--store", "postgresql://u:secr3t@127.0.0.1:1/d")

    assert ran.returncode not in (0, 1)
    assert "postgresql://u@127.0.0.1:1/d: connection refused" in ran.stderr
    assert "secr3t" not in ran.stderr
    assert asked(folder) == []


@pytest.mark.parametrize("comes_back", [False, True])
def test_a_server_that_goes_away_in_the_middle_loses_nothing(
    callscore: Program,
    folder: Path,
    postgres_url: str,
    line: CutLine,
    comes_back: bool,
) -> None:
    (folder / "eval_assistant.py").unlink()
    add_file(folder, "eval_waiting.py", WAITING)
    near, database = postgres_url.rsplit(":", 1)[0], postgres_url.rsplit("/", 1)[1]
    through = f"{near}:{line.port}/{database}"

    with started(folder, "run", "--jobs", "1", environment={"CALLSCORE_STORE": through}) as process:
        (folder / "go-weather").touch()
        wait_until(lambda: _kept(postgres_url) == 1, "the first one is kept")
        line.cut()
        (folder / "go-sum").touch()
        wait_until(lambda: len(asked(folder)) == 3, "the second one is answered")
        if comes_back:
            line.mend()
        (folder / "go-greeting").touch()
        code = process.wait(300)

    said = (folder / "stdout").read_text() + (folder / "stderr").read_text()
    assert code == 0
    assert "All 3 passed" in said
    assert "Traceback" not in said
    if comes_back:
        assert "the run was not saved completely" not in said
        assert [*folder.rglob("unsaved-*.jsonl")] == []
    else:
        assert "the run was not saved completely: postgresql://postgres@127.0.0.1" in said
        imported = callscore("import", unsaved(folder), "--store", postgres_url)
        assert imported.returncode == 0, imported.stderr
    with open_store(postgres_url) as store:
        run = store.find("latest")
        assert run.status == "finished"
        assert {result.case for result in store.results(run.id)} == {"weather", "sum", "greeting"}
        assert len(store.runs()) == 1


def _kept(url: str) -> int:
    with open_store(url) as store:
        return sum(len(list(store.results(run.id))) for run in store.runs())
