"""Adds results up: the one way from results to the numbers of a report, a history or a gate."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from callscore.core.results import (
    CaseScore,
    CaseTrials,
    EvaluationResults,
    Failure,
    InputFiles,
    ListedCase,
    MetricResult,
    MetricValue,
    Noted,
    Results,
    ScorerResult,
    UnscoredCase,
    Usage,
    unanswered_case,
)
from callscore.core.score import (
    UNANSWERED,
    has_no_counted_calls,
    is_passing,
    outcome_f1,
    outcome_of,
    turn_count,
)
from callscore.core.statistics import mean_of, total_of
from callscore.core.summary import Summary
from callscore.core.unused_rules import NamesSeen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from callscore.core.results import Result, SavedScore
    from callscore.core.settings import Settings

__all__ = [
    "CALL_SCORERS",
    "Column",
    "ExactMean",
    "NameCounter",
    "SavedCases",
    "Show",
    "Totals",
    "pooled",
    "summary_payload",
]

Show = Literal["failing", "all", "none"]
# Which cases of a run are saved in a history. A case that failed, or has no answer, is a failing one.
SavedCases = Literal["all", "failing", "none"]

_NOTHING = Noted()
_MOST_FAILURES = 1000  # reports group them by reason
_Kept = TypeVar("_Kept")
_MOST_NAMES = 20


class NameCounter:
    """A count, and the names of the first that were counted; each name once if `each_once`."""

    def __init__(self, *, each_once: bool = False) -> None:
        self.count = 0
        self._names: list[str] = []
        self._each_once = each_once

    def add(self, name: str, times: int = 1) -> None:
        """Count a name, `times` times."""
        self.count += times
        if len(self._names) < _MOST_NAMES and not (self._each_once and name in self._names):
            self._names.append(name)

    def add_noted(self, noted: Noted) -> None:
        """Count what was counted elsewhere, after all that was counted here."""
        for name in noted.names:
            self.add(name)
        self.count += noted.count - len(noted.names)

    def noted(self) -> Noted:
        """The count and the names so far."""
        return Noted(self.count, tuple(self._names))


class InputCounter:
    """Counts the files of the input by their formats."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, ...], NameCounter] = {}

    def add(self, file: str, formats: Iterable[str]) -> None:
        """Count a file; one in which nothing was recognized is not counted."""
        found = tuple(formats)
        if found:
            self._files.setdefault(found, NameCounter()).add(file)

    def noted(self) -> tuple[InputFiles, ...]:
        """The formats and their files so far."""
        return tuple([InputFiles(found, files.noted()) for found, files in self._files.items()])


# How many different numbers are kept before they are added up; most scores are among a few.
_MAX_NUMBERS = 10_000


class ExactMean:
    """The mean of numbers as `mean_of` computes it, of numbers that come one by one."""

    def __init__(self) -> None:
        self._total: Fraction | int = 0
        self._counts: dict[float, int] = {}
        self.count = 0

    def add(self, number: float, times: int = 1) -> None:
        """Add a number, `times` times."""
        self._counts[number] = self._counts.get(number, 0) + times
        self.count += times
        if len(self._counts) > _MAX_NUMBERS:
            self._add_up()

    def value(self, count: int | None = None) -> float | None:
        """The mean so far, or of `count` numbers of which the others are 0; None without numbers."""
        count = self.count if count is None else count
        self._add_up()
        return float(self._total / count) if count else None

    def _add_up(self) -> None:
        self._total += total_of(self._counts)
        self._counts = {}


# The scorers that compare nothing but the calls that count.
CALL_SCORERS = frozenset(
    (
        *("accuracy", "f1", "precision", "recall", "exact", "tool_called", "tool_selection"),
        *("turn_mean", "turn_min"),
    )
)


