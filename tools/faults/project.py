"""A project whose agent always answers the same, its undisturbed history, and commands that run in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools.faults.forks import in_a_fork

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CASES", "Outcome", "Project", "difference", "make_project", "start"]

_SOURCE = Path(__file__).parents[2] / "src"
CASES = 12

# Two of three answers are right, and an agent of version 2 does a little better. It kills its process
# with the case that DIES names.
_EVALUATION = """
import os
import signal
import time

from callscore import Case, evaluation

VERSION = int(os.environ.get("VERSION", "2"))
CASES = [
    Case(
        f"What is the weather in city {number}?",
        id=f"city-{number}",
        expected=[{"name": "getWeather", "arguments": {"city": number}}],
        tags=["even" if number % 2 == 0 else "odd"],
    )
    for number in range(int(os.environ.get("CASES", "12")))
]


@evaluation(cases=CASES)
def weather(case):
    number = int(case.id[5:])
    time.sleep(float(os.environ.get("SECONDS", "0")))
    if case.id == os.environ.get("DIES"):
        os.kill(os.getpid(), signal.SIGKILL)
    return [{"name": "getWeather", "arguments": {"city": number if number % (2 + VERSION) else -1}}]
"""


class Outcome(NamedTuple):
    """What a command did: its exit code, and its output without what differs each time."""

    code: int
    output: str
    errors: str = ""

    @property
    def is_refusal(self) -> bool:
        """Whether the command said that it cannot do it: 2 and 3 are no verdicts."""
        return self.code in (2, 3)


def difference(expected: Outcome, found: Outcome) -> str:
    """How the outcome of a command differs from what was expected."""
    lines = unified_diff(expected.output.splitlines(), found.output.splitlines(), lineterm="", n=0)
    first = "\n    ".join(islice(lines, 2, 14))
    return f"{expected.code} became {found.code}\n    {first}\n    {found.errors[-500:]}"


_NORMALIZED = (
    (re.compile(r"(?ms)^! the run was not saved completely.*?\n\n"), ""),
    (re.compile(r" *(< )?\b\d+(\.\d+)? ?(ms|s|min|h)\b"), " TIME"),
    (re.compile(r"\b(just now|\d+ \w+ ago)\b"), "AGO"),
    (re.compile(r'"(finished_at|started_at|\w*seconds|set_at|asked_at)": ?[\d.e+-]+'), "AT"),
    (re.compile(r'"(is_)?reused": ?(\d+|true|false)'), "REUSED"),
    (re.compile(r"\b20\d\d-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?\b"), "DATE"),
    (re.compile(r" *\(\d[\d,]* reused\)"), ""),
    (re.compile(r"[\d.]+ [kM]?B of data"), "DATA"),
    (re.compile(r"  +"), "  "),
)
_RUN_ID = re.compile(r"(?<!\d)\d{8}-\d{6}-[0-9a-z]{4}\b")


class Project:
    """A folder with an evaluation, a file of cases, and a history.

    Attributes:
        folder: the folder; it is a git repository with one commit.
    """

    def __init__(self, folder: Path, store: str | None = None) -> None:
        self.folder = folder
        self._store = store
        self._known: dict[str, str] = {}

    @property
    def history(self) -> Path:
        """The file of the history."""
        return self.folder / ".callscore/history.db"

    def environment(self, **others: str) -> dict[str, str]:
        """The environment of the commands."""
        named = {"CALLSCORE_STORE": self._store} if self._store else {}
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        base = {"HOME": str(self.folder), "COLUMNS": "120", "PYTHONPATH": str(_SOURCE)}
        return {**kept, **base, **named, **others}

    def run(self, *arguments: str, **environment: str) -> Outcome:
        """Run a command to its end."""
        try:
            code, output, errors = in_a_fork(
                arguments, self.folder, self.environment(**environment)
            )
        except TimeoutError:
            return Outcome(-1, "", "it did not end")
        return Outcome(code, self._normalized(output), errors)

    def must(self, *arguments: str, **environment: str) -> Outcome:
        """Run a command that has to work."""
        done = self.run(*arguments, **environment)
        if done.code not in (0, 1):
            sys.exit(f"callscore {' '.join(arguments)}: {done.code}\n{done.output}\n{done.errors}")
        return done

    def runs(self) -> list[str]:
        """The ids of the saved runs, newest first."""
        with open_store(self._store or self.history) as store:
            return [run.id for run in store.runs()]

    def copy(self, folder: Path) -> Project:
        """The same project in another folder."""
        shutil.copytree(self.folder, folder)
        other = Project(folder, self._store)
        other._known = dict(self._known)
        return other

    def remember(self, *runs: str) -> None:
        """Give names to runs: they are the same in copies of the project."""
        for run in runs:
            self._known.setdefault(run, f"RUN-{len(self._known)}")

    def _normalized(self, text: str) -> str:
        text = _RUN_ID.sub(lambda found: self._known.get(found[0], "NEW-RUN"), text)
        text = text.replace(str(self.folder), "PROJECT")
        for pattern, name in _NORMALIZED:
            text = pattern.sub(name, text)
        return text


def make_project(folder: Path, store: str | None = None) -> Project:
    """A project without runs."""
    (folder / "evals").mkdir(parents=True)
    (folder / "evals/eval_weather.py").write_text(_EVALUATION, encoding="utf-8")
    lines = [
        f'{{"id": "file-{number}", "expected": ["search"], "actual": ["{name}"]}}\n'
        for number, name in enumerate(["search", "other"] * (CASES // 2))
    ]
    (folder / "cases.jsonl").write_text("".join(lines), encoding="utf-8")
    project = Project(folder, store)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (
        ["git", "init", "-q"],
        [*git, "add", "evals", "cases.jsonl"],
        [*git, "commit", "-qm", "x"],
    ):
        subprocess.run(command, cwd=folder, env=project.environment(), check=True)
    return project


def start(
    project: Project, *arguments: str, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "callscore", *arguments],
        cwd=project.folder,
        env=project.environment(**(environment or {})),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
