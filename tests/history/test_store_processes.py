"""Several processes on one history, and processes that are killed: nothing that was kept is lost."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import IO

import pytest
from tests.history.made_up import an_answer

from callscore.history.opening import open_store

ROOT = Path(__file__).parents[2]
RUN = "20261115-184354-k3f9"


def _start(place: Path | str, run: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.history.made_up", place, run, str(count)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


@pytest.mark.slow
def test_processes_write_at_once_and_no_row_is_lost(place: Path | str) -> None:
    count = 4
    running = [_start(place, RUN, 200) for _ in range(count)]  # all of them want the same id, too
    said = [process.communicate() for process in running]

    assert [
        (process.returncode, errors) for process, (_, errors) in zip(running, said, strict=True)
    ] == [(0, "")] * count
    with open_store(place) as store:
        runs = store.runs()
        assert len({run.id for run in runs}) == count
        for run in runs:
            cases = [result.case for result in store.results(run.id)]
            assert cases == [f"case-{number}" for number in range(200)]
            for number in range(200):
                kept = store.answer_of_run(run.id, f"{number:08x}", 1)
                assert kept == an_answer(run.id, f"{number:08x}")


def _kill_while_it_writes(process: subprocess.Popen[str], chance: random.Random) -> list[str]:
    """The questions whose answers it had reported kept."""
    said: IO[str] | None = process.stdout
    assert said is not None
    lines = [said.readline() for _ in range(chance.randrange(1, 300))]
    sleep(chance.random() / 100)  # somewhere in a transaction
    process.send_signal(signal.SIGKILL)
    lines += said.readlines()
    process.wait()
    return [line.strip() for line in lines if line.endswith("\n")]


@pytest.mark.skipif(os.name != "posix", reason="nobody is killed like that elsewhere")
@pytest.mark.parametrize("seed", range(6))
def test_what_was_reported_kept_survives_being_killed(place: Path | str, seed: int) -> None:
    process = _start(place, RUN, 1_000_000)
    reported = _kill_while_it_writes(process, random.Random(seed))
    errors = process.communicate()[1]

    assert process.returncode == -signal.SIGKILL
    assert errors == ""
    assert reported
    with open_store(place) as store:
        run = store.find(RUN)
        assert run.status == "running"
        lost = [one for one in reported if store.answer_of_run(RUN, one, 1) != an_answer(RUN, one)]
        assert lost == []
        results = [result.case for result in store.results(RUN)]
        assert results == [f"case-{number}" for number in range(len(results))]
    if isinstance(place, Path):
        whole = sqlite3.connect(place)
        assert whole.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        whole.close()


@pytest.mark.skipif(os.name != "posix", reason="nobody is killed like that elsewhere")
def test_a_process_that_is_killed_stops_no_other(place: Path | str) -> None:
    killed, other = _start(place, RUN, 1_000_000), _start(place, "other", 300)
    _kill_while_it_writes(killed, random.Random(7))
    killed.communicate()
    errors = other.communicate()[1]

    assert (other.returncode, errors) == (0, "")
    with open_store(place) as store:
        assert len(list(store.results("other"))) == 300