class Column:
    """The numbers of one scorer or metric, added up.

    Args:
        pass_mark: the number from which an answer passes.
        fail_under: the lowest mean that is allowed; None for any.
    """

    def __init__(self, name: str, pass_mark: float = 1.0, fail_under: float | None = None) -> None:
        self._name = name
        self._pass_mark = pass_mark
        self._fail_under = fail_under
        self._mean = ExactMean()
        self._passed = 0
        self._not_scorable = NameCounter(each_once=True)
        self._broken = NameCounter(each_once=True)

    def add(self, found: MetricValue, times: int = 1) -> None:
        """Count the value of an answer, or of `times` equal ones."""
        if found.value is None:
            notes = self._broken if found.is_broken else self._not_scorable
            notes.add(found.reason or "", times)
            return
        self._mean.add(found.value, times)
        self._passed += times if found.value >= self._pass_mark else 0

    def scorer(
        self, *, is_complete: bool, errors: int = 0, has_counted_calls: bool = True
    ) -> ScorerResult:
        """The result of a scorer so far; `fail_under` is None before the answers are complete.

        Each of the `errors` counts as 0, unless the scorer has no number for the answers that came.
        Without counted calls, there is nothing that a required mean could check, so that the scorer
        has none.
        """
        is_empty = not has_counted_calls and self._name in CALL_SCORERS and self._fail_under
        count = 0 if is_empty else self._mean.count
        not_scorable, broken = self._not_scorable.noted(), self._broken.noted()
        has_answers = self._mean.count or not_scorable.count or broken.count
        scored = count + (errors if count or not has_answers else 0)
        return ScorerResult(
            name=self._name,
            mean=self._mean.value(scored),
            scored=scored,
            passed=self._passed,
            fail_under=self._fail_under if is_complete else None,
            not_scorable=not_scorable,
            broken=broken,
        )

    def metric(self, version: str | None) -> MetricResult:
        """The result of a metric of another tool so far."""
        return MetricResult(
            self._name, self._mean.value(), self._mean.count, self._not_scorable.noted(), version
        )


class _First(Generic[_Kept]):
    """The first items in the order of the plan, in whatever order they are added."""

    def __init__(self, max_shown: int | None) -> None:
        self._max_shown = max_shown
        self._kept: list[tuple[int, _Kept]] = []
        self._of_case: dict[str, int] = {}
        self.left_out = 0

    def add(self, position: int, item: _Kept, case: str | None = None) -> None:
        """Keep an item; if the case is named, only the first item of that case."""
        if case is not None and not self._is_first(case, position):
            return
        insort(self._kept, (position, item), key=itemgetter(0))
        if self._max_shown is not None and len(self._kept) > self._max_shown:
            self._kept.pop()
            self.left_out += 1

    def _is_first(self, case: str, position: int) -> bool:
        """Whether the case has no earlier item; a later item of the case is removed."""
        before = self._of_case.setdefault(case, position)
        if before < position:
            return False
        if before > position:
            self._of_case[case] = position
            here = bisect_left(self._kept, before, key=itemgetter(0))
            if here < len(self._kept) and self._kept[here][0] == before:
                del self._kept[here]
            else:
                self.left_out -= 1
        return True

    def items(self) -> list[_Kept]:
        return [item for _, item in self._kept]


class _CaseList:
    """Every case of an evaluation in the order of the plan; empty if there are too many."""

    def __init__(self, max_listed: int) -> None:
        self._max_listed = max_listed
        self._results: dict[str, list[tuple[int, Result]]] = {}
        self._is_full = False

    def add(self, result: Result, position: int) -> None:
        """Add a trial of a case."""
        if self._is_full:
            return
        self._results.setdefault(result.case.id, []).append((position, result))
        if len(self._results) > self._max_listed:
            self._is_full = True
            self._results.clear()

    def cases(self, planned: int | None) -> tuple[ListedCase, ...]:
        """The cases so far; none if more than these are planned than a list has."""
        if planned is not None and planned > self._max_listed:
            return ()
        found = sorted(self._results.items(), key=lambda item: min(at for at, _ in item[1]))
        return tuple([_listed_case(name, [one for _, one in each]) for name, each in found])


def _listed_case(name: str, results: Sequence[Result]) -> ListedCase:
    values = [_lowest_value(result) for result in results]
    seconds = [result.answer.seconds for result in results if result.answer is not None]
    known = [value for value in values if value is not None]
    outcomes = [False if result.failure is not None else result.passed for result in results]
    passed = sum(outcome is True for outcome in outcomes)
    return ListedCase(
        id=name,
        passed=None if all(outcome is None for outcome in outcomes) else False not in outcomes,
        value=mean_of(known) if known else None,
        seconds=mean_of(seconds) if seconds else None,
        errors=sum(result.failure is not None for result in results),
        trials=len(results),
        passed_trials=passed,
    )


