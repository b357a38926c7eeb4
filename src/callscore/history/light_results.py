"""The results of a run without what was asked and answered: quick, however long the answers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from sqlalchemy import bindparam, select

from callscore.core.results import MetricValue
from callscore.core.tool_outcomes import ToolOutcome
from callscore.history.packing import clean_text
from callscore.history.result_queries import results_by_number
from callscore.history.retrying import patient
from callscore.history.rows import result_record
from callscore.history.tables import COUNTS, results, runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.history.records import ResultRecord
    from callscore.history.store import Store

__all__ = ["LightResult", "light_results", "tools_in", "values_in", "whole_results"]

# As many values as every SQLite takes in one statement, and a few for the others in it.
_MOST_VALUES = 800
_tools = msgspec.json.Decoder(dict[str, ToolOutcome])


class LightResult(Struct, frozen=True, gc=False):
    """What became of one question, without its long texts.

    Attributes:
        run: the number of the run's row.
        number: the number of its own.
        evaluation: the number of the evaluation in the run.
        case: the id of the case.
        trial: which repetition it is, from 1 on.
        status: whether there is a score; `error` where there is no answer.
        passed: whether all scorers are content.
        seconds: how long it took.
        requests: how often a model was asked.
        input_tokens: what it read.
        output_tokens: what it wrote.
        attempts: how often it was tried.
        is_reused: whether the answer was there before.
        failure_kind: why there is no answer; None where there is one.
        failure: the same in a sentence.
        scores: what each scorer says, as `values_in` reads it.
        tools: how the calls of each tool went, as `tools_in` reads it.
        counts: correct, incorrect, missed, extra, expected, actual, forbidden; None where nothing is
            scored.
    """

    run: int
    number: int
    evaluation: int
    case: str
    trial: int
    status: str
    passed: bool | None
    seconds: float
    requests: int
    input_tokens: int
    output_tokens: int
    attempts: int
    is_reused: bool
    failure_kind: str | None
    failure: str | None
    scores: str | None
    tools: str | None
    counts: tuple[int, ...] | None


_RENAMED = {"case": "case_id"}
_COLUMNS = [_RENAMED.get(name, name) for name in LightResult.__struct_fields__[:-1]]
_LIGHT = (
    select(*[results.c[name] for name in (*_COLUMNS, *COUNTS)])
    .join(runs, results.c.run == runs.c.number)
    .where(runs.c.id == bindparam("id"))
    .order_by(results.c.number)
)


@patient
def light_results(store: Store, run: str) -> list[LightResult]:
    """The results of a run, in the order they were first written.

    Raises:
        UnusableStore: the database cannot be used.
    """
    width = len(_COLUMNS)
    with store.reading() as connection:
        rows = connection.execute(_LIGHT, {"id": clean_text(run)}).all()
    return [_light(row, width) for row in rows]


def _light(row: Any, width: int) -> LightResult:
    counts = None if row[width] is None else tuple(row[width:])
    fields: tuple[Any, ...] = (*row[:width], counts)
    return LightResult(*fields)


def values_in(scores: str | None) -> tuple[MetricValue, ...]:
    """What each scorer says, from the text of its column."""
    return () if scores is None else tuple([MetricValue(*each) for each in _decoded(scores)])


def _decoded(text: str) -> list[list[Any]]:
    found: list[list[Any]] = msgspec.json.decode(text)
    return found


def tools_in(tools: str | None) -> dict[str, ToolOutcome]:
    """How the calls of each tool went, from the text of its column; empty where nobody has counted."""
    return {} if tools is None else _tools.decode(tools)


def whole_results(
    store: Store, run: str, wanted: Sequence[LightResult]
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
