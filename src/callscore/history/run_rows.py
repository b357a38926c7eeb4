"""The rows of runs: how one begins and ends, and how runs are found."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from sqlalchemy import bindparam, func, select, update

from callscore.errors import UnknownRun
from callscore.history.identifiers import new_run_id
from callscore.history.packing import clean_text, json_text
from callscore.history.rows import run_row
from callscore.history.statements import NUMBER, add_run
from callscore.history.tables import NEWEST_FIRST, baselines, evaluations, runs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Connection, Row

    from callscore.history.records import RunRecord, RunStatus

__all__ = [
    "baseline_numbers",
    "begin_run",
    "count_runs",
    "end_run",
    "known_names",
    "newest_ids",
    "run_by_id",
    "run_by_name",
    "runs_begun_at",
    "runs_by_ids",
    "runs_by_numbers",
    "runs_of_commit",
    "runs_with_prefix",
    "stored_runs",
]

_STORED = select(runs).order_by(*NEWEST_FIRST)


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


def stored_runs(
    connection: Connection, limit: int | None = None, offset: int | None = None
) -> Sequence[Row[Any]]:
    """The runs, the newest first; so many of them, after the first ones."""
    return connection.execute(_STORED.offset(offset).limit(limit)).all()


def count_runs(connection: Connection) -> int:
    """How many runs there are."""
    return connection.execute(select(func.count()).select_from(runs)).scalar_one()


def run_by_id(connection: Connection, name: str) -> Row[Any] | None:
    """The run of this id."""
    return connection.execute(_STORED.limit(1).where(runs.c.id == name)).first()


def run_by_name(connection: Connection, name: str) -> Row[Any] | None:
    """The newest run of this name."""
    return connection.execute(_STORED.limit(1).where(runs.c.name == name)).first()


def runs_by_ids(connection: Connection, ids: Collection[str]) -> Sequence[Row[Any]]:
    """The runs of these ids."""
    return connection.execute(select(runs).where(runs.c.id.in_(ids))).all()


def runs_by_numbers(connection: Connection, numbers: Collection[int]) -> Sequence[Row[Any]]:
    """The number, the id and the status of each of these runs that is there."""
    given = bindparam("numbers", expanding=True, literal_execute=True)
    query = select(runs.c.number, runs.c.id, runs.c.status).where(runs.c.number.in_(given))
    return connection.execute(query, {"numbers": list(numbers)}).all()


def runs_with_prefix(connection: Connection, prefix: str, limit: int) -> list[Row[Any]]:
    """The runs whose ids begin like this, the newest first."""
    alike = _STORED.where(runs.c.id.startswith(prefix, autoescape=True)).limit(limit)
    # Not every database tells capital letters from small ones here.
    return [row for row in connection.execute(alike) if row.id.startswith(prefix)]


def runs_of_commit(connection: Connection, commit: str) -> Sequence[Row[Any]]:
    """The finished runs of a commit, the newest first."""
    finished = _STORED.where(runs.c.git_commit == commit, runs.c.status == "finished")
    return connection.execute(finished).all()


def runs_begun_at(connection: Connection, started_at: float) -> Sequence[Row[Any]]:
    """The runs that began at just this moment, in the order in which they were written."""
    query = select(runs).where(runs.c.started_at == started_at).order_by(runs.c.number)
    return connection.execute(query).all()


def newest_ids(connection: Connection, limit: int) -> list[str]:
    """The ids of the newest runs."""
    ids = select(runs.c.id).order_by(*NEWEST_FIRST).limit(limit)
    return list(connection.execute(ids).scalars())


def known_names(connection: Connection, limit: int) -> tuple[list[Row[Any]], list[str]]:
    """The ids and the names of the newest runs, and the names of all baselines."""
    names = select(runs.c.id, runs.c.name).order_by(*NEWEST_FIRST).limit(limit)
    set_names = connection.execute(select(baselines.c.name)).scalars()
    return list(connection.execute(names)), list(set_names)


def baseline_numbers(connection: Connection) -> set[int]:
    """The numbers of the runs that are baselines."""
    return set(connection.execute(select(baselines.c.run)).scalars())
