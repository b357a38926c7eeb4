"""Connections: how they are set up, and that they are waited for."""

from __future__ import annotations

import sqlite3
import zlib
from typing import TYPE_CHECKING

import msgspec
import psycopg
import pytest
from sqlalchemy.exc import DataError, IntegrityError, OperationalError

from callscore.errors import InvalidSettings, UnusableStore
from callscore.history.database import (
    error_text,
    fetch_all,
    file_identity,
    is_locked,
    is_lost,
    is_record_error,
    readable_errors,
)

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("setting", "value"),
    [("journal_mode", "wal"), ("synchronous", 1), ("foreign_keys", 1), ("busy_timeout", 30_000)],
)
def test_a_connection_is_set_up(store: Store, setting: str, value: object) -> None:
    with store.reading() as connection:
        [found] = fetch_all(connection, f"PRAGMA {setting}")

    assert found == (value,)


# Whether a file is still the one that stood there.


def test_a_file_is_itself_until_another_stands_there(tmp_path: Path) -> None:
    path, other = tmp_path / "history.db", tmp_path / "other.db"
    path.write_text("a")
    other.write_text("b")
    before = file_identity(path)
    path.write_text("changed")

    assert before is not None
    assert file_identity(path) == before
    other.replace(path)
    assert file_identity(path) not in {before, None}


def test_no_file_is_none(tmp_path: Path) -> None:
    assert file_identity(None) is None
    assert file_identity(tmp_path / "missing") is None


# What goes wrong with a database, in sentences.


def _error(code: str, message: str = "it failed") -> OperationalError:
    original = sqlite3.OperationalError(message)
    original.sqlite_errorname = code
    return OperationalError("INSERT INTO answers VALUES (?)", ("private",), original)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("SQLITE_FULL", "the disk is full"),
        ("SQLITE_READONLY_DIRECTORY", "is read-only"),
        ("SQLITE_BUSY_SNAPSHOT", "another process"),
        ("SQLITE_CORRUPT_INDEX", "damaged"),
        ("SQLITE_NOTADB", "not an SQLite database"),
        ("SQLITE_CANTOPEN", "cannot be opened"),
        ("SQLITE_IOERR_WRITE", "full or broken"),
        ("SQLITE_PERM", "permission denied"),
    ],
)
def test_a_trouble_is_told_with_what_to_do(code: str, words: str) -> None:
    sentence = error_text(_error(code))

    assert words in sentence
    assert sentence.endswith(".")


def test_any_other_trouble_is_told_in_the_words_of_the_database() -> None:
    sentence = error_text(_error("SQLITE_CONSTRAINT", "no such thing\n[SQL: INSERT]"))

    assert sentence == "database error: no such thing."


def test_a_trouble_without_words_has_its_name() -> None:
    assert error_text(OverflowError()) == "database error: OverflowError."


def test_a_sentence_never_holds_what_was_to_be_kept() -> None:
    with pytest.raises(UnusableStore) as caught, readable_errors("history.db"):
        raise _error("SQLITE_ERROR")

    assert str(caught.value) == "history.db: database error: it failed."


@pytest.mark.parametrize(
    "error", [zlib.error("bad data"), msgspec.DecodeError("bad JSON"), MemoryError()]
)
def test_a_payload_that_cannot_be_read_is_damage(error: Exception) -> None:
    with (
        pytest.raises(UnusableStore, match=r"history\.db: some of its data is damaged"),
        readable_errors("history.db"),
    ):
        raise error


def test_only_what_others_hold_is_locked() -> None:
    assert is_locked(_error("SQLITE_BUSY"))
    assert not is_locked(_error("SQLITE_FULL"))


# --- of a server --------------------------------------------------------------------------------


class _ServerError(Exception):
    """What PostgreSQL says, or what speaks to it; without a code where it was not reached."""

    def __init__(self, words: str, sqlstate: str | None = None) -> None:
        super().__init__(words)
        self.sqlstate = sqlstate


