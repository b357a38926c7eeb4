"""The benchmarks: what was expected, what was done, and whether the task was done."""

from __future__ import annotations

import gzip
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from callscore import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "BFCL",
    "FOLDER",
    "TAU",
    "TELECOM",
    "TITLES",
    "Benchmark",
    "Trajectory",
    "Turn",
    "bfcl",
    "half_of",
    "tau_bench",
    "telecom",
]

FOLDER = Path(__file__).with_name("data")

TAU, TELECOM, BFCL = "tau_bench", "tau2_telecom", "bfcl_multi_turn"
TITLES = {TAU: "tau-bench", TELECOM: "tau2 telecom", BFCL: "BFCL multi-turn"}


class Turn(msgspec.Struct, frozen=True):
    """What was expected and what was done between two messages of the user."""

    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]


class Trajectory(msgspec.Struct, frozen=True):
    """One run of one agent on one task.

    Attributes:
        task: which task it was. Several models, trials or variants share one.
        group: what the runs are cut by in a table: the model, or the kind of task.
        expected: the calls that solve the task.
        actual: the calls that were made, and whether they failed.
        succeeded: whether the benchmark itself judged the task done.
        turns: the same calls by turn; empty if the benchmark expects nothing of single turns.
        callers: whose calls count.
    """

    task: str
    group: str
    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]
    succeeded: bool
    turns: tuple[Turn, ...] = ()
    callers: tuple[str, ...] = ("agent",)


class Benchmark(msgspec.Struct, frozen=True):
    """Runs with a verdict of their own.

    Attributes:
        name: what its folder is called.
        trajectories: its runs.
        tools: the definitions of its tools; None if they are not at hand.
    """

    name: str
    trajectories: tuple[Trajectory, ...]
    tools: Any = None


def half_of(task: str) -> int:
    """In which half of the tasks one is: 0 or 1, from its name alone."""
    return int(sha256(task.encode()).hexdigest(), 16) % 2


class _Outcome(msgspec.Struct):
    model: str
    reward: int
    user: str = ""


class _Line(msgspec.Struct):
    id: str
    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]
    metadata: _Outcome
    callers: tuple[str, ...] = ("agent",)


def tau_bench() -> Benchmark:
    """tau-bench, airline and retail: customer-service agents."""
    runs = (
        Trajectory(
            line.id,
            line.metadata.model,
            line.expected,
            line.actual,
            succeeded=line.metadata.reward == 1,
        )
        for line in _lines(FOLDER)
    )
    return Benchmark(TAU, tuple(runs))


def telecom() -> Benchmark:
    """tau2-bench, telecom: the agent acts together with a user, or alone."""
    folder = FOLDER / TELECOM
    runs = (
        Trajectory(
            line.id,
            "with a user" if line.metadata.user == "simulated" else "without a user",
            line.expected,
            line.actual,
            succeeded=line.metadata.reward == 1,
            callers=line.callers,
        )
        for line in _lines(folder)
    )
    return Benchmark(TELECOM, tuple(runs), _json(folder / "tools.json"))


def _lines(folder: Path) -> Iterator[_Line]:
    files = sorted(folder.glob("*.jsonl.gz"))
    if not files:
        sys.exit(f"{folder} is empty: the trajectories are in the repository, not in a release")
    decoder = msgspec.json.Decoder(_Line)
    for file in files:
        for line in gzip.decompress(file.read_bytes()).splitlines():
            yield decoder.decode(line)


class _TurnsLine(msgspec.Struct):
    id: str
    success: bool
    turns: tuple[Turn, ...]


def bfcl(folder: Path) -> Benchmark:
    """BFCL multi-turn: every turn has its own reference. The folder is not in the repository."""
    decoder = msgspec.json.Decoder(_TurnsLine)
    runs = tuple(
        _in_turns(decoder.decode(line))
        for file in sorted(folder.glob("*.jsonl.gz"))
        for line in gzip.decompress(file.read_bytes()).splitlines()
    )
    if not runs:
        sys.exit(f"{folder} has no *.jsonl.gz: give the folder that contains `{BFCL}`")
    return Benchmark(BFCL, runs, _json(folder / "tools.json"))


def _in_turns(line: _TurnsLine) -> Trajectory:
    # `multi_turn_miss_param_7` is `multi_turn_base_7` with a question that lacks a value. Their
    # references are nearly the same, so that they count as one task.
    kind, _, number = line.id.removeprefix("multi_turn_").rpartition("_")
    return Trajectory(
        task=number,
        group=kind,
        expected=tuple(call for turn in line.turns for call in turn.expected),
        actual=tuple(call for turn in line.turns for call in turn.actual),
        succeeded=line.success,
        turns=line.turns,
    )


def _json(file: Path) -> Any:
    return msgspec.json.decode(file.read_bytes())
