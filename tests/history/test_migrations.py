"""The version of the tables: made, brought up to date step by step, refused where it is newer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, inspect, text
from tests.history.made_up import a_run

from callscore.errors import UnusableStore
from callscore.history.migrations import STEPS, VERSION, prepare
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
    prepare(connection, "history.db")

    assert _version(connection) == VERSION
    assert {"runs", "results", "answers"} <= set(inspect(connection).get_table_names())


def test_tables_of_this_version_are_left_alone(connection: Connection) -> None:
    prepare(connection, "history.db")

    prepare(connection, "history.db", steps={})

    assert _version(connection) == VERSION


def test_every_earlier_version_has_a_way_to_the_next() -> None:
    assert set(STEPS) == set(range(1, VERSION))


def test_an_older_database_takes_each_step_in_turn(connection: Connection) -> None:
    prepare(connection, "history.db", version=1, steps={})
    taken: list[int] = []

    def add_a_column(connection: Connection) -> None:
        taken.append(1)
        connection.execute(text("ALTER TABLE runs ADD COLUMN mood TEXT"))

    def fill_it(connection: Connection) -> None:
        taken.append(2)
        connection.execute(text("UPDATE runs SET mood = 'calm'"))

    prepare(connection, "history.db", version=3, steps={2: fill_it, 1: add_a_column})

    assert taken == [1, 2]
    assert _version(connection) == 3
    assert "mood" in {column["name"] for column in inspect(connection).get_columns("runs")}


def test_a_step_that_fails_leaves_the_database_as_it_was(path: Path) -> None:
    with open_store(path) as store:
        store.begin(a_run())

        def half_a_step(connection: Connection) -> None:
            connection.execute(text("ALTER TABLE runs ADD COLUMN mood TEXT"))
            connection.execute(text("NONSENSE"))

        with pytest.raises(UnusableStore, match="the database says"), store.writing() as changed:
            prepare(changed, "history.db", version=VERSION + 1, steps={VERSION: half_a_step})

        with store.reading() as read:
            columns = {column["name"] for column in inspect(read).get_columns("runs")}
            assert _version(read) == VERSION
        assert "mood" not in columns
        assert store.find("latest") == a_run()


def test_a_database_from_the_future_is_refused(connection: Connection) -> None:
    prepare(connection, "history.db")
    connection.execute(text("UPDATE callscore_schema SET version = 99"))

    with pytest.raises(UnusableStore) as caught:
        prepare(connection, "history.db")

    assert str(caught.value) == (
        "history.db: a newer callscore has written it: its tables are of version 99, and this one "
        f"knows them up to version {VERSION}. Upgrade: pip install --upgrade callscore"
    )


def test_the_database_of_another_program_is_refused(connection: Connection) -> None:
    connection.execute(text("CREATE TABLE places (url TEXT)"))

    with pytest.raises(UnusableStore, match="another program"):
        prepare(connection, "history.db")

    assert inspect(connection).get_table_names() == ["places"]
