"""Tables of results: one row for each case, as Arrow data and as data frames of pandas and Polars.

The rows are those that engines write, so that the rest of a program need not know where cases were
scored. What only an engine knows, `source`, `offset` and `problem`, is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.case import Case
from callscore.engines.result_rows import RowBuilder, require_pyarrow
from callscore.errors import InvalidSettings, MissingExtra

if TYPE_CHECKING:
    from callscore.core.results import Result, Results

_ROWS_PER_BATCH = 1 << 14


def arrow_table(results: Results) -> Any:
    """The rows as a table of pyarrow; see `Results.to_arrow`."""
    return _table(results, "to_arrow", extra="parquet")


def pandas_frame(results: Results) -> Any:
    """The rows as a data frame of pandas, as it reads them from a Parquet file."""
    try:
        import pandas as pd  # noqa: F401  (pyarrow needs it, and its error says less)
    except ImportError:
        raise MissingExtra("to_pandas", "pandas") from None
    return _table(results, "to_pandas", extra="pandas").to_pandas()


def polars_frame(results: Results) -> Any:
    """The rows as a data frame of Polars, as it reads them from a Parquet file."""
    try:
        import polars as pl
    except ImportError:
        raise MissingExtra("to_polars", "polars") from None
    return pl.from_arrow(_table(results, "to_polars", extra="polars"))


def _table(results: Results, method: str, *, extra: str) -> Any:
    arrow = require_pyarrow(method, extra)
    builder = RowBuilder()
    batches = []
    for each in _all_cases(results, method):
        named = Case(id=each.id, trial=each.trial, tags=each.tags)
        if each.score is not None:
            builder.add_score(named, each.score)
        else:
            builder.add_unscored(named, "no_answer" if each.failure is not None else "not_scored")
        if len(builder) >= _ROWS_PER_BATCH:
            batches.append(builder.batch())
    batches.append(builder.batch())
    return arrow.Table.from_batches(batches, builder.schema)


def _all_cases(results: Results, method: str) -> tuple[Result, ...]:
    """All results in the order of the input.

    Raises:
        InvalidSettings: some are missing. A table without them would look complete.
    """
    shown = results.shown
    if not results.cases and results.only is not None:
        shown = (results.only, *shown)
    every = results.summary.cases + results.not_scored.count
    if len(shown) < every:
        raise InvalidSettings(
            f"{method}: {len(shown)} of {every} cases are in these results. Score them with"
            " show='all' and max_shown=None"
        )
    return shown
