"""Tables of results: one row for each case, as Arrow data and as data frames of pandas and Polars.

The rows are those that engines write, so that the rest of a program need not know where cases were
scored. What only an engine knows, `source`, `offset` and `problem`, is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.case import Case
from callscore.engines.result_rows import RowBuilder, RowStatus, require_pyarrow
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
    cases = _all_cases(results, method)
    builder = RowBuilder()
    batches = []
    waiting = iter(results.unscored)
    unscored = next(waiting, None)
    for number, case in enumerate([*cases, None]):
        while unscored is not None and unscored.position <= number:
            status: RowStatus = "no_answer" if unscored.is_unanswered else "not_scored"
            builder.add_unscored(
                Case(id=unscored.id, trial=unscored.trial, tags=unscored.tags), status
            )
            unscored = next(waiting, None)
        if case is not None:
            builder.add_score(
                Case(id=case.id, trial=case.trial, tags=case.tags), case.required_score
            )
        if len(builder) >= _ROWS_PER_BATCH:
            batches.append(builder.batch())
    batches.append(builder.batch())
    return arrow.Table.from_batches(batches, builder.schema)


def _all_cases(results: Results, method: str) -> tuple[Result, ...]:
    """The scored cases.

    Raises:
        InvalidSettings: not all cases are in the results. A table without the others would look complete.
    """
    summary = results.summary
    cases = results.cases
    if not cases and results.only is not None:
        cases = (results.only,)
    unscored = summary.unanswered + results.not_scored.count
    if len(cases) < summary.scored or len(results.unscored) < unscored:
        kept, found = len(cases) + len(results.unscored), summary.scored + unscored
        raise InvalidSettings(
            f"{method}: {kept} of {found} cases are in these results. Score them with show='all' and"
            " max_shown=None"
        )
    return cases
