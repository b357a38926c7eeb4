"""The tables: every database can make them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from callscore.history.schema import METADATA

if TYPE_CHECKING:
    from sqlalchemy import Table

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
