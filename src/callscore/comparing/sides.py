"""The two sides of a comparison: evaluations and case outcomes, how they match, and their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.phrases import Note
from callscore.core.settings import DEFAULT
from callscore.core.statistics import mean_of
from callscore.core.suggestions import did_you_mean
from callscore.core.summary import ToolOutcome
from callscore.core.totals import SavedCases
from callscore.errors import InvalidSettings
from callscore.hiding.finding import OPENING

if TYPE_CHECKING:
    ReadValue = Callable[["TrialOutcome"], float | None]


class TrialOutcome(Struct, frozen=True, gc=False, kw_only=True):
    """The result of one trial of a case.

    Attributes:
        status: `error` if there is no answer.
        passed: whether all scorers pass; None if none has a number.
        f1: the score of the calls; None if nothing is scored.
        values: the name and the value of each scorer.
        forbidden: the number of forbidden calls.
        faults: the number of schema errors; None if schemas were not checked.
        tools: the counts by tool; None if they were not counted.
        calls: a digest of the calls; empty if unknown.
        failure: why there is no answer, in a sentence; empty if there is one.
    """

    status: Literal["scored", "error", "not_scored"] = "scored"
    passed: bool | None = None
    f1: float | None = None
    values: tuple[tuple[str, float | None], ...] = ()
    forbidden: int = 0
    faults: int | None = None
    tools: dict[str, ToolOutcome] | None = None
    calls: str = ""
    failure: str = ""


class CaseOutcome(Struct, frozen=True, gc=False, kw_only=True):
    """The result of a case, in all its trials.

    Attributes:
        expectation: a digest of what is expected; empty if nothing is.
        asked: a digest of the input and the tools.
        expected: what is expected, as a case file spells it; None if it is not known.
        count: how many cases this is, the same in both runs: those that no report names one by one.
    """

    id: str
    trials: tuple[TrialOutcome, ...]
    tags: tuple[str, ...] = ()
    expectation: str = ""
    asked: str = ""
    expected: tuple[Any, ...] | None = None
    count: int = 1


class SideTotals(Struct, frozen=True, kw_only=True):
    """The totals of all cases of an evaluation, whether these are saved or not.

    Attributes:
        cases: the number of cases.
        trials: the number of answers, with those that are missing.
        is_repeated: whether a case has several trials.
        passed: the number of trials that passed.
        failed: the number of trials that did not pass, without the errors.
        errors: the number of trials without an answer.
        shares: how many cases have each share of passed trials; undecided cases are left out.
        scores: how many cases have each mean score; those without a score are left out.
        forbidden: tool -> the number of forbidden calls.
        faults: the number of schema errors; None if schemas were not checked.
    """

    cases: int = 0
    trials: int = 0
    is_repeated: bool = False
    passed: int = 0
    failed: int = 0
    errors: int = 0
    shares: dict[float, int] = {}
    scores: dict[float, int] = {}
    forbidden: dict[str, int] = {}
    faults: int | None = None


class EvaluationSide(Struct, frozen=True, kw_only=True):
    """An evaluation of a run, under one variant.

    Attributes:
        place: its file, and its name there.
        variant: None if it has no variants.
        settings: a digest of the settings and scorers.
        options: the settings as plain data, `scorers` and `fail_under`; empty if unknown.
        number: its number in the run.
        below: the means below `fail_under`, each a sentence in every language.
        required: scorer -> `fail_under`.
        totals: the totals of all cases if not every case is saved; None if `cases` has them all, or if
            they are not known.
    """

    name: str
    place: str = ""
    variant: str | None = None
    cases: tuple[CaseOutcome, ...] = ()
    settings: str = ""
    options: dict[str, Any] = {}
    number: int = 0
    below: tuple[Note, ...] = ()
    required: dict[str, float] = {}
    totals: SideTotals | None = None

    @property
    def label(self) -> str:
        """The name, and the variant where there is one."""
        return self.name if self.variant is None else f"{self.name} [{self.variant}]"


class SideFacts(Struct, frozen=True, kw_only=True):
    """A run, or a file of cases, without its results.

    Attributes:
        label: the name that the user typed: `main`, `latest~1`, `answers.jsonl`.
        run: the id of the run; empty for a file.
        command: the command that made it: `run`, `rescore`, `score` ...
        started_at: seconds since 1970; None for a file.
        git_commit: the commit of the project; None outside of a repository.
        git_dirty: whether files had changed since.
        unreadable: the number of records of its files that could not be read.
        saved_cases: which of its cases are known; of the others only the totals are.
    """

    label: str
    run: str = ""
    command: str = ""
    started_at: float | None = None
    git_commit: str | None = None
    git_dirty: bool | None = None
    is_finished: bool = True
    unreadable: int = 0
    saved_cases: SavedCases = "all"


class Side(SideFacts, frozen=True, kw_only=True):
    """One side of a comparison: a run, or a file of cases that were scored for it.

    Attributes:
        different_cases: the number of cases, of which those of several variants count once; None if every
            case is in `evaluations`.
    """

    evaluations: tuple[EvaluationSide, ...] = ()
    different_cases: int | None = None

    @property
    def pass_mark(self) -> float:
        """The score from which the cases pass, if all evaluations have the same."""
        marks = {evaluation.options.get("pass_mark") for evaluation in self.evaluations}
        found = marks.pop() if len(marks) == 1 else None
        return found if isinstance(found, int | float) else DEFAULT.pass_mark


# --- matching evaluations and cases -----------------------------------------------------------


class MatchedCase(NamedTuple):
    """A case that both runs have.

    Attributes:
        evaluation: the label of the evaluation in the second run.
        alone: the two trials, if each run has exactly one, with an answer.
    """

    evaluation: str
    before: CaseOutcome
    after: CaseOutcome
    alone: tuple[TrialOutcome, TrialOutcome] | None = None

    @property
    def name(self) -> str:
        """The name of the case among several evaluations."""
        return case_name(self.evaluation, self.after.id)

    @property
    def times(self) -> int:
        """How many cases this is."""
        return self.after.count


class UnmatchedCase(NamedTuple):
    """A case that only one run has."""

    evaluation: str
    case: CaseOutcome

    @property
    def name(self) -> str:
        """The name of the case among several evaluations."""
        return case_name(self.evaluation, self.case.id)


class Matching(NamedTuple):
    """The matched evaluations and cases of two runs, and the rest.

    Attributes:
        cases: the cases that both have, in the order of the second run.
        only_before: cases that only the first run has.
        lone_before: evaluations that only the first run has.
        repeated: cases with the id of an earlier case, to which their trials are added.
    """

    evaluations: list[tuple[EvaluationSide, EvaluationSide]]
    cases: list[MatchedCase]
    only_before: list[UnmatchedCase]
    only_after: list[UnmatchedCase]
    lone_before: list[EvaluationSide]
    lone_after: list[EvaluationSide]
    repeated: list[UnmatchedCase]


def match_sides(before: Side, after: Side) -> Matching:
    """Match the evaluations and cases of two sides.

    Evaluations match by file and variant, else by name and variant. If each run has only one variant,
    the variants may differ. If each run has only one evaluation, the names may differ, too, provided
    that they have a case in common with the same question or expectation, or an unknown question.
    Cases match by id, never by position, and those with a hidden value in their id do not match.
    """
    pairs = evaluation_pairs(before.evaluations, after.evaluations)
    matching = Matching(
        pairs,
        cases=[],
        only_before=[],
        only_after=[],
        lone_before=_without(before.evaluations, [first for first, _ in pairs]),
        lone_after=_without(after.evaluations, [second for _, second in pairs]),
        repeated=[],
    )
    for first, second in pairs:
        match_cases(first, second, matching)
    for lone, cases in (
        (matching.lone_before, matching.only_before),
        (matching.lone_after, matching.only_after),
    ):
        for each in lone:
            found = merged_cases(each, matching.repeated)
            cases.extend(UnmatchedCase(each.label, case) for case in found.values())
    return matching


def evaluation_pairs(
    before: Sequence[EvaluationSide], after: Sequence[EvaluationSide]
) -> list[tuple[EvaluationSide, EvaluationSide]]:
    """The evaluations of two runs that match; the only ones do unless their cases contradict it."""
    if len(before) == len(after) == 1:
        return [(before[0], after[0])] if _is_same_evaluation(before[0], after[0]) else []
    is_one_variant = all(len({each.variant for each in side}) == 1 for side in (before, after))

    def variant(each: EvaluationSide) -> str | None:
        return None if is_one_variant else each.variant

    found = _joined_by(
        before, after, lambda each: (each.place, variant(each)) if each.place else None
    )
    remaining = _without(before, [first for first, _ in found])
    others = _without(after, [second for _, second in found])
    found += _joined_by(remaining, others, lambda each: (each.name, variant(each)))
    order = {id(second): position for position, second in enumerate(after)}
    return sorted(found, key=lambda pair: order[id(pair[1])])


def _is_same_evaluation(before: EvaluationSide, after: EvaluationSide) -> bool:
    """Whether the only evaluations of two runs are the same, even under different names."""
    if before.name == after.name or (before.place and before.place == after.place):
        return True
    if not before.cases or not after.cases:
        return True  # nothing contradicts it
    first = {case.id: case for case in before.cases}
    pairs = [(first[case.id], case) for case in after.cases if case.id in first]
    return any(
        one.asked == other.asked
        or not (one.asked and other.asked)
        or (one.expectation and one.expectation == other.expectation)
        for one, other in pairs
    )


def _joined_by(
    before: Iterable[EvaluationSide],
    after: Iterable[EvaluationSide],
    key: Callable[[EvaluationSide], Hashable],
) -> list[tuple[EvaluationSide, EvaluationSide]]:
    """Pairs with the same key; if several have one key, in order."""
    waiting: dict[Hashable, list[EvaluationSide]] = {}
    for each in before:
        if key(each) is not None:
            waiting.setdefault(key(each), []).append(each)
    return [(waiting[key(each)].pop(0), each) for each in after if waiting.get(key(each))]


def _without(
    evaluations: Iterable[EvaluationSide], found: Sequence[EvaluationSide]
) -> list[EvaluationSide]:
    taken = {id(each) for each in found}
    return [each for each in evaluations if id(each) not in taken]


def match_cases(first: EvaluationSide, second: EvaluationSide, matching: Matching) -> None:
    """Match the cases of two evaluations, and add them to a matching."""
    before, after = merged_cases(first, matching.repeated), merged_cases(second, matching.repeated)
    label = second.label
    for name, case in after.items():
        # What has a hidden value is equal to nothing.
        partner = None if OPENING in name else before.pop(name, None)
        if partner is None:
            matching.only_after.append(UnmatchedCase(label, case))
            continue
        alone = None
        if len(partner.trials) == len(case.trials) == 1:
            one, other = partner.trials[0], case.trials[0]
            alone = None if "error" in (one.status, other.status) else (one, other)
        matching.cases.append(MatchedCase(label, partner, case, alone))
    matching.only_before.extend(UnmatchedCase(first.label, case) for case in before.values())


def merged_cases(
    evaluation: EvaluationSide, repeated: list[UnmatchedCase]
) -> dict[str, CaseOutcome]:
    """The cases of an evaluation by their ids.

    The trials of a case with the id of an earlier one are added to those; it is added to `repeated`.
    """
    found: dict[str, CaseOutcome] = {}
    for case in evaluation.cases:
        same_id = found.get(case.id)
        if same_id is not None:
            repeated.append(UnmatchedCase(evaluation.label, case))
            case = replace(same_id, trials=(*same_id.trials, *case.trials))  # noqa: PLW2901  (as one)
        found[case.id] = case
    return found


# --- values of matched cases ------------------------------------------------------------------

PASSED = "passed"
F1 = "f1"
# A scorer with one of these names is prefixed.
_OWN_MEASURES = (PASSED, F1)
_SCORER = "scorer "


def known_measures(sides: Iterable[Side]) -> tuple[str, ...]:
    """The measures of these runs: `passed`, `f1`, and their scorers."""
    values = {
        trial.values
        for side in sides
        for evaluation in side.evaluations
        for case in evaluation.cases
        for trial in case.trials
    }
    names = {name for found in values for name, _ in found}
    return (
        *_OWN_MEASURES,
        *sorted({_SCORER + name if name in _OWN_MEASURES else name for name in names}),
    )


# Scorers whose values are those of F1.
F1_SCORERS = ("accuracy", F1)


def required_mean(side: Side, measure: str) -> float | None:
    """The mean that is required of a measure; None if there is none, or if there are several."""
    names = F1_SCORERS if measure == F1 else (measure.removeprefix(_SCORER),)
    found = {
        mean
        for evaluation in side.evaluations
        for name, mean in evaluation.required.items()
        if name in names and measure != PASSED
    }
    return found.pop() if len(found) == 1 else None


def require_measure(measure: str, known: Sequence[str]) -> str:
    """The measure of this name, ignoring case.

    Raises:
        InvalidSettings: it is unknown.
    """
    if measure in known:
        return measure
    similar = [name for name in known if name.casefold() == measure.casefold()]
    if len(similar) == 1:
        return similar[0]
    raise InvalidSettings(
        f"measure: unknown measure {measure!r}. Choose from: {', '.join(known)}"
        f"{did_you_mean(measure, known)}"
    )


def paired_values(matched: Iterable[MatchedCase], measure: str) -> list[tuple[float, float] | None]:
    """The values of each case before and after, averaged over the trials both sides have.

    Means over few and over many trials have different distributions, even if nothing differs: of the
    run with more trials only the first ones count. A trial without an answer counts as 0, if the
    measure has a number in its evaluation; as F1 also if there are no answers. None for a case without a number in one of the runs.
    """
    matched, read = list(matched), _value_reader(measure)
    measured = _measured_evaluations(matched, read, measure)
    found: list[tuple[float, float] | None] = []
    for evaluation, before, after, alone in matched:
        if alone is None:
            found.append(_mean_pair(before, after, read) if evaluation in measured else None)
        else:
            first, second = read(alone[0]), read(alone[1])
            found.append(None if first is None or second is None else (first, second))
    return found


def counted_values(
    matched: Iterable[MatchedCase], values: Iterable[tuple[float, float] | None]
) -> Counter[tuple[float, float]]:
    """How many cases have each pair of values; those without are left out."""
    found = Counter[tuple[float, float]]()
    for pair, value in zip(matched, values, strict=True):
        if value is not None:
            found[value] += pair.times
    return found


def _value_reader(measure: str) -> ReadValue:
    if measure == PASSED:
        return lambda trial: trial.passed  # booleans are 0 and 1
    if measure == F1:
        return _f1_of
    name = measure.removeprefix(_SCORER)
    scorer = name if name in _OWN_MEASURES else measure

    def value_of(trial: TrialOutcome) -> float | None:
        found = None
        for name, value in trial.values:
            if name == scorer:
                found = value
        return found if found is not None and 0 <= found <= 1 else None

    return value_of


def _f1_of(trial: TrialOutcome) -> float | None:
    """The score, if it is from 0 to 1; imported runs may contain anything."""
    number = trial.f1
    return number if number is not None and 0 <= number <= 1 else None


def _measured_evaluations(
    matched: Sequence[MatchedCase], read: ReadValue, measure: str
) -> set[str]:
    """The evaluations in which the measure has a number; for `passed` all of them.

    F1 is also measured in an evaluation without answers: it is 0.
    """
    found: set[str] = set()
    if measure == F1:
        answered: set[str] = set()
        for evaluation, before, after, alone in matched:
            if evaluation not in answered and (
                alone is not None
                or any(one.status != "error" for one in (*before.trials, *after.trials))
            ):
                answered.add(evaluation)
        found = {each.evaluation for each in matched} - answered
    for evaluation, before, after, _ in matched:
        if evaluation not in found and (
            measure == PASSED
            or any(_has_answer(_trial_values(case, read)) for case in (before, after))
        ):
            found.add(evaluation)
    return found


def _mean_pair(
    before: CaseOutcome, after: CaseOutcome, read: ReadValue
) -> tuple[float, float] | None:
    first, second = _trial_values(before, read), _trial_values(after, read)
    trials = min(len(first), len(second))
    if not trials:
        return None
    return _mean(first[:trials]), _mean(second[:trials])


def has_value(case: CaseOutcome, measure: str) -> bool:
    """Whether a case has a number by this measure."""
    found = _trial_values(case, _value_reader(measure))
    return bool(found) and (measure == PASSED or _has_answer(found))


def _trial_values(case: CaseOutcome, read: ReadValue) -> list[float | None]:
    """The number of each trial that has one; None for a trial without an answer."""
    found = [(trial.status == "error", read(trial)) for trial in case.trials]
    return [
        None if is_error else number for is_error, number in found if is_error or number is not None
    ]


def _has_answer(trials: Sequence[float | None]) -> bool:
    return any(number is not None for number in trials)


def _mean(trials: Sequence[float | None]) -> float:
    return mean_of([number or 0.0 for number in trials])


def case_name(evaluation: str, case: str) -> str:
    """The name of a case among several evaluations."""
    return f"{evaluation}::{case}"
