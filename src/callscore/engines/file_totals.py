"""What the cases of one file come to, as an evaluation of a run has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.results import Noted, Results
from callscore.core.run import CaseTrials, EvaluationResults, ScorerResult
from callscore.core.summary import Summary
from callscore.engines.sides import SCORER

if TYPE_CHECKING:
    from callscore.core.model import Case, Score
    from callscore.core.settings import Settings

__all__ = ["FileTotals"]


class FileTotals:
    """The counts of the cases of one file.

    Args:
        name: what the file is called.
        place: where it stands.
        settings: what decides the scores.
        threshold: what their mean must reach; None where nobody asks for anything.
    """

    def __init__(self, name: str, place: str, settings: Settings, threshold: float | None) -> None:
        self.name = name
        self.place = place
        self._settings = settings
        self._threshold = threshold
        self._summary = Summary(at_least=settings.at_least)
        # Of each case with a decision, how many trials there were, and how many passed.
        self._cases: dict[str, tuple[int, int]] = {}
        self._unscored = 0
        self._errors = 0
        self._passed = 0

    def add(self, case: Case, score: Score | None, *, is_error: bool) -> None:
        """Count a case.

        Args:
            case: the case.
            score: its score; None where it has none.
            is_error: whether there is no answer to it.
        """
        if score is None and not is_error:
            self._unscored += 1
            return
        is_passed = score is not None and score.passed
        trials, passed = self._cases.get(case.id, (0, 0))
        self._cases[case.id] = (trials + 1, passed + is_passed)
        self._passed += is_passed
        if score is None:
            self._errors += 1
        else:
            self._summary.add(score, trial_of=case.id)  # the same id again is a trial of the case

    def results(self) -> EvaluationResults:
        """What they come to."""
        summary = self._summary
        is_repeated = any(trials > 1 for trials, _ in self._cases.values())
        trials = [CaseTrials(case, *counts) for case, counts in self._cases.items()]
        return EvaluationResults(
            name=self.name,
            place=self.place,
            results=Results(
                settings=self._settings, summary=summary, not_scored=Noted(self._unscored)
            ),
            scorers=(
                ScorerResult(
                    name=SCORER,
                    mean=summary.macro_f1,
                    scored=summary.cases,
                    passed=self._passed,
                    threshold=self._threshold,
                ),
            ),
            cases=len(self._cases) + self._unscored,
            questions=summary.cases + self._unscored + self._errors,
            answered=summary.cases + self._unscored,
            passed=self._passed,
            undecided=self._unscored,
            errors=self._errors,
            trials=tuple(trials) if is_repeated else (),
        )
