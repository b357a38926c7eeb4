"""Reads the results of a run: page by page, those of one case, how many trials there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from callscore.history.packing import clean_text
from callscore.history.rows import result_record
from callscore.history.statements import RESULTS, RESULTS_OF_CASE
from callscore.history.tables import answers, results, runs

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection, Row

    from callscore.history.records import ResultRecord

__all__ = [
    "answered_questions",
    "page_of_results",
    "result_times",
    "results_by_number",
    "results_of_case",
    "trials_by_evaluation",
]


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


def results_by_number(
    connection: Connection, run: int, numbers: Collection[int]
) -> Sequence[Row[Any]]:
    """The results of a run with these numbers, with the bodies of their payloads."""
    query = RESULTS.where(results.c.number.in_(numbers))
    return connection.execute(query, {"run": run, "after": -1, "limit": len(numbers)}).all()


def answered_questions(connection: Connection, run: str) -> set[tuple[bytes, int]]:
    """The questions of a run that have an answer: the digest as it is kept, and the trial."""
    query = select(answers.c.question, answers.c.trial).join(runs, answers.c.run == runs.c.number)
    found = connection.execute(query.where(runs.c.id == run))
    return {(bytes(row[0]), row[1]) for row in found}


def result_times(connection: Connection, run: str) -> dict[tuple[int, str, int], float]:
    """When each result of a run was written, by its evaluation, case and trial."""
    columns = (results.c.evaluation, results.c.case_id, results.c.trial, results.c.finished_at)
    query = select(*columns).join(runs, results.c.run == runs.c.number).where(runs.c.id == run)
    return {(row[0], row[1], row[2]): row[3] for row in connection.execute(query)}
