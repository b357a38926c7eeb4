"""Runs of which not every case is saved: how they are marked, and the counts that stand for their cases.

Such a run has its failing cases in the history, or none. The mark is an argument of the run, from its
beginning on, and its totals have the number of saved results. The summary of each evaluation has the counts
of all cases, so that nothing that reads the run takes the failing cases for all of them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from callscore.core.phrases import Phrase
from callscore.core.results import MetricResult, Noted
from callscore.core.score import UNANSWERED, is_passing
from callscore.core.summary import Summary, ToolCounts, ToolOutcome
from callscore.core.totals import Totals
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from callscore.core.results import CaseTrials, EvaluationResults, Results, ScorerResult
    from callscore.core.score import FaultKind, Outcome
    from callscore.core.settings import Settings
    from callscore.core.totals import SavedCases
    from callscore.history.records import EvaluationRecord, RunRecord

__all__ = [
    "COUNTS_KEY",
    "FAILING_TRIALS",
    "NOT_ALL_SAVED",
    "SAVED_CASES",
    "SAVED_CASES_KEY",
    "SAVED_RESULTS_KEY",
    "SavedCounts",
    "counts_of",
    "counts_problem",
    "evaluation_of_counts",
    "number_of_results",
    "require_every_case",
    "saved_cases_of",
    "saved_counts",
    "scorers_with_mean",
]

SAVED_CASES_KEY = "saved_cases"  # of the arguments of a run
SAVED_RESULTS_KEY = "saved_results"  # of the totals of a run
COUNTS_KEY = "counts"  # of the summary of an evaluation

# Which cases of a run are saved, for a report.
SAVED_CASES: dict[SavedCases, Phrase] = {
    "failing": Phrase(
        "only the failing cases were saved; the totals are those of all cases",
        "сохранены только непройденные случаи; итоги — по всем случаям",
    ),
    "none": Phrase(
        "no case was saved; the totals are those of all cases",
        "случаи не сохранены; итоги — по всем случаям",
    ),
}
# Where every case is needed, on the page.
NOT_ALL_SAVED = Phrase(
    "not every case of run {run} is saved. Score the files again with --save-cases all",
    "сохранены не все случаи прогона {run}. Оцените файлы заново с --save-cases all",
)
# Beside one case of such a run.
FAILING_TRIALS = Phrase(
    "only the failing trials of the case were saved",
    "сохранены только непройденные попытки случая",
)
_PARTS: tuple[SavedCases, ...] = ("failing", "none")

# Totals that add up to the number of results, if all are saved.
_COUNTS_WITH_RESULT = ("answered", "errors")

_Count = Annotated[int, Meta(ge=0, le=2**53)]
# An outcome, and how many cases have it. The forbidden calls of a missing answer are -1.
_Forbidden = Annotated[int, Meta(ge=-1, le=2**53)]
_Times = tuple[_Count, _Count, _Count, _Forbidden, _Count]

# How the key of a case begins whose id is not saved; no id begins like this.
_NO_ID = "\0"
# The names of so many cases with several trials, one of which failed, are saved with the counts.
_MOST_NAMED = 1_000


# --- the mark -----------------------------------------------------------------------------------


def saved_cases_of(run: RunRecord) -> SavedCases:
    """Which cases of a run are saved."""
    found = run.arguments.get(SAVED_CASES_KEY)
    return next((each for each in _PARTS if each == found), "all")


def number_of_results(totals: Mapping[str, Any]) -> int:
    """How many results a finished run with these totals has in the history."""
    saved = totals.get(SAVED_RESULTS_KEY)
    if isinstance(saved, int):
        return saved
    return sum(totals.get(each) or 0 for each in _COUNTS_WITH_RESULT)


def require_every_case(run: RunRecord, purpose: str) -> None:
    """Refuse a run of which not every case is saved; `purpose` is what needs them, in English.

    Raises:
        InvalidSettings: not every case is saved.
    """
    saved = saved_cases_of(run)
    if saved != "all":
        has = "only its failing cases were saved" if saved == "failing" else "no case was saved"
        raise InvalidSettings(
            f"run {run.id}: {has}, and {purpose} needs all of them. Score the files again with"
            " --save-cases all"
        )


# --- the counts of all cases --------------------------------------------------------------------


class SavedMetric(Struct, frozen=True, gc=False):
    """The result of a metric of another tool; `skipped` cases could not be scored by it."""

    name: str
    mean: float | None
    scored: _Count
    skipped: _Count = 0
    version: str | None = None


class SavedCounts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The counts of all cases of an evaluation: a `Summary` as plain data.

    Attributes:
        outcomes: the four numbers of each outcome, and how many cases have it.
        tools: how the calls of each tool went.
        wrong_arguments: tool, argument, and in how many calls it differs.
        confusion: expected tool, called tool, and how often.
        faults: tool, kind of fault, and how often.
        trials: the outcomes of a case with trials, and how many cases have the same.
        named: the first cases with several trials that failed once or more: id, and its outcomes.
        not_scored: how many cases have an answer, and no score.
        turn_cases: the cases whose turns were scored.
        joined_turn_cases: the cases with turns that were compared as one.
        wrong_turns: a turn, and in how many cases it is the first that did not pass.
        metrics: the metrics of other tools.
    """

    outcomes: list[_Times] = []
    tools: dict[str, ToolOutcome] = {}
    wrong_arguments: list[tuple[str, str, _Count]] = []
    confusion: list[tuple[str | None, str | None, _Count]] = []
    faults: list[tuple[str, str, _Count]] = []
    trials: list[tuple[list[_Times], _Count]] = []
    named: list[tuple[str, list[_Times]]] = []
    checked_cases: _Count = 0
    checked_calls: _Count = 0
    valid_calls: _Count = 0
    uncounted_cases: _Count = 0
    differing_cases: _Count = 0
    turn_cases: _Count = 0
    joined_turn_cases: _Count = 0
    wrong_turns: list[tuple[_Count, _Count]] = []
    not_scored: _Count = 0
    metrics: list[SavedMetric] = []

    def summary(self, pass_mark: float = 1.0) -> Summary:
        """The counts as a summary. Cases with trials have numbers in place of most ids."""
        unnamed = Counter({_key(outcomes): times for outcomes, times in self.trials})
        trials: dict[str, dict[Outcome, int]] = {}
        for name, outcomes in self.named:
            trials[name] = _outcomes(outcomes)
            unnamed[_key(outcomes)] -= 1
        for key, times in unnamed.items():
            shared, start = _outcomes(key), len(trials)
            trials.update({f"{_NO_ID}{start + number}": shared for number in range(times)})
        faults: dict[tuple[str, FaultKind], int] = {
            (tool, kind): times  # type: ignore[misc]  # a kind of another version is only counted
            for tool, kind, times in self.faults
        }
        return Summary(
            pass_mark=pass_mark,
            outcomes=_outcomes(self.outcomes),
            tools={name: ToolCounts(*counts) for name, counts in self.tools.items()},
            wrong_arguments={(tool, each): times for tool, each, times in self.wrong_arguments},
            confusion={(first, second): times for first, second, times in self.confusion},
            trials=trials,
            faults=faults,
            checked_cases=self.checked_cases,
            checked_calls=self.checked_calls,
            valid_calls=self.valid_calls,
            uncounted_cases=self.uncounted_cases,
            differing_cases=self.differing_cases,
            turn_cases=self.turn_cases,
            joined_turn_cases=self.joined_turn_cases,
            wrong_turns=dict(self.wrong_turns),
        )

    def kinds(self) -> Iterator[tuple[dict[Outcome, int], int]]:
        """The outcomes of a case, and how many cases have the same; most have one trial."""
        alone = Counter(_outcomes(self.outcomes))
        for outcomes, times in self.trials:
            found = _outcomes(outcomes)
            alone.subtract({outcome: each * times for outcome, each in found.items()})
            yield found, times
        for outcome, times in alone.items():
            if times > 0:
                yield {outcome: 1}, times