def _lowest_value(result: Result) -> float | None:
    """The lowest number of the scorers; 0 without an answer."""
    if result.failure is not None:
        return 0.0
    return min((each.value for each in result.values if each.value is not None), default=None)


class Totals:
    """Adds up results, new ones or stored ones, in any order.

    Args:
        fail_under: what the mean of each scorer must reach, by name; other scorers have none.
        show: which cases to keep for the report.
        max_shown: how many of them to keep; None for all.
        max_listed: up to how many cases an evaluation has a list of all cases.
    """

    def __init__(
        self,
        settings: Settings,
        fail_under: Mapping[str, float | None],
        *,
        show: Show = "failing",
        max_shown: int | None = 10,
        max_listed: int = 0,
    ) -> None:
        self._settings = settings
        self.seen = NamesSeen(settings)
        self._listed = _CaseList(max_listed) if max_listed else None
        self._columns: dict[str, Column] = {}
        for name, least in fail_under.items():
            self._columns[name] = Column(name, settings.pass_mark, least)
        self._show = show
        self._shown: _First[CaseScore | Result] = _First(max_shown)
        self._unanswered: _First[UnscoredCase] = _First(max_shown)
        self._failures: _First[Failure] = _First(None if max_shown is None else _MOST_FAILURES)
        self.summary = Summary(pass_mark=settings.pass_mark)
        self._alike: dict[tuple[int, int], tuple[tuple[MetricValue, ...], SavedScore, int]] = {}
        self._added = 0
        self._not_scored = NameCounter()
        self._unread = NameCounter()
        self._names: set[str] = set()
        self._trials: dict[str, list[int]] = {}
        self._counted_trials: list[CaseTrials] = []  # of cases that were added up elsewhere
        self._seconds = array("d")
        self._usage = Usage()
        self._answered = self._passed = self._undecided = self._reused = 0
        self._errors = self._unscored = 0

    def add(self, result: Result, position: int | None = None) -> None:
        """Count a result; without a position, it follows those that were added before."""
        case, failure = result.case, result.failure
        position = self._added if position is None else position
        trial_of = None if case.trial is None else case.id
        self._added += 1
        self._names.add(case.id)
        self._note_names(result)
        # An undecided answer does not count as a trial; a missing answer did not pass.
        if trial_of is not None and (failure is not None or result.passed is not None):
            self._count_trial(result, position)
        if self._listed is not None:
            self._listed.add(result, position)
        if failure is not None:
            self._failures.add(position, failure)
            self._unanswered.add(position, unanswered_case(case))
            self._count_error(failure, trial_of)
            return
        self._count_answer(result)
        if result.status == "not_scored":
            self._not_scored.add(case.id)
        if result.saved is not None and result.score is None:
            self._count_saved(result, result.saved, trial_of)
        else:
            self._count_values(result.values)
            if result.score is not None:
                self.summary.add(result.score, trial_of=trial_of)
        if self._show == "all" or (self._show == "failing" and result.passed is False):
            # A case that fails at several trials is shown once, unless everything is shown.
            is_once = trial_of is not None and self._show == "failing"
            self._shown.add(position, result.shown(), case.id if is_once else None)

    def _note_names(self, result: Result) -> None:
        case = result.case
        if result.saved is None:  # otherwise the calls are plain data
            self.seen.take(None if case.expected is UNSET else case.expected, case.actual, None)

    def _count_trial(self, result: Result, position: int) -> None:
        counts = self._trials.setdefault(result.case.id, [0, 0, position])
        counts[0] += 1
        counts[1] += result.failure is None and result.passed is True
        counts[2] = min(counts[2], position)

    def add_briefly(self, result: Result, values: tuple[MetricValue, ...]) -> None:
        """Count a result, with these values, for `summary_payload` alone: without its id and its tools.

        This takes no memory for each result. `evaluation` must be told how many cases there are.
        """
        if result.failure is not None:
            self._count_error(result.failure)
            return
        self._count_answer(result)
        self._count_values(values)
        if result.score is not None:
            self.summary.add_counts(outcome_of(result.score), {}, 1)
            self.summary.uncounted_cases += has_no_counted_calls(result.score)
            self.summary.add_turns(turn_count(result.score), result.score.first_wrong_turn)

    def add_summary(self, summary: Summary, scorer: str, *, not_scored: int = 0) -> None:
        """Count cases that were added up elsewhere, with their scores as the values of this scorer.

        `not_scored` of them have an answer, and no score. `evaluation` must be told how many cases
        there are.
        """
        for outcome, times in summary.outcomes.items():
            if outcome != UNANSWERED:
                self._count_values((MetricValue(scorer, outcome_f1(outcome)),), times)
        self._answered += summary.scored + not_scored
        self._passed += summary.passed
        self._undecided += not_scored
        self._not_scored.count += not_scored
        self._errors += summary.unanswered
        if summary.has_repeated_trials:
            self._counted_trials += _case_trials(summary)
        self.summary.merge(summary)

    def _count_saved(self, result: Result, saved: SavedScore, trial_of: str | None) -> None:
        """Count a stored result; results that share their values are counted together."""
        key = id(result.values), id(saved)
        _, _, times = self._alike.get(key, (None, None, 0))
        self._alike[key] = result.values, saved, times + 1
        if trial_of is not None and saved.counts:
            self.summary.add_trial(trial_of, saved.outcome)

    def _count_values(self, values: tuple[MetricValue, ...], times: int = 1) -> None:
        columns = self._columns
        for value in values:
            column = columns.get(value.name)
            if column is None:
                column = columns[value.name] = Column(value.name, self._settings.pass_mark)
            column.add(value, times)

    def _count_error(self, failure: Failure, trial_of: str | None = None) -> None:
        self._errors += 1
        self._unscored += failure.kind == "unscored"
        self.summary.add_unanswered(trial_of=trial_of)

    def _count_answer(self, result: Result) -> None:
        if result.case.unread is not None:
            self._unread.add(f"{result.case.id}: {result.case.unread}")
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

    def evaluation(
        self,
        about: Mapping[str, Any],
        *,
        skipped: Noted = _NOTHING,
        cases: int | None = None,
        questions: int | None = None,
        is_saved: bool = False,
    ) -> EvaluationResults:
        """Everything so far, as the results of an evaluation.

        Args:
            about: the fields of the evaluation itself: `name`, `place`, `variant`.
            skipped: the cases that were left out on purpose.
            cases: the number of planned cases; None for the number of cases so far.
            questions: the number of planned answers; None for the number of answers so far.
            is_saved: whether the results were stored: then they are complete, and answers that took
                no time came from a file.
        """
        for values, saved, times in self._alike.values():
            self._count_values(values, times)
            if saved.counts:
                self.summary.add_counts(saved.outcome, saved.tools or {}, times)
            self.summary.add_turns(saved.turns, saved.first_wrong_turn, times)
        self._alike.clear()
        shown = self._shown.items()
        came = self._answered + self._errors
        is_complete = is_saved or (came > 0 and came >= (questions or 0))
        has_seconds = any(self._seconds) if is_saved else bool(self._seconds)
        trials = sorted(self._trials.items(), key=lambda item: item[1][2])
        return EvaluationResults(
            **about,
            results=Results(
                settings=self._settings,
                summary=self.summary,
                cases=tuple([case for case in shown if isinstance(case, CaseScore)]),
                unscored=() if self._show == "none" else tuple(self._unanswered.items()),
                not_shown=self._shown.left_out,
                not_scored=self._not_scored.noted(),
                unread=self._unread.noted(),
            ),
            scorers=tuple(
                [
                    column.scorer(
                        errors=self._errors,
                        is_complete=is_complete,
                        has_counted_calls=self.summary.uncounted_cases < self.summary.scored
                        or not self.summary.scored,
                    )
                    for column in self._columns.values()
                ]
            ),
            cases=len(self._names) if cases is None else cases,
            questions=came if questions is None else questions,
            answered=self._answered,
            passed=self._passed,
            undecided=self._undecided,
            unreferenced=tuple([case for case in shown if not isinstance(case, CaseScore)]),
            failures=tuple(self._failures.items()),
            errors=self._errors,
            unscored=self._unscored,
            skipped=skipped,
            trials=(
                *[CaseTrials(case, *counts) for case, (*counts, _) in trials],
                *self._counted_trials,
            ),
            listed=() if self._listed is None else self._listed.cases(cases),
            usage=self._usage,
            seconds=_median(self._seconds) if has_seconds else None,
            reused=self._reused,
        )


