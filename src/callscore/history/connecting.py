"""Connections to a database in a file."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sqlalchemy import URL, create_engine, event
from sqlalchemy.exc import OperationalError

from callscore.history.troubles import is_locked

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy import Engine

__all__ = ["log_ahead", "reading_engine", "sqlite_engine"]

# How long to wait for another process that writes.
_PATIENCE = 30.0
_PAUSE = 0.02

_READING = ("PRAGMA cache_size = -8000",)
_SETTINGS = (
    # A process that is killed loses nothing; when the power fails, the last moments may be lost.
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -8000",
    # What was a long run once need not take its room for ever.
    "PRAGMA journal_size_limit = 67108864",
)


def sqlite_engine(path: Path) -> Engine:
    """What connects to the file, from any thread."""
    return _engine(URL.create("sqlite", database=str(path)), _SETTINGS)


def reading_engine(path: Path) -> Engine:
    """Likewise, where neither the file nor anything beside it can be written."""
    # What others have written last stands beside the file until they are done. Where nothing does,
    # nobody is at it: SQLite need not look for them, which it can do only by writing.
    log = path.with_name(f"{path.name}-wal")
    is_settled = not log.exists() or not log.stat().st_size
    query = {"uri": "true", "mode": "ro", **({"immutable": "1"} if is_settled else {})}
    address = f"file:{quote(str(path.absolute()))}"
    return _engine(URL.create("sqlite", database=address, query=query), _READING)


def _engine(address: URL, settings: Sequence[str]) -> Engine:
    engine = create_engine(
        address,
        # Transactions are begun by the store itself, and not by what it happens to do first.
        connect_args={"timeout": _PATIENCE, "isolation_level": None, "check_same_thread": False},
        max_overflow=-1,
    )

    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        for setting in settings:
            cursor.execute(setting)
        cursor.close()

    return engine


def log_ahead(engine: Engine) -> None:
    """Let those who read and those who write not wait for one another.

    The file remembers it. On a disk where this cannot be had, they do wait.
    """
    deadline = monotonic() + _PATIENCE
    while True:
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        except OperationalError as error:
            # For this alone SQLite does not wait, when another process opens the file as well.
            if not is_locked(error) or monotonic() > deadline:
                raise
            sleep(_PAUSE)
        else:
            return
