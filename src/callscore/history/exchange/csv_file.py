"""The results of a run as a table for spreadsheets: nothing in it is taken for a formula."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from callscore.history.exchange.flat_results import COLUMNS, flat_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from callscore.history.records import EvaluationRecord, ResultRecord

__all__ = ["csv_lines"]

# What spreadsheets evaluate begins like this; with an apostrophe before it, it is text.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_TEXT = "'"


def csv_lines(
    evaluations: Mapping[int, EvaluationRecord], results: Iterable[ResultRecord]
) -> Iterator[bytes]:
    """The table, one row at a time: the names of the columns, then a row a result.

    Args:
        evaluations: the evaluations of the run, by their numbers.
        results: its results.
    """
    yield _line(list(COLUMNS))
    for result in results:
        row = flat_row(result, evaluations.get(result.evaluation))
        yield _line([_cell(row[name]) for name in COLUMNS])


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULAS):
        return f"{_TEXT}{value}"
    return value


def _line(cells: list[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")
