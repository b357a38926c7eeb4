"""Reads the results of some cases of a stored run, with everything that is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from callscore.history.run_results import numbered_results, result_numbers
from callscore.runner.stored_runs import settings_by_number, stored_result

if TYPE_CHECKING:
    from callscore.core.results import Result
    from callscore.history.records import EvaluationRecord
    from callscore.history.store import Store


class StoredResults:
    """The results of the cases of a stored run.

    A case is named by the number of its evaluation and its id.
    """

    def __init__(self, store: Store, run: str, evaluations: Iterable[EvaluationRecord]) -> None:
        self._store = store
        self._run = run
        self._settings = settings_by_number(evaluations)
        self._numbers: dict[tuple[int, str], list[int]] | None = None

    def of_cases(self, cases: Sequence[tuple[int, str]]) -> list[list[Result]]:
        """All trials of each of these cases; empty for a case that the run has not.

        The only trial of a case has no number.
        """
        if self._numbers is None:
            self._numbers = self._find_numbers()
        wanted = [self._numbers.get(case, []) for case in cases]
        every = [number for numbers in wanted for number in numbers]
        records = numbered_results(self._store, self._run, every)
        return [
            [
                stored_result(
                    records[number],
                    self._settings[records[number].evaluation],
                    has_trials=len(numbers) > 1,
                )
                for number in numbers
            ]
            for numbers in wanted
        ]

    def _find_numbers(self) -> dict[tuple[int, str], list[int]]:
        """The row numbers of the trials of each case, in the order of the trials."""
        found: dict[tuple[int, str], list[tuple[int, int]]] = {}
        for number, evaluation, case, trial in result_numbers(self._store, self._run):
            found.setdefault((evaluation, case), []).append((trial, number))
        return {name: [number for _, number in sorted(trials)] for name, trials in found.items()}
