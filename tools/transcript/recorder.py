"""Run the jobs of a corpus, several at once, and record what each step did.

One process imports callscore from the source tree under test. Each job is a fork of it, and so is
each step of a job, so that a command costs a fork and not the start of an interpreter. Steps that
need an interpreter of their own get one.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import platform
import pty
import runpy
import shutil
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from subprocess import DEVNULL, Popen
from typing import TYPE_CHECKING, NoReturn

import msgspec
from tools.transcript import clock  # before callscore, which takes its functions from `time`
from tools.transcript.comparison import Record
from tools.transcript.model_server import model_server
from tools.transcript.normalizer import Normalizer
from tools.transcript.snapshot import changed_files, is_database, new_lines, stamps, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.transcript.steps import Job, Step

__all__ = ["environment_for", "record"]

_TIME_LIMIT = 120.0  # seconds for one step
_PAUSE = 0.005
_COLUMNS = "100"
_FIRST_MOMENT = 1_772_600_000.0  # 4 March 2026
_BETWEEN_STEPS = 61.5  # seconds on the clock of the commands
# Libraries that callscore imports when it needs them; loading them once is most of what is saved.
_LIBRARIES = (
    *("asyncio", "click", "concurrent.futures", "difflib", "jsonschema_rs", "rapidfuzz", "regex"),
    *("rich.console", "rich.progress", "rich.table", "rich.text", "ruamel.yaml", "sqlalchemy"),
    *("sqlalchemy.dialects.sqlite", "sqlite3", "tomllib", "xml.etree.ElementTree"),
)
# `python -m callscore`, `python script.py`: what a forked step does as a new interpreter would.
_SCRIPT = "script.py"


def environment_for(source: Path, root: Path) -> dict[str, str]:
    """The environment of every command: nothing of the caller's but the path of programs."""
    return {
        "PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "PYTHONPATH": f"{source}{os.pathsep}{root / 'site'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "COLUMNS": _COLUMNS,
        "LINES": "50",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(root),
        "GIT_AUTHOR_NAME": "A. Developer",
        "GIT_AUTHOR_EMAIL": "developer@example.com",
        "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
        "GIT_COMMITTER_NAME": "A. Developer",
        "GIT_COMMITTER_EMAIL": "developer@example.com",
        "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    }


def record(
    jobs: Sequence[Job], *, source: Path, root: Path, processes: int
) -> Iterator[list[Record]]:
    """Run jobs, and give the records of each as soon as it has ended.

    This process must have been started with `environment_for(source, root)`.

    Args:
        jobs: what to run.
        source: the folder that holds the package callscore.
        root: a folder for scratch folders, which the caller removes.
        processes: how many jobs run at once.
    """
    # Where this was started in the background, Ctrl-C is ignored, and every child would ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _warm_up(source)
    _prepare(root)
    running: dict[int, int] = {}
    for number, one in enumerate(jobs):
        if len(running) >= processes:
            yield _finished(running, root)
        sys.stdout.flush()
        pid = os.fork()
        if not pid:
            _job_process(one, number, source=source, root=root)
        running[pid] = number
    while running:
        yield _finished(running, root)


def _warm_up(source: Path) -> None:
    """Import everything that commands import, so that forks need not."""
    package = import_module("callscore")
    if not Path(package.__file__ or "").is_relative_to(source):
        raise SystemExit(
            f"transcript: callscore was imported from {package.__file__}, not from {source}."
            " Check --source."
        )
    for name in _LIBRARIES:
        import_module(name)
    for module in walk_packages(package.__path__, "callscore."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # an adapter to a library that is not here
                import_module(module.name)
    gc.collect()
    gc.freeze()


def _prepare(root: Path) -> None:
    """The folders that the environment names, and a `callscore` for scripts of bash."""
    for name in ("bin", "home", "tmp", "site", "records"):
        (root / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(clock.__file__, root / "site" / "sitecustomize.py")
    commands = {
        "callscore": "-m callscore",
        "pytest": "-m pytest",
        "python": "",
        "python3": "",
    }
    for name, options in commands.items():
        program = root / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {options} "$@"\n')
        program.chmod(0o755)


def _finished(running: dict[int, int], root: Path) -> list[Record]:
    """The records of the next job that ends."""
    pid, status = os.wait()
    number = running.pop(pid)
    file = root / "records" / f"{number}.json"
    if status or not file.exists():
        raise SystemExit(f"transcript: job {number} ended with status {status}. See above.")
    return msgspec.json.decode(file.read_bytes(), type=list[Record])


def _job_process(one: Job, number: int, *, source: Path, root: Path) -> NoReturn:
    """In a fork: run the steps of a job, write their records into a file, and end."""
    code = 1
    try:
        # Each folder has a name of the same length, so that lines break at the same places.
        folder = root / f"job{number:05d}"
        runner = _JobRunner(one, folder, source=source, root=root)
        records = runner.records()
        (root / "records" / f"{number}.json").write_bytes(msgspec.json.encode(records))
        shutil.rmtree(folder, ignore_errors=True)
        code = 0
    except BaseException:  # noqa: BLE001  (a fork must not go on as its parent would)
        sys.stderr.write(f"transcript: {one.key}:\n{traceback.format_exc()}")
        sys.stderr.flush()
    os._exit(code)


class _JobRunner:
    """Runs the steps of one job in its folder."""

    def __init__(self, one: Job, folder: Path, *, source: Path, root: Path) -> None:
        self._job = one
        self._folder = folder
        self._outputs = folder.with_name(f"{folder.name}.out")
        self._model = ""
        self._databases: dict[str, str] = {}
        self._normalize = Normalizer(
            {
                str(folder): "<folder>",
                str(root): "<root>",
                str(source): "<source>",
                sys.executable: "<python>",
                sys.prefix: "<environment>",
                sys.base_prefix: "<installation>",
                f'hostname="{platform.node()}"': 'hostname="<host>"',
            }
        )

    def records(self) -> list[Record]:
        """Run all steps; the records of those that are commands."""
        self._outputs.mkdir(parents=True)
        self._folder.mkdir(parents=True)
        _write_files(self._folder, self._job.files)
        if not self._job.has_model:
            return self._all_steps()
        with model_server() as address:
            self._model = address
            return self._all_steps()

    def _all_steps(self) -> list[Record]:
        found = []
        for number, step in enumerate(self._job.steps, 1):
            if step.kind == "edit":
                _write_files(self._folder, step.files)
            else:
                found.append(self._recorded(number, step))
        return found

    def _recorded(self, number: int, step: Step) -> Record:
        before = stamps(self._folder)
        ready = self._filled_in(step, now=_FIRST_MOMENT + number * _BETWEEN_STEPS)
        code, stdout, stderr = _run(ready, self._folder, self._outputs)
        normalize = self._normalize
        for text in (stdout, stderr):
            normalize.note(text)
        files = {
            normalize(name): self._recorded_text(name, text)
            for name, text in changed_files(self._folder, before).items()
        }
        # A database that was only opened may have another time of change, and no other row.
        files = {name: text for name, text in files.items() if text or name not in self._databases}
        return Record(
            key=f"{self._job.key} #{number}",
            command=step.command,
            exit=code,
            stdout=normalize(stdout),
            stderr=normalize(stderr),
            files=files,
        )

    def _recorded_text(self, name: str, text: str | None) -> str | None:
        """What is recorded of a file: all of it, or what is new in a database."""
        if text is None:
            return None
        text = self._normalize(text)
        if not is_database(self._folder / name):
            return text
        before = self._databases.get(name, "")
        self._databases[name] = text
        return new_lines(before, text)

    def _filled_in(self, step: Step, *, now: float) -> Step:
        """The step with the ids of runs and the address of the model in its arguments."""
        places = {f"{{run{n}}}": run for n, run in enumerate(self._normalize.runs, 1)}
        places["{model}"] = self._model

        def filled(text: str) -> str:
            for place, value in places.items():
                text = text.replace(place, value)
            return text

        return msgspec.structs.replace(
            step,
            arguments=tuple(map(filled, step.arguments)),
            environment={name: filled(value) for name, value in step.environment.items()}
            | {clock.VARIABLE: str(now)},
        )


def _write_files(
    folder: Path, files: dict[str, str | bytes] | dict[str, str | bytes | None]
) -> None:
    for name, content in files.items():
        file = folder / name
        if content is None:
            file.unlink()
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


def _run(step: Step, folder: Path, outputs: Path) -> tuple[int | None, str, str]:
    """The exit code, the output and the errors of one step."""
    stdin = outputs / "stdin"
    stdin.write_bytes(step.stdin)
    files = [outputs / "stdout", outputs / "stderr"]
    terminal, device = pty.openpty() if step.is_terminal else (-1, -1)
    with stdin.open("rb") as read, files[0].open("wb") as out, files[1].open("wb") as err:
        streams = (read.fileno(), device if step.is_terminal else out.fileno(), err.fileno())
        environment = _environment(step)
        start = _start_interpreter if step.is_cold else _fork
        pid = start(step, folder, environment, streams)
    shown = b""
    if step.is_terminal:
        os.close(device)
        shown = _read_terminal(terminal)
        os.close(terminal)
    code = _wait(pid, step, folder)
    stdout = shown.decode("utf-8", "backslashreplace") if shown else text_of(files[0])
    return code, stdout, text_of(files[1])


def _environment(step: Step) -> dict[str, str]:
    environment = dict(os.environ)
    if step.is_terminal:
        environment["TERM"] = "xterm-256color"
        del environment["NO_COLOR"]
    return environment | step.environment


def _start_interpreter(
    step: Step, folder: Path, environment: dict[str, str], streams: tuple[int, int, int]
) -> int:
    commands = {
        "callscore": [sys.executable, "-m", "callscore", *step.arguments],
        "pytest": [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *step.arguments],
        "python": [sys.executable, "-c", *step.arguments],
        "shell": ["bash", "-c", *step.arguments],
    }
    stdin, stdout, stderr = streams
    process = Popen(
        commands[step.kind],
        cwd=folder,
        env=environment,
        stdin=stdin if step.stdin else DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    )
    process.returncode = 0  # it is waited for below
    return process.pid


def _fork(
    step: Step, folder: Path, environment: dict[str, str], streams: tuple[int, int, int]
) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        clock.set_clock()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        _set_standard_streams()
        sys.path[0] = str(folder)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = _as_main(step)
    finally:
        os._exit(code)


def _set_standard_streams() -> None:
    """Streams as a new interpreter opens them under this locale."""

    def opened(number: int, errors: str, *, is_read: bool = False) -> io.TextIOWrapper:
        raw = io.FileIO(number, "r" if is_read else "w", closefd=False)
        buffer = io.BufferedReader(raw) if is_read else io.BufferedWriter(raw)
        is_terminal = raw.isatty()
        return io.TextIOWrapper(buffer, "utf-8", errors, line_buffering=is_terminal or number == 2)  # noqa: PLR2004  (standard error)

    sys.stdin = sys.__stdin__ = opened(0, "surrogateescape", is_read=True)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = opened(1, "surrogateescape")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = opened(2, "backslashreplace")  # type: ignore[misc]


def _as_main(step: Step) -> int:
    """Run the step as the main program; its exit code."""
    code: object = 0
    try:
        if step.kind == "callscore":
            sys.argv = ["callscore", *step.arguments]
            runpy.run_module("callscore", run_name="__main__", alter_sys=True)
        else:
            sys.argv = [_SCRIPT]
            exec(compile(step.arguments[0], _SCRIPT, "exec"), {"__name__": "__main__"})  # noqa: S102  (a script of the corpus)
    except SystemExit as error:
        code = error.code
    except BaseException:  # noqa: BLE001  (as an interpreter does)
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
        code = 1
    # What an interpreter does when it ends, without taking the modules of the parent apart.
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001
    atexit._run_exitfuncs()  # noqa: SLF001
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError):
            stream.flush()
    return int(code) if isinstance(code, int) else 0


def _read_terminal(terminal: int) -> bytes:
    """What appears on a terminal until nobody has it open any more."""
    seen = b""
    while True:
        try:
            some = os.read(terminal, 65536)
        except OSError:
            return seen
        if not some:
            return seen
        seen += some


def _wait(pid: int, step: Step, folder: Path) -> int | None:
    """The exit code of a process; it is interrupted, and killed, when the time has come."""
    deadline = time.monotonic() + _TIME_LIMIT
    signal_file = folder / step.interrupt_after if step.interrupt_after else None
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if signal_file and signal_file.exists() and signal_file.read_bytes().count(b"\n") > 1:
            os.kill(pid, signal.SIGINT)
            signal_file = None
        if time.monotonic() > deadline:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return None
        time.sleep(_PAUSE)
