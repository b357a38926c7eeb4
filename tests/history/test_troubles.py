"""What goes wrong with a database, in sentences."""

from __future__ import annotations

import sqlite3
import zlib

import msgspec
import pytest
from sqlalchemy.exc import OperationalError

from callscore.errors import UnusableStore
from callscore.history.troubles import in_sentences, is_locked, trouble_of


def _error(code: str, message: str = "it failed") -> OperationalError:
    original = sqlite3.OperationalError(message)
    original.sqlite_errorname = code
    return OperationalError("INSERT INTO answers VALUES (?)", ("private",), original)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("SQLITE_FULL", "the disk is full"),
        ("SQLITE_READONLY_DIRECTORY", "nothing can be written"),
        ("SQLITE_BUSY_SNAPSHOT", "another process"),
        ("SQLITE_CORRUPT_INDEX", "damaged"),
        ("SQLITE_NOTADB", "no SQLite database"),
        ("SQLITE_CANTOPEN", "cannot be opened"),
        ("SQLITE_IOERR_WRITE", "full or broken"),
        ("SQLITE_PERM", "may not be opened"),
    ],
)
def test_a_trouble_is_told_with_what_to_do(code: str, words: str) -> None:
    sentence = trouble_of(_error(code))

    assert words in sentence
    assert sentence.endswith(".")


def test_any_other_trouble_is_told_in_the_words_of_the_database() -> None:
    sentence = trouble_of(_error("SQLITE_CONSTRAINT", "no such thing\n[SQL: INSERT]"))

    assert sentence == "the database says: no such thing."


def test_a_trouble_without_words_has_its_name() -> None:
    assert trouble_of(OverflowError()) == "the database says: OverflowError."


def test_a_sentence_never_holds_what_was_to_be_kept() -> None:
    with pytest.raises(UnusableStore) as caught, in_sentences("history.db"):
        raise _error("SQLITE_ERROR")

    assert str(caught.value) == "history.db: the database says: it failed."


@pytest.mark.parametrize("error", [zlib.error("bad data"), msgspec.DecodeError("bad JSON")])
def test_a_payload_that_cannot_be_read_is_damage(error: Exception) -> None:
    with (
        pytest.raises(UnusableStore, match=r"history\.db: the file is damaged"),
        in_sentences("history.db"),
    ):
        raise error


def test_only_what_others_hold_is_locked() -> None:
    assert is_locked(_error("SQLITE_BUSY"))
    assert not is_locked(_error("SQLITE_FULL"))
