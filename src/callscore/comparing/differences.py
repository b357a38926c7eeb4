"""The difference between two runs in one number, its test and verdict; by tag and tool too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from callscore.comparing.paired_statistics import (
    ALPHA,
    PairedTest,
    exact_mcnemar,
    holm_correction,
    min_flips,
    paired_bootstrap,
    paired_interval,
    smallest_effect,
)
from callscore.comparing.sides import F1, CaseOutcome, MatchedCase
from callscore.core.score import f1_of
from callscore.core.statistics import DIGITS, Interval, mean_of
from callscore.core.summary import ToolCounts, ToolOutcome

if TYPE_CHECKING:
    TrialCounts = list[dict[str, ToolOutcome] | None]
    CountPair = tuple[dict[str, ToolOutcome], dict[str, ToolOutcome]]

Verdict = Literal["improved", "regressed", "no evidence", "not enough data"]
Method = Literal["exact McNemar", "paired bootstrap", "two-sample z"]
SliceKind = Literal["tool", "tag"]
ValuePair = tuple[float, float]


class Difference(Struct, frozen=True, gc=False, kw_only=True):
    """The difference between two runs in one number, over the cases that both have.

    Attributes:
        measure: the number: `passed`, `f1`, or the name of a scorer; `scorer f1` and `scorer passed`
            for scorers with one of these names.
        cases: the number of cases that have a number in both runs. If totals are compared, the number
            of cases of the run with fewer.
        before: their mean in the first run.
        after: their mean in the second run.
        interval: the 95 % interval of the difference; None only without any case.
        p_value: the probability of a difference at least as large if there is none.
        smallest: the smallest difference that this number of cases shows with 80 % power; None if
            no difference could be shown.
        up: how many cases went up.
        down: how many went down.
        required: the required mean of each run, for display only; None for none, or for several.
    """

    measure: str
    cases: int
    before: float | None = None
    after: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    method: Method = "exact McNemar"
    verdict: Verdict = "not enough data"
    smallest: float | None = None
    up: int = 0
    down: int = 0
    required: tuple[float | None, float | None] = (None, None)

    @property
    def change(self) -> float | None:
        """How much the second run is above the first; None if there is nothing to compare."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


class Slice(Struct, frozen=True, gc=False, kw_only=True):
    """The difference over the cases of one tag, or in the calls of one tool.

    Its p-value has Holm's correction for all slices of the comparison, and decides its verdict.
    """

    kind: SliceKind
    name: str
    difference: Difference


# A suite that cannot detect a difference of this size gives no evidence about smaller ones.
COARSE_EFFECT = 0.1
_BINARY = (0.0, 1.0)


class MeasuredDifference(NamedTuple):
    """A difference without a verdict, and with an uncorrected p-value.

    Attributes:
        size: the typical change of a changed case (root mean square); 1 if too few changed.
    """

    difference: Difference
    size: float


def difference_between(
    measure: str, pairs: Sequence[ValuePair] | Mapping[ValuePair, int]
) -> Difference:
    """The difference between two runs, with the verdict.

    `pairs` has the number of each case before and after, from 0 to 1; a mapping, how many cases have them.
    """
    if not pairs:
        return Difference(measure=measure, cases=0)
    found = measure_difference(measure, Counter(pairs))
    return with_verdict(found, found.difference.p_value)


def measure_difference(measure: str, counts: Mapping[ValuePair, int]) -> MeasuredDifference:
    """The difference between two runs in at least one case, without a verdict."""
    # Most cases have one of few pairs: passed before, not passed after.
    differences: Counter[float] = Counter()
    first, second = Counter[float](), Counter[float]()
    for (before, after), times in counts.items():
        differences[round(after - before, DIGITS) + 0.0] += times
        first[before] += times
        second[after] += times
    cases = differences.total()
    down = sum([times for value, times in differences.items() if value < 0])
    up = sum([times for value, times in differences.items() if value > 0])
    is_binary = all(number in _BINARY for pair in counts for number in pair)
    if is_binary:
        interval = paired_interval(down, up, cases)
        tested = PairedTest(exact_mcnemar(down, up), interval)
    else:
        tested = paired_bootstrap(differences)
    found = Difference(
        measure=measure,
        cases=cases,
        before=mean_of(first),
        after=mean_of(second),
        interval=tested.interval,
        p_value=tested.p_value,
        method="exact McNemar" if is_binary else "paired bootstrap",
        up=up,
        down=down,
    )
    size = 1.0
    if down + up >= min_flips():
        squares = fsum(value * value * times for value, times in differences.items())
        size = sqrt(squares / (down + up))
    return MeasuredDifference(found, size)


def with_verdict(
    measured: MeasuredDifference, p_value: float | None, *, tests: int = 1
) -> Difference:
    """Add the verdict, and widen the interval where the exact test is not significant.

    The p-value is corrected if this is one of several tests, and None if it was not tested.
    """
    found = measured.difference
    flipping = (found.up + found.down) / found.cases
    smallest = smallest_effect(found.cases, flipping, size=measured.size, tests=tests)
    is_significant = p_value is not None and p_value < ALPHA
    verdict: Verdict
    if is_significant:
        verdict = "improved" if (found.change or 0.0) > 0 else "regressed"
    else:
        is_coarse = smallest is None or smallest > COARSE_EFFECT
        verdict = "not enough data" if is_coarse else "no evidence"
    interval = found.interval
    if interval is not None and not is_significant:
        # The exact test is stricter: without its evidence the interval includes zero.
        interval = Interval(min(interval.low, 0.0), max(interval.high, 0.0))
    return replace(found, p_value=p_value, interval=interval, smallest=smallest, verdict=verdict)


