"""What other tools say of the cases: one column a metric, added up while the cases are scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.results import MetricResult, MetricValue, Noted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.model import Case
    from callscore.core.tool import Tool
    from callscore.metrics.metric import Metric

__all__ = ["Column", "Columns"]

_MOST_REASONS = 20


class Column:
    """The numbers of one metric, added up.

    Args:
        name: the metric, as it was asked for.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._total = 0.0
        self._scored = 0
        self._not_scorable = 0
        self._reasons: dict[str, None] = {}  # each once, in the order in which they came

    def add(self, found: MetricValue) -> None:
        """Count one more case."""
        if found.value is not None:
            self._total += found.value
            self._scored += 1
            return
        self._not_scorable += 1
        if len(self._reasons) < _MOST_REASONS:
            self._reasons[found.reason or ""] = None

    def result(self) -> MetricResult:
        """What was counted so far."""
        mean = self._total / self._scored if self._scored else None
        reasons = Noted(self._not_scorable, tuple(self._reasons))
        return MetricResult(self._name, mean, self._scored, reasons)


class Columns:
    """Metrics that are asked about every case.

    A tool knows nothing of our settings, so that each is given all calls of a case as they are read.

    Args:
        metrics: the metrics.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = tuple(metrics)
        self._columns = [Column(metric.name) for metric in self._metrics]

    def __bool__(self) -> bool:
        return bool(self._metrics)

    def ask(self, case: Case, tools: Mapping[str, Tool] | None) -> tuple[MetricValue, ...]:
        """What each metric says of a case, which is counted."""
        if not self._metrics:
            return ()
        expected, actual = case.expected or (), case.actual or ()
        values = tuple([metric.value_of(expected, actual, tools) for metric in self._metrics])
        for column, value in zip(self._columns, values, strict=True):
            column.add(value)
        return values

    def results(self) -> tuple[MetricResult, ...]:
        """What each metric says of all cases so far."""
        return tuple([column.result() for column in self._columns])
