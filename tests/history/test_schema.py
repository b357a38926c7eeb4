"""The tables: every database can make them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from callscore.errors import UnusableStore
from callscore.history.schema import METADATA, ensure_tables
from callscore.history.tables import ALL_TABLES, TABLES, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Table

DIALECTS: dict[str, Any] = {"sqlite": sqlite.dialect, "postgresql": postgresql.dialect}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("table", METADATA.sorted_tables, ids=str)
def test_a_table_can_be_made_in_every_database(table: Table, dialect: str) -> None:
    words = DIALECTS[dialect]()

    made = str(CreateTable(table).compile(dialect=words))
    indexed = [str(CreateIndex(index).compile(dialect=words)) for index in table.indexes]

    assert f"CREATE TABLE {table.name}" in made
    assert all(table.name in index for index in indexed)


def test_rows_are_numbered_by_the_database_itself() -> None:
    numbered = {
        name: str(CreateTable(METADATA.tables[name]).compile(dialect=DIALECTS["sqlite"]()))
        for name in ("runs", "results", "answers")
    }

    assert all("number INTEGER NOT NULL" in made for made in numbered.values())
    assert "number BIGSERIAL" in str(
        CreateTable(METADATA.tables["results"]).compile(dialect=DIALECTS["postgresql"]())
    )


def test_no_column_is_made_for_a_key() -> None:
    columns = {column.name for table in METADATA.sorted_tables for column in table.columns}

    assert not {name for name in columns if "secret" in name or "token" in name} - {
        "input_tokens",
        "output_tokens",
    }


def test_the_columns_that_are_read_are_those_that_are_created() -> None:
    created = {
        name: (
            [column.name for column in table.columns],
            [column.name for column in table.columns if column.type.python_type is bool],
            [column.name for column in table.columns if column.type.python_type is float],
        )
        for name, table in METADATA.tables.items()
    }

    read = {each.table: (each.names, each.booleans, each.doubles) for each in ALL_TABLES}

    assert {name: tuple(map(list, columns)) for name, columns in read.items()} == {
        name: columns for name, columns in created.items() if name != "callscore_schema"
    }
    assert set(METADATA.tables) == TABLES


def test_only_the_number_that_the_database_assigns_is_not_written() -> None:
    assigned = {
        each.table: set(each.names) - set(each.written)
        for each in ALL_TABLES
        if each.names != each.written
    }

    assert assigned == {name: {"number"} for name in ("runs", "results", "answers")}


# The version of the tables: created new, refused where it is another one.


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

    with pytest.raises(UnusableStore, match="version 1, from before the first release"):
        ensure_tables(connection, "history.db")

    assert _version(connection) == 1


def test_a_database_from_the_future_is_refused(connection: Connection) -> None:
    ensure_tables(connection, "history.db")
    connection.execute(text("UPDATE callscore_schema SET version = 99"))

    with pytest.raises(UnusableStore) as caught:
        ensure_tables(connection, "history.db")

    assert str(caught.value) == (
        "history.db: written by a newer callscore: its tables have version 99, and this callscore "
        f"reads versions up to {VERSION}. Upgrade: pip install --upgrade callscore"
    )


def test_the_database_of_another_program_is_refused(connection: Connection) -> None:
    connection.execute(text("CREATE TABLE places (url TEXT)"))

    with pytest.raises(UnusableStore, match="another program"):
        ensure_tables(connection, "history.db")

    assert inspect(connection).get_table_names() == ["places"]
