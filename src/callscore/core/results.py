"""What scoring many cases gave: the summary, the cases to show, and all that was not scored."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from callscore.core.model import Score
from callscore.core.settings import Settings
from callscore.core.summary import Summary

__all__ = ["CaseScore", "MetricResult", "MetricValue", "Noted", "Results"]


class MetricValue(Struct, frozen=True, gc=False):
    """What a metric of another tool says of one case.

    Attributes:
        name: the metric, as it was asked for.
        value: its number; None where it has none.
        reason: why it has none, or why the number is what it is, where somebody says so.
        is_broken: whether it has none because it does not work: it raises, say, or gives text.
    """

    name: str
    value: float | None = None
    reason: str | None = None
    is_broken: bool = False


class CaseScore(Struct, frozen=True, gc=False, kw_only=True):
    """The score of one case, under the names it goes by.

    Attributes:
        id: the name of the case.
        score: its score.
        trial: which repetition it is, where a case was run several times.
        tags: its tags.
        metrics: what other tools say of it, where they were asked.
    """

    id: str
    score: Score
    trial: int | str | None = None
    tags: tuple[str, ...] = ()
    metrics: tuple[MetricValue, ...] = ()

    @property
    def label(self) -> str:
        """The id, and the trial where there is one."""
        return self.id if self.trial is None else f"{self.id} #{self.trial}"


class Noted(Struct, frozen=True, gc=False):
    """Things that were counted, and the names of the first of them."""

    count: int = 0
    names: tuple[str, ...] = ()


class MetricResult(Struct, frozen=True, gc=False):
    """What a metric of another tool says of many cases.

    Attributes:
        name: the metric, as it was asked for.
        mean: the mean over the cases for which it has a number; None where there are none.
        scored: how many these are.
        not_scorable: how many the others are; in place of names, the reasons, each of them once.
        version: the version of the tool that the metric was held against; None if that is not known.
    """

    name: str
    mean: float | None = None
    scored: int = 0
    not_scorable: Noted = Noted()
    version: str | None = None


class Results(Struct, frozen=True, gc=False, kw_only=True):
    """What scoring many cases gave.

    Attributes:
        settings: what decided the scores.
        summary: the counts of all scored cases.
        cases: the cases to show, in the order of the input.
        not_shown: how many more there are of the kind that is shown.
        not_scored: cases without an `expected` field.
        not_run: references for which there is no actual side.
        without_reference: traces for which there is no reference.
        repeated: cases whose (id, trial) was there before; they are scored all the same.
        skipped: what could not be read and was skipped, as asked: places and problems.
        stopped: where the input broke off and why, where it did; the rest was not read.
        metrics: what other tools say of the scored cases, where they were asked.
    """

    settings: Settings
    summary: Summary
    cases: tuple[CaseScore, ...] = ()
    not_shown: int = 0
    not_scored: Noted = Noted()
    not_run: Noted = Noted()
    without_reference: Noted = Noted()
    repeated: Noted = Noted()
    skipped: Noted = Noted()
    stopped: Noted = Noted()
    metrics: tuple[MetricResult, ...] = ()

    @property
    def has_notes(self) -> bool:
        """Whether anything but scored cases was found in the input."""
        noted = (self.not_scored, self.not_run, self.without_reference, self.skipped)
        return any(found.count for found in noted)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that any JSON encoder accepts."""
        from callscore.core.export import results_to_dict

        return results_to_dict(self)

    def __str__(self) -> str:
        from callscore.core.wording import results_line

        return results_line(self)