def _outcomes(found: Iterable[_Times]) -> dict[Outcome, int]:
    return {(a, b, c, d): times for a, b, c, d, times in found}


def _times(outcomes: Mapping[Outcome, int]) -> list[_Times]:
    return sorted((*outcome, times) for outcome, times in outcomes.items())


def _key(outcomes: Iterable[_Times]) -> tuple[_Times, ...]:
    return tuple(sorted(outcomes))


def counts_of(results: Results) -> SavedCounts:
    """The counts of scored cases, to save them."""
    summary = results.summary
    kinds = Counter(_key(_times(outcomes)) for outcomes in summary.trials.values())
    return SavedCounts(
        outcomes=_times(summary.outcomes),
        tools={name: each.outcome for name, each in summary.tools.items()},
        wrong_arguments=[(*names, times) for names, times in summary.wrong_arguments.items()],
        confusion=[(*names, times) for names, times in summary.confusion.items()],
        faults=[(tool, kind, times) for (tool, kind), times in summary.faults.items()],
        trials=[(list(kind), times) for kind, times in kinds.items()],
        named=_named_trials(summary),
        checked_cases=summary.checked_cases,
        checked_calls=summary.checked_calls,
        valid_calls=summary.valid_calls,
        uncounted_cases=summary.uncounted_cases,
        differing_cases=summary.differing_cases,
        turn_cases=summary.turn_cases,
        joined_turn_cases=summary.joined_turn_cases,
        wrong_turns=sorted(summary.wrong_turns.items()),
        not_scored=results.not_scored.count,
        metrics=[
            SavedMetric(each.name, each.mean, each.scored, each.not_scorable.count, each.version)
            for each in results.metrics
        ],
    )


