"""Creates the tables in a database, unless they are there; and refuses those of another version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.errors import UnusableStore
from callscore.history.database import execute, fetch_all, insert_into, insert_rows, is_sqlite
from callscore.history.tables import TABLES, VERSION, VERSION_TABLE

if TYPE_CHECKING:
    from callscore.history.database import AnyConnection


_STORED_VERSION = f"SELECT version FROM {VERSION_TABLE.name}"  # noqa: S608  (our own name)
# `sqlite_master` has the tables of SQLite itself, too.
_FILE_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) != 'sqlite_'"
)
_SERVER_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"


def is_current(connection: AnyConnection) -> bool:
    """Whether the tables exist, with the current version."""
    if VERSION_TABLE.name not in _table_names(connection):
        return False
    return fetch_all(connection, _STORED_VERSION) == [(VERSION,)]


def _table_names(connection: AnyConnection) -> set[str]:
    query = _FILE_TABLES if is_sqlite(connection) else _SERVER_TABLES
    return {name for (name,) in fetch_all(connection, query)}


def ensure_tables(connection: AnyConnection, place: str) -> None:
    """Create the tables in the current transaction, if there are none.

    Raises:
        UnusableStore: the tables are of another version, or the database is of another program.
    """
    if _are_current(connection, place):
        return
    for table in TABLES:
        for statement in table.statements(is_sqlite=is_sqlite(connection)):
            execute(connection, statement)
    insert_rows(connection, insert_into(VERSION_TABLE), [(VERSION,)])


def require_tables(connection: AnyConnection, place: str) -> None:
    """Refuse a read-only database without tables of this version."""
    if not _are_current(connection, place):
        raise UnusableStore(place, "the file is empty and read-only. Move it away.")


def _are_current(connection: AnyConnection, place: str) -> bool:
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
    if VERSION_TABLE.name in names:
        found = fetch_all(connection, _STORED_VERSION)
        version = found[0][0] if len(found) == 1 else None
        if not isinstance(version, int) or version < 1:
            raise UnusableStore(place, "the file is damaged. Restore a copy of it.")
        return version
    # A file must not have other tables; on a server other programs may have theirs beside ours.
    foreign = names if is_sqlite(connection) else names & {table.name for table in TABLES}
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
