"""How a run begins in a history, and how it ends there."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from sqlalchemy import select, update

from callscore.errors import UnknownRun
from callscore.history.identifiers import new_run_id
from callscore.history.packing import clean_text, json_text
from callscore.history.rows import run_row
from callscore.history.statements import NUMBER, add_run
from callscore.history.tables import evaluations, runs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from callscore.history.records import RunRecord, RunStatus

__all__ = ["begin_run", "end_run"]


def begin_run(connection: Connection, run: RunRecord) -> RunRecord:
    """Add a run, or go on with the one of this id that began at the same time.

    Returns:
        The run as it is kept: under another id, where another process has just taken this one.
    """
    known = connection.execute(select(runs).where(runs.c.id == run.id)).first()
    if known is not None and known.started_at == run.started_at:
        same = runs.c.number == known.number
        connection.execute(update(runs).where(same).values(run_row(run)))
        return run
    # Another process may take the id between two statements of ours.
    while known is not None or not add_run(connection, run_row(run)):
        run = replace(run, id=new_run_id(run.started_at))
        known = connection.execute(NUMBER, {"id": run.id}).first()
    return run


def end_run(
    connection: Connection,
    run: tuple[str, int],
    status: RunStatus,
    totals: Mapping[str, Any],
    summaries: Mapping[int, Mapping[str, Any]],
) -> None:
    """Note how the run of this id and number ended, and what its evaluations come to.

    Raises:
        UnknownRun: somebody has removed it; another may have its number by now.
    """
    name, number = run
    ended = {"status": status, "finished_at": time(), "totals": json_text(dict(totals))}
    is_it = (runs.c.number == number) & (runs.c.id == clean_text(name))
    if not connection.execute(update(runs).where(is_it).values(ended)).rowcount:
        raise UnknownRun(f"the run {name} is no longer there: somebody has removed it")
    for which, summary in summaries.items():
        one = (evaluations.c.run == number) & (evaluations.c.number == which)
        text = json_text(dict(summary))
        connection.execute(update(evaluations).where(one).values(summary=text))
