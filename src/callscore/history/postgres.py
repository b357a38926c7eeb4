"""PostgreSQL: addresses (`postgresql://...`), how to show them safely, connections."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from callscore.core.rendering import escape
from callscore.errors import MissingExtra, UnusableStore

if TYPE_CHECKING:
    from psycopg import Connection

# The environment variable that names the history.
STORE_VARIABLE = "CALLSCORE_STORE"

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


def connect(parts: dict[str, Any]) -> Connection[Any]:
    """Open a connection to the server; transactions begin with `BEGIN`.

    `parts` is the address as libpq parameters; libpq finds missing ones itself, in `PGPASSWORD` or
    `~/.pgpass` for instance.
    """
    import logging

    import psycopg

    # We report errors; without this the library would also print them.
    logging.getLogger("psycopg").addHandler(logging.NullHandler())
    # No prepared statements: connection poolers may not support them.
    connection: Connection[Any] = psycopg.connect(
        **{**_CONNECTION_DEFAULTS, **parts}, autocommit=True, prepare_threshold=None
    )
    connection.execute(_SESSION_SETTINGS)
    return connection


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HIDDEN = "postgresql://..."
_INVALID_ADDRESS = (
    "not a valid server address. Use postgresql://USER@HOST:PORT/DATABASE. In a name or password,"
    " write @ as %40, : as %3A, / as %2F and ? as %3F."
)
# Characters that are copied along with an address.
_SURROUNDING = " \t\r\n\"'`"
# Texts that are probably meant as an address: a scheme without both slashes, a password before a
# host (a drive letter has a slash after its colon), libpq keywords. They are not used as a file name: they
# may contain a password.
_LIKELY_ADDRESS = re.compile(
    r"\Apostgres(ql)?(\+\w+)?\s*(:|//)|((?<!\A[A-Za-z]):|:(?![\\/])).*@|@.*:"
    r"|(^|[\s;&?])(host|hostaddr|dbname|user|password|passfile|sslmode|service)\s*=",
    re.IGNORECASE | re.DOTALL,
)
# An address with only a user, a host, a port and a database.
_PLAIN_ADDRESS = re.compile(r"postgres(?:ql)?://([^@:/?]*@)?[^@?]*")


def is_server_address(place: str) -> bool:
    """Whether this is the address of a server, and not the path of a file.

    Raises:
        UnusableStore: it is an address of another kind, or a malformed one. The text is not
            repeated: it may contain a password.
    """
    text = place.strip(_SURROUNDING)
    kind = _SCHEME.match(text)
    if kind is None:
        if _LIKELY_ADDRESS.search(text):
            raise UnusableStore(_HIDDEN, _INVALID_ADDRESS)
        return False
    if kind[1].lower() not in ("postgresql", "postgres"):
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
        rest = address.strip(_SURROUNDING).partition("://")[2]
        parts = conninfo_to_dict(f"postgresql://{rest}")
    except (Error, UnicodeError):
        raise UnusableStore(_HIDDEN, _INVALID_ADDRESS) from None
    # A reserved character in the password splits the address in the wrong place.
    path = rest.partition("/")[2].partition("?")[0]
    ports = str(parts.get("port") or "").replace(",", "")
    if "@" in str(parts.get("host") or "") + path or not (ports.isdecimal() or not ports):
        raise UnusableStore(_HIDDEN, _INVALID_ADDRESS)
    return parts


def display_address(parts: dict[str, Any]) -> str:
    """An address without its password and other private parts, for messages."""
    user, host, port, database = (
        str(parts.get(name) or "") for name in ("user", "host", "port", "dbname")
    )
    before = f"{user}@" if user else ""
    after = f":{port}" if port else ""
    return escape(f"postgresql://{before}{host}{after}/{database}")


def store_arguments(place: object) -> str:
    """The ` --store ...` option that finds the same history; empty for the default.

    An address that may contain a password is not repeated: the variable is named in its place.
    """
    if not place:
        return ""
    text = str(place)
    with suppress(UnusableStore):  # it may contain anything
        if not is_server_address(text) or _PLAIN_ADDRESS.fullmatch(text):
            return f" --store {shlex.quote(text)}"
    return f' --store "${STORE_VARIABLE}"'
