"""Adds up how far metrics disagree about many cases, and keeps the worst of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING

from callscore.core.results import MetricValue, Noted, Result
from callscore.core.totals import Column, ExactMean
from callscore.metrics.disagreement import (
    TOLERANCE,
    Disagreement,
    Disagreements,
    Visibility,
    VisibilityCounts,
    disagreement_about,
)
from callscore.metrics.repairs import REPAIR_KINDS, RepairKind

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.core.case import Case
    from callscore.core.score import Score
    from callscore.metrics.metric import Metric

_MAX_REASONS = 20
_DIGITS = 9  # of the spreads by which disagreements are sorted


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
                    column.metric(metric.version)
                    for column, metric in zip(self._columns, self._metrics, strict=True)
                ]
            ),
            sights=tuple(map(_visibility_counts, self._sights)),
            shown=tuple([found for *_, found in sorted(self._widest, reverse=True)]),
            not_compared=Noted(self._not_compared, tuple(self._reasons)),
        )


def _visibility_counts(
    sights: Counter[tuple[RepairKind, Visibility]],
) -> dict[RepairKind, VisibilityCounts]:
    found: dict[RepairKind, VisibilityCounts] = {}
    for kind in REPAIR_KINDS:
        seen, blind, masked = (sights[kind, sight] for sight in ("seen", "blind", "masked"))
        if seen + blind + masked:
            found[kind] = VisibilityCounts(seen + blind + masked, blind, masked)
    return found
