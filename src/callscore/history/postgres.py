"""PostgreSQL: addresses (`postgresql://...`), how to show them safely, connections."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from callscore.core.rendering import escape
from callscore.errors import MissingExtra, UnusableStore
from callscore.history.environment import STORE_VARIABLE

if TYPE_CHECKING:
    from psycopg import Connection

# Defaults for libpq, in seconds (`tcp_user_timeout` in milliseconds); the address overrides them.
_CONNECTION_DEFAULTS: dict[str, Any] = {
    "connect_timeout": 10,
    # A server that disappears is noticed within this time.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "client_encoding": "utf8",
    "fallback_application_name": "callscore",
}
# Limit waiting for locks, and override the default isolation level of the server.
_SESSION_SETTINGS = (
    "SET lock_timeout = '30s';"
    " SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED"
)

# Open connections of this process.
_open_connections: WeakSet[Connection[Any]] = WeakSet()


def _detach_after_fork() -> None:
    """After a fork: point inherited connections to /dev/null, so that the child cannot close them.

    When the child ends, it would close the connection of both processes.
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


def connect(parts: dict[str, Any]) -> Connection[Any]:
    """Open a connection to the server.

    `parts` is the address as libpq parameters; libpq finds missing ones itself, in `PGPASSWORD` or
    `~/.pgpass` for instance. Transactions begin with `BEGIN`.
    """
    import logging

    import psycopg

    # We report errors; without this the library would also print them.
    logger = logging.getLogger("psycopg")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    # No prepared statements: connection poolers may not support them.
    connection: Connection[Any] = psycopg.connect(
        **{**_CONNECTION_DEFAULTS, **parts}, autocommit=True, prepare_threshold=None
    )
    _open_connections.add(connection)
    try:
        connection.execute(_SESSION_SETTINGS)
    except BaseException:
        connection.close()
        raise
    return connection


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SCHEMES = ("postgresql", "postgres")
_HIDDEN = "postgresql://..."
_INVALID_ADDRESS = (
    "not a valid server address. Use postgresql://USER@HOST:PORT/DATABASE. In a name or password,"
    " write @ as %40, : as %3A, / as %2F and ? as %3F."
)
# Characters that are copied along with an address.
_SURROUNDING = " \t\r\n\"'`"
_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/])")
# Texts that are probably meant as an address: a scheme without both slashes, a password before a
# host, libpq keywords. They are not used as a file name: they may contain a password.
_LIKELY_ADDRESSES = (
    re.compile(r"\Apostgres(ql)?(\+\w+)?\s*(:|//)", re.IGNORECASE),
    re.compile(r":.*@|@.*:", re.DOTALL),
    re.compile(
        r"(^|[\s;&?])(host|hostaddr|dbname|user|password|passfile|sslmode|service)\s*=",
        re.IGNORECASE,
    ),
)
# Usual names of database users; anything else may be a secret in the wrong place.
_PLAIN_USER = re.compile(r"[a-z_][a-z_.@-]{0,31}|(?!.*(\d.*){5})[A-Za-z0-9_.@-]{1,16}")

# An address with only a user, a host, a port and a database.
_PLAIN_ADDRESS = re.compile(r"postgres(?:ql)?://(?:([^@:/?]*)@)?[^@?]*")
_STORE_BY_VARIABLE = f' --store "${STORE_VARIABLE}"'


def is_server_address(place: str) -> bool:
    """Whether this is the address of a server, and not the path of a file.

    Raises:
        UnusableStore: it is an address of another kind, or a malformed one. The text is not
            repeated: it may contain a password.
    """
    text = place.strip(_SURROUNDING)
    kind = _SCHEME.match(text)
    if kind is None:
        without_drive = _DRIVE.sub("", text, count=1)
        if any(attempt.search(without_drive) for attempt in _LIKELY_ADDRESSES):
            raise UnusableStore(_HIDDEN, _INVALID_ADDRESS)
        return False
    if kind[1].lower() not in _SCHEMES:
        raise UnusableStore(
            f"{kind[1]}://...",
            "unknown kind of address. A history is a file, or a server: postgresql://...",
        )
    return True


def parse_address(address: str) -> dict[str, Any]:
    """The parts of an address, as libpq parameters.

    Raises:
        MissingExtra: psycopg is not installed.
        UnusableStore: it is malformed. It is not repeated: it may contain a password.
    """
    try:
        from psycopg import Error
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise MissingExtra("a history on a server", "postgres") from error
    try:
        # With a lower-case scheme, and without surrounding characters.
        parts = conninfo_to_dict(f"postgresql://{address.strip(_SURROUNDING).partition('://')[2]}")
    except (Error, UnicodeError):
        raise UnusableStore(_HIDDEN, _INVALID_ADDRESS) from None
    if _is_split_wrongly(address, parts):
        raise UnusableStore(_HIDDEN, _INVALID_ADDRESS)
    return parts


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
    """The ` --store ...` option that finds the same history; empty for the default.

    An address that may contain a secret is not repeated: the variable is named in its place.
    """
    text = "" if place is None else str(place)
    if not text:
        return ""
    try:
        is_plain = not is_server_address(text)
    except UnusableStore:  # it may contain anything
        return _STORE_BY_VARIABLE
    plain = _PLAIN_ADDRESS.fullmatch(text)
    if plain is not None:
        is_plain |= plain[1] is None or _PLAIN_USER.fullmatch(plain[1]) is not None
    return f" --store {shlex.quote(text)}" if is_plain else _STORE_BY_VARIABLE