def _named_trials(summary: Summary) -> list[tuple[str, list[_Times]]]:
    """The first cases with several trials that failed once or more."""
    found: list[tuple[str, list[_Times]]] = []
    for case, outcomes in summary.trials.items():
        is_repeated = sum(outcomes.values()) > 1
        if is_repeated and not all(is_passing(each, summary.pass_mark) for each in outcomes):
            found.append((case, _times(outcomes)))
            if len(found) == _MOST_NAMED:
                break
    return found


def saved_counts(summary: Mapping[str, Any]) -> SavedCounts | None:
    """The counts in the summary of an evaluation; None if there are none: its cases are saved."""
    found = summary.get(COUNTS_KEY)
    if found is None:
        return None
    try:
        return msgspec.convert(found, SavedCounts, strict=False)
    except msgspec.ValidationError:  # imported runs are checked; this was changed by hand
        return None


def counts_problem(summary: Mapping[str, Any]) -> str | None:
    """The first problem of the counts in a summary from a file; None if they are valid."""
    try:
        counts = msgspec.convert(summary.get(COUNTS_KEY) or {}, SavedCounts)
    except (msgspec.ValidationError, RecursionError) as error:
        return f"{COUNTS_KEY}: {error}."
    trials = [each for outcomes, _ in counts.trials for each in outcomes]
    named = [each for _, outcomes in counts.named for each in outcomes]
    for *outcome, _ in (*counts.outcomes, *trials, *named):
        correct, expected, actual, forbidden = outcome
        is_possible = correct <= min(expected, actual) and forbidden <= actual
        if not is_possible or (forbidden < 0 and tuple(outcome) != UNANSWERED):
            return f"{COUNTS_KEY}: {outcome} is not an outcome of a case."
    return _trials_problem(counts)


def _trials_problem(counts: SavedCounts) -> str | None:
    """Whether the trials are more than the outcomes, or the names more than the trials."""
    if not all(sum(_outcomes(outcomes).values()) for outcomes, _ in counts.trials):
        return f"{COUNTS_KEY}: a case has no trial."
    left = Counter(_outcomes(counts.outcomes))
    kinds = Counter({_key(outcomes): times for outcomes, times in counts.trials})
    for key, times in kinds.items():
        left.subtract({outcome: each * times for outcome, each in _outcomes(key).items()})
    kinds.subtract(_key(outcomes) for _, outcomes in counts.named)
    has_too_many = min([*left.values(), *kinds.values()], default=0) < 0
    return f"{COUNTS_KEY}: there are more trials than outcomes." if has_too_many else None


# --- the counts as results ----------------------------------------------------------------------


def evaluation_of_counts(
    record: EvaluationRecord, counts: SavedCounts, settings: Settings, place: str
) -> EvaluationResults:
    """The totals of an evaluation, from the counts of all its cases; no case is among them.

    The first scorer of the evaluation is the one whose values are the scores.
    """
    scorer, *_ = record.scorers
    totals = Totals(settings, {scorer: record.fail_under.get(scorer)}, show="none")
    summary = counts.summary(settings.pass_mark)
    totals.add_summary(summary, scorer, not_scored=counts.not_scored)
    found = totals.evaluation(
        {"name": record.name, "place": place, "variant": record.variant},
        cases=summary.distinct_cases + counts.not_scored,
    )
    metrics = [
        MetricResult(each.name, each.mean, each.scored, Noted(each.skipped), each.version)
        for each in counts.metrics
    ]
    return replace(
        found,
        results=replace(found.results, metrics=tuple(metrics)),
        scorers=scorers_with_mean(found.scorers, summary.macro_f1),
        trials=tuple(map(_without_number, found.trials)),
    )


def scorers_with_mean(
    scorers: Iterable[ScorerResult], mean: float | None
) -> tuple[ScorerResult, ...]:
    """The scorers with the very mean that the report of the scores has, if they have one."""
    return tuple(
        [each if None in (each.mean, mean) else replace(each, mean=mean) for each in scorers]
    )


def _without_number(case: CaseTrials) -> CaseTrials:
    return replace(case, case="") if case.case.startswith(_NO_ID) else case
