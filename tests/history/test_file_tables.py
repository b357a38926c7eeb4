"""The tables of a file are those that SQLAlchemy would create."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine

from callscore.history.file_tables import create_file_tables
from callscore.history.opening import open_store
from callscore.history.schema import ensure_tables
from callscore.history.table_versions import is_current, read_hiding_key

if TYPE_CHECKING:
    from pathlib import Path


def test_both_ways_create_the_same_tables(tmp_path: Path) -> None:
    file, other = tmp_path / "file.db", tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        create_file_tables(connection)
    engine = create_engine(f"sqlite:///{other}")
    with engine.begin() as begun:
        ensure_tables(begun, "other.db")
    engine.dispose()
    assert schema_of(file) == schema_of(other)
    assert first_rows(file) == first_rows(other)


def test_a_new_file_is_ready_to_use(tmp_path: Path) -> None:
    with open_store(tmp_path / "history.db") as store, store.reading() as connection:
        assert is_current(connection)
        assert len(read_hiding_key(connection)) == 32
        assert store.runs() == []


def schema_of(path: Path) -> set[Any]:
    # SQLAlchemy creates the indexes of a table in any order.
    with closing(sqlite3.connect(path)) as connection, connection:
        return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def first_rows(path: Path) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        version = connection.execute("SELECT * FROM callscore_schema").fetchall()
        return [version, connection.execute("SELECT * FROM contents").fetchall()]
