"""Runs `callscore` as a process of its own at a small part of the price: by forking one that is warm.

To start Python, coverage and the imports of a command takes longer than nearly every command does.
So a process that has done it waits at a socket. `run_program` connects, and hands over arguments,
folder, environment, standard input, output and error. A copy of the process takes these for its
own, and does what `python -m callscore` does. It is a process as any other: it has an exit code,
signals end it, and its coverage is measured.

Commands in a shell find a small `callscore` in `programs_folder()` that does the same.

Where a test sets what Python reads when it starts (`PYTHON...`, the locale), a real process is
started; with `CALLSCORE_TESTS_FORK=0` in the environment, always.
"""

from __future__ import annotations

import atexit
import gc
import os
import pkgutil
import runpy
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from types import ModuleType
from typing import IO, TYPE_CHECKING, NoReturn

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["PATIENCE", "SOURCE", "ForkServer", "Request", "programs_folder", "run_program"]

ROOT = Path(__file__).parents[2]
SOURCE = str(ROOT / "src")
PATIENCE = 300.0  # seconds that a program may take
_HEAD = 8  # bytes that hold the length of a request
_MEASURED = ("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START")
_READ_AT_START = ("PYTHON", "LC_", "LANG")
# What commands import late; none of it starts a thread, which a copy would not have.
_LATE = (
    *("asyncio", "concurrent.futures.thread", "html.parser", "http.client", "sqlite3", "tomllib"),
    *("rich.console", "rich.live", "rich.markup", "rich.progress", "rich.table", "rich.text"),
    *("rapidfuzz", "regex", "ruamel.yaml"),
)


# The `callscore` of a shell, which has nothing to import.
_CLIENT = """\
import json, os, signal, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect({address!r})
request = {{"arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
content = json.dumps({{**request, "script": {script!r}}}).encode()
socket.send_fds(line, [len(content).to_bytes({head}, "big")], [0, 1, 2])
line.sendall(content)
said = line.makefile("rb")
pid = int(said.readline())
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, _: os.kill(pid, number))
code = int(said.readline())
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
"""


class Request(msgspec.Struct, frozen=True):
    """What to run, and how; the standard files come beside it.

    Attributes:
        arguments: those of the program.
        folder: where.
        environment: all of it.
        script: the path of the console script that it is, if it is one; or of a script in Python.
    """

    arguments: list[str]
    folder: str
    environment: dict[str, str]
    script: str = ""


