"""The version of the tables: created new, refused where it is another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, inspect, text

from callscore.errors import UnusableStore
from callscore.history.schema import VERSION, ensure_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    with engine.begin() as opened:
        yield opened
    engine.dispose()


def _version(connection: Connection) -> int:
    found: int = connection.execute(text("SELECT version FROM callscore_schema")).scalar_one()
    return found


def test_an_empty_database_gets_the_newest_tables(connection: Connection) -> None:
    ensure_tables(connection, "history.db")

    assert _version(connection) == VERSION
    assert {"runs", "results", "answers"} <= set(inspect(connection).get_table_names())


def test_tables_of_this_version_are_left_alone(connection: Connection) -> None:
    ensure_tables(connection, "history.db")

    ensure_tables(connection, "history.db")

    assert _version(connection) == VERSION


def test_tables_from_before_the_first_release_are_refused(connection: Connection) -> None:
    ensure_tables(connection, "history.db")
    connection.execute(text("UPDATE callscore_schema SET version = 1"))

    with pytest.raises(UnusableStore, match="of version 1, from before the first release"):
        ensure_tables(connection, "history.db")

    assert _version(connection) == 1


def test_a_database_from_the_future_is_refused(connection: Connection) -> None:
    ensure_tables(connection, "history.db")
    connection.execute(text("UPDATE callscore_schema SET version = 99"))

    with pytest.raises(UnusableStore) as caught:
        ensure_tables(connection, "history.db")

    assert str(caught.value) == (
        "history.db: a newer callscore has written it: its tables are of version 99, and this one "
        f"knows them up to version {VERSION}. Upgrade: pip install --upgrade callscore"
    )


def test_the_database_of_another_program_is_refused(connection: Connection) -> None:
    connection.execute(text("CREATE TABLE places (url TEXT)"))

    with pytest.raises(UnusableStore, match="another program"):
        ensure_tables(connection, "history.db")

    assert inspect(connection).get_table_names() == ["places"]
