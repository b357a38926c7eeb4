"""Takes what becomes of each question of an evaluation, and says what all of it comes to."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from statistics import median
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from callscore.core.results import CaseScore, Results
from callscore.core.run import (
    CaseTrials,
    CaseValues,
    EvaluationResults,
    Failure,
    ScorerResult,
    Usage,
)
from callscore.core.summary import Summary
from callscore.engines.columns import Mean
from callscore.engines.notes import Notes

if TYPE_CHECKING:
    from callscore.core.results import MetricValue, Noted
    from callscore.core.run import Result
    from callscore.core.settings import Settings
    from callscore.evaluations.evaluation import Evaluation

__all__ = ["Column", "Gathering", "Show", "gathering_for"]

Show = Literal["failing", "all", "none"]

_MOST_FAILURES = 20
_Kept = TypeVar("_Kept")


class Column:
    """The numbers of one scorer, added up.

    Args:
        name: the scorer.
        at_least: the number from which it is content.
        threshold: what its mean must reach.
    """

    def __init__(self, name: str, at_least: float, threshold: float | None) -> None:
        self._name = name
        self._at_least = at_least
        self._threshold = threshold
        self._mean = Mean()
        self._passed = 0
        self._not_scorable = Notes(each_once=True)
        self._broken = Notes(each_once=True)

    def add(self, found: MetricValue, times: int = 1) -> None:
        """Count what it says of one more answer, or of several that are alike."""
        if found.value is None:
            notes = self._broken if found.is_broken else self._not_scorable
            notes.add(found.reason or "", times)
            return
        self._mean.add(found.value, times)
        self._passed += times if found.value >= self._at_least else 0

    def result(self, *, is_complete: bool) -> ScorerResult:
        """What it says of all answers so far.

        Args:
            is_complete: whether these are all; no threshold is missed by what was not asked.
        """
        return ScorerResult(
            name=self._name,
            mean=self._mean.value(),
            scored=self._mean.count,
            passed=self._passed,
            threshold=self._threshold if is_complete else None,
            not_scorable=self._not_scorable.noted(),
            broken=self._broken.noted(),
        )


class _First(Generic[_Kept]):
    """The first of many in the order of the plan, whatever order they come in."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._kept: list[tuple[int, _Kept]] = []
        self._of_case: dict[str, int] = {}
        self.left_out = 0

    def add(self, position: int, item: _Kept, case: str | None = None) -> None:
        """Keep an item; of several of one case only the first, where the case is named."""
        if case is not None and not self._is_first(case, position):
            return
        insort(self._kept, (position, item), key=_position)
        if self._most is not None and len(self._kept) > self._most:
            self._kept.pop()
            self.left_out += 1

    def _is_first(self, case: str, position: int) -> bool:
        """Whether nothing of the case came before; what is kept of it and came after is let go."""
        before = self._of_case.setdefault(case, position)
        if before < position:
            return False
        if before > position:
            self._of_case[case] = position
            here = bisect_left(self._kept, before, key=_position)
            if here < len(self._kept) and self._kept[here][0] == before:
                del self._kept[here]
            else:
                self.left_out -= 1
        return True

    def items(self) -> list[tuple[int, _Kept]]:
        return list(self._kept)


def _position(entry: tuple[int, Any]) -> int:
    return entry[0]


def gathering_for(
    evaluation: Evaluation,
    variant: str | None,
    fail_under: float | None,
    *,
    show: Show = "failing",
    most: int | None = 10,
) -> Gathering:
    """What gathers the results of an evaluation under a variant.

    Args:
        evaluation: the evaluation.
        variant: the variant; None where there is only one way to run it.
        fail_under: what the mean of each scorer must reach for which nobody has said it.
        show: which cases to keep, to be shown.
        most: how many of them at the most; None for all.
    """
    about = {"name": evaluation.name, "place": evaluation.place, "variant": variant}
    thresholds = {
        **{scorer.name: fail_under for scorer in evaluation.scorers},
        **evaluation.thresholds,
    }
    return Gathering(about, evaluation.settings, thresholds, show=show, most=most)


