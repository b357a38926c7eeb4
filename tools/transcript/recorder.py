"""Run the jobs of a corpus, several at once, and record what each command did.

A process that has imported callscore from the source tree under test waits to be copied: see
`tests/servers/fork_server.py`. So a command costs a fork, and not the start of an interpreter.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from tests.servers.fork_server import ForkServer, Request
from tests.servers.openai_server import Reply, openai_server
from tools.transcript import clock
from tools.transcript.comparison import Record
from tools.transcript.normalizer import Normalizer
from tools.transcript.snapshot import changed_files, histories, stamps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.transcript.corpus import Job

__all__ = ["record"]

Outcome = tuple[int | None, str, str]

_PROGRAMS = Path(__file__).parent / "programs"
_SCRIPT = str(Path(sys.executable).parent / "callscore")
_TIME_LIMIT = 300.0  # seconds for one command
_FIRST_MOMENT = 1_772_600_000.0  # 4 March 2026
_BETWEEN_STEPS = 61.5  # seconds on the clock of the commands
# What needs a shell: another program, a variable, a redirection.
_SHELL = re.compile(r"^(?!callscore\b|python [\w.]+$)|[$<>|&;*`\n]")
_CITIES = ("Paris", "Rome", "Oslo")


def record(
    jobs: Sequence[Job], *, source: Path, root: Path, processes: int
) -> Iterator[list[Record]]:
    """Run jobs, and give the records of each, in order.

    This changes the environment of this process to that of the commands.

    Args:
        jobs: what to run.
        source: the folder that holds the package callscore.
        root: a folder for scratch folders, which the caller removes.
        processes: how many jobs run at once.
    """
    _prepare(root)
    environment = _environment(source, root)
    os.environ.clear()
    os.environ.update(environment)
    server = ForkServer(environment["PYTHONPATH"])
    os.environ["PATH"] = os.pathsep.join([server.programs, environment["PATH"]])
    try:
        with openai_server(_reply) as model, ThreadPoolExecutor(processes) as workers:
            os.environ["MODEL"] = model.base_url
            runners = [
                _JobRunner(job, root / f"job{number:05d}", server=server, source=source)
                for number, job in enumerate(jobs)
            ]
            try:
                yield from workers.map(_JobRunner.records, runners)
            finally:
                workers.shutdown(cancel_futures=True)
    finally:
        server.stop()


def _prepare(root: Path) -> None:
    """The folders that the environment names, and the programs of commands."""
    for name in ("bin", "home", "tmp", "site"):
        (root / name).mkdir(parents=True)
    shutil.copy(clock.__file__, root / "site" / "sitecustomize.py")
    programs = {"python": "", "pytest": "-m pytest -p no:cacheprovider"}
    programs |= {file.stem: f"-I {file}" for file in _PROGRAMS.glob("[a-z]*.py")}
    for name, options in programs.items():
        program = root / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {options} "$@"\n')
        program.chmod(0o755)


def _environment(source: Path, root: Path) -> dict[str, str]:
    """The environment of every command: nothing of the caller's but the path of programs."""
    who = {"NAME": "A. Developer", "EMAIL": "dev@example.com", "DATE": "2026-01-02T03:04:05Z"}
    return {
        "PATH": os.pathsep.join([str(root / "bin"), os.environ["PATH"]]),
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "PYTHONPATH": os.pathsep.join([str(source), str(root / "site")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
        "LINES": "50",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "BROWSER": "true",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(root),
        **{f"GIT_{role}_{key}": who[key] for role in ("AUTHOR", "COMMITTER") for key in who},
    }


class _JobRunner:
    """Runs the commands of one job in its folder."""

    def __init__(self, job: Job, folder: Path, *, server: ForkServer, source: Path) -> None:
        self._job = job
        self._folder = folder
        self._server = server
        self._normalize = Normalizer(
            {
                str(folder): "<folder>",
                str(folder.parent): "<root>",
                str(source): "<source>",
                sys.executable: "<python>",
                sys.prefix: "<environment>",
                sys.base_prefix: "<installation>",
                f'hostname="{platform.node()}"': 'hostname="<host>"',
            }
        )
        self._count = 0

    def records(self) -> list[Record]:
        """Run all commands; the last are about the histories that the others have left."""
        for name, content in self._job.files.items():
            file = self._folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        self._folder.mkdir(exist_ok=True)
        found = [self._record(line) for line in self._job.commands]
        found += [
            self._record(line)
            for name in histories(self._folder)
            for line in self._history_commands(name)
        ]
        shutil.rmtree(self._folder, ignore_errors=True)
        return found

    def _record(self, line: str) -> Record:
        self._count += 1
        before = stamps(self._folder)
        now = _FIRST_MOMENT + self._count * _BETWEEN_STEPS
        for number, run in enumerate(self._normalize.runs, 1):
            line = line.replace(f"{{run{number}}}", run)
        code, stdout, stderr = self._outcome(line, os.environ | {clock.VARIABLE: str(now)})
        normalize = self._normalize
        return Record(
            key=f"{self._job.key} #{self._count}",
            exit=code,
            stdout=normalize(stdout),
            stderr=normalize(stderr),
            command=normalize(line),
            files={
                normalize(name): None if text is None else normalize(text)
                for name, text in changed_files(self._folder, before).items()
            },
        )

    def _history_commands(self, name: str) -> Iterator[str]:
        place = f"--store {shlex.quote(name)}"
        yield f"callscore baseline list --json {place}"
        yield (listing := f"callscore history --json {place}")
        code, stdout, _ = self._outcome(listing, dict(os.environ))
        if code == 0:
            for run in msgspec.json.decode(stdout):
                # Several threads write results, in any order.
                yield f"callscore export {run['id']} {place} | sort"

    def _outcome(self, line: str, environment: dict[str, str]) -> Outcome:
        try:
            if _SHELL.search(line):
                return _run_in_shell(line, self._folder, environment)
            program, *arguments = shlex.split(line)
            script = _SCRIPT if program == "callscore" else arguments.pop(0)
            request = Request(arguments, str(self._folder), environment, script)
            done = self._server.run(request, patience=_TIME_LIMIT)
        except subprocess.TimeoutExpired:
            return None, "", f"ended after {_TIME_LIMIT:.0f} seconds\n"
        return done.returncode, _text(done.stdout), _text(done.stderr)


def _run_in_shell(line: str, folder: Path, environment: dict[str, str]) -> Outcome:
    with subprocess.Popen(
        ["bash", "-o", "pipefail", "-c", line],  # noqa: S607  (any bash will do)
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=_TIME_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, _text(stdout), _text(stderr)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "backslashreplace")


def _reply(body: dict[str, Any], _: int) -> Reply:
    """What the language model answers, always the same to the same question: see its name."""
    model = body["model"]
    said = " ".join(str(message.get("content")) for message in body["messages"])
    verdict = {"verdict": "rude" not in said, "reason": "It is polite."}
    known = {
        "broken": Reply(status=400, message="This model is broken."),
        "unknown": Reply(status=404, message="There is no such model."),
        "judge": Reply(text=msgspec.json.encode(verdict).decode()),
    }
    is_answered = any(message["role"] == "tool" for message in body["messages"])
    if model not in known and body.get("tools") and model != "silent" and not is_answered:
        city = next((city for city in _CITIES if city in said), "Lima")
        function = body["tools"][0]["function"]
        name = next(iter(function.get("parameters", {}).get("properties") or ["city"]))
        return Reply(calls=[(function["name"], {name: city})])
    words = "Perhaps." if model == "vague" else f"You said {len(said)} characters."
    return known.get(model) or Reply(text=words)
