"""Connections to PostgreSQL."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from psycopg import Connection
    from sqlalchemy import Engine

__all__ = ["connect", "postgres_engine"]

# What libpq is told unless the address says otherwise, in seconds; the last one in milliseconds.
_MANNERS: dict[str, Any] = {
    "connect_timeout": 10,
    # A server that vanishes without a word is noticed within this time.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "client_encoding": "utf8",
    "fallback_application_name": "callscore",
}
# For as long as others may keep us waiting; and what a server may have been told to do otherwise.
_SETTINGS = (
    "SET lock_timeout = '30s';"
    " SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED"
)
_NOBODY = logging.NullHandler()
_KEPT_OPEN = 2
_MOST_MORE = 8

# Those that this process has open.
_open: WeakSet[Connection[Any]] = WeakSet()


def _let_go_in_copy() -> None:
    """A process that is made as a copy of this one speaks to no server in its name.

    What it would say at its end would end the connection for both. So it is left with connections
    that lead nowhere.
    """
    if not _open:
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for connection in _open:
        with suppress(Exception):  # it is closed
            os.dup2(nowhere, connection.fileno(), inheritable=False)
    os.close(nowhere)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_copy)


def connect(parts: dict[str, Any], *, autocommit: bool = False) -> Connection[Any]:
    """A connection to a server.

    Args:
        parts: the address, by the names in libpq. What it does not say, libpq finds itself, in
            `PGPASSWORD` or `~/.pgpass` for instance.
        autocommit: whether each statement is a transaction of its own.
    """
    import psycopg

    # What goes wrong is told by us; without this the library would say it once more on its own.
    logging.getLogger("psycopg").addHandler(_NOBODY)
    # No prepared statements: what stands between us and the server may not know them.
    connection: Connection[Any] = psycopg.connect(
        **{**_MANNERS, **parts}, autocommit=True, prepare_threshold=None
    )
    _open.add(connection)
    try:
        connection.execute(_SETTINGS)
        connection.autocommit = autocommit
    except BaseException:
        connection.close()
        raise
    return connection


def postgres_engine(parts: dict[str, Any]) -> Engine:
    """What connects to the database, from any thread.

    Args:
        parts: the address, by the names in libpq.
    """
    from sqlalchemy import create_engine

    return create_engine(
        "postgresql+psycopg://",
        creator=lambda: connect(parts),
        # One that was lost while nobody needed it is noticed before it is used.
        pool_pre_ping=True,
        pool_size=_KEPT_OPEN,
        max_overflow=_MOST_MORE,
        hide_parameters=True,
        use_native_hstore=False,
    )
