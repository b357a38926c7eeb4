"""The version of the tables, and the way from each version to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, inspect, select

from callscore.errors import UnusableStore
from callscore.history.tables import METADATA, schema
from callscore.history.version_2 import to_version_2

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection

__all__ = ["STEPS", "VERSION", "is_prepared", "prepare", "require_current"]

VERSION = 2
_OLD = (
    "an older callscore has written it, and it cannot be brought up to date: nothing can be written"
    " there. Copy it into a folder that can be written."
)

# What makes tables of one version into those of the next, by the version that it starts from. A new
# database gets the newest tables at once; a step is never changed after it was released.
STEPS: Mapping[int, Callable[[Connection], None]] = {1: to_version_2}


def is_prepared(connection: Connection) -> bool:
    """Whether the tables are there, and of this version."""
    is_there = inspect(connection).has_table(schema.name)
    return is_there and connection.execute(select(schema.c.version)).scalar() == VERSION


def prepare(
    connection: Connection,
    place: str,
    *,
    version: int = VERSION,
    steps: Mapping[int, Callable[[Connection], None]] = STEPS,
) -> None:
    """Make the tables, or bring them to this version; all in the transaction that is under way.

    Raises:
        UnusableStore: the database is newer than this program, or is that of another program.
    """
    found = _require_known(connection, place, version=version)
    if found == version:
        return
    if found == 0:
        METADATA.create_all(connection)
    else:
        for start in range(found, version):
            steps[start](connection)
    connection.execute(delete(schema))
    connection.execute(insert(schema).values(version=version))


def require_current(connection: Connection, place: str) -> None:
    """Refuse tables that are not of this version, where nothing can be written.

    Raises:
        UnusableStore: the database is older or newer, or is that of another program.
    """
    if _require_known(connection, place) != VERSION:
        raise UnusableStore(place, _OLD)


def _require_known(connection: Connection, place: str, *, version: int = VERSION) -> int:
    """The version of the tables; 0 where there are none yet.

    Raises:
        UnusableStore: the database is newer than this program, or is that of another program.
    """
    found = _version_of(connection, place)
    if found > version:
        raise UnusableStore(
            place,
            f"a newer callscore has written it: its tables are of version {found}, and this one "
            f"knows them up to version {version}. Upgrade: pip install --upgrade callscore",
        )
    return found


def _version_of(connection: Connection, place: str) -> int:
    """The version of the tables; 0 where there are none yet."""
    names = set(inspect(connection).get_table_names())
    if schema.name in names:
        version: int = connection.execute(select(schema.c.version)).scalar_one()
        return version
    # A file is all ours or not at all; on a server others may have tables beside ours.
    strange = names if connection.dialect.name == "sqlite" else names & set(METADATA.tables)
    if strange:
        raise UnusableStore(
            place, "it is the database of another program. Move it away, and a new one is made."
        )
    return 0
