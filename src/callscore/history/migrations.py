"""The version of the tables: created new, checked, refused where it is not this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, inspect, select

from callscore.errors import UnusableStore
from callscore.history.tables import METADATA, schema

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["VERSION", "is_prepared", "prepare", "require_tables"]

VERSION = 2


def is_prepared(connection: Connection) -> bool:
    """Whether the tables are there, and of this version."""
    is_there = inspect(connection).has_table(schema.name)
    return is_there and connection.execute(select(schema.c.version)).scalar() == VERSION


def prepare(connection: Connection, place: str) -> None:
    """Create the tables where there are none, in the transaction that is under way.

    Raises:
        UnusableStore: the tables are of another version, or the database is of another program.
    """
    if _are_current(connection, place):
        return
    METADATA.create_all(connection)
    connection.execute(insert(schema).values(version=VERSION))


def require_tables(connection: Connection, place: str) -> None:
    """Refuse a database without tables of this version, where nothing can be written.

    Raises:
        UnusableStore: there are no tables, or they are of another version or program.
    """
    if not _are_current(connection, place):
        raise UnusableStore(place, "it is empty, and nothing can be written there. Move it away.")


def _are_current(connection: Connection, place: str) -> bool:
    """Whether the tables are there; those of another version are refused.

    Raises:
        UnusableStore: the tables are of another version, or the database is of another program.
    """
    found = _version_of(connection, place)
    if found > VERSION:
        raise UnusableStore(
            place,
            f"a newer callscore has written it: its tables are of version {found}, and this one "
            f"knows them up to version {VERSION}. Upgrade: pip install --upgrade callscore",
        )
    if 0 < found < VERSION:
        raise UnusableStore(
            place,
            f"its tables are of version {found}, from before the first release, and this callscore "
            f"reads version {VERSION}. Move it away, and a new one is made.",
        )
    return found == VERSION


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
