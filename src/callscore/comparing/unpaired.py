"""Runs compared by their totals, as those of different cases, where not every case is saved.

Without pairs, the cases of the two runs are two samples. The test is the permutation test of their means, with
the normal approximation and a correction for whole cases, which agrees with Fisher's exact test where cases
pass or fail. If both runs have the same cases, it is too careful: pairs would show smaller differences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum, sqrt

from msgspec.structs import replace

from callscore.comparing.changes import Alarm, find_alarms, passed_share
from callscore.comparing.differences import COARSE_EFFECT, Difference, Verdict
from callscore.comparing.paired_statistics import ALPHA
from callscore.comparing.sides import (
    F1,
    F1_SCORERS,
    PASSED,
    CaseOutcome,
    EvaluationSide,
    MatchedCase,
    Side,
    SideTotals,
    TrialOutcome,
    UnmatchedCase,
    merged_cases,
)
from callscore.core.statistics import (
    DIGITS,
    Interval,
    mean_of,
    mean_score,
    normal_probability,
    normal_quantile,
    wilson,
)
from callscore.core.summary import ToolCounts
from callscore.errors import InvalidSettings

TOTAL_MEASURES = (PASSED, F1)
_POWER = 0.8
_STEPS = 50  # halves an interval of length 1 until floats end

# A number from 0 to 1, and how many cases have it.
Distribution = dict[float, int]


# --- the totals of a side -----------------------------------------------------------------------


def totals_of_side(side: Side, evaluations: Sequence[EvaluationSide]) -> SideTotals:
    """The totals of some evaluations of a side, of all their cases.

    Raises:
        InvalidSettings: neither all cases nor the totals are saved.
    """
    found = []
    for each in evaluations:
        if each.totals is not None:
            found.append(each.totals)
        elif side.saved_cases == "all":
            found.append(_counted(each))
        else:
            raise InvalidSettings(
                f"{side.label}: not every case of run {side.run} is saved, and its totals are missing:"
                " it did not finish. Score the files again"
            )
    return pooled_totals(found)


def pooled_totals(parts: Iterable[SideTotals]) -> SideTotals:
    """The totals of several evaluations together."""
    parts = list(parts)
    shares, scores, forbidden = Counter[float](), Counter[float](), Counter[str]()
    for part in parts:
        shares.update(part.shares)
        scores.update(part.scores)
        forbidden.update(part.forbidden)
    faults = [part.faults for part in parts if part.faults is not None]
    names = ("cases", "trials", "passed", "failed", "errors")
    return SideTotals(
        **{name: sum(getattr(part, name) for part in parts) for name in names},
        is_repeated=any(part.is_repeated for part in parts),
        shares=dict(shares),
        scores=dict(scores),
        forbidden=dict(forbidden),
        faults=sum(faults) if faults else None,
    )


def _counted(evaluation: EvaluationSide) -> SideTotals:
    """The totals of an evaluation whose cases are all saved."""
    cases = list(merged_cases(evaluation, []).values())
    trials = [trial for case in cases for trial in case.trials]
    answers = [trial for trial in trials if trial.status != "error"]
    faults = [trial.faults for trial in trials if trial.faults is not None]
    forbidden = Counter[str]()
    for trial in answers:
        forbidden.update({tool: each[-1] for tool, each in (trial.tools or {}).items() if each[-1]})
    shares = [passed_share(case) for case in cases]
    scores = [_mean_f1(case) for case in cases]
    return SideTotals(
        cases=len(cases),
        trials=len(trials),
        is_repeated=any(len(case.trials) > 1 for case in cases),
        passed=sum(trial.passed is True for trial in answers),
        failed=sum(trial.passed is False for trial in answers),
        errors=len(trials) - len(answers),
        shares=dict(Counter([share for share in shares if share is not None])),
        scores=dict(Counter([score for score in scores if score is not None])),
        forbidden=dict(forbidden),
        faults=sum(faults) if faults else None,
    )


def _mean_f1(case: CaseOutcome) -> float | None:
    """The mean score of a case; None without one."""
    answers = [trial.f1 for trial in case.trials if trial.status != "error"]
    # Imported runs may contain anything.
    scores = [score for score in answers if score is not None and 0 <= score <= 1]
    errors = len(case.trials) - len(answers)
    return mean_score(scores, answered=len(answers), errors=errors)


# --- the difference -----------------------------------------------------------------------------


def require_total_measure(measure: str) -> str:
    """The measure of this name, ignoring case, if totals have it.

    Raises:
        InvalidSettings: they do not.
    """
    known = (*TOTAL_MEASURES, *F1_SCORERS)
    found = next((each for each in known if each == measure.casefold()), None)
    if found is None:
        raise InvalidSettings(
            f"measure: {measure!r} needs every case, and not every case of these runs is saved. Choose"
            f" from: {', '.join(dict.fromkeys(known))}; or score the files again with --save-cases all"
        )
    return found


def difference_of_totals(measure: str, before: SideTotals, after: SideTotals) -> Difference:
    """The difference between two runs by their totals, with the verdict."""
    first, second = _distribution(before, measure), _distribution(after, measure)
    sizes = sum(first.values()), sum(second.values())
    if not all(sizes):
        return Difference(measure=measure, cases=0, method="two-sample z")
    means = mean_of(first), mean_of(second)
    change = means[1] - means[0]
    spread = sqrt(_variance(Counter(first) + Counter(second)) * (1 / sizes[0] + 1 / sizes[1]))
    p_value = _p_value(abs(change) - _correction(sizes), spread)
    is_significant = p_value < ALPHA
    smallest = _smallest_effect(spread, sizes)
    verdict: Verdict
    if is_significant:
        verdict = "improved" if change > 0 else "regressed"
    else:
        is_coarse = smallest is None or smallest > COARSE_EFFECT
        verdict = "not enough data" if is_coarse else "no evidence"
    low, high = _interval(first, second)
    if not is_significant:  # as for pairs: without evidence the interval includes zero
        interval = Interval(min(low, 0.0), max(high, 0.0))
    elif change > 0:  # and with evidence it does not, though the interval of each run may be wide
        interval = Interval(max(low, 0.0), high)
    else:
        interval = Interval(low, min(high, 0.0))
    return Difference(
        measure=measure,
        cases=min(sizes),
        before=means[0],
        after=means[1],
        interval=interval,
        p_value=p_value,
        method="two-sample z",
        verdict=verdict,
        smallest=smallest,
    )


def _distribution(totals: SideTotals, measure: str) -> Distribution:
    return totals.shares if measure == PASSED else totals.scores


def _variance(values: Mapping[float, int]) -> float:
    """The variance of a sample; 0 for a single value."""
    mean, count = mean_of(values), sum(values.values())
    squares = fsum(round(value - mean, DIGITS) ** 2 * times for value, times in values.items())
    return squares / (count - 1) if count > 1 else 0.0


def _correction(sizes: tuple[int, int]) -> float:
    """Half of the change that one case makes, as in Yates's correction."""
    return (1 / sizes[0] + 1 / sizes[1]) / 2


