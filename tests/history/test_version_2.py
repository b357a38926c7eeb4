"""A history that the program of version 1 has written becomes one of today, and loses nothing."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import MetaData, create_engine, insert, inspect, select, text

from callscore.history.digests import asked_digest, calls_digest, expectation_digest
from callscore.history.migrations import VERSION
from callscore.history.opening import open_store
from callscore.history.overview import overview
from callscore.history.tables import METADATA, payloads, results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

    from callscore.history.store import Store

SAMPLES = Path(__file__).parents[1] / "samples/history"
WRITTEN = SAMPLES / "version-1.db"


@pytest.fixture
def old(place: Path | str) -> Path | str:
    """A history of version 1: the file itself, or the same rows on a server."""
    if isinstance(place, Path):
        place.parent.mkdir(parents=True)
        shutil.copyfile(WRITTEN, place)
    else:
        _copy_to_server(place)
    return place


def _server(place: str) -> Engine:
    return create_engine(place.replace("postgresql://", "postgresql+psycopg://", 1))


def _copy_to_server(place: str) -> None:
    """The tables of version 1 as they were made on a server, with what the file holds."""
    source, goal = create_engine(f"sqlite:///{WRITTEN}"), _server(place)
    tables = MetaData()
    with source.connect() as read, goal.begin() as written:
        tables.reflect(read)
        made = (SAMPLES / "version-1.postgresql.sql").read_text(encoding="utf-8")
        written.exec_driver_sql(made)
        for table in tables.sorted_tables:
            rows = [dict(row) for row in read.execute(select(table)).mappings()]
            if rows:
                written.execute(insert(table), rows)
        for name in ("runs", "results", "answers"):
            highest = f"(SELECT max(number) FROM {name})"  # noqa: S608  (our own names)
            written.exec_driver_sql(
                f"SELECT setval(pg_get_serial_sequence('{name}', 'number'), {highest})"
            )
    source.dispose()
    goal.dispose()


def _written(question: str) -> list[Any]:
    """What the file of version 1 answers to a bare question."""
    bare = sqlite3.connect(WRITTEN)
    try:
        return bare.execute(question).fetchall()
    finally:
        bare.close()


@pytest.fixture
def store(old: Path | str) -> Iterator[Store]:
    with open_store(old) as opened:
        yield opened


def test_the_sample_is_small_and_holds_what_may_be_there() -> None:
    assert WRITTEN.stat().st_size < 200_000
    assert _written("SELECT version FROM callscore_schema") == [(1,)]
    assert _written("SELECT DISTINCT status FROM runs ORDER BY 1") == [("finished",), ("running",)]
    assert _written("SELECT DISTINCT status FROM results ORDER BY 1") == [
        ("error",),
        ("not_scored",),
        ("scored",),
    ]
    assert _written("SELECT count(*) FROM runs WHERE parent IS NOT NULL") == [(1,)]
    assert _written("SELECT max(trial) FROM results") == [(3,)]
    assert _written("SELECT count(*) > 0 FROM payloads WHERE substr(body, 1, 1) = x'78'") == [(1,)]


def test_the_version_is_the_newest_afterwards(store: Store) -> None:
    with store.reading() as connection:
        version = connection.execute(text("SELECT version FROM callscore_schema")).scalar_one()

    assert version == VERSION


def test_no_row_is_lost_and_every_value_stays(store: Store) -> None:
    tables = ("runs", "evaluations", "results", "answers", "payloads", "judgements")
    with store.reading() as connection:
        for name in tables:
            columns = [row[1] for row in _written(f"PRAGMA table_info({name})")]
            table = METADATA.tables[name]
            now = connection.execute(select(*[table.c[column] for column in columns])).all()
            before = _written(f"SELECT {', '.join(columns)} FROM {name}")  # noqa: S608  (likewise)
            assert len(now) == len(before) > 0
            assert sorted(map(_plain, now)) == sorted(map(_plain, before))


def _plain(row: Any) -> str:
    return repr([int(value) if isinstance(value, bool) else value for value in row])


def test_every_run_can_be_read(store: Store) -> None:
    runs = store.runs()

    assert [run.command for run in runs] == ["run", "rescore", "run", "run"]
    for run in runs:
        assert store.evaluations(run.id)
        for record in store.results(run.id):
            assert record.payload["input"]
            assert (record.faults, record.tools, record.comparison) == (None, None, None)
    assert store.judgement("киев = kyiv?") == {"same": True, "why": "одно и то же"}


def test_what_was_expected_and_asked_is_told_from_the_cases(store: Store) -> None:
    records = [record for run in store.runs() for record in store.results(run.id)]

    for record in records:
        assert record.expectation == expectation_digest(record.payload)
        assert record.asked == asked_digest(record.payload)
    assert {record.case for record in records if not record.expectation} == {"hello"}
    assert len({record.asked for record in records if record.case == "погода"}) == 1


def test_what_was_called_is_told_without_the_ids_of_the_calls(store: Store) -> None:
    run = store.runs()[-1]
    small = store.side(run, "old", "small").evaluations[0]
    [paris] = [case for case in small.cases if case.id == "paris"]
    records = store.result(run.id, "paris", evaluation=0)

    assert [trial.calls for trial in paris.trials] == [calls_digest(each.calls) for each in records]
    ids = {(each.calls or [{}])[0].get("id") for each in records}
    assert len(ids) == 3 > len({trial.calls for trial in paris.trials})


def test_an_old_run_is_compared_and_listed_like_a_new_one(store: Store) -> None:
    newest = store.runs()[0]
    side = store.side(newest, "latest")

    assert [each.label for each in side.evaluations] == [
        "assistant [small]",
        "assistant [large]",
        "router",
    ]
    assert [note.text("en") for note in side.evaluations[0].below] == [
        "accuracy 0.500 is below 0.900"
    ]
    tallies = [each.tally for each in overview(store)[0].evaluations]
    assert sum(tally.cases for tally in tallies) == 22
    assert sum(tally.answered for tally in tallies) == 22
    assert sum(tally.errors for tally in tallies) == 2
    assert sum((tally.share or 0) * tally.cases for tally in tallies) == pytest.approx(15)


def test_the_tables_are_those_of_a_new_history(store: Store, place: Path | str) -> None:
    with store.reading() as connection:
        migrated = _shape(connection)
        fresh = _fresh_shape(place)

    assert migrated == fresh


def _fresh_shape(place: Path | str) -> dict[str, Any]:
    if isinstance(place, Path):
        with open_store(place.with_name("new.db")) as new, new.reading() as fresh:
            return _shape(fresh)
    engine = _server(place)
    with engine.begin() as other:
        other.exec_driver_sql("CREATE SCHEMA fresh")
        other.exec_driver_sql("SET search_path TO fresh")
        METADATA.create_all(other)
        found = _shape(other)
        other.rollback()
    engine.dispose()
    return found


def _shape(connection: Connection) -> dict[str, Any]:
    """All that a database says of its tables, but for what they are called in its own books."""
    looked = inspect(connection)
    return {
        name: {
            "columns": [
                (
                    column["name"],
                    str(column["type"]),
                    column["nullable"],
                    str(column["default"]).replace("fresh.", ""),
                )
                for column in looked.get_columns(name)
            ],
            "key": looked.get_pk_constraint(name)["constrained_columns"],
            "references": sorted(
                (key["constrained_columns"], key["referred_table"], str(key["options"]))
                for key in looked.get_foreign_keys(name)
            ),
            "indexes": sorted(
                (str(index["name"]), index["column_names"], bool(index["unique"]))
                for index in looked.get_indexes(name)
            ),
            "unique": sorted(each["column_names"] for each in looked.get_unique_constraints(name)),
        }
        for name in sorted(looked.get_table_names())
    }


def test_a_damaged_case_does_not_stop_the_others(path: Path) -> None:
    path.parent.mkdir(parents=True)
    shutil.copyfile(WRITTEN, path)
    bare = sqlite3.connect(path)
    bare.execute(
        "UPDATE payloads SET body = x'78ff' WHERE digest ="
        " (SELECT payload FROM results WHERE case_id = 'q1' LIMIT 1)"
    )
    bare.commit()
    bare.close()

    with open_store(path) as store, store.reading() as connection:
        asked = select(results.c.case_id).where(results.c.asked.is_(None)).distinct()
        unknown = connection.execute(asked).scalars().all()

    assert unknown == ["q1"]


def test_a_long_history_is_read_in_pages(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from callscore.history import version_2

    monkeypatch.setattr(version_2, "_REMEMBERED", 3)
    monkeypatch.setattr(version_2, "_ROWS", version_2._ROWS.limit(7))
    path.parent.mkdir(parents=True)
    shutil.copyfile(WRITTEN, path)

    with open_store(path) as store, store.reading() as connection:
        unknown = select(results.c.number).where(results.c.asked.is_(None))
        assert connection.execute(unknown).all() == []
        assert connection.execute(select(payloads.c.digest)).all()