def slices_of(
    cases: Sequence[MatchedCase], numbers: Sequence[ValuePair | None], measure: str
) -> tuple[Slice, ...]:
    """The difference over the cases of each tag, and in the calls of each tool, sorted by name.

    All p-values have Holm's correction; a slice with fewer cases than the test needs has none. The
    cases of a tag are compared by the measure, whose `numbers` are given for each case; the calls of
    a tool are compared by F1.
    """
    found: list[tuple[SliceKind, str, MeasuredDifference]] = []
    for tag, pairs in sorted(_by_tag(cases, numbers).items()):
        found.append(("tag", tag, measure_difference(measure, pairs)))
    for tool, pairs in sorted(_by_tool(cases).items()):
        found.append(("tool", tool, measure_difference(F1, pairs)))
    needed = min_flips()
    tested = [index for index, (*_, each) in enumerate(found) if each.difference.cases >= needed]
    after_holm = holm_correction([found[index][2].difference.p_value or 0.0 for index in tested])
    p_values = dict(zip(tested, after_holm, strict=True))
    return tuple(
        Slice(
            kind=kind,
            name=name,
            difference=with_verdict(each, p_values.get(index), tests=max(1, len(tested))),
        )
        for index, (kind, name, each) in enumerate(found)
    )


def _by_tag(
    cases: Sequence[MatchedCase], numbers: Sequence[ValuePair | None]
) -> dict[str, Counter[ValuePair]]:
    """The numbers of the cases of each tag."""
    by_tags: dict[tuple[tuple[str, ...], tuple[str, ...]], Counter[ValuePair]] = {}
    for pair, number in zip(cases, numbers, strict=True):
        if number is not None:
            tags = pair.before.tags, pair.after.tags
            if tags not in by_tags:
                by_tags[tags] = Counter()
            by_tags[tags][number] += pair.times
    found: dict[str, Counter[ValuePair]] = {}
    for (before, after), values in by_tags.items():
        for tag in {*before, *after}:
            found.setdefault(tag, Counter()).update(values)
    return found


def _by_tool(cases: Sequence[MatchedCase]) -> dict[str, Counter[ValuePair]]:
    """The F1 of the calls of each tool, in the cases that have it."""
    found: dict[str, Counter[ValuePair]] = {}
    for (before, after), times in _single_trials(cases):
        for tool in {*before, *after}:
            numbers = _f1(before.get(tool, _NO_CALLS)), _f1(after.get(tool, _NO_CALLS))
            found.setdefault(tool, Counter())[numbers] += times
    for pair in cases:
        if pair.alone is not None:
            continue
        first, second = _trial_counts(pair.before), _trial_counts(pair.after)
        for tool in {name for counts in (*first, *second) if counts for name in counts}:
            means = _tool_values(tool, first, second)
            if means is not None:
                found.setdefault(tool, Counter())[means] += pair.times
    return found


def _single_trials(cases: Sequence[MatchedCase]) -> Iterable[tuple[CountPair, int]]:
    """The counts of the calls of cases with one trial, and how many cases have them.

    Results that were read from a history share the counts that are the same.
    """
    times: Counter[tuple[int, int]] = Counter()
    distinct: dict[tuple[int, int], CountPair] = {}
    for pair in cases:
        before, after = (None, None) if pair.alone is None else [one.tools for one in pair.alone]
        if before is not None and after is not None:
            key = id(before), id(after)
            distinct[key] = before, after
            times[key] += pair.times
    return [(pair, times[key]) for key, pair in distinct.items()]


_NO_CALLS: ToolOutcome = (0, 0, 0, 0, 0, 0, 0)


def _tool_values(tool: str, first: TrialCounts, second: TrialCounts) -> ValuePair | None:
    """The mean F1 of the calls of a tool before and after; None if one of them is unknown."""
    trials = min(len(first), len(second))
    first, second = first[:trials], second[:trials]  # as in `paired_values`
    is_expected = any(
        counts is not None and sum(counts.get(tool, _NO_CALLS)[:3]) for counts in (*first, *second)
    )
    before = _mean_f1(first, tool, is_expected=is_expected)
    after = _mean_f1(second, tool, is_expected=is_expected)
    return None if before is None or after is None else (before, after)


def _trial_counts(case: CaseOutcome) -> TrialCounts:
    """The counts of each trial, None without an answer; trials without counts are left out."""
    return [
        trial.tools for trial in case.trials if trial.tools is not None or trial.status == "error"
    ]


def _mean_f1(trials: TrialCounts, tool: str, *, is_expected: bool) -> float | None:
    """The mean F1 of the calls of a tool; 1 if no call is expected and none was made.

    A trial without an answer counts as 0 if a call is expected, and is left out otherwise.
    """
    values = [
        0.0 if counts is None else _f1(counts.get(tool, _NO_CALLS))
        for counts in trials
        if counts is not None or is_expected
    ]
    return mean_of(values) if values else None


def _f1(outcome: ToolOutcome) -> float:
    counts = ToolCounts(*outcome)
    made = counts.correct + counts.incorrect + counts.extra - counts.free
    return f1_of(counts.correct, counts.expected, made)
