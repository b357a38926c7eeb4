"""PostgreSQL: addresses (`postgresql://...`), how to show them safely, connections."""

from __future__ import annotations

import logging
import os
import re
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from callscore.core.rendering import escape
from callscore.errors import MissingExtra, UnusableStore

if TYPE_CHECKING:
    from psycopg import Connection
    from sqlalchemy import Engine

__all__ = [
    "STORE_VARIABLE",
    "connect",
    "display_address",
    "is_server_address",
    "parse_address",
    "postgres_engine",
    "store_arguments",
]


# Connections to PostgreSQL.

# What libpq is told unless the address says otherwise, in seconds; the last one in milliseconds.
_CONNECTION_DEFAULTS: dict[str, Any] = {
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
_SESSION_SETTINGS = (
    "SET lock_timeout = '30s';"
    " SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED"
)
_NULL_HANDLER = logging.NullHandler()
_POOL_SIZE = 2
_MAX_OVERFLOW = 8

# Those that this process has open.
_open_connections: WeakSet[Connection[Any]] = WeakSet()


def _detach_after_fork() -> None:
    """After a fork: point inherited connections to /dev/null, so that the child cannot close them.

    What it would say at its end would end the connection for both. So it is left with connections
    that lead nowhere.
    """
    if not _open_connections:
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for connection in _open_connections:
        with suppress(Exception):  # it is closed
            os.dup2(nowhere, connection.fileno(), inheritable=False)
    os.close(nowhere)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_detach_after_fork)


def connect(parts: dict[str, Any], *, autocommit: bool = False) -> Connection[Any]:
    """Open a connection to the server.

    Args:
        parts: the address, by the names in libpq. What it does not say, libpq finds itself, in
            `PGPASSWORD` or `~/.pgpass` for instance.
        autocommit: whether each statement is a transaction of its own.
    """
    import psycopg

    # What goes wrong is told by us; without this the library would say it once more on its own.
    logging.getLogger("psycopg").addHandler(_NULL_HANDLER)
    # No prepared statements: what stands between us and the server may not know them.
    connection: Connection[Any] = psycopg.connect(
        **{**_CONNECTION_DEFAULTS, **parts}, autocommit=True, prepare_threshold=None
    )
    _open_connections.add(connection)
    try:
        connection.execute(_SESSION_SETTINGS)
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
        pool_size=_POOL_SIZE,
        max_overflow=_MAX_OVERFLOW,
        hide_parameters=True,
        use_native_hstore=False,
    )


# The addresses of databases on a server: `postgresql://...`, and how they are shown.

STORE_VARIABLE = "CALLSCORE_STORE"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SCHEMES = ("postgresql", "postgres")
_HIDDEN = "postgresql://..."
_INVALID_ADDRESS = (
    "this is no address of a server: postgresql://USER@HOST:PORT/DATABASE. In a name or a password,"
    " spell @ as %40, : as %3A, / as %2F and ? as %3F."
)
# What copying an address brings with it.
_SURROUNDING = " \t\r\n\"'`"
_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/])")
# What people write who mean a server: its kind without both strokes, a password before a host, or
# words as libpq takes them. None of it becomes the name of a file: a password may stand in it.
_LIKELY_ADDRESSES = (
    re.compile(r"\Apostgres(ql)?(\+\w+)?\s*(:|//)", re.IGNORECASE),
    re.compile(r":.*@|@.*:", re.DOTALL),
    re.compile(
        r"(^|[\s;&?])(host|hostaddr|dbname|user|password|passfile|sslmode|service)\s*=",
        re.IGNORECASE,
    ),
)
# What users of databases are called; anything else may be a key that somebody has put there.
_PLAIN_USER = re.compile(r"[a-z_][a-z_.@-]{0,31}|(?!.*(\d.*){5})[A-Za-z0-9_.@-]{1,16}")

# An address that says nothing but a user, a host, a port and a database.
_PLAIN_ADDRESS = re.compile(r"postgres(?:ql)?://(?:([^@:/?]*)@)?[^@?]*")
_STORE_BY_VARIABLE = f' --store "${STORE_VARIABLE}"'


def is_server_address(place: str) -> bool:
    """Whether this is the address of a server, and not the path of a file.

    Raises:
        UnusableStore: it is an address of another kind, or one that is not spelled as it should be.
            What it says is not repeated: it may hold a password.
    """
    said = place.strip(_SURROUNDING)
    kind = _SCHEME.match(said)
    if kind is None:
        rest = _DRIVE.sub("", said, count=1)
        if any(attempt.search(rest) for attempt in _LIKELY_ADDRESSES):
            raise UnusableStore(_HIDDEN, _INVALID_ADDRESS)
        return False
    if kind[1].lower() not in _SCHEMES:
        raise UnusableStore(
            f"{kind[1]}://...",
            "histories are kept in a file, or on a server that is called postgresql://...",
        )
    return True


def parse_address(address: str) -> dict[str, Any]:
    """The parts of an address, by their names in libpq.

    Raises:
        MissingExtra: psycopg is not installed.
        UnusableStore: it cannot be read. What it says is not repeated: it may hold a password.
    """
    try:
        from psycopg import Error
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise MissingExtra("a history on a server", "postgres") from error
    try:
        parts = conninfo_to_dict(_normalized(address))
    except (Error, UnicodeError):
        raise UnusableStore(_HIDDEN, _INVALID_ADDRESS) from None
    if _is_split_wrongly(address, parts):
        raise UnusableStore(_HIDDEN, _INVALID_ADDRESS)
    return parts


def _normalized(address: str) -> str:
    """An address as libpq wants it: its kind in small letters, and nothing around it."""
    return f"postgresql://{address.strip(_SURROUNDING).partition('://')[2]}"


def _is_split_wrongly(address: str, parts: dict[str, Any]) -> bool:
    """Whether a reserved character in the password split the address in the wrong place."""
    ports = str(parts.get("port") or "").split(",")
    path = address.partition("://")[2].partition("/")[2].partition("?")[0]
    is_whole = "@" not in str(parts.get("host") or "") and "@" not in path
    return not (is_whole and all(port.isdecimal() or not port for port in ports))


def display_address(parts: dict[str, Any]) -> str:
    """An address without its password and other private parts, for messages."""
    user, host, port, database = (
        str(parts.get(name) or "") for name in ("user", "host", "port", "dbname")
    )
    shown = user if _PLAIN_USER.fullmatch(user) else "..."
    before = f"{shown}@" if user else ""
    after = f":{port}" if port else ""
    return escape(f"postgresql://{before}{host}{after}/{database}")


def store_arguments(place: object) -> str:
    """The `--store` option that finds the same history, with a leading space; empty for the default.

    Args:
        place: what `--store` says. An address that may hold a secret is not repeated: the variable
            that can hold it is named in its place.
    """
    said = "" if place is None else str(place)
    if not said:
        return ""
    return f" --store {shlex.quote(said)}" if _is_safe_to_show(said) else _STORE_BY_VARIABLE


def _is_safe_to_show(said: str) -> bool:
    """Whether the address cannot contain a secret."""
    try:
        if not is_server_address(said):
            return True
    except UnusableStore:  # nobody knows what is in it
        return False
    plain = _PLAIN_ADDRESS.fullmatch(said)
    return plain is not None and (plain[1] is None or _PLAIN_USER.fullmatch(plain[1]) is not None)
