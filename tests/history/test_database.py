"""Connections: how they are set up, and that they are waited for."""

from __future__ import annotations

import sqlite3
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy.exc import OperationalError

from callscore.history import database as connecting
from callscore.history.database import enable_wal

if TYPE_CHECKING:
    from callscore.history.store import Store


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("setting", "value"),
    [("journal_mode", "wal"), ("synchronous", 1), ("foreign_keys", 1), ("busy_timeout", 30_000)],
)
def test_a_connection_is_set_up(store: Store, setting: str, value: object) -> None:
    with store.reading() as connection:
        found = connection.exec_driver_sql(f"PRAGMA {setting}").scalar()

    assert found == value


class _Engine:
    """One that another process holds at first."""

    def __init__(self, *codes: str) -> None:
        self.codes = list(codes)
        self.done: list[str] = []

    def connect(self) -> Any:
        return nullcontext(self)

    def exec_driver_sql(self, statement: str) -> None:
        if self.codes:
            original = sqlite3.OperationalError("no")
            original.sqlite_errorname = self.codes.pop(0)
            raise OperationalError(statement, None, original)
        self.done.append(statement)


def test_a_file_that_others_open_as_well_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "_BUSY_PAUSE", 0.0)
    engine: Any = _Engine("SQLITE_BUSY", "SQLITE_BUSY_RECOVERY")

    enable_wal(engine)

    assert engine.done == ["PRAGMA journal_mode = WAL"]


@pytest.mark.parametrize(("code", "patience"), [("SQLITE_FULL", 30.0), ("SQLITE_BUSY", -1.0)])
def test_what_waiting_does_not_help_is_an_error(
    monkeypatch: pytest.MonkeyPatch, code: str, patience: float
) -> None:
    monkeypatch.setattr(connecting, "_BUSY_TIMEOUT", patience)
    engine: Any = _Engine(code)

    with pytest.raises(OperationalError):
        enable_wal(engine)
