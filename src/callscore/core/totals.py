"""Adds results up: the one way from results to the numbers of a report, a history or a gate."""

from __future__ import annotations

from array import array
from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, convert, field, to_builtins
from msgspec.structs import replace

from callscore.core.results import (
    CaseTrials,
    EvaluationResults,
    InputFiles,
    MetricValue,
    Noted,
    Result,
    Results,
    ScoreCounts,
    ScorerResult,
    Usage,
)
from callscore.core.score import UNANSWERED, outcome_f1
from callscore.core.statistics import counted_errors, total_of
from callscore.core.summary import Summary
from callscore.core.unused_rules import NamesSeen

if TYPE_CHECKING:
    from fractions import Fraction

    from callscore.core.settings import Settings

Show = Literal["failing", "all", "none"]
# Which cases of a run are saved in a history. A case that failed, or has no answer, is a failing one.
SavedCases = Literal["all", "failing", "none"]

_NOTHING = Noted()
_MOST_FAILURES = 1000  # reports group them by reason
MOST_NAMES = 20  # of the cases and records of each kind that reports name


class NameCounter(Struct, omit_defaults=True):
    """A count, and the names of the first that were counted; each name once if `each_once`."""

    each_once: bool = False
    count: Annotated[int, Meta(ge=0)] = 0
    names: list[str] = field(default_factory=list)

    def add(self, name: str, times: int = 1) -> None:
        """Count a name, `times` times."""
        self.count += times
        if len(self.names) < MOST_NAMES and not (self.each_once and name in self.names):
            self.names.append(name)

    def add_noted(self, other: NameCounter | Noted, *, by_name: bool = False) -> None:
        """Add what was counted elsewhere, later than this; `by_name` keeps the names that sort first."""
        self.count += other.count
        known = self.names if self.each_once else ()
        names = [*self.names, *[name for name in other.names if name not in known]]
        self.names = sorted(names)[:MOST_NAMES] if by_name else names[:MOST_NAMES]

    def noted(self) -> Noted:
        """The count and the names so far."""
        return Noted(self.count, tuple(self.names))


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


class ExactMean(Struct, omit_defaults=True):
    """The mean of numbers as `mean_of` computes it, of numbers that come one by one.

    Attributes:
        total: the sum, as a numerator and a denominator.
        numbers: what is not in the sum yet: how often there is each number.
    """

    count: int = 0
    total: tuple[int, Annotated[int, Meta(ge=1)]] = (0, 1)
    numbers: dict[float, int] = field(default_factory=dict)

    def add(self, number: float, times: int = 1) -> None:
        """Add a number, `times` times."""
        self.numbers[number] = self.numbers.get(number, 0) + times
        self.count += times
        if len(self.numbers) > _MAX_NUMBERS:
            self.add_up()

    def merge(self, other: ExactMean) -> None:
        """Add the numbers of another mean."""
        self.count += other.count
        self.total = (self.add_up() + other.add_up()).as_integer_ratio()

    def value(self, count: int | None = None) -> float | None:
        """The mean so far, or of `count` numbers of which the others are 0; None without numbers."""
        count = self.count if count is None else count
        return float(self.add_up() / count) if count else None

    def add_up(self) -> Fraction:
        """The sum of all numbers so far."""
        from fractions import Fraction

        found = Fraction(*self.total) + total_of(self.numbers)
        self.total, self.numbers = found.as_integer_ratio(), {}
        return found


# The scorers that compare nothing but the calls that count.
CALL_SCORERS = frozenset(
    (
        *("accuracy", "f1", "precision", "recall", "exact", "tool_called", "tool_selection"),
        *("turn_mean", "turn_min"),
    )
)


def _each_once() -> NameCounter:
    return NameCounter(each_once=True)


