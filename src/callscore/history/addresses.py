"""The addresses of databases on a server: `postgresql://...`, and how they are shown."""

from __future__ import annotations

import re
import shlex
from typing import Any

from callscore.core.text import escape
from callscore.errors import MissingExtra, UnusableStore

__all__ = ["STORE_VARIABLE", "is_server", "require_server", "shown_address", "store_words"]

STORE_VARIABLE = "CALLSCORE_STORE"

_KIND = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SERVERS = ("postgresql", "postgres")
_HIDDEN = "postgresql://..."
_SPELLING = (
    "this is no address of a server: postgresql://USER@HOST:PORT/DATABASE. In a name or a password,"
    " spell @ as %40, : as %3A, / as %2F and ? as %3F."
)
# What copying an address brings with it.
_AROUND = " \t\r\n\"'`"
_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/])")
# What people write who mean a server: its kind without both strokes, a password before a host, or
# words as libpq takes them. None of it becomes the name of a file: a password may stand in it.
_ATTEMPTS = (
    re.compile(r"\Apostgres(ql)?(\+\w+)?\s*(:|//)", re.IGNORECASE),
    re.compile(r":.*@|@.*:", re.DOTALL),
    re.compile(
        r"(^|[\s;&?])(host|hostaddr|dbname|user|password|passfile|sslmode|service)\s*=",
        re.IGNORECASE,
    ),
)
# What users of databases are called; anything else may be a key that somebody has put there.
_USER = re.compile(r"[a-z_][a-z_.@-]{0,31}|(?!.*(\d.*){5})[A-Za-z0-9_.@-]{1,16}")

# An address that says nothing but a user, a host, a port and a database.
_PLAIN = re.compile(r"postgres(?:ql)?://(?:([^@:/?]*)@)?[^@?]*")
_BY_VARIABLE = f' --store "${STORE_VARIABLE}"'


def is_server(place: str) -> bool:
    """Whether this is the address of a server, and not the path of a file.

    Raises:
        UnusableStore: it is an address of another kind, or one that is not spelled as it should be.
            What it says is not repeated: it may hold a password.
    """
    said = place.strip(_AROUND)
    kind = _KIND.match(said)
    if kind is None:
        rest = _DRIVE.sub("", said, count=1)
        if any(attempt.search(rest) for attempt in _ATTEMPTS):
            raise UnusableStore(_HIDDEN, _SPELLING)
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
        parts = conninfo_to_dict(_spelled(address))
    except (Error, UnicodeError):
        raise UnusableStore(_HIDDEN, _SPELLING) from None
    if _is_torn(address, parts):
        raise UnusableStore(_HIDDEN, _SPELLING)
    return parts


def _spelled(address: str) -> str:
    """An address as libpq wants it: its kind in small letters, and nothing around it."""
    return f"postgresql://{address.strip(_AROUND).partition('://')[2]}"


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
    shown = user if _USER.fullmatch(user) else "..."
    before = f"{shown}@" if user else ""
    after = f":{port}" if port else ""
    return escape(f"postgresql://{before}{host}{after}/{database}")


def store_words(place: object) -> str:
    """What a command needs to find the same history, with a blank before it; empty for no more.

    Args:
        place: what `--store` says. An address that may hold a secret is not repeated: the variable
            that can hold it is named in its place.
    """
    said = "" if place is None else str(place)
    if not said:
        return ""
    return f" --store {shlex.quote(said)}" if _may_be_repeated(said) else _BY_VARIABLE


def _may_be_repeated(said: str) -> bool:
    """Whether no secret can stand in what names a history."""
    try:
        if not is_server(said):
            return True
    except UnusableStore:  # nobody knows what is in it
        return False
    plain = _PLAIN.fullmatch(said)
    return plain is not None and (plain[1] is None or _USER.fullmatch(plain[1]) is not None)
