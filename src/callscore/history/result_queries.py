"""Reads the results of a run: page by page, those of one case, how many trials there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from callscore.history.packing import clean_text
from callscore.history.rows import result_record
from callscore.history.statements import RESULTS, RESULTS_OF_CASE
from callscore.history.tables import results

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from callscore.history.records import ResultRecord

__all__ = ["page_of_results", "results_of_case", "trials_by_evaluation"]


def page_of_results(
    connection: Connection,
    run: tuple[str, int],
    evaluation: int | None,
    *,
    after: int,
    limit: int,
) -> tuple[list[ResultRecord], int]:
    """Some results of a run, in the order they were first written, and the number of the last.

    Args:
        connection: where they are kept.
        run: the id of the run, and its number.
        evaluation: the number of the evaluation that is meant; None for all of them.
        after: the number of the last result that was read before.
        limit: how many at the most.
    """
    query = RESULTS if evaluation is None else RESULTS.where(results.c.evaluation == evaluation)
    name, number = run
    rows = connection.execute(query, {"run": number, "after": after, "limit": limit}).all()
    return [result_record(row, name) for row in rows], rows[-1].number if rows else after


def results_of_case(
    connection: Connection,
    run: tuple[str, int],
    case: str,
    trial: int | None,
    evaluation: int | None,
) -> list[ResultRecord]:
    """What became of one case of a run, in order of the evaluations and the trials."""
    query = RESULTS_OF_CASE
    if trial is not None:
        query = query.where(results.c.trial == trial)
    if evaluation is not None:
        query = query.where(results.c.evaluation == evaluation)
    name, number = run
    rows = connection.execute(query, {"run": number, "case": clean_text(case)})
    return [result_record(row, name) for row in rows]


def trials_by_evaluation(connection: Connection, number: int) -> dict[int, int]:
    """How often the cases of each evaluation of a run were asked, by the number of the evaluation."""
    highest = (
        select(results.c.evaluation, func.max(results.c.trial).label("most"))
        .where(results.c.run == number)
        .group_by(results.c.evaluation)
    )
    return {row.evaluation: row.most for row in connection.execute(highest)}
