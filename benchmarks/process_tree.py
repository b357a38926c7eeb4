"""The processes below a process: how large they were at most, and the processor time that they took.

All of it is read from /proc, so that it works for the processes of Spark and Ray as well, which are not
children of the process that measures.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple, Self

__all__ = ["MemoryWatch", "Process", "most_memory", "process_levels", "processor_seconds"]

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAUSE = 0.2  # seconds between two looks; the system itself keeps how large a process was at most
_PARENT, _TIMES = 1, slice(11, 15)  # fields of `stat` after the name


class Process(NamedTuple):
    """A process, and its memory when it was largest."""

    name: str
    megabytes: float


def process_levels(root: int) -> dict[int, int]:
    """A process and all below it, each with its level: 0 for itself, 1 for those that it started."""
    children: dict[int, list[int]] = {}
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            fields = _stat(int(folder.name))
            if fields:
                children.setdefault(int(fields[_PARENT]), []).append(int(folder.name))
    found = {root: 0}
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        for child in children.get(parent, []):
            found[child] = found[parent] + 1
            waiting.append(child)
    return found


def processor_seconds(root: int) -> float:
    """The processor time of a process and all below it, with those that have ended."""
    ticks = 0
    for pid in process_levels(root):
        ticks += sum(map(int, _stat(pid)[_TIMES]))
    return ticks / _TICKS


def _stat(pid: int) -> list[str]:
    """The fields after the name, which may have spaces; empty if the process has ended."""
    with suppress(OSError):
        return (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    return []


class MemoryWatch:
    """Looks at the memory of a process and of all below it, until the block ends.

    Args:
        root: the process.

    Attributes:
        parent: its memory, in megabytes, at its largest.
        largest: the largest of the others, which are workers.
    """

    def __init__(self, root: int) -> None:
        self.parent = 0.0
        self._root = root
        self.largest = Process("", 0.0)
        self._end = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(_PAUSE):
            for pid, level in process_levels(self._root).items():
                found = most_memory(pid)
                if level == 0:
                    self.parent = max(self.parent, found.megabytes)
                elif found.megabytes > self.largest.megabytes:
                    self.largest = found


def most_memory(pid: int) -> Process:
    """The name of a process, and the most memory that it has had (VmHWM)."""
    with suppress(OSError):
        lines = (_PROC / str(pid) / "status").read_text(errors="replace").splitlines()
        fields = dict([line.split(":", 1) for line in lines])
        kilobytes = fields.get("VmHWM", "0 kB").split()[0]
        return Process(fields["Name"].strip(), int(kilobytes) / (1 << 10))
    return Process("", 0.0)