class Column(Struct, omit_defaults=True):
    """The numbers of one scorer or metric, added up.

    Attributes:
        pass_mark: the number from which an answer passes.
        fail_under: the lowest mean that is allowed; None for any.
        passed: how many answers pass.
        not_scorable: the answers without a number; each reason once.
        broken: the answers for which the scorer does not work, likewise.
    """

    name: str
    pass_mark: float = 1.0
    fail_under: float | None = None
    mean: ExactMean = field(default_factory=ExactMean)
    passed: int = 0
    not_scorable: NameCounter = field(default_factory=_each_once)
    broken: NameCounter = field(default_factory=_each_once)

    def add(self, found: MetricValue, times: int = 1) -> None:
        """Count the value of an answer, or of `times` equal ones."""
        if found.value is None:
            notes = self.broken if found.is_broken else self.not_scorable
            notes.add(found.reason or "", times)
            return
        self.mean.add(found.value, times)
        self.passed += times if found.value >= self.pass_mark else 0

    def merge(self, other: Column) -> None:
        """Add the numbers of the same scorer for other answers."""
        self.mean.merge(other.mean)
        self.passed += other.passed
        self.not_scorable.add_noted(other.not_scorable)
        self.broken.add_noted(other.broken)

    def scorer(
        self,
        *,
        is_complete: bool = True,
        errors: int = 0,
        has_counted_calls: bool = True,
        version: str | None = None,
    ) -> ScorerResult:
        """The result of a scorer so far; `fail_under` is None before the answers are complete.

        Each of the `errors` counts as 0, unless the scorer has no number for the answers that came.
        Without counted calls, there is nothing that a required mean could check, so that the scorer
        has none.
        """
        is_empty = not has_counted_calls and self.name in CALL_SCORERS and self.fail_under
        count = 0 if is_empty else self.mean.count
        answered = self.mean.count + self.not_scorable.count + self.broken.count
        scored = count + counted_errors(errors, scored=count, answered=answered)
        return ScorerResult(
            name=self.name,
            mean=self.mean.value(scored),
            scored=scored,
            passed=self.passed,
            fail_under=self.fail_under if is_complete else None,
            not_scorable=self.not_scorable.noted(),
            broken=self.broken.noted(),
            version=version,
        )


# The records without a score, each kind with the places, ids or problems of the first.
_NOTES = ("not_scored", "not_run", "without_reference", "skipped", "unread")
_COUNTS = ("answered", "passed", "undecided", "errors", "unscored", "reused")