def _case_trials(summary: Summary) -> list[CaseTrials]:
    """How often each case passed; those that do not say which trial they are have no name."""
    pass_mark = summary.pass_mark
    alone = Counter(summary.outcomes)
    found = []
    for case, outcomes in summary.trials.items():
        passed = [times for each, times in outcomes.items() if is_passing(each, pass_mark)]
        found.append(CaseTrials(case, sum(outcomes.values()), sum(passed)))
        alone.subtract(outcomes)
    for outcome, times in alone.items():
        found += [CaseTrials("", 1, int(is_passing(outcome, pass_mark)))] * times
    return found


def _median(seconds: Iterable[float]) -> float:
    """The middle one; of an even number, the mean of the two in the middle.

    By hand, because importing `statistics` takes longer than to show a run of 1,000 cases.
    """
    found = sorted(seconds)
    middle = len(found) // 2
    return found[middle] if len(found) % 2 else (found[middle - 1] + found[middle]) / 2


_SUMMED = ("answered", "passed", "undecided", "errors", "reused")
_COST = ("requests", "input_tokens", "output_tokens")
_SCORER_FIELDS = ("name", "mean", "scored", "passed", "fail_under")


def summary_payload(results: Sequence[EvaluationResults]) -> dict[str, Any]:
    """The totals of evaluations as plain data; for a single one also those of its scorers.

    `cases` and `trials` count what was run; `decided_cases`, what passed or failed. `passed_share` is
    the share of the trials that passed among those that passed or failed, and `f1` the mean score of
    the trials. A trial without an answer did not pass, and its score is 0.
    `planned_cases` and `planned_trials` are there if not all were run.
    """
    counts: dict[str, Any] = {
        name: sum(getattr(each, name) for each in results) for name in _SUMMED
    }
    counts["skipped"] = sum(each.skipped.count for each in results)
    counts["forbidden"] = sum(each.results.summary.forbidden_cases for each in results)
    for name in _COST:
        counts[name] = sum(getattr(each.usage, name) for each in results)
    whole = pooled(results)
    interval = whole.macro_f1_interval
    counts["cases"] = sum(map(_cases_run, results))
    counts["trials"] = counts["answered"] + counts["errors"]
    counts["decided_cases"] = sum(len(each.trials) or each.decided for each in results)
    decided = sum(each.decided for each in results)
    counts["passed_share"] = counts["passed"] / decided if decided else None
    if any(each.not_run for each in results):
        counts["planned_cases"] = sum(each.cases for each in results)
        counts["planned_trials"] = sum(each.questions for each in results)
    has_only_errors = whole.cases and not whole.scored
    counts["f1"] = 0.0 if has_only_errors else whole.macro_f1
    counts["f1_interval"] = None if interval is None else list(interval)
    if len(results) == 1:
        only = results[0]
        counts["seconds"] = only.seconds
        counts["scorers"] = [
            {name: getattr(scorer, name) for name in _SCORER_FIELDS} for scorer in only.scorers
        ]
    return counts


def _cases_run(each: EvaluationResults) -> int:
    """How many cases have an answer or an error; with several trials, of a partial run a minimum."""
    if not each.trials and each.questions <= each.cases:
        return each.answered + each.errors
    return len(each.trials) if each.not_run else max(each.cases, len(each.trials))


def pooled(results: Sequence[EvaluationResults]) -> Summary:
    """The counts of all evaluations; cases of the same id in two of them are two cases.

    Where there are answers, and none has a score, the missing ones have none either.
    """
    whole = Summary()
    for number, each in enumerate(results):
        summary = each.results.summary
        if summary.scored or not each.answered:
            trials = {f"{number} {case}": found for case, found in summary.trials.items()}
            whole.merge(replace(summary, pass_mark=whole.pass_mark, trials=trials))
    return whole
