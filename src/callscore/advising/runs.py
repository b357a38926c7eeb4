"""Runs with a success label, and their scores under any settings, each computed once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from callscore.advising.measuring import numbered
from callscore.core.call import Tool
from callscore.core.case import Case
from callscore.core.results import Noted
from callscore.core.scoring import score_calls
from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from callscore.core.score import Score
    from callscore.core.settings import Settings

__all__ = ["Column", "LabelledInput", "LabelledRun", "Runs"]

_NO_TOOLS: Mapping[str, Tool] = {}


class LabelledRun(Struct, frozen=True):
    """One run of a task.

    Attributes:
        case: the task and what was done; the runs of one task have the same id.
        success: whether the task was done, by the label.
        place: the file and line of the run, for messages.
        tools: the tool definitions by name.
    """

    case: Case
    success: bool
    place: str = ""
    tools: Mapping[str, Tool] = _NO_TOOLS

    @property
    def name(self) -> str:
        """The id of the task, and the trial if there is one."""
        trial = self.case.trial
        return self.case.id if trial is None else f"{self.case.id} #{trial}"


class LabelledInput(Struct, frozen=True):
    """The runs that were read, and what was left out of them.

    Attributes:
        runs: the runs with a label.
        unlabelled: runs without a label: how many, and the first of them.
        unscorable: likewise, cases without expected calls or without a run.
        skipped: likewise, records that cannot be read.
    """

    runs: tuple[LabelledRun, ...]
    unlabelled: Noted = Noted()
    unscorable: Noted = Noted()
    skipped: Noted = Noted()


class Column(NamedTuple):
    """What some settings say about every run: the score, and whether it passes."""

    values: tuple[float, ...]
    passes: tuple[bool, ...]


class Runs:
    """All runs, in an order that does not depend on that of the input, with their scores.

    Args:
        runs: the runs.
        on_scored: called after every scoring of all runs.
    """

    def __init__(
        self, runs: Iterable[LabelledRun], on_scored: Callable[[], None] | None = None
    ) -> None:
        self.runs: Sequence[LabelledRun] = sorted(runs, key=_order)
        self.names = [run.case.id for run in self.runs]
        self.tasks = numbered(self.names)
        self.task_count = max(self.tasks, default=-1) + 1
        self.outcomes = [run.success for run in self.runs]
        self._on_scored = on_scored
        self._columns: dict[Settings, Column | None] = {}

    def score(self, number: int, settings: Settings) -> Score:
        """The score of one run."""
        run = self.runs[number]
        return score_calls(
            tuple(run.case.expected or ()), run.case.actual or (), settings, run.tools
        )

    def column(self, settings: Settings) -> Column | None:
        """The scores of all runs; None if the settings do not fit what a case expects."""
        if settings not in self._columns:
            try:
                scores = [self.score(number, settings) for number in range(len(self.runs))]
            except CallscoreError:  # such as the order `exact` with groups
                self._columns[settings] = None
            else:
                values, passes = [one.f1 for one in scores], [one.passed for one in scores]
                self._columns[settings] = Column(tuple(values), tuple(passes))
            if self._on_scored is not None:
                self._on_scored()
        return self._columns[settings]

    def changed(
        self, before: Settings, settings: Settings, numbers: Iterable[int]
    ) -> Column | None:
        """The scores under settings that differ from others only in what concerns some runs."""
        known = self._columns.get(settings)
        column = known or self.column(before)
        if known is not None or column is None:
            return known
        values, passes = list(column.values), list(column.passes)
        try:
            for number in numbers:
                score = self.score(number, settings)
                values[number], passes[number] = score.f1, score.passed
        except CallscoreError:
            self._columns[settings] = None
            return None
        self._columns[settings] = Column(tuple(values), tuple(passes))
        return self._columns[settings]


def _order(run: LabelledRun) -> tuple[str, str, bool, str]:
    return run.case.id, str(run.case.trial), run.success, run.place
