"""How far metrics disagree about a case, and which of its faults each of them detects.

This is measured, not declared: the faults of a case are repaired kind by kind (`repairs`), and
each metric is computed again. A fault whose repair changes the number is one that the metric
detects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from heapq import heappush, heappushpop
from math import fsum
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from callscore.core.results import MetricValue, Noted, Result, ScorerResult
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.core.totals import Column, ExactMean
from callscore.metrics.metric import Metric, calls_only, unsupported_expectations
from callscore.metrics.repairs import (
    REPAIR_KINDS,
    CaseCalls,
    RepairKind,
    fault_kinds_of,
    repair_case,
)

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.core.case import Case
    from callscore.core.score import Score

Visibility = Literal["seen", "blind", "masked", "unknown"]

# Numbers that are closer than this are the same, as tools add up rounded shares.
TOLERANCE = 1e-9
_MIN_METRICS = 2  # metrics that it takes to disagree
_MAX_REASONS = 20
_DIGITS = 9  # of the spreads by which disagreements are sorted


class Effect(Struct, frozen=True, gc=False):
    """The effect of one kind of fault on the number of a metric.

    Attributes:
        sight: `seen` (repairing it alone changes the number), `blind` (it costs nothing, even as the
            only fault), `masked` (it would cost, but other faults hide it) or `unknown` (without it
            the metric has no number, or is 0 even for a perfect case; or the other faults cannot be
            repaired without it).
        gain: what repairing it alone adds to the number; None if unknown.
    """

    kind: RepairKind
    sight: Visibility
    gain: float | None = None


class MetricOpinion(Struct, frozen=True, gc=False):
    """The result of one metric for a case, and what it depends on.

    Attributes:
        value: the number, or None.
        effects: the effect of each kind of fault that the case has.
        perfect: the number if all calls were made exactly as expected, or None.
        together: what all repairs together add to the number; None if unknown.
        needed: if no single repair changes the number but all together do, the repairs that are
            needed for that.
    """

    name: str
    value: float | None = None
    reason: str | None = None
    effects: tuple[Effect, ...] = ()
    perfect: float | None = None
    together: float | None = None
    needed: tuple[RepairKind, ...] = ()


class Disagreement(Struct, frozen=True, gc=False):
    """How far metrics disagree about one case.

    Attributes:
        case: the case, scored under the default settings.
        spread: the greatest number minus the least; None if fewer than two metrics have a number.
        variance: the variance of the numbers; None likewise.
    """

    case: Result
    opinions: tuple[MetricOpinion, ...]
    faults: tuple[RepairKind, ...] = ()
    spread: float | None = None
    variance: float | None = None


class VisibilityCounts(Struct, frozen=True, gc=False):
    """How a metric reacts to one kind of fault, in many cases.

    Attributes:
        cases: the cases with such a fault in which the reaction is known.
        blind: those in which the fault cost nothing.
        masked: those in which other faults hid it.
    """

    cases: int = 0
    blind: int = 0
    masked: int = 0


class Disagreements(Struct, frozen=True, gc=False, kw_only=True):
    """How far metrics disagree about many cases.

    Attributes:
        cases: the number of compared cases: at least two metrics have a number.
        agreed: the number of cases on which all metrics agree.
        mean_spread: the mean of the spreads; None without cases.
        faults: the number of cases with each kind of fault.
        sights: for each metric, how it reacts to each kind of fault.
        shown: the cases with the widest disagreement, the widest first.
        not_compared: the number of cases that could not be compared; instead of names, each reason
            once.
    """

    cases: int = 0
    agreed: int = 0
    mean_spread: float | None = None
    faults: dict[RepairKind, int] = {}
    metrics: tuple[ScorerResult, ...] = ()
    sights: tuple[dict[RepairKind, VisibilityCounts], ...] = ()
    shown: tuple[Disagreement, ...] = ()
    not_compared: Noted = Noted()


def disagreement_about(
    case: Result, metrics: Sequence[Metric], tools: Mapping[str, Tool] | None = None
) -> Disagreement:
    """The opinions of metrics on a case, scored under the default settings."""
    score = case.required_score
    wanted = score.expected if score.expectation is None else score.expectation
    unknown = unsupported_expectations(wanted)
    if unknown is not None:  # such a case cannot be repaired either
        none = [MetricOpinion(metric.name, None, unknown) for metric in metrics]
        return Disagreement(case, tuple(none))
    values = [metric.value_of(calls_only(wanted), score.actual, tools) for metric in metrics]
    numbers = [found.value for found in values if found.value is not None]
    if len(numbers) < _MIN_METRICS:
        alone = [MetricOpinion(found.name, found.value, found.reason) for found in values]
        return Disagreement(case, tuple(alone))
    again = _RepairedCase(score, tools)
    opinions = [
        _metric_opinion(found, again, partial(again.ask, metric))
        for metric, found in zip(metrics, values, strict=True)
    ]
    spread = max(numbers) - min(numbers)
    mean = fsum(numbers) / len(numbers)
    variance = fsum((number - mean) ** 2 for number in numbers) / len(numbers)
    return Disagreement(case, tuple(opinions), again.faults, spread, variance)


class _RepairedCase:
    """Computes metrics of a case with some of its faults repaired."""

    def __init__(self, score: Score, tools: Mapping[str, Tool] | None) -> None:
        self.faults = fault_kinds_of(score)
        self._score = score
        self._tools = tools
        self._sides: dict[frozenset[RepairKind], CaseCalls] = {}
        self._shown: dict[RepairKind, bool] = {}

    def ask(self, metric: Metric, kinds: Collection[RepairKind]) -> float | None:
        """The number of the metric with these kinds of fault repaired, or None."""
        return metric.value_of(*self._repaired(kinds), self._tools).value

    def is_shown_alone(self, kind: RepairKind) -> bool:
        """Whether the case with all other kinds repaired has this fault, and no other but repeats.

        Repairs may interfere: with other arguments, calls may be paired differently.
        """
        if kind not in self._shown:
            others = [other for other in self.faults if other != kind]
            sides = self._repaired(others)
            faults = set(fault_kinds_of(score_calls(sides.expected, sides.actual, DEFAULT)))
            self._shown[kind] = kind in faults and faults <= {kind, "repeats"}
        return self._shown[kind]

    def _repaired(self, kinds: Collection[RepairKind]) -> CaseCalls:
        key = frozenset(kinds)
        if key not in self._sides:
            self._sides[key] = repair_case(self._score, key)
        return self._sides[key]


def _metric_opinion(
    found: MetricValue,
    repaired_case: _RepairedCase,
    ask: Callable[[Collection[RepairKind]], float | None],
) -> MetricOpinion:
    if found.value is None:
        return MetricOpinion(found.name, None, found.reason)
    faults = repaired_case.faults
    if not faults:
        return MetricOpinion(found.name, found.value, perfect=found.value, together=0.0)
    best = ask(faults)
    without_repeats = [kind for kind in faults if kind != "repeats"]
    effects = tuple([_effect(kind, found.value, best, repaired_case, ask) for kind in faults])
    perfect = ask(without_repeats)
    is_seen = any(effect.sight == "seen" for effect in effects)
    together = None if best is None else best - found.value
    needed: tuple[RepairKind, ...] = ()
    if best is not None and abs(best - found.value) > TOLERANCE and not is_seen:
        needed = _needed_repairs(faults, best, ask)
    return MetricOpinion(
        found.name, found.value, None, effects, perfect=perfect, together=together, needed=needed
    )


def _needed_repairs(
    faults: tuple[RepairKind, ...],
    perfect_value: float,
    ask: Callable[[Collection[RepairKind]], float | None],
) -> tuple[RepairKind, ...]:
    """The repairs of which each one is needed for the number that all of them give."""
    needed = list(faults)
    for kind in faults:
        fewer = [other for other in needed if other != kind]
        number = ask(fewer)
        if number is not None and abs(number - perfect_value) <= TOLERANCE:
            needed = fewer
    return tuple(needed)


def _effect(
    kind: RepairKind,
    value: float,
    perfect_value: float | None,
    repaired_case: _RepairedCase,
    ask: Callable[[Collection[RepairKind]], float | None],
) -> Effect:
    alone = ask([kind])
    if alone is None:
        return Effect(kind, "unknown")
    gain = alone - value
    is_changed = abs(gain) > TOLERANCE
    if is_changed and kind != "repeats":
        return Effect(kind, "seen", gain)
    # Other faults may hide what this one costs, so it is tried as the only one. Repeats are always
    # tried like this: with fewer calls, every other fault weighs more.
    others = [other for other in repaired_case.faults if other != kind]
    value_alone = ask(others) if repaired_case.is_shown_alone(kind) else None
    sight: Visibility = "masked"
    # A number that is always 0 says nothing.
    if value_alone is None or perfect_value is None or perfect_value <= TOLERANCE:
        sight = "unknown"
    elif abs(perfect_value - value_alone) <= TOLERANCE:
        sight = "blind"
    elif is_changed:
        return Effect(kind, "seen", gain)
    return Effect(kind, sight, 0.0)


class DisagreementCollector:
    """Adds up the values of metrics, and keeps the `max_shown` cases with the widest disagreement."""

    def __init__(self, metrics: Sequence[Metric], max_shown: int) -> None:
        self._metrics = tuple(metrics)
        self._max_shown = max_shown
        self._columns = [Column(metric.name) for metric in self._metrics]
        self._sights: list[Counter[tuple[RepairKind, Visibility]]] = [
            Counter() for _ in self._metrics
        ]
        self._faults: Counter[RepairKind] = Counter()
        self._agreed = self._not_compared = 0
        self._spread = ExactMean()
        self._reasons: dict[str, None] = {}
        # The narrowest first; the third item is unique, so disagreements are never compared.
        self._widest: list[tuple[float, float, int, Disagreement]] = []

    def take(self, case: Case, score: Score, tools: Mapping[str, Tool] | None) -> None:
        """Add a case that callscore has scored under its default settings."""
        scored = Result(case=case, score=score)
        found = disagreement_about(scored, self._metrics, tools)
        if found.spread is None:
            self._not_compared += 1
            reasons = [each.reason for each in found.opinions if each.reason is not None]
            self._reasons |= dict.fromkeys(reasons[: _MAX_REASONS - len(self._reasons)])
            return
        self._spread.add(found.spread)
        self._agreed += found.spread <= TOLERANCE
        self._faults.update(found.faults)
        for column, sights, opinion in zip(
            self._columns, self._sights, found.opinions, strict=True
        ):
            column.add(MetricValue(opinion.name, opinion.value, opinion.reason))
            sights.update([(effect.kind, effect.sight) for effect in opinion.effects])
        if found.spread > TOLERANCE and self._max_shown:
            variance = round(found.variance or 0.0, _DIGITS)
            item = round(found.spread, _DIGITS), variance, -self._spread.count, found
            if len(self._widest) == self._max_shown:
                heappushpop(self._widest, item)
            else:
                heappush(self._widest, item)

    def results(self) -> Disagreements:
        """The disagreements so far."""
        return Disagreements(
            cases=self._spread.count,
            agreed=self._agreed,
            mean_spread=self._spread.value(),
            faults={kind: self._faults[kind] for kind in REPAIR_KINDS if self._faults[kind]},
            metrics=tuple(
                [
                    column.scorer(version=metric.version)
                    for column, metric in zip(self._columns, self._metrics, strict=True)
                ]
            ),
            sights=tuple(map(_counted, self._sights)),
            shown=tuple([found for *_, found in sorted(self._widest, reverse=True)]),
            not_compared=Noted(self._not_compared, tuple(self._reasons)),
        )


def _counted(
    sights: Counter[tuple[RepairKind, Visibility]],
) -> dict[RepairKind, VisibilityCounts]:
    found: dict[RepairKind, VisibilityCounts] = {}
    for kind in REPAIR_KINDS:
        seen, blind, masked = (sights[kind, sight] for sight in ("seen", "blind", "masked"))
        if seen + blind + masked:
            found[kind] = VisibilityCounts(seen + blind + masked, blind, masked)
    return found
