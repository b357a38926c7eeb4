"""Runs with a success label, and their scores under any settings, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from callscore.advising.measuring import numbered
from callscore.core.call import Tool
from callscore.core.case import Case, calls_in
from callscore.core.results import Noted
from callscore.core.scoring import score_calls
from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from callscore.core.score import Score
    from callscore.core.settings import Settings

_MOST_REMEMBERED = 500_000  # scores of single runs
_PATTERN = frozenset("*?[]")
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


class LabelledInput(Struct, frozen=True):
    """The runs that were read, and what was left out of them.

    Attributes:
        runs: the runs with a label.
        unlabelled: runs without a label: how many, and the first of them.
        unscorable: likewise, cases without expected calls or without a run.
        skipped: likewise, records that cannot be read.
        unread: likewise, records with something that looks like calls and was not read.
        absent_label: a sentence that no record has the field of the label; empty if one has it.
    """

    runs: tuple[LabelledRun, ...]
    unlabelled: Noted = Noted()
    unscorable: Noted = Noted()
    skipped: Noted = Noted()
    unread: Noted = Noted()
    absent_label: str = ""


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
        self._tools = [
            {call.name for call in (*calls_in(run.case.expected or ()), *(run.case.actual or ()))}
            for run in self.runs
        ]
        self._single: dict[tuple[object, ...], tuple[float, bool]] = {}

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

    def _scored(self, number: int, settings: Settings, rest: Settings) -> tuple[float, bool]:
        """The score of a run, and whether it passes; rules about tools that it lacks change neither.

        `rest` has the settings without these rules.
        """
        tools = self._tools[number]
        effects = [each for each in settings.effects if each[0] in tools or _is_pattern(each[0])]
        rules = [
            (each.pattern, each.rule)
            for each in settings.arguments
            if each.pattern.rpartition(".")[0] in tools or _is_pattern(each.pattern)
        ]
        key = number, rest, tuple(effects), tuple(rules)
        known = self._single.get(key)
        if known is None:
            score = self.score(number, settings)
            known = score.f1, score.passed
            if len(self._single) >= _MOST_REMEMBERED:
                self._single.clear()
            self._single[key] = known
        return known

    def changed(
        self, before: Settings, settings: Settings, numbers: Iterable[int]
    ) -> Column | None:
        """The scores under settings that differ from others only in what concerns some runs."""
        known = self._columns.get(settings)
        column = known or self.column(before)
        if known is not None or column is None:
            return known
        values, passes = list(column.values), list(column.passes)
        rest = replace(settings, effects=(), arguments=())
        try:
            for number in numbers:
                values[number], passes[number] = self._scored(number, settings, rest)
        except CallscoreError:
            self._columns[settings] = None
            return None
        self._columns[settings] = Column(tuple(values), tuple(passes))
        return self._columns[settings]


def _is_pattern(text: str) -> bool:
    return not _PATTERN.isdisjoint(text)


def _order(run: LabelledRun) -> tuple[str, str, bool, str]:
    return run.case.id, str(run.case.trial), run.success, run.place
