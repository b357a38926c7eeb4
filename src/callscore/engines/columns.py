"""What other tools say of the cases: one column a metric, added up while the cases are scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.results import MetricResult, MetricValue
from callscore.engines.notes import Notes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.model import Case
    from callscore.core.tool import Tool
    from callscore.metrics.metric import Metric

__all__ = ["Column", "Columns", "Mean"]

# The least float is one such part of 1: in these parts every float is a whole number.
_PARTS = 1074


class Mean:
    """The mean of numbers, added up without rounding, so that their order does not matter."""

    def __init__(self) -> None:
        self._total = 0
        self.count = 0

    def add(self, number: float, times: int = 1) -> None:
        """Count one more number, or the same several times."""
        numerator, denominator = number.as_integer_ratio()
        self._total += (numerator << (_PARTS + 1 - denominator.bit_length())) * times
        self.count += times

    def value(self) -> float | None:
        """The mean so far; None without numbers."""
        return self._total / (self.count << _PARTS) if self.count else None


class Column:
    """The numbers of one metric, added up.

    Args:
        metric: the metric.
    """

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._mean = Mean()
        self._not_scorable = Notes(each_once=True)

    def add(self, found: MetricValue) -> None:
        """Count one more case."""
        if found.value is not None:
            self._mean.add(found.value)
            return
        self._not_scorable.add(found.reason or "")

    def result(self) -> MetricResult:
        """What was counted so far."""
        return MetricResult(
            self._metric.name,
            self._mean.value(),
            self._mean.count,
            self._not_scorable.noted(),
            self._metric.version,
        )


class Columns:
    """Metrics that are asked about every case.

    A tool knows nothing of our settings, so that each is given all calls of a case as they are read,
    and of several answers the first.

    Args:
        metrics: the metrics.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = tuple(metrics)
        self._columns = [Column(metric) for metric in self._metrics]

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