def _of_server(words: str, sqlstate: str | None = None) -> OperationalError:
    return OperationalError("SELECT 1", ("private",), _ServerError(words, sqlstate))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("25006", "read-only"),
        ("28P01", "wrong user or password"),
        ("3D000", "does not exist"),
        ("40P01", "changing the same data"),
        ("42501", "permission denied"),
        ("42P01", "its tables no longer exist"),
        ("53100", "the disk of the server is full"),
        ("53300", "too many connections"),
        ("55P03", "another process is writing"),
        ("57014", "statement_timeout"),
        ("57P01", "the connection to the server was lost"),
        ("57P03", "starting or stopping"),
        ("XX001", "damage"),
    ],
)
def test_a_code_of_a_server_is_told_with_what_to_do(code: str, words: str) -> None:
    sentence = error_text(_of_server("it failed", code))

    assert words in sentence
    assert "private" not in sentence


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Connection refused\n\tIs the server running?", "connection refused"),
        ('could not translate host name "x" to address', "unknown host"),
        ("connection timeout expired", "timed out"),
        ('FATAL:  password authentication failed for user "x"', "wrong user or password"),
        ("fe_sendauth: no password supplied", "requires a password"),
        ('FATAL:  no pg_hba.conf entry for host "::1"', "pg_hba.conf"),
        ('FATAL:  role "x" does not exist', "wrong user or password"),
        ('FATAL:  database "x" does not exist', "does not exist"),
        ("FATAL:  sorry, too many clients already", "too many connections"),
        ("FATAL:  the database system is starting up", "starting or stopping"),
        ("server does not support SSL, but SSL was required", "sslmode"),
        ("SSL error: certificate verify failed", "certificate"),
        (
            "FATAL:  außer Betrieb\nzweite Zeile",
            "the server cannot be reached: connection failed: FATAL:  außer Betrieb",
        ),
    ],
)
def test_a_server_that_is_not_reached_is_told_with_what_to_do(said: str, words: str) -> None:
    sentence = error_text(_of_server(f"connection failed: {said}"))

    assert words in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("error", "may_pass"),
    [
        (_of_server("server closed the connection unexpectedly"), True),
        (_of_server("the connection is lost"), True),
        (_of_server("it failed", "57P01"), True),
        (_of_server("connection failed: the database system is starting up"), True),
        (_of_server("connection failed: Connection refused"), False),
        (_of_server("it failed", "42501"), False),
        (_error("SQLITE_FULL"), False),
    ],
)
def test_a_connection_that_was_lost_is_told_from_one_that_never_was(
    error: OperationalError, may_pass: bool
) -> None:
    assert is_lost(error) is may_pass


def test_what_lies_in_a_record_is_told_from_what_lies_in_the_database() -> None:
    assert is_record_error(DataError("INSERT", None, _ServerError("out of range", "22003")))
    assert is_record_error(IntegrityError("INSERT", None, sqlite3.IntegrityError("NOT NULL")))
    assert not is_record_error(_error("SQLITE_FULL"))
    assert not is_record_error(None)


def test_errors_of_a_driver_and_damaged_values_are_sentences_as_well() -> None:
    undecodable = sqlite3.OperationalError("Could not decode to UTF-8 column 'name'")
    for error in (undecodable, UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), ValueError("x")):
        with pytest.raises(UnusableStore, match="damaged"), readable_errors("h.db"):
            raise error

    gone = psycopg.OperationalError("server closed the connection unexpectedly")
    with (
        pytest.raises(UnusableStore, match="the connection to the server"),
        readable_errors("h.db"),
    ):
        raise gone


def test_what_people_did_wrong_stays_what_it_is() -> None:
    with pytest.raises(InvalidSettings), readable_errors("h.db"):
        raise InvalidSettings("keep: -1")
    with pytest.raises(ZeroDivisionError), readable_errors("h.db"):
        raise ZeroDivisionError
