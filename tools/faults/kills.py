"""Kills commands at random moments, as `kill -9` does, and lets another command complete the work.

Nothing that was reported may be lost, nothing saved before may change, and the end has to be the same as
without a kill.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools.faults.project import difference, make_project, start

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from random import Random

    from tools.faults.project import Outcome, Project

__all__ = ["COMMANDS", "KillProject", "kill_round", "make_kill_project"]

_RUN = {"CASES": "120", "SECONDS": "0.002"}
_PATIENCE = 300.0  # seconds


class Command(NamedTuple):
    """A command that is killed, one that completes it, and one that shows the end."""

    words: tuple[str, ...]
    complete: tuple[str, ...]
    show: tuple[str, ...]


COMMANDS = {
    "run": Command(("run",), ("run", "--resume"), ("show", "latest", "--json")),
    "score --save": Command(
        ("score", "many.jsonl", "--save", "x"),
        ("score", "many.jsonl", "--save", "x"),
        ("show", "x", "--json"),
    ),
    "rescore": Command(("rescore", "v1"), ("rescore", "v1"), ("show", "latest", "--json")),
    "import": Command(
        ("import", "run.jsonl"), ("import", "run.jsonl"), ("show", "imported", "--json")
    ),
    "gc": Command(("gc", "--keep", "1"), ("gc", "--keep", "1"), ("history", "--json")),
}
# What was saved before, and must not change. `gc` removes the second.
_BEFORE = (("show", "main", "--json"), ("compare", "main", "second", "--json"))
_SOUND = ("gc", "--keep", "99", "--dry-run")


class KillProject(NamedTuple):
    """A project, and what undisturbed commands say and take, by their names."""

    project: Project
    ends: dict[str, Outcome]
    seconds: dict[str, float]
    before: tuple[Outcome, ...]


def make_kill_project(folder: Path, names: tuple[str, ...] = tuple(COMMANDS)) -> KillProject:
    """Make the project; `folder` must not exist."""
    project = make_project(folder / "whole")
    lines = [
        f'{{"id": "file-{number}", "expected": ["search"], "actual": ["search"]}}\n'
        for number in range(1_500)
    ]
    (project.folder / "many.jsonl").write_text("".join(lines), encoding="utf-8")
    other = project.copy(folder / "other")
    other.must("run", "--name", "imported", **_RUN | {"SECONDS": "0"})
    other.must("export", "imported", "-o", "run.jsonl")
    shutil.copy(other.folder / "run.jsonl", project.folder / "run.jsonl")
    shutil.rmtree(other.folder)
    project.must("run", "--name", "v1", VERSION="1", CASES="120")
    project.must("baseline", "set", "latest", "--name", "main")
    project.must("run", "--name", "second", CASES="120")
    project.remember(*project.runs())
    before = tuple([project.must(*words) for words in _BEFORE])
    ends, seconds = {}, {}
    for name in names:
        copy = project.copy(folder / "copy")
        started = time.monotonic()
        start(copy, *COMMANDS[name].words, environment=_RUN).wait()
        seconds[name] = time.monotonic() - started
        ends[name] = copy.must(*COMMANDS[name].show)
        shutil.rmtree(copy.folder)
    return KillProject(project, ends, seconds, before)


def kill_round(whole: KillProject, name: str, chance: Random, folder: Path) -> tuple[str, str]:
    """Kill one command; returns what was killed, and what is wrong: empty if nothing is."""
    project = whole.project.copy(folder / "killed")
    command = COMMANDS[name]
    is_child = chance.choice((True, False))
    pause = chance.uniform(0.3, 1.05) * whole.seconds[name]
    reported = _killed(project, name, pause, is_child=is_child)
    label = f"{name}: {'child' if is_child else 'parent'} after {pause:.2f} s"
    wrong = _problem(project, whole, name, reported) or _end_problem(project, whole, command, name)
    shutil.rmtree(project.folder)
    return label, wrong


def _killed(project: Project, name: str, pause: float, *, is_child: bool) -> set[str]:
    """Start and kill a command; returns the cases that it reported."""
    words = COMMANDS[name].words
    module = "tools.faults.telling" if name == "run" else "callscore"
    process = subprocess.Popen(
        [sys.executable, "-m", module, *(() if name == "run" else words)],
        cwd=project.folder,
        env=project.environment(**_RUN, PYTHONPATH=os.pathsep.join(_PATHS)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with process:
        time.sleep(pause)
        children = _children(process.pid)
        target = children[0] if is_child and children else process.pid
        with suppress(ProcessLookupError):
            os.kill(target, signal.SIGKILL)
        said, _ = process.communicate(timeout=_PATIENCE)
    if name != "run":
        return set()
    return {line for line in said.decode().split("\n")[:-1] if line.startswith("city-")}


_ROOT = Path(__file__).parents[2]
_PATHS = (str(_ROOT / "src"), str(_ROOT))


def _children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(each) for each in found.split()]


def _problem(project: Project, whole: KillProject, name: str, reported: set[str]) -> str:
    """What is wrong right after the kill."""
    sound = project.run(*_SOUND)
    if sound.code:
        return f"the history is damaged: {sound.errors}"
    wanted = whole.before[:1] if name == "gc" else whole.before
    for words, expected in zip(_BEFORE, wanted, strict=False):
        found = project.run(*words)
        if found[:2] != expected[:2]:
            return f"{' '.join(words)}: {difference(expected, found)}"
    if reported:
        with open_store(project.history) as store:
            saved = {result.case for result in store.results(store.find("latest").id)}
        if reported - saved:
            return f"{len(reported - saved)} cases were reported and are lost"
    return ""


def _end_problem(project: Project, whole: KillProject, command: Command, name: str) -> str:
    """What is wrong after another command has completed the work."""
    done = project.run(*command.complete, **_RUN)
    if done.is_refusal and command.complete != command.words:  # there is nothing to go on with
        runs = len(project.runs())
        done = (
            project.run(*command.words, **_RUN) if runs == len(_BEFORE) else done._replace(code=1)
        )
    if done.code not in (0, 1):
        return f"it cannot be completed: {done.code} {done.errors}"
    found = project.run(*command.show)
    if found[:2] != whole.ends[name][:2]:
        return f"the end is another: {difference(whole.ends[name], found)}"
    sound = project.run(*_SOUND)
    return f"the history is damaged: {sound.errors}" if sound.code else ""
