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
_OF_CASE = "SELECT id, text, written_at FROM notes WHERE place = :place AND case_id = :case_id"
_DELETE = "DELETE FROM notes WHERE id = :id AND place = :place AND case_id = :case_id"


class Note(Struct, frozen=True, gc=False):
    """A note on a case; `written_at` in seconds since 1970."""

    id: str
    text: str
    written_at: float


@with_retries
def notes_on(store: Store, place: str, case: str) -> list[Note]:
    """The notes on a case, the oldest first; `place` is that of its evaluation."""
    with store.reading() as connection:
        found = [Note(*row) for row in fetch_all(connection, _OF_CASE, _key(place, case))]
    return sorted(found, key=lambda note: (note.written_at, note.id))


def add_note(store: Store, place: str, case: str, text: str) -> Note:
    """Save a note without the secrets of the environment in it.

    Raises:
        InvalidSettings: the text is empty, or too long.
    """
    text = text.strip()
    if not text or len(text) > MAX_NOTE_LENGTH:
        raise InvalidSettings(f"a note has 1 to {MAX_NOTE_LENGTH:,} characters")
    note = Note(token_hex(_ID_BYTES), clean_text(Hider(is_live=True).text(text)), time())
    row = _key(place, case) | {"id": note.id, "text": note.text, "written_at": note.written_at}
    _save(store, tuple(map(row.get, NOTES.written)))
    return note


@with_retries
def _save(store: Store, row: tuple[Any, ...]) -> None:
    with store.writing() as connection:
        insert_rows(connection, _INSERT, [row])


@with_retries
def delete_note(store: Store, place: str, case: str, note: str) -> None:
    """Delete a note of a case; nothing happens if there is none of this id."""
    with store.writing() as connection:
        execute(connection, _DELETE, _key(place, case) | {"id": clean_text(note)})


def _key(place: str, case: str) -> dict[str, Any]:
    return {"place": clean_text(place), "case_id": clean_text(hide_text(case))}
