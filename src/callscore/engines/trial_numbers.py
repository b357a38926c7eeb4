"""The trial numbers of the saved cases of one file, and how these trials went."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from callscore.core.results import CaseTrials, EvaluationResults, Result
from callscore.core.score import UNANSWERED, Outcome, outcome_of
from callscore.core.summary import Summary
from callscore.core.totals import NameCounter, Totals
from callscore.history.saved_totals import evaluation_of_counts

if TYPE_CHECKING:
    from callscore.core.settings import Settings
    from callscore.history.records import EvaluationRecord

# Whether a trial passed, None if that is undecided; and its outcome, None without a score.
_Trial = tuple[bool | None, "Outcome | None"]


class TrialNumbers:
    """Numbers the trials of cases: in most files, each case has one.

    Of such a case it remembers the id and a value that many cases share, so that a long file takes
    little memory.
    """

    def __init__(self) -> None:
        self._first: dict[str, tuple[int, _Trial]] = {}
        self._kinds: dict[tuple[int, _Trial], tuple[int, _Trial]] = {}
        self._several: dict[str, dict[int, _Trial]] = {}  # by number, of cases with several trials
        # The next number of a case that may be free, after one that is not.
        self._next: dict[tuple[str, int], int] = {}

    def add(self, result: Result) -> int:
        """Remember a result; returns the number of its trial: its own, or a free one."""
        name, trial, score = result.case.id, result.case.trial, result.score
        # A missing answer did not pass.
        found: _Trial = (result.passed, None if score is None else outcome_of(score))
        if result.failure is not None:
            found = (False, UNANSWERED)
        number = trial if isinstance(trial, int) and trial >= 1 else 1
        if name not in self._first:
            self._first[name] = self._kinds.setdefault((number, found), (number, found))
            return number
        trials = self._several.setdefault(name, dict([self._first[name]]))
        if number == 1:  # most records of a repeated case do not say which trial they are
            number = len(trials) + 1 if 1 in trials else 1
        taken = []
        while number in trials:
            taken.append(number)
            number = self._next.get((name, number), number + 1)
        self._next |= {(name, each): number for each in taken}
        trials[number] = found
        return number

    def results(self, evaluation: EvaluationRecord, settings: Settings) -> EvaluationResults:
        """The totals of the trials, as the results of this evaluation."""
        outcomes = Counter([outcome for _, (_, outcome) in self._first.values()])
        trials: dict[str, dict[Outcome, int]] = {}
        for case, several in self._several.items():
            found = [outcome for _, outcome in several.values()]
            outcomes.update(found[1:])  # the first is among those above
            if scored := [outcome for outcome in found if outcome is not None]:
                trials[case] = dict(Counter(scored))
        not_scored = NameCounter(count=outcomes[None])
        counted = {outcome: times for outcome, times in outcomes.items() if outcome is not None}
        totals = Totals(summary=Summary(outcomes=counted, trials=trials), not_scored=not_scored)
        whole = evaluation_of_counts(evaluation, totals, settings, evaluation.place)
        return replace(whole, cases=len(self._first), trials=self._decided())

    def _decided(self) -> tuple[CaseTrials, ...]:
        """The cases with trials that passed or did not; none if no case has several of these."""
        found: list[CaseTrials] = []
        for case, first in self._first.items() if self._several else ():
            trials = self._several.get(case) or dict([first])
            passed = [passed for passed, _ in trials.values() if passed is not None]
            if passed:
                found.append(CaseTrials(case, len(passed), sum(passed)))
        return tuple(found) if any(each.trials > 1 for each in found) else ()