def _p_value(distance: float, spread: float) -> float:
    if distance <= 0:
        return 1.0
    return 2 * normal_probability(-distance / spread) if spread else 0.0


def _smallest_effect(spread: float, sizes: tuple[int, int]) -> float | None:
    """The smallest difference that these numbers of cases show with 80 % power; None if none.

    If nothing varies, it is the difference itself that does.
    """
    needed = normal_quantile(1 - ALPHA / 2) + normal_quantile(_POWER)
    both = 1 / sizes[0] + 1 / sizes[1]

    def is_seen(change: float) -> bool:
        own = sqrt(change / 2 * (1 - change / 2) * both)
        return change - _correction(sizes) >= needed * max(spread, own)

    if not is_seen(1.0):
        return None
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_seen(middle) else (middle, high)
    return high


def _interval(first: Distribution, second: Distribution) -> Interval:
    """The 95 % interval of the difference of two means, from the interval of each (Newcombe)."""
    before, after = mean_of(first), mean_of(second)
    (low, high), (lower, higher) = _mean_interval(first), _mean_interval(second)
    change = after - before
    return Interval(
        change - sqrt((after - lower) ** 2 + (high - before) ** 2),
        change + sqrt((higher - after) ** 2 + (before - low) ** 2),
    )


def _mean_interval(values: Distribution) -> Interval:
    """The Wilson interval of a mean of numbers from 0 to 1.

    Numbers that vary less than if each were 0 or 1 count as more of these.
    """
    mean, count, variance = mean_of(values), sum(values.values()), _variance(values)
    largest = mean * (1 - mean)
    if variance and largest > variance:
        count = int(count * largest / variance)
    return wilson(min(mean * count, count), count)


