"""What other tools say of the cases: one column a metric, added up while the cases are scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.totals import Column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.model import Case
    from callscore.core.results import MetricResult, MetricValue
    from callscore.core.tool import Tool
    from callscore.metrics.metric import Metric

__all__ = ["Columns"]


class Columns:
    """Metrics that are asked about every case.

    A tool knows nothing of our settings, so that each is given all calls of a case as they are read,
    and of several answers the first.

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
        return tuple(
            [
                column.metric(metric.version)
                for column, metric in zip(self._columns, self._metrics, strict=True)
            ]
        )
