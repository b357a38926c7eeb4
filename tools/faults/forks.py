"""Runs commands in forks of this process, which has imported everything: many run in a short time."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["in_a_fork"]

_PATIENCE = 300.0  # seconds that a command may take
_PAUSE = 0.002


def in_a_fork(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> tuple[int, str, str]:
    """The exit code, the output and the errors of a command.

    Raises:
        TimeoutError: it did not end, and was killed.
    """
    _import_commands()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        pid = os.fork()
        if not pid:
            _be_the_command(arguments, folder, environment, (output.fileno(), errors.fileno()))
        deadline = time.monotonic() + _PATIENCE
        while True:
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                break
            if time.monotonic() > deadline:
                with suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                raise TimeoutError(" ".join(arguments))
            time.sleep(_PAUSE)
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return os.waitstatus_to_exitcode(status), texts[0], texts[1]


def _be_the_command(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    files: tuple[int, int],
) -> None:
    """Be the command in place of the tool; does not return."""
    code = 70
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(files[0], 1)
        os.dup2(files[1], 2)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, range(3), "rww")
        sys.argv = ["callscore", *arguments]
        import_module("callscore.cli.main").main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001  (a copy of the tool must not go on)
        import traceback

        traceback.print_exc()
        code = 1
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


@cache
def _import_commands() -> None:
    commands = import_module("callscore.cli")
    for module in iter_modules(commands.__path__):
        import_module(f"callscore.cli.{module.name}")
    for name in (
        "callscore.history.store",
        "callscore.runner.running",
    ):
        import_module(name)
