"""Runs of which not every case is saved: how they are marked, and the counts that stand for their cases.

Such a run has its failing cases in the history, or none. The mark is an argument of the run, from its
beginning on, and its totals have the number of saved results. The summary of each evaluation has the counts
of all cases, so that nothing that reads the run takes the failing cases for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from callscore.core.phrases import Phrase
from callscore.core.results import EvaluationResults, Results, ScorerResult
from callscore.core.score import UNANSWERED, Outcome
from callscore.core.totals import EvaluationTotals, NameCounter, SavedCases, Totals
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.core.settings import Settings
    from callscore.history.records import EvaluationRecord, RunRecord

SAVED_CASES_KEY = "saved_cases"  # of the arguments of a run
SAVED_RESULTS_KEY = "saved_results"  # of the totals of a run
COUNTS_KEY = "counts"  # of the summary of an evaluation
METRICS_KEY = "metrics"

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


def counts_of(results: Results) -> dict[str, Any]:
    """What the summary of an evaluation says of all cases: their totals, and the metrics of other tools.

    Of the ids of cases with several trials, few are among them.
    """
    not_scored = NameCounter(count=results.not_scored.count)
    counted = Totals(summary=results.summary.with_few_names(), not_scored=not_scored)
    return {COUNTS_KEY: counted.to_dict(), METRICS_KEY: msgspec.to_builtins(results.metrics)}


def saved_counts(summary: Mapping[str, Any]) -> Totals | None:
    """The totals in the summary of an evaluation; None if there are none: its cases are saved."""
    found = summary.get(COUNTS_KEY)
    try:
        _saved_metrics(summary)
        return None if found is None else Totals.from_dict(found)
    except msgspec.ValidationError:  # imported runs are checked; this was changed by hand
        return None


def _saved_metrics(summary: Mapping[str, Any]) -> tuple[ScorerResult, ...]:
    found = summary.get(METRICS_KEY) or ()
    return msgspec.convert(found, tuple[ScorerResult, ...], strict=False)


def counts_problem(summary: Mapping[str, Any]) -> str:
    """The first problem of the totals in a summary from a file; empty if they are valid."""
    try:
        counted = Totals.from_dict(summary.get(COUNTS_KEY) or {}).summary
        _saved_metrics(summary)
    except (msgspec.ValidationError, RecursionError) as error:
        return f"{COUNTS_KEY}: {error}."
    left = Counter(counted.outcomes)
    for outcomes, times in counted.trial_kinds():
        if not sum(outcomes.values()):
            return f"{COUNTS_KEY}: a case has no trial."
        left.subtract({outcome: each * times for outcome, each in outcomes.items()})
    if min(left.values(), default=0) < 0:  # each trial is among the outcomes, too
        return f"{COUNTS_KEY}: there are more trials than outcomes."
    wrong = [list(outcome) for outcome in counted.outcomes if not _is_possible(outcome)]
    return f"{COUNTS_KEY}: {wrong[0]} is not an outcome of a case." if wrong else ""


def _is_possible(outcome: Outcome) -> bool:
    correct, expected, actual, forbidden = outcome
    is_counted = correct <= min(expected, actual) and 0 <= forbidden <= actual
    return is_counted or outcome == UNANSWERED


# --- the counts as results ----------------------------------------------------------------------


def evaluation_of_counts(
    record: EvaluationRecord, counted: Totals, settings: Settings, place: str
) -> EvaluationResults:
    """The totals of an evaluation, from those of all its cases; no case is among them.

    The first scorer of the evaluation is the one whose values are the scores.
    """
    scorer, *_ = record.scorers
    totals = EvaluationTotals(settings, {scorer: record.fail_under.get(scorer)}, show="none")
    summary, not_scored = counted.summary, counted.not_scored.count
    summary = replace(summary, pass_mark=settings.pass_mark)
    totals.add_counted(summary, scorer, not_scored=not_scored)
    found = totals.evaluation(
        {"name": record.name, "place": place, "variant": record.variant},
        cases=summary.distinct_cases + not_scored,
    )
    metrics = _saved_metrics(record.summary)
    return replace(
        found,
        results=replace(found.results, metrics=metrics),
        scorers=scorers_with_mean(found.scorers, summary.macro_f1),
    )


def scorers_with_mean(
    scorers: Iterable[ScorerResult], mean: float | None
) -> tuple[ScorerResult, ...]:
    """The scorers with the very mean that the report of the scores has, if they have one."""
    return tuple(
        [each if None in (each.mean, mean) else replace(each, mean=mean) for each in scorers]
    )
