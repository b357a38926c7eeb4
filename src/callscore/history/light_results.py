"""The results of a run without what was asked and answered: quick, however long the answers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import bindparam, select

from callscore.core.model import Case
from callscore.core.results import MetricValue
from callscore.core.run import Answer, Failure, KeptScore, Result, Usage, failure_kind
from callscore.core.tool_outcomes import ToolOutcome
from callscore.history.packing import clean_text
from callscore.history.result_queries import results_by_number
from callscore.history.retrying import patient
from callscore.history.rows import result_record
from callscore.history.statements import prepared
from callscore.history.tables import COUNTS, results, runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from callscore.history.records import ResultRecord
    from callscore.history.store import Store

__all__ = ["LightRow", "light_results", "whole_results"]

# As many values as every SQLite takes in one statement, and a few for the others in it.
_MOST_VALUES = 800
_tools = msgspec.json.Decoder(dict[str, ToolOutcome])
_COLUMNS = (
    *("run", "number", "evaluation", "case_id", "trial", "status", "passed", "seconds"),
    *("requests", "input_tokens", "output_tokens", "attempts", "is_reused"),
    *("failure_kind", "failure", "scores", "tools"),
)
_LIGHT = (
    select(*[results.c[name] for name in (*_COLUMNS, *COUNTS)])
    .join(runs, results.c.run == runs.c.number)
    .where(runs.c.id == bindparam("id"))
    .order_by(results.c.number)
)


class LightRow(NamedTuple):
    """A result without its long texts, and where it stands.

    Attributes:
        run: the number of the run's row.
        number: the number of its own.
        evaluation: the number of the evaluation in the run.
        result: the result; its case says which trial it is where the evaluation has several.
    """

    run: int
    number: int
    evaluation: int
    result: Result


@patient
def light_results(
    store: Store, run: str, is_wanted: Callable[[int, str], bool] | None = None
) -> list[LightRow]:
    """The results of a run, in the order they were first written.

    Args:
        store: the history.
        run: the run.
        is_wanted: tells by the number of its evaluation and the id of its case whether a result is
            asked for; None for all.

    Raises:
        UnusableStore: the database cannot be used.
    """
    with store.reading() as connection:
        # As the driver gives them: a row of many columns costs more than its values.
        rows: Sequence[Any] = prepared(
            connection, _LIGHT, {"id": clean_text(run)}
        ).cursor.fetchall()
    if is_wanted is not None:
        rows = [row for row in rows if is_wanted(row[2], row[3])]
    repeated = {row[2] for row in rows if row[4] > 1}
    reader = _Reader()
    return [reader.row(row, has_trials=row[2] in repeated) for row in rows]


class _Reader:
    """Reads rows; most of them have the same few texts, each of which is read once."""

    def __init__(self) -> None:
        self._values: dict[str | None, tuple[MetricValue, ...]] = {None: ()}
        self._scores: dict[Any, KeptScore] = {}

    def row(self, row: Sequence[Any], *, has_trials: bool) -> LightRow:
        """One row, as the columns stand in it."""
        run, number, evaluation, case, trial, status, passed, seconds, *rest = row
        requests, read, written, attempts, is_reused, kind, problem, scores, *kept = rest
        trial = trial if has_trials else None
        failure = None
        if status == "error":
            failure = Failure(
                case=case,
                kind=failure_kind(kind or ""),
                problem=problem or "",
                trial=trial,
                attempts=attempts,
            )
        result = Result(
            case=Case(id=case, trial=trial),
            status=status,
            answer=Answer(
                seconds=seconds,
                usage=Usage(requests, read, written),
                attempts=attempts,
                is_reused=bool(is_reused),
            ),
            values=self._values_in(scores),
            passed=None if passed is None else bool(passed),
            failure=failure,
            kept=self._score_in(tuple(kept)),
        )
        return LightRow(run, number, evaluation, result)

    def _values_in(self, text: str | None) -> tuple[MetricValue, ...]:
        found = self._values.get(text)
        if found is None:
            decoded: list[list[Any]] = msgspec.json.decode(text or "[]")
            found = self._values[text] = tuple([MetricValue(*each) for each in decoded])
        return found

    def _score_in(self, columns: tuple[Any, ...]) -> KeptScore:
        found = self._scores.get(columns)
        if found is None:
            tools, *counts = columns
            found = self._scores[columns] = KeptScore(
                counts=() if counts[0] is None else tuple(counts),
                tools=None if tools is None else _tools.decode(tools),
            )
        return found


def whole_results(
    store: Store, run: str, wanted: Sequence[LightRow]
) -> Iterator[tuple[int, ResultRecord]]:
    """Some results of a run with all that is kept of them, each with the number of its row.

    Raises:
        UnusableStore: the database cannot be used.
    """
    for start in range(0, len(wanted), _MOST_VALUES):
        some = wanted[start : start + _MOST_VALUES]
        numbers = [one.number for one in some]
        with store.reading() as connection:
            rows = results_by_number(connection, some[0].run, numbers)
            found = [(row.number, result_record(row, run)) for row in rows]
        yield from found