class Gathering:
    """The results of an evaluation under one variant, while they come in; in any order.

    Args:
        about: what `EvaluationResults` says of the evaluation itself: `name`, `place`, `variant`.
        settings: what decides the scores.
        thresholds: what the mean of each scorer must reach, by its name; every scorer is named.
        show: which cases to keep, to be shown.
        most: how many of them at the most; None for all.
    """

    def __init__(
        self,
        about: dict[str, Any],
        settings: Settings,
        thresholds: dict[str, float | None],
        *,
        show: Show = "failing",
        most: int | None = 10,
    ) -> None:
        self._about = about
        self._settings = settings
        self._columns = {
            name: Column(name, settings.at_least, least) for name, least in thresholds.items()
        }
        self._show = show
        self._shown: _First[CaseScore | CaseValues] = _First(most)
        self._failures: _First[Failure] = _First(None if most is None else _MOST_FAILURES)
        self._summary = Summary(at_least=settings.at_least)
        self._not_scored = Notes()
        self._names: set[str] = set()
        self._trials: dict[str, list[int]] = {}
        self._seconds = array("d")
        self._usage = Usage()
        self._answered = self._passed = self._undecided = self._errors = self._reused = 0

    def add(self, position: int, result: Result) -> None:
        """Count what became of a question.

        Args:
            position: where the question stands in the plan.
            result: what became of it.
        """
        case = result.case
        is_repeated = case.trial is not None
        self._names.add(case.id)
        # What nobody decided is no trial; what gave no answer did not pass.
        if is_repeated and (result.failure is not None or result.passed is not None):
            counts = self._trials.setdefault(case.id, [0, 0])
            counts[0] += 1
            counts[1] += result.passed is True
        if result.failure is not None:
            self._errors += 1
            self._failures.add(position, result.failure)
            return
        self._count_answer(result)
        for value in result.values:
            self._columns[value.name].add(value)
        if result.score is None:
            self._not_scored.add(case.id)
        else:
            self._summary.add(result.score, trial_of=case.id if is_repeated else None)
        if self._show == "all" or (self._show == "failing" and result.passed is False):
            # One that fails at every trial is shown once; where all is shown, so is each trial.
            is_once = is_repeated and self._show == "failing"
            self._shown.add(position, result.shown(), case.id if is_once else None)

    def _count_answer(self, result: Result) -> None:
        self._answered += 1
        self._passed += result.passed is True
        self._undecided += result.passed is None
        answer = result.answer
        if answer is None:
            return
        self._seconds.append(answer.seconds)
        if answer.is_reused:
            self._reused += 1
        else:
            self._usage += answer.usage

    def results(
        self, skipped: Noted, *, cases: int | None = None, questions: int | None = None
    ) -> EvaluationResults:
        """Everything so far.

        Args:
            skipped: the cases that were left out on purpose.
            cases: how many were to be asked; None for those that were.
            questions: how many answers were wanted, likewise.
        """
        shown = [case for _, case in self._shown.items()]
        came = self._answered + self._errors
        is_complete = came > 0 and came >= (questions or 0)
        return EvaluationResults(
            **self._about,
            results=Results(
                settings=self._settings,
                summary=self._summary,
                cases=tuple([case for case in shown if isinstance(case, CaseScore)]),
                not_shown=self._shown.left_out,
                not_scored=self._not_scored.noted(),
            ),
            scorers=tuple(
                [column.result(is_complete=is_complete) for column in self._columns.values()]
            ),
            cases=len(self._names) if cases is None else cases,
            questions=came if questions is None else questions,
            answered=self._answered,
            passed=self._passed,
            undecided=self._undecided,
            unreferenced=tuple([case for case in shown if isinstance(case, CaseValues)]),
            failures=tuple([failure for _, failure in self._failures.items()]),
            errors=self._errors,
            skipped=skipped,
            trials=tuple([CaseTrials(case, *counts) for case, counts in self._trials.items()]),
            usage=self._usage,
            seconds=median(self._seconds) if self._seconds else None,
            reused=self._reused,
        )
