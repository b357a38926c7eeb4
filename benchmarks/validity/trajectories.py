"""The trajectories: what was expected, what was done, and whether the task was done."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import msgspec

from callscore import ToolCall

__all__ = ["FOLDER", "Trajectory", "load"]

FOLDER = Path(__file__).with_name("data")


class Trajectory(msgspec.Struct, frozen=True):
    """One run of one agent on one task.

    Attributes:
        task: which task it was; several models, or several trials, share one.
        model: who made the calls.
        expected: the calls that solve the task.
        actual: the calls that were made, and whether they failed.
        succeeded: whether the benchmark itself judged the task done.
    """

    task: str
    model: str
    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]
    succeeded: bool


class _Outcome(msgspec.Struct):
    model: str
    reward: int


class _Line(msgspec.Struct):
    id: str
    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]
    metadata: _Outcome


def load() -> list[Trajectory]:
    """All trajectories, in the order of the files' names."""
    files = sorted(FOLDER.glob("*.jsonl.gz"))
    if not files:
        sys.exit(f"{FOLDER} is empty: the trajectories are in the repository, not in a release")
    decoder = msgspec.json.Decoder(_Line)
    return [
        _read(decoder.decode(line))
        for file in files
        for line in gzip.decompress(file.read_bytes()).splitlines()
    ]


def _read(line: _Line) -> Trajectory:
    outcome = line.metadata
    return Trajectory(line.id, outcome.model, line.expected, line.actual, outcome.reward == 1)