class Totals(Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The totals of results: integers and exact sums, the same for any split and order.

    Attributes:
        summary: the counts of the calls.
        columns: the numbers of each scorer or metric, by name.
        answered: how many results have an answer, and how many of these pass, neither pass nor fail, or
            were stored before.
        errors: how many have none, and how many of these could not be scored.
        usage: the cost of the answers that were not stored before.
        not_scored: the cases in which nothing is expected; like the others as in `Results`.
    """

    summary: Summary = field(default_factory=Summary)
    columns: dict[str, Column] = field(default_factory=dict)
    answered: int = 0
    passed: int = 0
    undecided: int = 0
    reused: int = 0
    errors: int = 0
    unscored: int = 0
    usage: Usage = Usage()
    not_scored: NameCounter = field(default_factory=NameCounter)
    not_run: NameCounter = field(default_factory=NameCounter)
    without_reference: NameCounter = field(default_factory=NameCounter)
    skipped: NameCounter = field(default_factory=NameCounter)
    unread: NameCounter = field(default_factory=NameCounter)

    @property
    def records(self) -> int:
        """How many records there were, with those that could not be read or joined."""
        return self.answered + self.errors + self.skipped.count + self.without_reference.count

    @staticmethod
    def of(settings: Settings) -> Totals:
        """The totals of no results that are scored with these settings."""
        return Totals(summary=Summary(pass_mark=settings.pass_mark))

    def add(self, result: Result, *, name: str = "", place: str = "") -> None:
        """Count a result; `name` and `place` are for its notes, by default its id."""
        case = result.case
        if case.unread is not None:
            self.unread.add(f"{place or case.id}: {case.unread}")
        trial_of = None if case.trial is None else case.id
        if result.failure is None:
            self._add_answered(result, name or case.id, trial_of)
            return
        self.errors += 1
        self.unscored += result.failure.kind == "unscored"
        if result.failure.kind == "missing":
            self.not_run.add(name or case.id)
        self.summary.add_unanswered(trial_of=trial_of)

    def _add_answered(self, result: Result, name: str, trial_of: str | None) -> None:
        self.answered += 1
        self.passed += result.passed is True
        self.undecided += result.passed is None
        for value in result.values:
            self.add_value(value)
        if result.score is not None:
            self.summary.add(result.score, trial_of=trial_of)
        elif result.saved is not None:
            self._add_saved(result.saved, trial_of)
        if result.status == "not_scored":
            self.not_scored.add(name)
        answer = result.answer
        if answer is not None:
            self.reused += answer.is_reused
            if not answer.is_reused:
                self.usage += answer.usage

    def _add_saved(self, saved: ScoreCounts, trial_of: str | None) -> None:
        if saved.counts:
            self.summary.add_counts(saved.outcome, saved.tools or {})
            if trial_of is not None:
                self.summary.add_trial(trial_of, saved.outcome)
        self.summary.add_turns(saved.turns, saved.first_wrong_turn)

    def add_value(self, value: MetricValue, times: int = 1) -> None:
        """Count the value of a scorer for an answer, or for `times` equal ones."""
        column = self.columns.get(value.name)
        if column is None:
            column = self.columns[value.name] = Column(value.name, self.summary.pass_mark)
        column.add(value, times)

    def add_summary(self, summary: Summary, *, not_scored: int = 0) -> None:
        """Count cases that were counted elsewhere; `not_scored` others have an answer and no score."""
        self.summary.merge(summary)
        self.answered += summary.scored + not_scored
        self.passed += summary.passed
        self.undecided += not_scored
        self.errors += summary.unanswered
        self.not_scored.count += not_scored

    def merge(self, other: Totals, *, by_name: bool = False) -> None:
        """Add other totals; of each kind of note the first names stay, or those that sort first."""
        self.summary.merge(other.summary)
        self.usage += other.usage
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for note in _NOTES:
            getattr(self, note).add_noted(getattr(other, note), by_name=by_name)
        for name, column in other.columns.items():
            if name not in self.columns:
                self.columns[name] = Column(name, column.pass_mark, column.fail_under)
            self.columns[name].merge(column)

    def to_dict(self) -> dict[str, Any]:
        """The totals as plain data."""
        for column in self.columns.values():
            column.mean.add_up()
        found = to_builtins(replace(self, summary=Summary()))
        found = {name: value for name, value in found.items() if value}
        return {**found, "summary": self.summary.to_dict()}

    @staticmethod
    def from_dict(data: Any) -> Totals:
        """The totals that `to_dict` wrote.

        Raises:
            msgspec.ValidationError: they are something else.
        """
        found = convert(data, dict[str, Any])
        summary = Summary.from_dict(found.pop("summary", {}))
        return replace(convert(found, Totals, strict=False), summary=summary)

    def results(self, settings: Settings, **others: Any) -> Results:
        """The totals with what else a report has: the cases to show, for example."""
        notes = {name: getattr(self, name).noted() for name in _NOTES}
        return Results(settings=settings, summary=self.summary, **notes | others)


class _First:
    """The first results in the order of the plan, in whatever order they are added."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._kept: list[tuple[int, Result]] = []
        self._of_case: dict[str, int] = {}
        self.count = 0

    def has_room(self, case: str | None) -> bool:
        """Whether a result is kept that follows all others."""
        return len(self._kept) != self._most and case not in self._of_case

    def add(self, position: int, result: Result, case: str | None = None) -> None:
        """Keep a result; if the case is named, only the first one of that case."""
        before = position if case is None else self._of_case.setdefault(case, position)
        if before < position:
            return
        if before > position and case is not None:
            self._of_case[case] = position
            self._kept = [each for each in self._kept if each[0] != before]
        self.count += before == position
        insort(self._kept, (position, result), key=itemgetter(0))
        if self._most is not None:
            del self._kept[self._most :]

    def results(self) -> list[Result]:
        return [result for _, result in self._kept]

    @property
    def left_out(self) -> int:
        return self.count - len(self._kept)


class EvaluationTotals:
    """Gathers the results of an evaluation, new ones or stored ones, in any order.

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
        self.totals = Totals.of(settings)
        for name, least in fail_under.items():
            self.totals.columns[name] = Column(name, settings.pass_mark, least)
        self._max_listed = max_listed
        self._listed: dict[str, list[tuple[int, Result]]] = {}
        self._show = show
        self._max_shown = max_shown
        self._shown = _First(max_shown)
        self._failures = _First(None if max_shown is None else max(max_shown, _MOST_FAILURES))
        self._added = 0
        self._cases = 0
        self._names: set[str] = set()
        self._trials: dict[str, list[int]] = {}
        self._counted_trials: list[CaseTrials] = []  # of cases that were added up elsewhere
        self._seconds = array("d")

    def shows(self, result: Result) -> bool:
        """Whether a result that follows all others is kept to be shown."""
        return self._is_to_show(result) and self._shown.has_room(self._shown_once(result))

    def _is_to_show(self, result: Result) -> bool:
        is_shown = self._show == "all" or (self._show == "failing" and result.passed is False)
        return is_shown and result.failure is None

    def _shown_once(self, result: Result) -> str | None:
        """A case that fails at several trials is shown once, unless everything is shown."""
        is_once = result.case.trial is not None and self._show == "failing"
        return result.case.id if is_once else None

    def add(
        self, result: Result, position: int | None = None, *, shown: Result | None = None
    ) -> None:
        """Add a result; without a position, it follows those that were added before.

        `shown` is the same result with more to show.
        """
        case, failure = result.case, result.failure
        position = self._added if position is None else position
        self._added += 1
        if result.saved is not None and case.trial is None:
            self._cases += 1  # of a case that was stored, this is all
        else:
            self._names.add(case.id)
        self.totals.add(result)
        if result.saved is None:  # otherwise the calls are plain data
            self.seen.take(None if case.expected is UNSET else case.expected, case.actual, None)
        # An undecided answer does not count as a trial; a missing answer did not pass.
        if case.trial is not None and (failure is not None or result.passed is not None):
            self._count_trial(result, position)
        if self._max_listed:
            self._list(result, position)
        if failure is not None:
            self._failures.add(position, result)
            return
        if result.answer is not None:
            self._seconds.append(result.answer.seconds)
        if self._is_to_show(result):
            self._shown.add(position, shown or result, self._shown_once(result))

    def _list(self, result: Result, position: int) -> None:
        insort(self._listed.setdefault(result.id, []), (position, result), key=itemgetter(0))
        if len(self._listed) > self._max_listed:  # too many for a list
            self._max_listed = 0
            self._listed.clear()

    def _count_trial(self, result: Result, position: int) -> None:
        counts = self._trials.setdefault(result.case.id, [0, 0, position])
        counts[0] += 1
        counts[1] += result.failure is None and result.passed is True
        counts[2] = min(counts[2], position)

    def add_counted(self, summary: Summary, scorer: str, *, not_scored: int = 0) -> None:
        """Add cases that were counted elsewhere, with their scores as the values of this scorer.

        `evaluation` must be told how many cases there are.
        """
        for outcome, times in summary.outcomes.items():
            if outcome != UNANSWERED:
                self.totals.add_value(MetricValue(scorer, outcome_f1(outcome)), times)
        self.totals.add_summary(summary, not_scored=not_scored)
        if summary.has_repeated_trials:
            self._counted_trials += _case_trials(summary)

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
        failing = self._failures.results()
        unanswered = [] if self._show == "none" else failing[: self._max_shown]
        listed = sorted(self._listed.values(), key=lambda trials: trials[0][0])
        is_listed = cases is None or cases <= self._max_listed
        totals, summary = self.totals, self.totals.summary
        came = totals.answered + totals.errors
        is_complete = is_saved or (came > 0 and came >= (questions or 0))
        has_seconds = any(self._seconds) if is_saved else bool(self._seconds)
        trials = sorted(self._trials.items(), key=lambda item: item[1][2])
        return EvaluationResults(
            **about,
            results=totals.results(
                self._settings,
                shown=(*self._shown.results(), *unanswered),
                not_shown=self._shown.left_out,
                not_run=_NOTHING,  # they are among the failures
            ),
            scorers=tuple(
                [
                    column.scorer(
                        errors=totals.errors,
                        is_complete=is_complete,
                        has_counted_calls=summary.uncounted_cases < summary.scored
                        or not summary.scored,
                    )
                    for column in totals.columns.values()
                ]
            ),
            cases=self._cases + len(self._names) if cases is None else cases,
            questions=came if questions is None else questions,
            **{name: getattr(totals, name) for name in _COUNTS},
            failures=tuple([each.failure for each in failing if each.failure is not None]),
            skipped=skipped,
            trials=(
                *[CaseTrials(case, *counts) for case, (*counts, _) in trials],
                *self._counted_trials,
            ),
            listed=tuple([tuple([each for _, each in trials]) for trials in listed if is_listed]),
            usage=totals.usage,
            seconds=_median(self._seconds) if has_seconds else None,
        )


def _case_trials(summary: Summary) -> Iterator[CaseTrials]:
    """How often each case passed; the cases whose ids are not known come last, without names."""
    names = iter(summary.trials)
    for outcomes, times in summary.case_kinds():
        trials, passed = sum(outcomes.values()), summary.passed_among(outcomes)
        yield from [CaseTrials(next(names, ""), trials, passed)] * times


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
        errors = counted_errors(each.errors, scored=summary.scored, answered=each.answered)
        if summary.scored or errors:
            trials = {f"{number} {case}": found for case, found in summary.trials.items()}
            whole.merge(replace(summary, pass_mark=whole.pass_mark, trials=trials))
    return whole
