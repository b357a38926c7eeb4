"""Counts the results that a run has kept of an evaluation, those that are alike together."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from callscore.core.results import Noted, Results
from callscore.core.run import CaseTrials, EvaluationResults, Failure, Usage
from callscore.core.summary import Summary
from callscore.engines.notes import Notes
from callscore.evaluations.places import file_of
from callscore.history.light_results import tools_in, values_in
from callscore.runner.gathering import Column
from callscore.runner.kept_results import failure_kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.model import Score
    from callscore.core.outcome import Outcome
    from callscore.core.run import ScorerResult
    from callscore.core.settings import Settings
    from callscore.history.light_results import LightResult
    from callscore.history.records import EvaluationRecord

__all__ = ["KeptCounts"]

_MOST_FAILURES = 20


class KeptCounts:
    """What the results of an evaluation come to.

    Args:
        record: the evaluation.
        rows: its results, in order.
        settings: what decided the scores.
    """

    def __init__(
        self, record: EvaluationRecord, rows: Sequence[LightResult], settings: Settings
    ) -> None:
        self._record = record
        self._rows = rows
        self._settings = settings
        self.answered = [row for row in rows if row.status != "error"]
        self.failed = [row for row in rows if row.status == "error"]
        self.is_repeated = any(row.trial > 1 for row in rows)

    def trial_of(self, row: LightResult) -> int | None:
        """Which repetition it is, where there are several."""
        return row.trial if self.is_repeated else None

    def results(
        self, scores: Mapping[int, Score | None], *, has_all_failures: bool
    ) -> EvaluationResults:
        """What they come to, without any case to show.

        Args:
            scores: the scores of some of them, by their numbers, which say more than what is kept.
            has_all_failures: whether to name every question without an answer, and not the first.
        """
        new = [row for row in self.answered if not row.is_reused]
        skipped = self._record.summary.get("skipped")
        seconds = [row.seconds for row in self.answered]
        named = self.failed if has_all_failures else self.failed[:_MOST_FAILURES]
        return EvaluationResults(
            name=self._record.name,
            place=file_of(self._record.place),
            variant=self._record.variant,
            results=Results(
                settings=self._settings,
                summary=self._summary(scores),
                not_scored=self._not_scored(),
            ),
            scorers=self._scorers(),
            cases=len({row.case for row in self._rows}),
            questions=len(self._rows),
            answered=len(self.answered),
            passed=sum(row.passed is True for row in self.answered),
            undecided=sum(row.passed is None for row in self.answered),
            failures=tuple([self._failure(row) for row in named]),
            errors=len(self.failed),
            skipped=Noted(skipped if isinstance(skipped, int) else 0),
            trials=self._trials(),
            usage=Usage(
                sum(row.requests for row in new),
                sum(row.input_tokens for row in new),
                sum(row.output_tokens for row in new),
            ),
            seconds=median(seconds) if any(seconds) else None,  # files take no time to answer
            reused=len(self.answered) - len(new),
        )

    def _scorers(self) -> tuple[ScorerResult, ...]:
        """What each scorer says; no threshold is missed where the evaluation did not end."""
        told = self._record.summary.get("scorers") or ()
        wanted = {str(one.get("name")): one.get("threshold") for one in told}
        columns = {name: self._column(name, least) for name, least in wanted.items()}
        for scores, times in Counter([row.scores for row in self.answered]).items():
            for value in values_in(scores):
                column = columns.setdefault(value.name, self._column(value.name, None))
                column.add(value, times)
        return tuple([column.result(is_complete=True) for column in columns.values()])

    def _column(self, name: str, threshold: float | None) -> Column:
        return Column(name, self._settings.at_least, threshold)

    def _summary(self, scores: Mapping[int, Score | None]) -> Summary:
        summary = Summary(at_least=self._settings.at_least)
        alike: Counter[tuple[tuple[int, ...], str | None]] = Counter()
        for row in self.answered:
            if row.counts is None:
                continue
            score = scores.get(row.number)
            if score is not None:
                summary.add(score, trial_of=row.case if self.is_repeated else None)
                continue
            alike[row.counts, row.tools] += 1
            if self.is_repeated:
                summary.add_trial(row.case, _outcome(row.counts))
        for (counts, tools), times in alike.items():
            _add(summary, counts, tools, times)
        return summary

    def _trials(self) -> tuple[CaseTrials, ...]:
        """How the repetitions of each case went; what gave no answer did not pass."""
        if not self.is_repeated:
            return ()
        counts: dict[str, list[int]] = {}
        for row in self._rows:
            if row.status == "error" or row.passed is not None:
                of_case = counts.setdefault(row.case, [0, 0])
                of_case[0] += 1
                of_case[1] += row.status != "error" and row.passed is True
        return tuple([CaseTrials(case, *found) for case, found in counts.items()])

    def _failure(self, row: LightResult) -> Failure:
        return Failure(
            case=row.case,
            kind=failure_kind(row.failure_kind or ""),
            problem=row.failure or "",
            trial=self.trial_of(row),
            attempts=row.attempts,
        )

    def _not_scored(self) -> Noted:
        notes = Notes()
        for row in self.answered:
            if row.status == "not_scored":
                notes.add(row.case)
        return notes.noted()


def _outcome(counts: tuple[int, ...]) -> Outcome:
    correct, _, _, _, expected, actual, forbidden = counts
    return correct, expected, actual, forbidden


def _add(summary: Summary, counts: tuple[int, ...], tools: str | None, times: int) -> None:
    """Count cases by what is kept of their scores."""
    outcome = _outcome(counts)
    summary.outcomes[outcome] = summary.outcomes.get(outcome, 0) + times
    for name, of_tool in tools_in(tools).items():
        known = summary.tool(name)
        for field, count in zip(known.__struct_fields__, of_tool, strict=False):
            setattr(known, field, getattr(known, field) + count * times)
