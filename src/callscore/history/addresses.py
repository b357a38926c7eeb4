"""The addresses of databases on a server: `postgresql://...`, and how they are shown."""

from __future__ import annotations

import re
from typing import Any

from callscore.core.text import escape
from callscore.errors import MissingExtra, UnusableStore

__all__ = ["is_server", "require_server", "shown_address"]

_KIND = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SERVERS = ("postgresql", "postgres")
_HIDDEN = "postgresql://..."
_SPELLING = (
    "this is no address of a server: postgresql://USER@HOST:PORT/DATABASE. In a name or a password,"
    " spell @ as %40, : as %3A, / as %2F and ? as %3F."
)


def is_server(place: str) -> bool:
    """Whether this is the address of a server, and not the path of a file.

    Raises:
        UnusableStore: it is an address of another kind.
    """
    kind = _KIND.match(place)
    if kind is None:
        return False
    if kind[1].lower() not in _SERVERS:
        raise UnusableStore(
            f"{kind[1]}://...",
            "histories are kept in a file, or on a server that is called postgresql://...",
        )
    return True


def require_server(address: str) -> dict[str, Any]:
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
        parts = conninfo_to_dict(address)
    except (Error, UnicodeError):
        raise UnusableStore(_HIDDEN, _SPELLING) from None
    if _is_torn(address, parts):
        raise UnusableStore(_HIDDEN, _SPELLING)
    return parts


def _is_torn(address: str, parts: dict[str, Any]) -> bool:
    """Whether a sign in a password was taken for the end of it: the rest stands elsewhere then."""
    ports = str(parts.get("port") or "").split(",")
    path = address.partition("://")[2].partition("/")[2].partition("?")[0]
    is_whole = "@" not in str(parts.get("host") or "") and "@" not in path
    return not (is_whole and all(port.isdecimal() or not port for port in ports))


def shown_address(parts: dict[str, Any]) -> str:
    """An address as it may be shown: without a password, and without what else may be private."""
    user, host, port, database = (
        str(parts.get(name) or "") for name in ("user", "host", "port", "dbname")
    )
    before = f"{user}@" if user else ""
    after = f":{port}" if port else ""
    return escape(f"postgresql://{before}{host}{after}/{database}")
