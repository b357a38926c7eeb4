"""Processes that are killed in the middle of a run, and processes that share a history."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import IO, Any

import pytest
from tests.servers.openai_server import OpenAIServer, Reply, obliging, openai_server

from callscore.history.opening import open_store

ROOT = Path(__file__).parents[2]
COUNT = 200
ALL = {f"case-{number}" for number in range(COUNT)}


def _start(path: Path, base_url: str, jobs: int, wish: str) -> subprocess.Popen[str]:
    arguments = [str(path), base_url, str(COUNT), str(jobs), wish]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.runner.many_questions", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def _asked(server: OpenAIServer, start: int = 0) -> list[str]:
    """The cases that the server was asked about from the request of this number on."""
    said = [request.body["messages"][-1]["content"] for request in server.requests[start:]]
    return [f"case-{text.removeprefix('Question ')}" for text in said]


def _kill_after(process: subprocess.Popen[str], count: int) -> set[str]:
    """The cases that a process reported until it was killed, somewhere after so many."""
    said: IO[str] | None = process.stdout
    assert said is not None
    lines = [said.readline() for _ in range(count)]
    process.send_signal(signal.SIGKILL)
    lines += said.readlines()
    errors = process.communicate()[1]
    assert process.returncode == -signal.SIGKILL, errors
    return {line.strip() for line in lines if line.endswith("\n")}


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "jobs"), [(1, 4), (2, 64)])
def test_of_a_killed_run_nothing_that_was_reported_is_asked_again_and_nothing_is_lost(
    tmp_path: Path, seed: int, jobs: int
) -> None:
    path = tmp_path / ".callscore/history.db"
    chance = random.Random(seed)
    reported: set[str] = set()
    last_answered = 0

    def script(body: dict[str, Any], number: int) -> Reply:
        """Answer so many that no process comes to its end before it is killed."""
        return obliging(body) if number <= last_answered else Reply(is_hung=True)

    with openai_server(script, latency=0.004) as server:
        for wish in ("begin", "resume", "resume"):
            before = len(server.requests)
            answered = chance.randrange(10, 60)
            last_answered = before + answered
            process = _start(path, server.base_url, jobs, wish)
            # What is known already is reported again, and quickly.
            told = _kill_after(process, len(reported) + chance.randint(1, answered))
            assert reported.isdisjoint(_asked(server, before))
            reported |= told
        before, last_answered = len(server.requests), 10 * COUNT
        last = _start(path, server.base_url, jobs, "resume")
        said, errors = last.communicate()

    assert (last.returncode, errors) == (0, "")
    assert sorted(said.split()) == sorted(ALL)
    assert reported.isdisjoint(_asked(server, before))
    asked = Counter(_asked(server))
    assert set(asked) == ALL
    # Of each worker that is killed one answer is lost, or two where it may be ahead by one.
    assert sum(asked.values()) - COUNT <= 3 * jobs * (1 if jobs <= 16 else 2)
    with open_store(path) as store:
        (run,) = store.runs()
        assert run.status == "finished"
        assert run.totals["answered"] == run.totals["passed"] == COUNT
        assert sorted(result.case for result in store.results(run.id)) == sorted(ALL)


@pytest.mark.slow
def test_two_processes_keep_their_runs_in_one_history(tmp_path: Path) -> None:
    path = tmp_path / ".callscore/history.db"
    with openai_server() as server:
        running = [_start(path, server.base_url, 16, "begin") for _ in range(2)]
        said = [process.communicate() for process in running]

    assert [process.returncode for process in running] == [0, 0], said
    assert set(Counter(_asked(server)).values()) == {2}
    with open_store(path) as store:
        runs = store.runs()
        assert [run.status for run in runs] == ["finished", "finished"]
        assert len({run.id for run in runs}) == 2
        for run in runs:
            assert {result.case for result in store.results(run.id)} == ALL
