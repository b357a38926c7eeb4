"""Compares two sides case by case; `Comparison`, its notes, and its plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from callscore.comparing.changes import (
    CHANGE_KINDS,
    Alarm,
    CaseChange,
    ChangeKind,
    Direction,
    SettingChange,
    fails,
    find_alarms,
    find_changes,
    passed_share,
)
from callscore.comparing.differences import (
    Difference,
    Slice,
    Verdict,
    difference_between,
    slices_of,
)
from callscore.comparing.removals import RemovedCase, removed_cases
from callscore.comparing.sides import (
    F1,
    PASSED,
    CaseOutcome,
    EvaluationSide,
    MatchedCase,
    Matching,
    Side,
    SideFacts,
    SideTotals,
    TrialOutcome,
    UnmatchedCase,
    counted_values,
    has_value,
    known_measures,
    match_sides,
    paired_values,
    require_measure,
    required_mean,
)
from callscore.comparing.unpaired import (
    TOTAL_MEASURES,
    difference_of_totals,
    require_total_measure,
    total_alarms,
    totals_of_side,
)
from callscore.core.phrases import Language, Note, Phrase
from callscore.core.results import Noted
from callscore.core.statistics import counted_errors, mean_of
from callscore.core.suggestions import closest_word
from callscore.hiding.finding import OPENING
from callscore.hiding.hider import contains_marker
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.comparing.gating import Gate


class SideSummary(SideFacts, frozen=True, kw_only=True):
    """The facts about one side that reports show.

    Attributes:
        cases: the number of cases; a case of several variants counts once.
        variants: the number of variants; 1 if it differs between the evaluations.
        trials: the number of answers, with those that are missing.
        is_repeated: whether a case has several trials under one variant.
        passed: the number of trials that passed.
        failed: the number of trials that did not pass, without the errors.
        errors: the number of trials without an answer.
        f1: the mean score, with 0 for an error; None if no answer has a score.
        below: the means below `fail_under`, each a sentence in every language.
    """

    cases: int = 0
    variants: int = 1
    trials: int = 0
    is_repeated: bool = False
    passed: int = 0
    failed: int = 0
    errors: int = 0
    f1: float | None = None
    below: tuple[Note, ...] = ()


class Comparison(Struct, frozen=True, kw_only=True):
    """Two runs, compared.

    Attributes:
        before: the first run.
        after: the second.
        main: the difference that decides the verdict.
        others: the differences by other measures, which do not decide the verdict.
        same: how many cases did not change.
        changes: the cases whose outcome changed: broken first, then fixed, then changed.
        tools: the calls of each tool; empty if they were not counted.
        tags: the cases of each tag.
        alarms: new forbidden calls and schema errors.
        missing: the names of all cases of the first run that the second has not, or has no number for,
            and that were not removed on purpose.
        removed: those that were, with the reasons.
        only_before: cases that only the first run has, without those that were removed on purpose.
        only_after: cases that only the second run has.
        undecided: cases that both have, and at least one of them no number for.
        lost: those of them with a number in the first run, and none in the second.
        new_failing: cases that only the second run has, and that do not pass.
        expectations_changed: cases whose expected calls changed.
        expectations_looser: those of them that ask for less.
        expectations_stricter: those of them that only ask for more.
        fewer_trials: cases with fewer trials than before.
        unchecked: cases whose calls were checked against schemas only in the first run. As those with
            fewer trials, they have no names if totals are compared.
        all_trials: the difference over all trials of all cases, if the numbers of trials differ.
        settings: the settings, scorers and required means that differ.
        inputs_changed: cases whose question changed.
        is_same_run: whether a run is compared with itself.
        is_totals: whether only totals are compared, as those of different cases, since not every case
            of both runs is saved. Then there are no changes, and no slices.
        fewer_cases: how many cases the second run has less, if totals are compared.
        evaluations: the labels of the compared evaluations of the second run, in order.
        notes: what else should be known, each a sentence in every language.
    """

    before: SideSummary
    after: SideSummary
    main: Difference
    others: tuple[Difference, ...] = ()
    same: int = 0
    changes: tuple[CaseChange, ...] = ()
    tools: tuple[Slice, ...] = ()
    tags: tuple[Slice, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    missing: tuple[str, ...] = ()
    removed: tuple[RemovedCase, ...] = ()
    only_before: Noted = Noted()
    only_after: Noted = Noted()
    undecided: Noted = Noted()
    lost: Noted = Noted()
    new_failing: Noted = Noted()
    expectations_changed: Noted = Noted()
    expectations_looser: Noted = Noted()
    expectations_stricter: Noted = Noted()
    fewer_trials: Noted = Noted()
    unchecked: Noted = Noted()
    all_trials: tuple[float, float] | None = None
    settings: tuple[SettingChange, ...] = ()
    inputs_changed: Noted = Noted()
    is_same_run: bool = False
    is_totals: bool = False
    fewer_cases: int = 0
    evaluations: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict of the main difference."""
        return self.main.verdict

    @property
    def in_common(self) -> int:
        """How many cases both runs have, with a number or without."""
        return len(self.changes) + self.same

    @property
    def regressed_slices(self) -> tuple[Slice, ...]:
        """The tools and the tags whose verdict is `regressed`."""
        return tuple(
            each for each in (*self.tools, *self.tags) if each.difference.verdict == "regressed"
        )

    def changed(self, kind: ChangeKind) -> tuple[CaseChange, ...]:
        """The cases whose outcome changed in this way."""
        return tuple(change for change in self.changes if change.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that any JSON encoder accepts."""
        return comparison_to_dict(self)

    def _repr_html_(self) -> str:
        from callscore.reports.html.notebook import comparison_markup

        return comparison_markup(self)


_UNFINISHED = Phrase("{side}: the run did not finish", "{side}: прогон не завершён")
_ERRORS = Phrase(
    "{side}: errors ({count}) count as not passed, and as 0 in F1 and the scorers",
    "{side}: нет ответа из-за ошибки ({count}): считается непройденным, F1 и метрики равны 0",
)
_OTHER_SETTINGS = Phrase(
    "{evaluation}: the settings or scorers of the two runs differ, which may explain a difference",
    "{evaluation}: настройки или метрики двух прогонов различаются, разница может объясняться этим",
)
_ONLY_IN_ONE = Phrase("{evaluation} is only in {side}", "{evaluation} есть только в {side}")
_OTHER_NAME = Phrase(
    "{before} and {after} are compared as one evaluation under different names",
    "{before} и {after} сравниваются как одна проверка под разными именами",
)
_REPEATED = Phrase(
    "duplicate case ids, each counted as one case: {count}",
    "повторяющиеся id, каждый считается одним случаем: {count}",
)
_OTHER_TRIALS = Phrase(
    "cases with different numbers of trials: {count} (up to {before} before, up to {after} after); "
    "the verdict is about the first trials, as many as both runs have, the lists about all",
    "случаи с разным числом попыток: {count} (раньше до {before}, теперь до {after}); "
    "вывод сделан по первым попыткам, сколько их есть в обоих прогонах, списки — по всем",
)


def with_evaluation(evaluation: str, note: Note) -> Note:
    """A note with the evaluation that it is about in front."""
    phrase = Phrase(*(f"{{evaluation}}: {sentence}" for sentence in note.phrase))
    return Note(phrase, {**note.values, "evaluation": evaluation})


def comparison_notes(before: Side, after: Side, matching: Matching) -> Iterator[Note]:
    """Notes about the comparison, most important first."""
    yield from _unfinished_notes(before, after)
    yield from _evaluation_notes(before, after, matching)
    yield from _trial_notes(before, after, matching)
    if matching.repeated:
        yield Note(_REPEATED, {"count": len(matching.repeated)})


def _unfinished_notes(before: Side, after: Side) -> Iterator[Note]:
    for side in (before, after):
        if not side.is_finished:
            yield Note(_UNFINISHED, {"side": side.label})


def _evaluation_notes(before: Side, after: Side, matching: Matching) -> Iterator[Note]:
    for first, second in matching.evaluations:
        # Not for two files: the user has just typed both names.
        is_other = first.name != second.name or (
            first.variant != second.variant and before.run != after.run
        )
        if is_other and (before.run or after.run):
            yield Note(_OTHER_NAME, {"before": first.label, "after": second.label})
        is_known = first.options and second.options  # then each difference is listed
        if (
            not is_known
            and first.settings
            and first.settings != (second.settings or first.settings)
        ):
            yield Note(_OTHER_SETTINGS, {"evaluation": second.label})
    for side, lone in ((before, matching.lone_before), (after, matching.lone_after)):
        for evaluation in lone:
            yield Note(_ONLY_IN_ONE, {"side": side.label, "evaluation": evaluation.label})


def _trial_notes(before: Side, after: Side, matching: Matching) -> Iterator[Note]:
    for side in (before, after):
        errors = sum(map(_errors, side.evaluations))
        if errors:
            yield Note(_ERRORS, {"side": side.label, "count": errors})
    tried = [(len(pair.before.trials), len(pair.after.trials)) for pair in matching.cases]
    uneven = [trials for trials in tried if trials[0] != trials[1]]
    if uneven:
        first, second = (max(trials) for trials in zip(*uneven, strict=True))
        yield Note(_OTHER_TRIALS, {"count": len(uneven), "before": first, "after": second})


def _errors(evaluation: EvaluationSide) -> int:
    if evaluation.totals is not None:
        return evaluation.totals.errors
    return sum(times for trial, times in _trials([evaluation]) if trial.status == "error")


MAX_NAMES = 20


def compare_sides(
    before: Side,
    after: Side,
    *,
    measure: str = PASSED,
    removals: Mapping[str, str] | None = None,
) -> Comparison:
    """Two runs, compared over the cases that both have; or by their totals, if not every case is saved.

    The measure decides the verdict: `passed`, `f1`, or the name of a scorer. `removals` are the cases
    that may be missing, as patterns, with the reasons.

    Raises:
        InvalidSettings: neither run has numbers of this measure, or a pattern matches every case.
    """
    if (before.saved_cases, after.saved_cases) != ("all", "all"):
        return _compare_totals(before, after, measure)
    known = known_measures((before, after))
    measure = require_measure(measure, known)
    matching = match_sides(before, after)
    cases = matching.cases
    values = paired_values(cases, measure)
    undecided = [pair for pair, value in zip(cases, values, strict=True) if value is None]
    main = difference_between(measure, counted_values(cases, values))
    main = _with_required(main, before, after)
    changes = find_changes(cases)
    slices = slices_of(cases, values, measure)
    lost = [pair for pair in undecided if has_value(pair.before, measure)]
    gone: list[MatchedCase | UnmatchedCase] = [*matching.only_before, *lost]
    kept = [pair for pair, value in zip(cases, values, strict=True) if value is not None]
    removed, unused = removed_cases(gone, removals or {}, kept)
    names = {each.name for each in removed}
    directions = _expectation_directions(cases)
    return Comparison(
        before=_summary(before),
        after=_summary(after),
        main=main,
        others=tuple([_with_required(each, before, after) for each in _others(cases, main, known)]),
        changes=changes,
        same=sum(pair.times for pair in cases) - len(changes),
        tools=tuple(each for each in slices if each.kind == "tool"),
        tags=tuple(each for each in slices if each.kind == "tag"),
        alarms=find_alarms(cases, matching.only_after),
        missing=tuple([each.name for each in gone if each.name not in names]),
        removed=tuple(removed),
        only_before=_noted_cases(each for each in matching.only_before if each.name not in names),
        only_after=_noted_cases(matching.only_after),
        undecided=_noted_cases(undecided),
        lost=_noted_cases(pair for pair in lost if pair.name not in names),
        new_failing=_noted_cases(each for each in matching.only_after if fails(each.case)),
        expectations_changed=_noted_cases(pair for pair, _ in directions),
        expectations_looser=_noted_cases(pair for pair, way in directions if way == "looser"),
        expectations_stricter=_noted_cases(pair for pair, way in directions if way == "stricter"),
        fewer_trials=_noted_cases(
            pair for pair in cases if len(pair.after.trials) < len(pair.before.trials)
        ),
        unchecked=_noted_cases(pair for pair in cases if _is_unchecked(pair)),
        settings=tuple(_setting_changes(matching.evaluations)),
        all_trials=_over_all_trials(cases),
        inputs_changed=_noted_cases(
            pair
            for pair in cases
            # Without a digest the question is unknown.
            if pair.before.asked and pair.after.asked and pair.before.asked != pair.after.asked
        ),
        is_same_run=_is_same_run(before, after),
        evaluations=tuple(second.label for _, second in matching.evaluations),
        notes=(
            *comparison_notes(before, after, matching),
            *_renamed_notes(gone, matching.only_after, names),
            *_unused_notes(unused, [each.name for each in gone if each.name not in names]),
            *_hidden_notes(directions, [*matching.only_before, *matching.only_after]),
        ),
    )


def _is_same_run(before: Side, after: Side) -> bool:
    """Whether a run is compared with itself; two variants of it are not the same."""
    labels = [[each.label for each in side.evaluations] for side in (before, after)]
    return bool(before.run) and before.run == after.run and labels[0] == labels[1]


_BY_TOTALS = Phrase(
    "only totals are compared, as those of different cases: not every case of {sides} is saved. To compare"
    " case by case, save both runs with --save-cases all",
    "сравниваются только итоги, как по разным случаям: сохранены не все случаи ({sides}). Чтобы сравнить по"
    " случаям, сохраните оба прогона с --save-cases all",
)
_POOLED = Phrase(
    "the evaluations of each run are compared together: {before}; {after}",
    "проверки каждого прогона сравниваются вместе: {before}; {after}",
)


def _compare_totals(before: Side, after: Side, measure: str) -> Comparison:
    """Two runs, compared by the totals of the evaluations that both have."""
    measure = require_total_measure(measure)
    # Without cases, evaluations match by their names; the only ones of two runs always do.
    named = [_without_cases(side) for side in (before, after)]
    matching = match_sides(named[0], named[1])
    counts = len(before.evaluations), len(after.evaluations)
    is_pooled = counts[0] != counts[1] and 1 in counts
    sides = [(before, before.evaluations), (after, after.evaluations)]
    if not is_pooled:
        numbers = [[pair[place].number for pair in matching.evaluations] for place in (0, 1)]
        sides = [
            (side, tuple([each for each in side.evaluations if each.number in wanted]))
            for side, wanted in zip((before, after), numbers, strict=True)
        ]
    first, second = totals_of_side(*sides[0]), totals_of_side(*sides[1])
    measures = [measure, *[each for each in TOTAL_MEASURES if each != measure]]
    main, *others = [
        _with_required(difference_of_totals(each, first, second), before, after)
        for each in measures
    ]
    whole = [totals_of_side(side, side.evaluations) for side in (before, after)]
    label = "+".join([each.label for each in sides[1][1]])
    return Comparison(
        before=_totals_summary(before, whole[0]),
        after=_totals_summary(after, whole[1]),
        main=main,
        others=tuple([each for each in others if each.cases]),
        alarms=tuple(total_alarms(sides[0], sides[1], label)),
        fewer_trials=Noted(second.cases if _has_fewer_trials(first, second) else 0),
        unchecked=Noted(second.cases if first.faults is not None and second.faults is None else 0),
        settings=tuple(
            _setting_changes(
                product(before.evaluations, after.evaluations)
                if is_pooled
                else matching.evaluations
            )
        ),
        is_same_run=_is_same_run(before, after),
        is_totals=True,
        fewer_cases=max(whole[0].cases - whole[1].cases, first.cases - second.cases, 0),
        evaluations=tuple([each.label for each in sides[1][1]]),
        notes=tuple(_total_notes(before, after, None if is_pooled else matching)),
    )


def _has_fewer_trials(before: SideTotals, after: SideTotals) -> bool:
    """Whether there are fewer trials for each case."""
    return after.trials * before.cases < before.trials * after.cases


def _without_cases(side: Side) -> Side:
    found = [replace(each, cases=(), totals=None) for each in side.evaluations]
    return replace(side, evaluations=tuple(found))


def _total_notes(before: Side, after: Side, matching: Matching | None) -> Iterator[Note]:
    """Why only totals are compared; and the notes on the evaluations, if these are matched."""
    labels = [side.label for side in (before, after) if side.saved_cases != "all"]
    yield Note(_BY_TOTALS, {"sides": ", ".join(dict.fromkeys(labels))})
    if matching is not None:
        yield from comparison_notes(before, after, matching)
        return
    names = [", ".join(each.label for each in side.evaluations) for side in (before, after)]
    yield Note(_POOLED, {"before": names[0], "after": names[1]})
    yield from _unfinished_notes(before, after)


def _totals_summary(side: Side, totals: SideTotals) -> SideSummary:
    names = ("cases", "trials", "is_repeated", "passed", "failed", "errors")
    return SideSummary(
        **{name: getattr(side, name) for name in SideFacts.__struct_fields__},
        **{name: getattr(totals, name) for name in names},
        f1=mean_of(totals.scores) if totals.scores else None,
        below=_below(side),
    )


def _expectation_directions(cases: Iterable[MatchedCase]) -> list[tuple[MatchedCase, Direction]]:
    """The cases whose expected calls changed, and whether these ask for less."""
    found: list[tuple[MatchedCase, Direction]] = []
    changed = [pair for pair in cases if pair.before.expectation != pair.after.expectation]
    if not changed:
        return found
    from callscore.comparing.loosening import expectation_direction  # rarely needed

    for pair in changed:
        first, second = pair.before, pair.after
        # Without an expectation there is no digest; with one, it may not be known.
        is_known = all(
            not each.expectation or each.expected is not None for each in (first, second)
        )
        way = expectation_direction(first.expected, second.expected) if is_known else "different"
        found.append((pair, way))
    return found


_HIDDEN = Phrase(
    "cases with hidden values in their ids or their expected calls: {count}. Such ids match no case of"
    " another run, and such calls count as changed",
    "случаи со скрытыми значениями в id или ожидаемых вызовах: {count}. Такие id не совпадают ни с одним"
    " случаем другого запуска, а такие вызовы считаются изменившимися",
)


def _hidden_notes(
    changed: Iterable[tuple[MatchedCase, Direction]], alone: Iterable[UnmatchedCase]
) -> Iterator[Note]:
    count = sum(
        contains_marker([pair.before.expected, pair.after.expected]) for pair, _ in changed
    ) + sum(OPENING in each.case.id for each in alone)
    if count:
        yield Note(_HIDDEN, {"count": count})


def _is_unchecked(pair: MatchedCase) -> bool:
    if pair.alone is not None:  # the usual case
        before, after = pair.alone
        return before.faults is not None and after.faults is None
    return (
        _is_checked(pair.before)
        and not _is_checked(pair.after)
        and any(trial.status != "error" for trial in pair.after.trials)
    )


def _is_checked(case: CaseOutcome) -> bool:
    """Whether the calls of a trial were checked against schemas."""
    return any(trial.faults is not None for trial in case.trials)


def _setting_changes(
    evaluations: Iterable[tuple[EvaluationSide, EvaluationSide]],
) -> Iterator[SettingChange]:
    for first, second in evaluations:
        if first.options and second.options and first.options != second.options:
            from callscore.comparing.loosening import setting_changes  # rarely needed

            yield from setting_changes(second.label, first.options, second.options)


def _over_all_trials(cases: Sequence[MatchedCase]) -> tuple[float, float] | None:
    """The mean shares of passed trials before and after, if the numbers of trials differ."""
    if all(len(pair.before.trials) == len(pair.after.trials) for pair in cases):
        return None
    before, after = Counter[float](), Counter[float]()
    for pair in cases:
        one, other = passed_share(pair.before), passed_share(pair.after)
        if one is not None and other is not None:
            before[one] += pair.times
            after[other] += pair.times
    return (mean_of(before), mean_of(after)) if before else None


_UNUSED = Phrase(
    "{pattern} is listed as removed, but no such case is missing. Delete the line",
    "{pattern} указан как удалённый, но такой случай не пропал. Удалите строку",
)
_MISSPELLED = Phrase(
    "{pattern} is listed as removed, but no such case is missing. Did you mean '{name}'?",
    "{pattern} указан как удалённый, но такой случай не пропал. Возможно, имелся в виду «{name}»",
)


RENAMED = Phrase(
    "{before} asks and expects the same as the new case {after}: it may have been renamed",
    "{before} совпадает с новым случаем {after}: возможно, изменён только id",
)


def _renamed_notes(
    missing: Iterable[MatchedCase | UnmatchedCase],
    new: Iterable[UnmatchedCase],
    removed: Collection[str],
) -> Iterator[Note]:
    """Missing cases with the question and the expectation of exactly one new case."""
    by_content: dict[tuple[str, str], list[UnmatchedCase]] = {}
    for each in new:
        by_content.setdefault((each.case.asked, each.case.expectation), []).append(each)
    for gone in missing:
        if not isinstance(gone, UnmatchedCase) or gone.name in removed:
            continue
        found = by_content.get((gone.case.asked, gone.case.expectation), [])
        if gone.case.expectation and len(found) == 1:
            yield Note(RENAMED, {"before": gone.case.id, "after": found[0].case.id})


def _unused_notes(patterns: Iterable[str], missing: Collection[str]) -> Iterator[Note]:
    """Removals that match nothing; `missing` are the names of the cases that are missing."""
    names = [*missing, *[name.rpartition("::")[2] for name in missing]]
    for pattern in patterns:
        name = closest_word(pattern, names)
        if name is None:
            yield Note(_UNUSED, {"pattern": pattern})
        else:
            yield Note(_MISSPELLED, {"pattern": pattern, "name": name})


def _others(
    cases: Sequence[MatchedCase], main: Difference, known: Iterable[str]
) -> Iterator[Difference]:
    """The differences by other measures; a scorer with the values of F1 is not repeated."""
    f1 = paired_values(cases, F1)
    for measure in known:
        if measure == main.measure:
            continue
        found = f1 if measure == F1 else paired_values(cases, measure)
        pairs = counted_values(cases, found)
        if pairs and (measure == F1 or found != f1):
            yield difference_between(measure, pairs)


def _with_required(difference: Difference, before: Side, after: Side) -> Difference:
    """The difference with the required means of its measure."""
    means = [required_mean(side, difference.measure) for side in (before, after)]
    return replace(difference, required=(means[0], means[1]))


def _trials(evaluations: Iterable[EvaluationSide]) -> Iterator[tuple[TrialOutcome, int]]:
    """The trials of all cases, and how many cases have each."""
    cases = (case for each in evaluations for case in each.cases)
    return ((trial, case.count) for case in cases for trial in case.trials)


def _mean_f1(evaluations: Iterable[EvaluationSide]) -> float | None:
    """The mean score, as in the history: errors are 0, unless answers beside them have no score."""
    scores = Counter[float]()
    for each in evaluations:
        found = Counter[float]()
        answered = errors = 0
        for trial, times in _trials([each]):
            if trial.status == "error":
                errors += times
                continue
            answered += times
            # Imported runs may contain anything.
            if trial.f1 is not None and 0 <= trial.f1 <= 1:
                found[trial.f1] += times
        scores.update(found)
        scores[0.0] += counted_errors(errors, scored=found.total(), answered=answered)
    scores = +scores
    return mean_of(scores) if scores else None


def _summary(side: Side) -> SideSummary:
    trials = Counter[bool | str | None]()
    for trial, times in _trials(side.evaluations):
        trials["error" if trial.status == "error" else trial.passed] += times
    keyed = [((each.place, each.name), each) for each in side.evaluations]
    variants = set(Counter(key for key, _ in keyed).values())
    return SideSummary(
        **{name: getattr(side, name) for name in SideFacts.__struct_fields__},
        cases=len({(*key, case.id) for key, each in keyed for case in each.cases})
        if side.different_cases is None
        else side.different_cases,
        variants=variants.pop() if len(variants) == 1 else 1,
        trials=trials.total(),
        is_repeated=any(len(case.trials) > 1 for _, each in keyed for case in each.cases),
        passed=trials[True],
        failed=trials[False],
        errors=trials["error"],
        f1=_mean_f1(side.evaluations),
        below=_below(side),
    )


def _below(side: Side) -> tuple[Note, ...]:
    """The means below `fail_under`; with the evaluation in front if there are several."""
    has_several = len(side.evaluations) > 1
    return tuple(
        with_evaluation(each.label, note) if has_several else note
        for each in side.evaluations
        for note in each.below
    )


def _noted_cases(cases: Iterable[MatchedCase | UnmatchedCase]) -> Noted:
    count, names = 0, list[str]()
    for each in cases:
        count += each.times if isinstance(each, MatchedCase) else 1
        if len(names) < MAX_NAMES:
            names.append(each.name)
    return Noted(count, tuple(names))


def gate_to_dict(gate: Gate, *, lang: Language = "en") -> dict[str, Any]:
    """Whether the gate is open, why not, and its comparison."""
    return {
        "is_open": gate.is_open,
        "is_doubtful": gate.is_doubtful,
        "fail_on": gate.fail_on,
        "reasons": _plain(gate.reasons, lang),
        "comparison": comparison_to_dict(gate.comparison, lang=lang),
    }


def comparison_to_dict(comparison: Comparison, *, lang: Language = "en") -> dict[str, Any]:
    """The verdict, the numbers behind it, every case whose outcome changed, and the slices."""
    found: dict[str, Any] = {"verdict": comparison.verdict}
    for name in comparison.__struct_fields__:
        found[name] = _plain(getattr(comparison, name), lang)
        if name == "same":
            counts = {kind: len(comparison.changed(kind)) for kind in CHANGE_KINDS}
            found["counts"] = counts | {"same": found.pop(name)}
    if comparison.all_trials is not None:
        found["all_trials"] = dict(zip(("before", "after"), comparison.all_trials, strict=True))
    return found


def _plain(value: Any, lang: Language) -> Any:
    """A part of a comparison as plain data."""
    if type(value) in _WRITERS:
        return _WRITERS[type(value)](value)
    if isinstance(value, Struct):
        return {name: _plain(getattr(value, name), lang) for name in value.__struct_fields__}
    if isinstance(value, tuple) and not isinstance(value, Note):
        return [_plain(each, lang) for each in value]
    return json_safe(value.text(lang) if isinstance(value, Note) else value)


def _noted(noted: Noted) -> dict[str, Any]:
    from callscore.words.plain_data import noted_to_dict  # only for this form

    return noted_to_dict(noted)


def _difference_to_dict(difference: Difference) -> dict[str, Any]:
    fields = asdict(difference)
    interval = fields.pop("interval")
    del fields["required"]
    return {
        **json_safe(fields),
        "change": json_safe(difference.change),
        "interval": None if interval is None else {"low": interval.low, "high": interval.high},
    }


def _change_to_dict(change: CaseChange) -> dict[str, Any]:
    (before, decided_before), (after, decided_after) = change.before, change.after
    f1_before, f1_after = change.f1
    return {
        "kind": change.kind,
        "evaluation": json_safe(change.evaluation),
        "case": json_safe(change.case),
        "tags": json_safe(change.tags),
        "before": {"passed": before, "decided": decided_before, "f1": json_safe(f1_before)},
        "after": {"passed": after, "decided": decided_after, "f1": json_safe(f1_after)},
        "reasons": [json_safe(asdict(reason)) for reason in change.reasons],
        "is_expectation_changed": change.is_expectation_changed,
    }


_WRITERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Noted: _noted,
    RemovedCase: lambda each: json_safe({"case": each.name, "reason": each.reason}),
    Difference: _difference_to_dict,
    Slice: lambda each: (
        {"kind": each.kind, "name": json_safe(each.name)} | _difference_to_dict(each.difference)
    ),
    CaseChange: _change_to_dict,
}
