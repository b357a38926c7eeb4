"""Which run somebody means: by its id or the beginning of it, by its name, or by its age."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, or_, select

from callscore.core.nearest import meant_by
from callscore.errors import UnknownRun
from callscore.history.tables import runs

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

__all__ = ["find_run"]

_LATEST = re.compile(r"latest(?:~(\d{1,9}))?")
_NAMED = 5


def find_run(connection: Connection, reference: str) -> Row[Any]:
    """The row of the run that is meant.

    Args:
        connection: where the runs are.
        reference: `latest`, `latest~2` for the one two before it, an id, a beginning that only one
            id has, or a name; the newest of those that share a name.

    Raises:
        UnknownRun: there is no such run, or several ids begin like this.
    """
    latest = _LATEST.fullmatch(reference)
    if latest:
        return _latest(connection, reference, int(latest[1] or 0))
    newest = select(runs).order_by(runs.c.number.desc())
    exact = newest.where(or_(runs.c.id == reference, runs.c.name == reference)).limit(1)
    found = connection.execute(exact).first()
    return _beginning(connection, reference) if found is None else found


def _latest(connection: Connection, reference: str, back: int) -> Row[Any]:
    newest = select(runs).order_by(runs.c.number.desc())
    found = connection.execute(newest.offset(back).limit(1)).first()
    if found is not None:
        return found
    count = connection.execute(select(func.count()).select_from(runs)).scalar_one()
    raise UnknownRun(_none_yet(reference) if count == 0 else _too_far(reference, count))


def _none_yet(reference: str) -> str:
    return f"there is no run {reference!r}: the history is empty. Begin with: callscore run"


def _too_far(reference: str, count: int) -> str:
    runs_there_are = "is 1 run" if count == 1 else f"are {count} runs"
    return f"there is no run {reference!r}: there {runs_there_are}, back to 'latest~{count - 1}'"


def _beginning(connection: Connection, reference: str) -> Row[Any]:
    newest = select(runs).order_by(runs.c.number.desc())
    alike = newest.where(runs.c.id.startswith(reference, autoescape=True)).limit(_NAMED + 1)
    # Not every database tells capital letters from small ones here.
    found = [row for row in connection.execute(alike) if row.id.startswith(reference)]
    if reference and len(found) == 1:
        return found[0]
    if reference and found:
        raise UnknownRun(f"{reference!r} may be any of the runs {_listed([r.id for r in found])}")
    names = select(runs.c.id, runs.c.name).order_by(runs.c.number.desc()).limit(_NAMED + 1)
    known = list(connection.execute(names))
    if not known:
        raise UnknownRun(_none_yet(reference))
    ids = [row.id for row in known]
    meant = meant_by(reference, ["latest", *ids, *(row.name for row in known if row.name)])
    raise UnknownRun(f"there is no run {reference!r}; the newest are {_listed(ids)}{meant}")


def _listed(ids: list[str]) -> str:
    more = ["..."] if len(ids) > _NAMED else []
    return ", ".join([*ids[:_NAMED], *more])
