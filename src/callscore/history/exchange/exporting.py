"""A run as lines that another history takes, from the beginning to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from callscore.history.exchange.lines import end_line, line_of
from callscore.history.retrying import patient
from callscore.history.rows import answer_record
from callscore.history.tables import answers, payloads, runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Select

    from callscore.history.records import AnswerRecord, RunRecord
    from callscore.history.store import Store

__all__ = ["answers_of", "exported_lines"]

_PAGE = 200
_ANSWERS: Select[Any] = (
    select(answers, payloads.c.body.label("answer_body"), runs.c.id.label("run_id"))
    .join(runs, answers.c.run == runs.c.number)
    .outerjoin(payloads, answers.c.answer == payloads.c.digest)
    .where(runs.c.id == bindparam("run"), answers.c.number > bindparam("after"))
    .order_by(answers.c.number)
    .limit(_PAGE)
)


def exported_lines(store: Store, run: RunRecord) -> Iterator[tuple[bytes, int]]:
    """The lines of a run, each with how many results it holds: one or none.

    A run that did not end brings its answers, so that it can go on elsewhere.
    """
    evaluations = store.evaluations(run.id)
    yield line_of(run, has_end=True), 0
    for record in evaluations:
        yield line_of(record), 0
    if run.status != "finished":
        for answer in answers_of(store, run.id):
            yield line_of(answer), 0
    count = 0
    for result in store.results(run.id):
        yield line_of(result), 1
        count += 1
    yield end_line(evaluations=len(evaluations), results=count), 0


def answers_of(store: Store, run: str) -> Iterator[AnswerRecord]:
    """The answers that a run got, in the order in which it got them, a few at a time."""
    after = -1
    while True:
        page, after = _page(store, run, after)
        yield from page
        if len(page) < _PAGE:
            return


@patient
def _page(store: Store, run: str, after: int) -> tuple[list[AnswerRecord], int]:
    with store.reading() as connection:
        rows = connection.execute(_ANSWERS, {"run": run, "after": after}).all()
        return [answer_record(row) for row in rows], rows[-1].number if rows else after
