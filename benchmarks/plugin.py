"""What the pytest plugin costs those who do not use it: the same tests, with and without it.

The time of the processor counts, and not that of the clock: the difference is too small for it.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import timing

__all__ = ["unused_cost"]

_TESTS = 2_000
_COMMAND = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def unused_cost(rounds: int) -> timing.Measured:
    """A session with the plugin, against one without it."""
    with TemporaryDirectory() as folder:
        tests = "\n\n".join(f"def test_{number}():\n    assert True" for number in range(_TESTS))
        (Path(folder) / "test_many.py").write_text(tests, encoding="utf-8")
        _seconds(folder)  # so that all bytecode is there
        without = partial(_seconds, folder, "-p", "no:callscore_pytest")
        return timing.compare(partial(_seconds, folder), without, 2 * rounds)


def _seconds(folder: str, *options: str) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([*_COMMAND, *options], cwd=folder, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
