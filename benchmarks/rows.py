"""What a row of the benchmark is, and what is measured on."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import data
import history

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from timing import Measured

__all__ = ["FULL", "QUICK", "Effort", "Inputs", "Row"]


class Row(NamedTuple):
    """One line of the table.

    Attributes:
        name: of the row in the committed table; stays the same when the words change.
        what: is measured, and against what.
        bar: what its value should be at most.
        measure: measures it in so many rounds.
        unit: of the value and the bar.
        is_checked: whether the benchmark fails when it became worse.
    """

    name: str
    what: str
    bar: float
    measure: Callable[[int], Measured]
    unit: str = "x"
    is_checked: bool = True


class Effort(NamedTuple):
    """How much is measured."""

    rounds: int
    few_cases: int  # in memory; many more would measure the cache of the processor
    some_cases: int  # of a file that is written as a report
    many_cases: int  # of a file that is only scored
    large_file: int  # bytes
    calls: int  # of one case
    runs: int  # of the history


FULL = Effort(
    rounds=5,
    few_cases=1_000,
    some_cases=20_000,
    many_cases=100_000,
    large_file=1_000_000_000,
    calls=3_000,
    runs=300,
)
QUICK = Effort(
    rounds=1,
    few_cases=50,
    some_cases=100,
    many_cases=200,
    large_file=2_000_000,
    calls=90,
    runs=3,
)


class Inputs:
    """The files that are measured on, each written when a row first asks for it."""

    def __init__(self, folder: Path, effort: Effort) -> None:
        self.folder = folder
        self.effort = effort

    def cases(self, count: int, shape: data.Shape) -> Path:
        """So many cases of this shape, none of them twice."""
        path = self.folder / f"{shape.name.replace(' ', '-')}-{count}.jsonl"
        if not path.exists():
            data.write_cases(path, count, shape)
        return path

    @cached_property
    def large(self) -> Path:
        """More than fits into the memory that a process should have."""
        path = self.folder / "large.jsonl"
        data.write_large(path, self.effort.large_file)
        return path

    @cached_property
    def history(self) -> Path:
        """Many runs of the same cases."""
        path = self.folder / "history.db"
        history.fill(path, self.effort.runs, self.effort.few_cases)
        return path

    @cached_property
    def short_history(self) -> Path:
        """Two runs of one case, which a command reads in no time."""
        path = self.folder / "short.db"
        history.fill(path, 2, 1)
        return path
