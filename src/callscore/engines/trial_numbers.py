"""The trial numbers of the saved cases of one file, and how the trials of each case went."""

from __future__ import annotations

from callscore.core.results import CaseTrials, Result
from callscore.core.score import UNANSWERED, Outcome, outcome_of

# The number of a trial; whether it passed, None if that is undecided; its outcome, None without a score.
_Trial = tuple[int, bool | None, "Outcome | None"]


class TrialNumbers:
    """Numbers the trials of cases: in most files, each case has one.

    Of such a case it remembers the id and a value that many cases share, so that a long file takes
    little memory.
    """

    def __init__(self) -> None:
        self._first: dict[str, _Trial] = {}
        self._kinds: dict[_Trial, _Trial] = {}
        # Of cases with several trials: all of them, the numbers in use, and the lowest that may be free.
        self._all: dict[str, list[_Trial]] = {}
        self._taken: dict[str, set[int]] = {}
        self._free_from: dict[str, int] = {}

    def __len__(self) -> int:
        """How many cases there are."""
        return len(self._first)

    def add(self, result: Result) -> int:
        """Remember a result; returns the number of its trial: its own, or the next free one."""
        case, score, has_failed = result.case, result.score, result.failure is not None
        name, given = case.id, case.trial
        trial = given if isinstance(given, int) and given >= 1 else 1
        is_new = name not in self._first
        if not is_new:
            trial = self._next_free(name, trial)
        # A missing answer did not pass.
        passed = False if has_failed else result.passed
        outcome = UNANSWERED if has_failed else None if score is None else outcome_of(score)
        found = (trial, passed, outcome)
        found = self._kinds.setdefault(found, found)
        if is_new:
            self._first[name] = found
        else:
            self._all[name].append(found)
            self._taken[name].add(trial)
        return trial

    def _next_free(self, name: str, trial: int) -> int:
        if name not in self._all:
            first = self._first[name]
            self._all[name], self._taken[name], self._free_from[name] = [first], {first[0]}, 1
        # Most records of a repeated case do not say which trial they are.
        taken, is_unknown = self._taken[name], trial == 1
        trial = self._free_from[name] if is_unknown else trial
        while trial in taken:
            trial += 1
        if is_unknown:
            self._free_from[name] = trial
        return trial

    def decided(self) -> tuple[CaseTrials, ...]:
        """The cases with trials that passed or did not; none if no case has several of these."""
        found: list[CaseTrials] = []
        for case, first in self._first.items() if self._all else ():
            trials = self._all.get(case) or [first]
            passed = [passed for _, passed, _ in trials if passed is not None]
            if passed:
                found.append(CaseTrials(case, len(passed), sum(passed)))
        return tuple(found) if any(each.trials > 1 for each in found) else ()

    def outcomes(self) -> dict[str, dict[Outcome, int]]:
        """How often each case with several trials has each outcome, as in a `Summary`."""
        found: dict[str, dict[Outcome, int]] = {}
        for case, trials in self._all.items():
            for _, _, outcome in trials:
                if outcome is not None:
                    counts = found.setdefault(case, {})
                    counts[outcome] = counts.get(outcome, 0) + 1
        return found
