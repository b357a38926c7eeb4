"""What is said where the process vanishes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from callscore.history.opening import open_store
from callscore.history.run_lock import RunLock
from callscore.runner.last_words import LastWords

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import os, signal, sys
from callscore.runner.last_words import LastWords

with LastWords("20261115-184354-k3f9", total=9, jobs=8, command="callscore run --resume") as words:
    for job in range(7):
        words.asking(job, f"assistant case-{job}")
    words.asking(6, "")
    words.kept(3)
    {end}
"""
SAID = (
    "\ncallscore: the process ended in the middle of the run 20261115-184354-k3f9."
    " 3 of 9 answers are kept. Being asked: assistant case-0, assistant case-1, assistant case-2,"
    " assistant case-3, assistant case-4 and 1 more.\n  Go on with: callscore run --resume\n"
)


def end(how: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.replace("{end}", how)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False
    )


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("os._exit(3)", 3),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("os.abort()", -signal.SIGABRT),
    ],
)
def test_a_process_that_vanishes_has_last_words(how: str, code: int) -> None:
    ran = end(how)

    assert ran.returncode == code
    assert ran.stderr == SAID


@pytest.mark.parametrize(("how", "code"), [("pass", 0), ("sys.exit(3)", 3)])
def test_a_process_that_ends_as_it_should_has_none(how: str, code: int) -> None:
    ran = end(how)

    assert (ran.returncode, ran.stderr) == (code, "")


def test_an_error_speaks_for_itself() -> None:
    assert "ended in the middle" not in end("raise ValueError").stderr


def test_it_speaks_russian() -> None:
    words = LastWords("r", total=2, jobs=1, command="callscore run --resume", lang="ru")

    with words:
        words.kept(1)
        words.asking(0, "assistant weather")
        said = words.sentence()

    assert "Сохранено ответов: 1 из 2. Спрашивались: assistant weather." in said


def test_a_long_or_hostile_name_does_no_harm() -> None:
    with LastWords("r", total=1, jobs=2, command="c") as words:
        words.asking(0, "\x1b[31m" + "я" * 500)
        words.asking(1, "next")
        said = words.sentence()

    assert "\x1b" not in said
    assert said.count("я") < 100
    assert ", next." in said


def test_where_there_can_be_no_other_process_it_does_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> int:
        raise OSError("no more processes")

    monkeypatch.setattr(os, "fork", refuse)
    with LastWords("r", total=1, jobs=1, command="c") as words:
        words.asking(0, "a")
        words.kept(1)
    monkeypatch.delattr(os, "fork")
    with LastWords("r", total=1, jobs=1, command="c") as words:
        words.asking(0, "a")
        words.kept(1)
        assert "0 of 1 answers are kept." in words.sentence()


def test_where_there_can_be_no_pipe_it_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> tuple[int, int]:
        raise OSError("too many open files")

    monkeypatch.setattr(os, "pipe", refuse)
    with LastWords("r", total=1, jobs=1, command="c") as words:
        words.asking(0, "a")
        words.kept(1)

    assert "1 of 1 answers are kept. Being asked: a." in words.sentence()


def test_nobody_minds_that_somebody_has_ended_the_other_process() -> None:
    with LastWords("r", total=1, jobs=1, command="c") as words:
        os.kill(words._child, signal.SIGKILL)
        os.waitpid(words._child, 0)


def test_nothing_is_said_of_what_is_not_being_asked() -> None:
    with LastWords("r", total=2, jobs=2, command="c") as words:
        words.asking(0, "a")
        words.asking(0, "")

        assert "Being asked" not in words.sentence()


def test_the_command_is_shown_byte_by_byte_whatever_a_file_is_called() -> None:
    program = PROGRAM.replace("callscore run --resume", "callscore run \\udcff").replace(
        "{end}", "os._exit(3)"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert ran.stderr.endswith(b"Go on with: callscore run \xff\n")


RUN = """
import os, sys, threading
from pathlib import Path
from callscore import Case, evaluation
from callscore.evaluations.plan import plan
from callscore.history.opening import open_store
from callscore.runner.running import RunOptions, run

@evaluation(cases=[Case(one, id=one, expected=[]) for one in ("first", "second", "third")])
def assistant(case):
    if case.id == "third":
        print("third", flush=True)
        os._exit(7) if sys.argv[2] == "exits" else threading.Event().wait()
    return []

with open_store(Path(sys.argv[1])) as store:
    run(plan([assistant]), RunOptions(jobs=1), store=store)
"""


@pytest.mark.parametrize(("how", "code"), [("exits", 7), ("is killed", -signal.SIGKILL)])
def test_a_run_whose_process_vanishes_says_what_is_kept(
    tmp_path: Path, how: str, code: int
) -> None:
    path = tmp_path / "history.db"
    command = [sys.executable, "-c", RUN, str(path), how]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        if how == "is killed":
            process.kill()
        said = process.stderr.read()

    assert process.returncode == code
    assert "2 of 3 answers are kept. Being asked: assistant third." in said
    with open_store(path) as store:
        (run,) = store.runs()
        assert [result.case for result in store.results(run.id)] == ["first", "second"]
        assert f"run {run.id}." in said
        assert RunLock(store.path, run.id).take()
