"""Notes on cases: what a user wrote about a case, in all runs and under all variants of its evaluation."""

from __future__ import annotations

from secrets import token_hex
from time import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.errors import InvalidSettings
from callscore.hiding.hider import Hider, hide_text
from callscore.history.database import (
    execute,
    fetch_all,
    insert_into,
    insert_rows,
    with_retries,
)
from callscore.history.records import clean_text
from callscore.history.tables import NOTES

if TYPE_CHECKING:
    from callscore.history.store import Store

MAX_NOTE_LENGTH = 10_000
_ID_BYTES = 8
# A retry may find that the first attempt has written it.
_INSERT = insert_into(NOTES, conflict=("id",))
_OF_CASE = f"{NOTES.select} FROM notes WHERE place = :place AND case_id = :case_id"
_DELETE = "DELETE FROM notes WHERE id = :id AND place = :place AND case_id = :case_id"


class Note(Struct, frozen=True, gc=False):
    """A note on a case; `written_at` in seconds since 1970."""

    id: str
    text: str
    written_at: float


def notes_on(store: Store, place: str, case: str) -> list[Note]:
    """The notes on a case, the oldest first; `place` is that of its evaluation."""
    return _read(store, _key(place, case))


def add_note(store: Store, place: str, case: str, text: str) -> Note:
    """Save a note without the secrets of the environment in it.

    Raises:
        InvalidSettings: the text is empty, or too long.
    """
    text = text.strip()
    if not text or len(text) > MAX_NOTE_LENGTH:
        raise InvalidSettings(f"a note has 1 to {MAX_NOTE_LENGTH:,} characters")
    hidden = Hider(is_live=True).text(text)
    note = Note(token_hex(_ID_BYTES), clean_text(hidden), time())
    row = {
        **_key(place, case),
        "id": note.id,
        "text": note.text,
        "written_at": note.written_at,
    }
    _save(store, row)
    return note


def delete_note(store: Store, place: str, case: str, note: str) -> None:
    """Delete a note of a case; nothing happens if there is none of this id."""
    _delete(store, {**_key(place, case), "id": clean_text(note)})


def _key(place: str, case: str) -> dict[str, Any]:
    return {"place": clean_text(place), "case_id": clean_text(hide_text(case))}


@with_retries
def _read(store: Store, key: dict[str, Any]) -> list[Note]:
    with store.reading() as connection:
        rows = fetch_all(connection, _OF_CASE, key)
    named = [dict(zip(NOTES.names, row, strict=True)) for row in rows]
    found = [Note(row["id"], row["text"], row["written_at"]) for row in named]
    return sorted(found, key=lambda note: (note.written_at, note.id))


@with_retries
def _save(store: Store, row: dict[str, Any]) -> None:
    with store.writing() as connection:
        insert_rows(connection, _INSERT, [tuple(map(row.get, NOTES.written))])


@with_retries
def _delete(store: Store, key: dict[str, Any]) -> None:
    with store.writing() as connection:
        execute(connection, _DELETE, key)
