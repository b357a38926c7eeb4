"""Runs one input under limits, and finds out whether it failed, where, and what it cost."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import time
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from tools.fuzz.outputs import Wrong
from tools.fuzz.targets import run_input

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from tools.fuzz.inputs import Input

__all__ = [
    "MAX_MEMORY",
    "MAX_SECONDS",
    "Outcome",
    "Scratch",
    "execute",
    "in_folder",
    "limit_process",
]

MAX_SECONDS = 2.0  # of processor time
MAX_MEMORY = 500  # megabytes, more than before
_GIVE_UP = 5.0  # seconds of processor time after which an input is interrupted
_CEILING = 6 << 30  # bytes of address space of a worker
_PACKAGE = f"{os.sep}callscore{os.sep}"


class Outcome(Struct, frozen=True):
    """What happened with one input.

    Attributes:
        word: `read`, `refused: ...`, `exit 0`, or the kind of failure.
        place: for a failure, what is the same for all failures of one cause; otherwise empty.
        detail: for a failure, the traceback or the sentence.
        seconds: the processor time.
        megabytes: the memory in use at its peak, more than before.
    """

    word: str
    place: str = ""
    detail: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0


class _TooSlow(BaseException):
    """Raised in the middle of an input that takes too long; no `except Exception` stops it."""


class Scratch:
    """The folder in which inputs are run; it is empty before each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)

    def clear(self) -> None:
        """Remove what the last input left."""
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)  # noqa: PTH108  (an entry of scandir; once per input)


def limit_process() -> None:
    """Limit the memory of this process, and interrupt inputs that take too long."""
    resource.setrlimit(resource.RLIMIT_AS, (_CEILING, _CEILING))
    signal.signal(signal.SIGPROF, _interrupt)


def _interrupt(_signal: int, frame: FrameType | None) -> None:
    raise _TooSlow("".join(traceback.format_stack(frame)))


def execute(given: Input, scratch: Scratch, *, is_limited: bool = True) -> Outcome:
    """Run an input; a limit that is exceeded counts if it is exceeded twice."""
    outcome = _execute(given, scratch, is_limited=is_limited)
    is_slow, is_large = outcome.seconds > MAX_SECONDS, outcome.megabytes > MAX_MEMORY
    if not is_limited or not (is_slow or is_large) or outcome.word in ("error", "wrong output"):
        return outcome
    again = _execute(given, scratch, is_limited=True)
    if is_slow and again.seconds > MAX_SECONDS:
        return _too_much("too slow", f"{again.seconds:.1f} s", given, again)
    if is_large and again.megabytes > MAX_MEMORY:
        return _too_much("too much memory", f"{again.megabytes:.0f} MB", given, again)
    return again


def _too_much(word: str, much: str, given: Input, outcome: Outcome) -> Outcome:
    place = f"{word}: {given.target} {given.arguments[0].partition('.')[0]}"
    return Outcome(
        word, outcome.place or place, outcome.detail or much, outcome.seconds, outcome.megabytes
    )


def _execute(given: Input, scratch: Scratch, *, is_limited: bool) -> Outcome:
    scratch.clear()
    if is_limited:
        _reset_peak()
        signal.setitimer(signal.ITIMER_PROF, _GIVE_UP)
    memory, start = _peak(), time.process_time()
    try:
        try:
            word, place, detail = run_input(given), "", ""
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except _TooSlow as error:
        word, detail = "too slow", str(error)
        place = f"too slow: {_last_place(detail.splitlines())}"
    except (KeyboardInterrupt, SystemExit):
        raise
    except Wrong as error:
        word, place, detail = "wrong output", error.what, str(error)
    except BaseException as error:  # noqa: BLE001  (any error is a finding)
        word, place, detail = "error", _place(error), _shortened(error)
    seconds = time.process_time() - start
    return Outcome(word, place, detail, seconds, (_peak() - memory) / 1024)


def _place(error: BaseException) -> str:
    """The kind of error, and the last line of callscore that it passed."""
    frames = traceback.extract_tb(error.__traceback__, limit=-400)
    own = [frame for frame in frames if _PACKAGE in frame.filename] or list(frames)
    last = own[-1]
    return f"{type(error).__name__} at {_relative(last.filename)}:{last.name}"


def _last_place(lines: list[str]) -> str:
    own = [line for line in lines if _PACKAGE in line]
    return own[-1].strip().rpartition(_PACKAGE)[2].replace('", line', "") if own else "?"


def _relative(filename: str) -> str:
    return filename.rpartition(_PACKAGE)[2]


def _shortened(error: BaseException) -> str:
    text = "".join(traceback.format_exception(error, limit=-12))
    return text[-4000:]


_clear_refs: list[int] = []


def _reset_peak() -> None:
    """Let the peak of the memory begin anew, where the system can."""
    if not _clear_refs:
        try:
            _clear_refs.append(os.open("/proc/self/clear_refs", os.O_WRONLY))
        except OSError:
            _clear_refs.append(-1)
    if _clear_refs[0] >= 0:
        os.write(_clear_refs[0], b"5")


def _peak() -> int:
    """The memory in use at its peak, in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@contextmanager
def in_folder(folder: Path) -> Iterator[Scratch]:
    """Run inputs in a folder; the current folder is restored, and the folder removed."""
    before = Path.cwd()
    scratch = Scratch(folder)
    try:
        yield scratch
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)
