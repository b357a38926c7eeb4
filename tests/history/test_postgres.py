"""PostgreSQL: how connections are made, and what only a server does."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select, text
from tests.history.made_up import a_result, a_run, an_answer
from tests.servers.cut_line import cut_line

from callscore.errors import UnusableStore
from callscore.history.opening import open_store
from callscore.history.postgres import connect, parse_address
from callscore.history.schema import payloads

if TYPE_CHECKING:
    from tests.servers.postgres_server import PostgresServer

RUN = a_run().id


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("application_name", "callscore"),
        ("client_encoding", "UTF8"),
        ("lock_timeout", "30s"),
        ("default_transaction_isolation", "read committed"),
    ],
)
def test_a_connection_is_set_up(postgres_url: str, setting: str, value: str) -> None:
    with open_store(postgres_url) as store, store.reading() as connection:
        assert connection.execute(text(f"SHOW {setting}")).scalar() == value


def test_the_password_may_come_from_the_environment(
    postgres_url: str, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = postgres_url.replace(f":{postgres_server.password}@", "@")
    with pytest.raises(UnusableStore, match=r"wants a password\. Set PGPASSWORD"):
        open_store(without)

    monkeypatch.setenv("PGPASSWORD", postgres_server.password)
    with open_store(without) as store:
        assert store.runs() == []


def test_the_variable_names_the_history(
    postgres_url: str, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSCORE_STORE", postgres_url)

    with open_store() as store:
        assert store.path is None
        assert store.place == postgres_url.replace(f":{postgres_server.password}", "")


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


def test_payloads_that_many_keep_at_once_are_kept_once(postgres_url: str) -> None:
    shared = [an_answer("", f"{number:04x}") for number in range(300)]

    def keep(number: int) -> None:
        with open_store(postgres_url) as store:
            for _ in range(3):
                store.keep(shared if number % 2 else shared[::-1])

    open_store(postgres_url).close()
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(keep, range(6)))

    with open_store(postgres_url) as store, store.reading() as connection:
        count = connection.execute(select(func.count()).select_from(payloads)).scalar_one()
    assert count == 300


def test_whoever_clears_up_is_alone(postgres_url: str) -> None:
    with open_store(postgres_url) as store, open_store(postgres_url) as other:
        with store.writing(is_alone=True), other.reading() as connection:
            connection.execute(text("SET lock_timeout = '50ms'"))
            connection.commit()
        # The setting stays with the connection, which the next one to write is given.
        with (
            store.writing(is_alone=True),
            pytest.raises(UnusableStore, match="another process has been writing for too long"),
        ):
            other.keep([an_answer()])
        other.keep([an_answer()])


def test_a_connection_that_was_lost_while_nobody_needed_it_is_made_anew(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    with cut_line(postgres_server.port) as line:
        address = postgres_url.replace(f":{postgres_server.port}/", f":{line.port}/")
        with open_store(address) as store:
            store.begin(a_run())
            line.cut()
            line.mend()
            store.keep([a_result(RUN)])

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
                store.keep([a_result(RUN)])

    assert postgres_server.password not in str(caught.value)


def test_a_server_that_only_reads_is_told_as_such(postgres_url: str) -> None:
    with open_store(postgres_url) as store:
        store.begin(a_run())
    read_only = f"{postgres_url}?options=-cdefault_transaction_read_only%3Don"

    with open_store(read_only) as store:
        assert [run.id for run in store.runs()] == [RUN]
        with pytest.raises(UnusableStore, match="the server only reads"):
            store.keep([a_result(RUN)])


def test_a_user_without_rights_is_told_so(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    database = postgres_url.rsplit("/", 1)[1]
    role = f"guest_{database}"
    postgres_server.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'guest'")
    guest = postgres_url.replace(f"postgres:{postgres_server.password}@", f"{role}:guest@")
    try:
        with pytest.raises(UnusableStore, match="may not do that there"):
            open_store(guest)
        # Where the tables are there, the right to use them is enough.
        open_store(postgres_url).close()
        grants = ("ALL ON ALL TABLES", "ALL ON ALL SEQUENCES")
        postgres_server.execute(
            *[f"GRANT {what} IN SCHEMA public TO {role}" for what in grants], database=database
        )
        with open_store(guest) as store:
            store.begin(a_run())
            store.keep([a_result(RUN)])
    finally:
        postgres_server.execute(f"DROP OWNED BY {role}", database=database)
        postgres_server.execute(f"DROP ROLE {role}")


def test_a_server_that_is_full_of_others_is_told_as_such(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    database = postgres_url.rsplit("/", 1)[1]
    role = f"one_{database}"
    postgres_server.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'one' CONNECTION LIMIT 1")
    only = postgres_url.replace(f"postgres:{postgres_server.password}@", f"{role}:one@")
    try:
        with (
            connect(parse_address(only)),
            pytest.raises(UnusableStore, match="too many connections"),
        ):
            open_store(only)
    finally:
        postgres_server.execute(f"DROP ROLE {role}")


def test_a_database_from_the_future_is_refused(postgres_url: str) -> None:
    with open_store(postgres_url) as store, store.writing() as connection:
        connection.execute(text("UPDATE callscore_schema SET version = 99"))

    with pytest.raises(UnusableStore, match="a newer callscore has written it"):
        open_store(postgres_url)


def test_tables_of_others_stay_beside_ours(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    database = postgres_url.rsplit("/", 1)[1]
    postgres_server.execute("CREATE TABLE bookmarks (url text)", database=database)

    with open_store(postgres_url) as store:
        store.begin(a_run())

    assert postgres_server.execute("SELECT * FROM bookmarks", database=database) == []
