"""Names for the runs that others are compared with."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, select

from callscore.errors import InvalidSettings
from callscore.history.packing import clean_text
from callscore.history.records import Baseline
from callscore.history.run_names import name_fault
from callscore.history.statements import add_rows, inserts_for
from callscore.history.tables import baselines, runs

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["BASELINE", "baselines_by_name", "keep_baseline", "remove_named"]

_ALL = select(baselines.c.name, runs.c.id, baselines.c.set_at).join(
    runs, baselines.c.run == runs.c.number
)
BASELINE = (
    select(runs)
    .join(baselines, baselines.c.run == runs.c.number)
    .where(baselines.c.name == bindparam("name"))
)


def baselines_by_name(connection: Connection) -> list[Baseline]:
    """All baselines, in the order of their names."""
    # Databases do not agree on what the alphabet is.
    rows = sorted(connection.execute(_ALL).all(), key=lambda row: str(row.name))
    return [Baseline(name=row.name, run=row.id, set_at=row.set_at) for row in rows]


def keep_baseline(connection: Connection, name: str, number: int) -> None:
    """Let the name mean the run of this number from now on.

    Raises:
        InvalidSettings: nobody could name the baseline by this.
    """
    fault = name_fault(name)
    if fault is not None:
        raise InvalidSettings(
            f"{name!r} cannot be the name of a baseline: {fault}. Take a word such as main"
        )
    row = {"name": clean_text(name), "run": number, "set_at": time()}
    add_rows(connection, inserts_for(connection.dialect).baseline, [row])


def remove_named(connection: Connection, name: str) -> bool:
    """Forget a name; whether there was one."""
    gone = connection.execute(delete(baselines).where(baselines.c.name == clean_text(name)))
    return gone.rowcount > 0
