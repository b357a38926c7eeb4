"""Whether a database has the tables of this version."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from callscore.errors import UnusableStore
from callscore.history.database import fetch_all, is_sqlite
from callscore.history.tables import TABLES, VERSION, VERSION_TABLE

if TYPE_CHECKING:
    from callscore.history.database import AnyConnection

__all__ = ["are_current", "is_current", "require_tables"]

_STORED_VERSION = f"SELECT version FROM {VERSION_TABLE}"  # noqa: S608  (our own name)
# `sqlite_master` has the tables of SQLite itself, too.
_FILE_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) != 'sqlite_'"
)


def is_current(connection: AnyConnection) -> bool:
    """Whether the tables exist, with the current version."""
    found = fetch_all(connection, _STORED_VERSION) if _has_table(connection) else []
    return bool(found) and found[0][0] == VERSION


def _has_table(connection: AnyConnection) -> bool:
    if isinstance(connection, sqlite3.Connection):
        return VERSION_TABLE in _table_names(connection)
    from sqlalchemy import inspect

    return inspect(connection).has_table(VERSION_TABLE)


def _table_names(connection: AnyConnection) -> set[str]:
    if isinstance(connection, sqlite3.Connection):
        return {name for (name,) in fetch_all(connection, _FILE_TABLES)}
    from sqlalchemy import inspect

    return set(inspect(connection).get_table_names())


def require_tables(connection: AnyConnection, place: str) -> None:
    """Refuse a read-only database without tables of this version."""
    if not are_current(connection, place):
        raise UnusableStore(place, "the file is empty and read-only. Move it away.")


def are_current(connection: AnyConnection, place: str) -> bool:
    """Whether the tables exist; those of another version are refused."""
    found = _stored_version(connection, place)
    if found > VERSION:
        raise UnusableStore(
            place,
            f"written by a newer callscore: its tables have version {found}, and this callscore "
            f"reads versions up to {VERSION}. Upgrade: pip install --upgrade callscore",
        )
    if 0 < found < VERSION:
        raise UnusableStore(
            place,
            f"its tables have version {found}, from before the first release, and this callscore "
            f"reads version {VERSION}. Move it away to create a new one.",
        )
    return found == VERSION


def _stored_version(connection: AnyConnection, place: str) -> int:
    """The version of the tables; 0 if there are none yet."""
    names = _table_names(connection)
    if VERSION_TABLE in names:
        found = fetch_all(connection, _STORED_VERSION)
        version = found[0][0] if len(found) == 1 else None
        if not isinstance(version, int) or version < 1:
            raise UnusableStore(place, "the file is damaged. Restore a copy of it.")
        return version
    # A file must not have other tables; on a server other programs may have theirs beside ours.
    foreign = names if is_sqlite(connection) else names & TABLES
    if foreign:
        raise UnusableStore(
            place, "the database belongs to another program. Move it away to create a new one."
        )
    # A new file has one page at most.
    if is_sqlite(connection) and fetch_all(connection, "PRAGMA page_count")[0][0] > 1:
        raise UnusableStore(
            place, "the file is damaged: it has data, but no tables. Restore a copy of it."
        )
    return 0