def run_program(
    *arguments: str,
    folder: Path,
    environment: Mapping[str, str],
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run `callscore` in a folder to its end; `environment` is all that it has.

    Raises:
        subprocess.TimeoutExpired: it took too long, and was killed.
    """
    whole = {**environment, "PYTHONPATH": environment.get("PYTHONPATH", SOURCE)}
    if os.environ.get("CALLSCORE_TESTS_FORK") != "0":
        server = _server()
        if server.reads_as(whole):
            return server.run(Request([*arguments], str(folder), whole), stdin)
    return subprocess.run(
        [sys.executable, "-m", "callscore", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=folder,
        env=whole,
        timeout=PATIENCE,
    )


def programs_folder() -> str:
    """The folder of the `callscore` that commands in a shell find."""
    beside = str(Path(sys.executable).parent)
    return beside if os.environ.get("CALLSCORE_TESTS_FORK") == "0" else _server().programs


@cache
def _server() -> ForkServer:
    """The server of this process, started when it is needed first."""
    return ForkServer()


class ForkServer:
    """A process that waits to be copied; it ends with this one.

    Args:
        path: where Python finds callscore, and whatever else is to be imported first.

    Attributes:
        programs: the folder of the `callscore` that commands in a shell find.
    """

    def __init__(self, path: str = SOURCE) -> None:
        folder = mkdtemp(prefix="callscore-fork-")
        self._address = f"{folder}/socket"
        self.programs = f"{folder}/programs"
        _write_client(Path(self.programs), self._address)
        # Its coverage is that of what it imports alone; each copy measures its own.
        is_measured = any(name in os.environ for name in _MEASURED)
        inherited = {name: os.environ[name] for name in os.environ if name not in _MEASURED}
        environment = {**inherited, "PYTHONPATH": path}
        self._read = _read_at_start(environment)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.fork_server", self._address, str(is_measured)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is not meant for it
        )
        self.stop = cache(partial(_stop, process, folder))
        atexit.register(self.stop)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"listening\n"

    def reads_as(self, environment: Mapping[str, str]) -> bool:
        """Whether Python would find what the server has found when it started."""
        return _read_at_start(environment) == self._read

    def run(
        self, request: Request, stdin: bytes = b"", patience: float = PATIENCE
    ) -> subprocess.CompletedProcess[bytes]:
        """Let a copy run, and wait for its end.

        Raises:
            subprocess.TimeoutExpired: it took too long, and was killed.
        """
        words = ["callscore", *request.arguments]
        with (
            TemporaryFile() as out,
            TemporaryFile() as err,
            socket.socket(socket.AF_UNIX) as line,
        ):
            line.settimeout(patience)
            line.connect(self._address)
            reading, writing = os.pipe()
            content = msgspec.json.encode(request)
            files = [reading, out.fileno(), err.fileno()]
            socket.send_fds(line, [len(content).to_bytes(_HEAD, "big")], files)
            line.sendall(content)
            os.close(reading)
            feeding = threading.Thread(target=_feed, args=(writing, stdin))
            feeding.start()
            code = _code(line, words)
            feeding.join()
            return subprocess.CompletedProcess(words, code, _content(out), _content(err))


def _write_client(folder: Path, address: str) -> None:
    """Write a `callscore` that a shell can run."""
    folder.mkdir()
    script = str(Path(sys.executable).parent / "callscore")
    code = _CLIENT.format(address=address, script=script, head=_HEAD)
    (folder / "client.py").write_text(code, encoding="utf-8")
    program = folder / "callscore"
    program.write_text(
        f'#!/bin/sh\nexec {sys.executable} -IS {folder}/client.py "$@"\n', encoding="utf-8"
    )
    program.chmod(0o755)


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_READ_AT_START)}


def _feed(pipe: int, content: bytes) -> None:
    with suppress(BrokenPipeError), open(pipe, "wb") as program:  # it need not read all of it
        program.write(content)


def _code(line: socket.socket, words: Sequence[str]) -> int:
    """The exit code of the program at the other end of a line, when it has ended."""
    with line.makefile("rb") as said:
        pid = int(said.readline())
        try:
            return int(said.readline())
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(words, line.gettimeout() or PATIENCE) from None


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _stop(process: subprocess.Popen[bytes], folder: str) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()  # the first of them ends it
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    process.kill()
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)


# --- the process that waits -------------------------------------------------------------------


def main(address: str, is_measured: str) -> None:
    """Serve until nobody is there any more; in a copy, run the program."""
    with _measured() if is_measured == "True" else nullcontext():
        _import_all()
    gc.collect()
    gc.freeze()  # so that no copy looks at all of it again
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        os.write(1, b"listening\n")
        request = _serve(listening)
    if request is not None:
        _run(request)


@contextmanager
def _measured() -> Iterator[None]:
    import coverage

    measuring = coverage.Coverage(config_file=str(ROOT / "pyproject.toml"))
    with measuring.collect():
        yield
    measuring.save()


def _import_all() -> None:
    import callscore

    for module in pkgutil.walk_packages(callscore.__path__, "callscore."):
        if not module.name.endswith("__main__"):
            with suppress(callscore.MissingExtra):  # an adapter to a library that is not here
                import_module(module.name)
    for name in _LATE:
        import_module(name)


def _serve(listening: socket.socket) -> Request | None:
    """Answer whoever connects. None when nobody can any more; in a copy, what to run."""
    lines: dict[int, socket.socket] = {}
    copied = None
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with selectors.DefaultSelector() as waiting:
        for source in (0, woken, listening):
            waiting.register(source, selectors.EVENT_READ)
        while copied is None:
            ready = [key.fileobj for key, _ in waiting.select()]
            if 0 in ready:  # who has started it is gone, and waits for no program
                for pid in lines:
                    os.kill(pid, signal.SIGKILL)
                return None
            if woken in ready:
                os.read(woken, 1024)
                _reap(lines)
            if listening in ready:
                copied = _copy(listening.accept()[0], lines)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.close(woken)
    os.close(waking)
    return copied


def _copy(line: socket.socket, lines: dict[int, socket.socket]) -> Request | None:
    """Fork for who has connected; in the copy, what to run."""
    head, files, *_ = socket.recv_fds(line, _HEAD, 3)
    with line.makefile("rb") as rest:
        content = rest.read(int.from_bytes(head, "big"))
    pid = os.fork()
    if pid:
        lines[pid] = line
        for file in files:
            os.close(file)
        line.sendall(b"%d\n" % pid)
        return None
    for held in (line, *lines.values()):
        held.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    return msgspec.json.decode(content, type=Request)


def _reap(lines: dict[int, socket.socket]) -> None:
    """Tell those whose programs have ended how."""
    while lines:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with lines.pop(pid) as line, suppress(OSError):  # who asked may be gone
            line.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _run(request: Request) -> NoReturn:
    """Be `python -m callscore` from here on, or the console script, or a script in Python."""
    os.environ.clear()
    os.environ.update(request.environment)
    os.chdir(request.folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _reopen()
    if "coverage" in sys.modules:
        sys.modules["coverage"].process_startup()
    sys.argv = [request.script, *request.arguments]
    sys.path[0] = str(Path(request.script).parent) if request.script else request.folder
    try:
        if request.script.endswith(".py"):
            runpy.run_path(request.script, run_name="__main__")
        elif request.script:
            sys.modules["__main__"] = ModuleType("__main__")
            import_module("callscore.cli.main").main()
        else:
            runpy.run_module("callscore", run_name="__main__", alter_sys=True)
    except SystemExit as error:
        if isinstance(error.code, int):
            _end(error.code)
        raise
    _end(0)


def _reopen() -> None:
    """Make standard files that know nothing of those that the server had."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        old = getattr(sys, name)
        new = open(  # noqa: SIM115  (it is open until the process ends)
            number,
            mode,
            buffering=1 if name == "stderr" else -1,
            encoding=old.encoding,
            errors=old.errors,
            closefd=False,
        )
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def _end(code: int) -> NoReturn:
    """End as Python does, but take no modules apart: it takes longer than all the rest."""
    threading._shutdown()  # type: ignore[attr-defined]  # which waits for threads
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
