"""PostgreSQL: how connections are made, and what only a server does."""

from __future__ import annotations

import logging
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, a_run
from tests.servers.cut_line import cut_line

from callscore.errors import MissingExtra, UnusableStore
from callscore.history.opening import open_store
from callscore.history.postgres import (
    display_address,
    is_server_address,
    parse_address,
    store_arguments,
)

if TYPE_CHECKING:
    from tests.servers.postgres_server import PostgresServer

RUN = a_run().id


def test_the_password_may_come_from_the_environment(
    postgres_url: str, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = postgres_url.replace(f":{postgres_server.password}@", "@")
    with pytest.raises(UnusableStore, match=r"requires a password\. Set PGPASSWORD"):
        open_store(without)

    monkeypatch.setenv("PGPASSWORD", postgres_server.password)
    with open_store(without) as store:
        assert store.runs() == []


def test_many_who_come_first_make_the_tables_once(postgres_url: str) -> None:
    def first(number: int) -> str:
        with open_store(postgres_url) as store:
            return store.begin(a_run(f"run-{number}")).id

    with ThreadPoolExecutor(8) as threads:
        begun = list(threads.map(first, range(8)))

    with open_store(postgres_url) as store:
        assert {run.id for run in store.runs()} == set(begun)


def test_an_id_that_many_want_at_once_is_given_once(postgres_url: str) -> None:
    def begin(number: int) -> str:
        with open_store(postgres_url) as store:
            return store.begin(a_run(started_at=float(number))).id

    open_store(postgres_url).close()
    with ThreadPoolExecutor(8) as threads:
        begun = list(threads.map(begin, range(8)))

    assert len(set(begun)) == 8
    assert RUN in begun


def test_a_connection_that_was_lost_while_nobody_needed_it_is_made_anew(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    with cut_line(postgres_server.port) as line:
        address = postgres_url.replace(f":{postgres_server.port}/", f":{line.port}/")
        with open_store(address) as store:
            store.begin(a_run())
            line.cut()
            line.mend()
            store.save_results([a_result(RUN)])

            assert [result.case for result in store.results(RUN)] == ["weather"]


def test_a_server_that_stays_away_is_told_in_a_sentence(
    postgres_url: str, postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    with cut_line(postgres_server.port) as line:
        address = postgres_url.replace(f":{postgres_server.port}/", f":{line.port}/")
        with open_store(address) as store:
            store.begin(a_run())
            line.cut()

            with pytest.raises(UnusableStore, match="connection to the server was lost") as caught:
                store.save_results([a_result(RUN)])

    assert postgres_server.password not in str(caught.value)


def test_a_server_that_only_reads_is_told_as_such(postgres_url: str) -> None:
    with open_store(postgres_url) as store:
        store.begin(a_run())
    read_only = f"{postgres_url}?options=-cdefault_transaction_read_only%3Don"

    with open_store(read_only) as store:
        assert [run.id for run in store.runs()] == [RUN]
        with pytest.raises(UnusableStore, match="the server is read-only"):
            store.save_results([a_result(RUN)])


def test_a_user_without_rights_is_told_so(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    database = postgres_url.rsplit("/", 1)[1]
    role = f"guest_{database}"
    postgres_server.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'guest'")
    guest = postgres_url.replace(f"postgres:{postgres_server.password}@", f"{role}:guest@")
    try:
        with pytest.raises(UnusableStore, match="permission denied"):
            open_store(guest)
        # Where the tables are there, the right to use them is enough.
        open_store(postgres_url).close()
        grants = ("ALL ON ALL TABLES", "ALL ON ALL SEQUENCES")
        postgres_server.execute(
            *[f"GRANT {what} IN SCHEMA public TO {role}" for what in grants], database=database
        )
        with open_store(guest) as store:
            store.begin(a_run())
            store.save_results([a_result(RUN)])
    finally:
        postgres_server.execute(f"DROP OWNED BY {role}", database=database)
        postgres_server.execute(f"DROP ROLE {role}")


def test_a_database_from_the_future_is_refused(postgres_url: str) -> None:
    with open_store(postgres_url) as store, store.writing() as connection:
        connection.execute("UPDATE callscore_schema SET version = 99")

    with pytest.raises(UnusableStore, match="written by a newer callscore"):
        open_store(postgres_url)


def test_tables_of_others_stay_beside_ours(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    database = postgres_url.rsplit("/", 1)[1]
    postgres_server.execute("CREATE TABLE bookmarks (url text)", database=database)

    with open_store(postgres_url) as store:
        store.begin(a_run())

    assert postgres_server.execute("SELECT * FROM bookmarks", database=database) == []


# Addresses of servers: read as libpq reads them, and shown without what is secret.

SECRET = "s3cret"  # noqa: S105  (it opens nothing)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("postgresql://host/db", True),
        ("postgres://host/db", True),
        ("POSTGRESQL://host/db", True),
        (".callscore/history.db", False),
        ("C:\\runs\\history.db", False),
        ("postgresql", False),
        ("postgres/history.db", False),
        ("C:\\Users\\me@firm\\history.db", False),
        (" postgresql://host/db\n", True),
        ('"postgresql://host/db"', True),
    ],
)
def test_an_address_is_told_from_a_path(text: str, is_one: bool) -> None:
    assert is_server_address(text) is is_one


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:s3cret@db.example:5433/evals", "postgresql://me@db.example:5433/evals"),
        ("postgresql://me@db/evals?password=s3cret&sslmode=require", "postgresql://me@db/evals"),
        ("postgresql://me:12?s3cret=1@db/evals", "postgresql://me@db/evals"),
        ("postgresql:///evals", "postgresql:///evals"),
        ("postgresql://a,b:5432/evals", "postgresql://a,b:,5432/evals"),
        ("postgresql://m%40e:s3%40cret@[::1]/e%0Avals", "postgresql://m@e@::1/e\\nvals"),
    ],
)
def test_the_password_in_a_server_address_is_not_displayed(address: str, shown: str) -> None:
    assert display_address(parse_address(address)) == shown


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:s3cret@more@host/db",
        "postgresql://me:s3cret/more@host/db",
        "postgresql://me:12/s3cret@host/db",
        "postgresql://me:12?x=/s3cret@host/db",
        "postgresql://me:a?b@s3cret@host/db",
        "postgresql://me:s3cret#more@host:port/db",
        "postgresql://me:s3cret@host/db?nonsense=1",
        "postgresql://me:s3cret%zz@host/db",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_being_repeated(address: str) -> None:
    with pytest.raises(UnusableStore, match="write @ as %40") as caught:
        parse_address(address)

    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(MissingExtra, match=r"pip install 'callscore\[postgres\]'"):
        parse_address("postgresql://host/db")


@pytest.mark.parametrize(
    "text",
    [
        "postgresql:/me:s3cret@host/db",
        "postgresql:me:s3cret@host/db",
        "POSTGRES:host/s3cret",
        "postgresql//host/s3cret",
        " postgresql:/me:s3cret@host/db",
        "'postgres:me:s3cret@host'",
        "me:s3cret@host/db",
        "host=db password=s3cret",
        "dbname = s3cret",
    ],
)
def test_a_malformed_server_address_is_refused_and_not_taken_for_a_file(text: str) -> None:
    with pytest.raises(UnusableStore, match="not a valid server address") as caught:
        is_server_address(text)

    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (None, ""),
        ("", ""),
        ("else where/h.db", " --store 'else where/h.db'"),
        ("postgresql://me@host:5432/db", " --store postgresql://me@host:5432/db"),
        ("postgresql:///db", " --store postgresql:///db"),
        ("postgresql://me:s3cret@host/db", ' --store "$CALLSCORE_STORE"'),
        ("postgresql://host/db?password=s3cret", ' --store "$CALLSCORE_STORE"'),
        ("postgresql:me:s3cret@host", ' --store "$CALLSCORE_STORE"'),
    ],
)
def test_a_suggested_command_finds_the_same_history(said: str | None, words: str) -> None:
    assert store_arguments(said) == words
