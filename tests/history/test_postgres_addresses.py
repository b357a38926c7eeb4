"""Addresses of servers: read as libpq reads them, and shown without what is secret."""

from __future__ import annotations

import sys

import pytest

from callscore.errors import MissingExtra, UnusableStore
from callscore.history.postgres import (
    display_address,
    is_server_address,
    parse_address,
    store_arguments,
)

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


@pytest.mark.parametrize("text", ["mysql://u:s3cret@host/db", "sqlite:///runs.db"])
def test_an_address_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(UnusableStore, match=r"called postgresql://") as caught:
        is_server_address(text)

    assert SECRET not in str(caught.value)


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
def test_what_is_secret_is_not_shown(address: str, shown: str) -> None:
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
    with pytest.raises(UnusableStore, match="spell @ as %40") as caught:
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
def test_what_was_meant_as_an_address_never_becomes_a_file(text: str) -> None:
    with pytest.raises(UnusableStore, match="this is no address of a server") as caught:
        is_server_address(text)

    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["POSTGRESQL://me@host/db", " postgres://me@host/db ", '"postgresql://me@host/db"']
)
def test_capitals_and_what_was_copied_along_do_no_harm(address: str) -> None:
    assert display_address(parse_address(address)) == "postgresql://me@host/db"


@pytest.mark.parametrize(
    "user", ["tok_51HqLyjWDarjtT1zdp7dc", "0123456789abcdef", "AKIAIOSFODNN7EXAMPLE"]
)
def test_a_key_in_place_of_a_user_is_not_shown(user: str) -> None:
    assert display_address(parse_address(f"postgres://{user}@host/db")) == (
        "postgresql://...@host/db"
    )


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
        ("postgres://tok_51HqLyjWDarjtT1zdp7dc@host/db", ' --store "$CALLSCORE_STORE"'),
    ],
)
def test_a_suggested_command_finds_the_same_history(said: str | None, words: str) -> None:
    assert store_arguments(said) == words
