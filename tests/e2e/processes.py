"""Programs that tests watch while they run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from types import MappingProxyType
from typing import TYPE_CHECKING

from tests.e2e.conftest import SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["is_running", "started", "wait_until"]

_PAUSE = 0.02
_PATIENCE = 300.0  # a busy machine is slow, not wrong


def wait_until(is_so: Callable[[], object], what: str) -> None:
    """Wait for something that is going to be so; fail if it never is."""
    for _ in range(int(_PATIENCE / _PAUSE)):
        if is_so():
            return
        sleep(_PAUSE)
    raise AssertionError(f"this was waited for in vain: {what}")


def is_running(pid: int) -> bool:
    """Whether a process runs, on Linux; one that only waits to be asked how it ended does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@contextmanager
def started(
    folder: Path,
    *arguments: str,
    stdout: int | None = None,
    stderr: int | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[subprocess.Popen[bytes]]:
    """`callscore` with some arguments, running in a folder; it ends with the block.

    What it writes goes to the files `stdout` and `stderr` there, or to what is given. What the
    environment says about colours is not passed on, nor that `nohup` started the tests.
    """
    inherited = {key: os.environ[key] for key in os.environ if not key.endswith("_COLOR")}
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "callscore", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out if stdout is None else stdout,
                stderr=err if stderr is None else stderr,
                cwd=folder,
                env={**inherited, "PYTHONPATH": SOURCE, **environment},
            )
        finally:
            signal.signal(signal.SIGHUP, before)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