# --- forbidden calls and schema errors ----------------------------------------------------------


def total_alarms(
    before: tuple[Side, Sequence[EvaluationSide]],
    after: tuple[Side, Sequence[EvaluationSide]],
    label: str,
) -> Iterator[Alarm]:
    """New forbidden calls, and more schema errors than before.

    A case with a forbidden call does not pass: if the failing cases of both runs are saved, each of them
    is known. Else forbidden calls are compared by tool, for each trial, as schema errors are.
    """
    totals = totals_of_side(*before), totals_of_side(*after)
    if "none" in (before[0].saved_cases, after[0].saved_cases):
        yield from _forbidden_alarms(*totals, label)
    else:
        yield from _case_alarms(before[1], after[1])
    faults = totals[0].faults, totals[1].faults
    if None not in faults and _is_more(faults, totals):
        first, second = faults
        yield Alarm(kind="schema", evaluation=label, case="", before=first or 0, after=second or 0)


def _forbidden_alarms(before: SideTotals, after: SideTotals, label: str) -> Iterator[Alarm]:
    for tool, count in sorted(after.forbidden.items()):
        previous = before.forbidden.get(tool, 0)
        if _is_more((previous, count), (before, after)):
            yield Alarm(
                kind="forbidden",
                evaluation=label,
                case="",
                before=previous,
                after=count,
                tools=(tool,),
            )


def _is_more(counts: tuple[int | None, int | None], totals: tuple[SideTotals, SideTotals]) -> bool:
    """Whether there are more than before for each trial."""
    first, second = counts
    return (second or 0) * max(totals[0].trials, 1) > (first or 0) * max(totals[1].trials, 1)


def _case_alarms(
    before: Sequence[EvaluationSide], after: Sequence[EvaluationSide]
) -> Iterator[Alarm]:
    """The saved cases with more forbidden calls than before."""
    known: dict[str, CaseOutcome] = {}
    for each in before:
        known |= {case.id: _as_one_trial(case) for case in each.cases}
    matched: list[MatchedCase] = []
    new: list[UnmatchedCase] = []
    for each in after:
        for case in map(_as_one_trial, each.cases):
            if case.id in known:
                matched.append(MatchedCase(each.label, known[case.id], case))
            else:
                new.append(UnmatchedCase(each.label, case))
    yield from find_alarms(matched, new)


def _as_one_trial(case: CaseOutcome) -> CaseOutcome:
    """A case whose trials are one, with all forbidden calls: only some of them may be saved."""
    tools: dict[str, ToolCounts] = {}
    for trial in case.trials:
        for tool, counts in (trial.tools or {}).items():
            tools.setdefault(tool, ToolCounts()).add(counts)
    is_known = all(trial.tools is not None or not trial.forbidden for trial in case.trials)
    only = TrialOutcome(
        forbidden=sum(trial.forbidden for trial in case.trials),
        tools={tool: counts.outcome for tool, counts in tools.items()} if is_known else None,
    )
    return replace(case, trials=(only,))
