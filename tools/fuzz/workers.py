"""Worker processes: each runs its share of the inputs; a watchdog replaces one that hangs or dies."""

from __future__ import annotations

import faulthandler
import gc
import mmap
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from tools.fuzz.counts import Counts
from tools.fuzz.execution import Outcome, Scratch, execute, limit_process
from tools.fuzz.failures import Failure, as_json, from_json, minimize
from tools.fuzz.generation import make_input

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Share", "Worker", "run_inputs", "work"]

_HANGS_AFTER = 30.0  # seconds of processor time for one input that cannot be interrupted
_WAITS_AT_MOST = 300.0  # seconds, if it waits for something
_LIFE = 40_000  # inputs of one process: what libraries cache for good is given back


class Share(Struct, frozen=True):
    """What a worker runs.

    Attributes:
        seed: the seed of all inputs.
        start: the number of the first input.
        step: how far it is to the next.
        end: no number from here on.
        deadline: the time at which it stops.
        targets: only these targets; empty for all.
        folder: where it runs them.
        most: the number of inputs after which it reports its counts.
    """

    seed: int
    start: int
    step: int
    end: int
    deadline: float
    targets: tuple[str, ...]
    folder: str
    most: int = 1000


class _Report(Struct):
    """What a worker writes to its standard output, one object per line."""

    failure: Failure | None = None
    counts: Counts | None = None
    next: int | None = None  # where the next process goes on; None if the share is done
    is_last: bool = False


def run_inputs(
    share: Share,
    on_failure: Callable[[Failure], None],
    *,
    on_number: Callable[[int], None] = lambda _: None,
    is_limited: bool = True,
    known: set[str] | None = None,
) -> tuple[Counts, int | None]:
    """Run a share in this process; the counts, and the number at which to go on, if it is not done.

    Only the first failure at each place is reported, and made smaller; `known` has these places.
    """
    scratch = Scratch(Path(share.folder))
    counts = Counts()
    known = set() if known is None else known
    for done, number in enumerate(range(share.start, share.end, share.step)):
        if done == share.most:
            return counts, number
        if time.time() > share.deadline:
            break
        on_number(number)
        made = make_input(share.seed, number, share.targets)
        outcome = execute(made, scratch, is_limited=is_limited)
        counts.add(made.target, number, outcome)
        if outcome.place and outcome.place not in known:
            known.add(outcome.place)
            smaller = minimize(made, outcome, scratch)
            on_failure(Failure(smaller, outcome, share.seed, number))
    scratch.clear()
    return counts, None


def work(text: str) -> None:
    """Be a worker: run the share in this text."""
    share = msgspec.json.decode(text, type=Share)
    warnings.simplefilter("error")
    # What users have in their environment must not change what is found.
    for name in [
        name for name in os.environ if name.startswith(("CALLSCORE_", "OPENAI_", "GITHUB_"))
    ]:
        del os.environ[name]
    os.environ["HOME"] = share.folder
    limit_process()
    log = Path(share.folder + ".log").open("w")  # noqa: SIM115  (faulthandler writes to it to the end)
    faulthandler.enable(log)
    faulthandler.register(signal.SIGUSR1, log)
    output = os.fdopen(os.dup(1), "wb", 0)
    current = _shared_number(share.folder)

    def tell(report: _Report) -> None:
        output.write(as_json(report) + b"\n")

    make_input(share.seed, share.start, share.targets)  # what is made once is made before
    gc.freeze()
    known: set[str] = set()
    end = share.start + _LIFE * share.step
    after: int | None = share.start
    while after is not None and after < end:
        counts, after = run_inputs(
            msgspec.structs.replace(share, start=after),
            lambda failure: tell(_Report(failure=failure)),
            on_number=lambda number: current.__setitem__(slice(0, 8), number.to_bytes(8, "little")),
            known=known,
        )
        tell(_Report(counts=counts, next=after))
    tell(_Report(next=after, is_last=True))
    output.close()


def _shared_number(folder: str) -> mmap.mmap:
    """The number of the current input, which the watchdog reads."""
    path = Path(folder + ".number")
    if not path.exists():
        path.write_bytes(bytes(8))
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 8)


class Worker:
    """A worker process, and what is known of it."""

    def __init__(self, share: Share) -> None:
        self.share = share
        self.counts = Counts()
        self.failures: list[Failure] = []
        self.is_done = False
        self._number = _shared_number(share.folder)
        self._start()

    def _start(self) -> None:
        command = [sys.executable, "-m", "tools.fuzz", "--worker"]
        self._number[0:8] = bytes(8)
        self._output = Path(self.share.folder + ".out")
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [*command, msgspec.json.encode(self.share).decode()], stdout=output
            )
        self._seen = (0, time.monotonic(), 0.0)

    def watch(self) -> None:
        """Look after the process: end it if it hangs, start the next if it ended early."""
        code = self._process.poll()
        if code is None:
            if self._hangs():
                self._process.send_signal(signal.SIGUSR1)  # it writes where it is
                time.sleep(1)
                self._process.kill()
                self._process.wait()
                self._collect()
                self._lose("hang")
            return
        if not self._collect():
            self._lose(f"the process ended with {code}")

    def _hangs(self) -> bool:
        number = int.from_bytes(self._number[0:8], "little")
        seen, since, before = self._seen
        used = _processor_seconds(self._process.pid)
        if number != seen:
            self._seen = (number, time.monotonic(), used)
            return False
        return used - before > _HANGS_AFTER or time.monotonic() - since > _WAITS_AT_MOST

    def _collect(self) -> bool:
        """Take over what the process wrote; whether it came to its end."""
        reports: list[_Report] = [
            from_json(line, _Report) for line in self._output.read_bytes().splitlines()
        ]
        self.failures += [report.failure for report in reports if report.failure is not None]
        for report in reports:
            if report.counts is not None:
                self.counts.merge(report.counts)
        if not reports or not reports[-1].is_last:
            return False
        self._go_on(reports[-1].next)
        return True

    def _lose(self, why: str) -> None:
        """Report the input that ended the process, and go on behind it."""
        number = int.from_bytes(self._number[0:8], "little")
        made = make_input(self.share.seed, number, self.share.targets)
        log = Path(self.share.folder + ".log").read_text(errors="replace")
        own = [line for line in log.splitlines() if "callscore" in line]
        place = f"{why}: {own[0].strip() if own else made.target}"
        self.failures.append(Failure(made, Outcome(why, place, log), self.share.seed, number))
        self._go_on(number + self.share.step)

    def _go_on(self, after: int | None) -> None:
        if after is None or after >= self.share.end or time.time() > self.share.deadline:
            self.is_done = True
            return
        self.share = msgspec.structs.replace(self.share, start=after)
        self._start()


def _processor_seconds(pid: int) -> float:
    """The processor time that a process has used."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
