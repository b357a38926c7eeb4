"""Notes on cases: they are about a case in every run, and contain no secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.errors import InvalidSettings, UnusableStore
from callscore.history.notes import MAX_NOTE_LENGTH, add_note, delete_note, notes_on

if TYPE_CHECKING:
    from callscore.history.store import Store

PLACE = "evals/eval_a.py::assistant"
SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (that of a test)


def test_a_case_without_notes_has_none(store: Store) -> None:
    assert notes_on(store, PLACE, "oslo") == []


def test_notes_are_those_of_the_case_in_order(store: Store) -> None:
    first = add_note(store, PLACE, "oslo", "  The date is wrong.\n")
    second = add_note(store, PLACE, "oslo", "Asked Anna: «да» 👍")
    add_note(store, PLACE, "rome", "another case")
    add_note(store, "evals/eval_b.py::assistant", "oslo", "another evaluation")

    assert notes_on(store, PLACE, "oslo") == [first, second]
    assert [note.text for note in (first, second)] == ["The date is wrong.", "Asked Anna: «да» 👍"]


def test_a_deleted_note_is_gone_and_the_others_are_not(store: Store) -> None:
    first = add_note(store, PLACE, "oslo", "one")
    second = add_note(store, PLACE, "oslo", "two")

    delete_note(store, PLACE, "rome", second.id)
    delete_note(store, PLACE, "oslo", first.id)
    delete_note(store, PLACE, "oslo", "unknown")

    assert notes_on(store, PLACE, "oslo") == [second]


@pytest.mark.parametrize("text", ["", " \n", "x" * (MAX_NOTE_LENGTH + 1)])
def test_a_note_is_neither_empty_nor_endless(store: Store, text: str) -> None:
    with pytest.raises(InvalidSettings, match="1 to 10,000 characters"):
        add_note(store, PLACE, "oslo", text)


def test_text_that_no_database_accepts_is_saved_as_escapes(store: Store) -> None:
    add_note(store, PLACE, "a\x00b", "NUL \x00 and \udcff")

    [note] = notes_on(store, PLACE, "a\x00b")
    assert note.text == "NUL \\u0000 and \\udcff"


def test_a_secret_is_not_saved_and_its_case_is_found(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)
    add_note(store, PLACE, f"case {SECRET}", f"It has sent {SECRET}.")

    [note] = notes_on(store, PLACE, f"case {SECRET}")
    monkeypatch.undo()
    hidden = notes_on(store, PLACE, f"case {note.text[12:-1]}")

    assert SECRET not in note.text
    assert note.text.startswith("It has sent [hidden ")
    assert hidden == [note]


def test_a_note_that_was_changed_elsewhere_is_refused(store: Store) -> None:
    note = add_note(store, PLACE, "oslo", "right")
    with store.connected() as connection:
        connection.exec_driver_sql("UPDATE notes SET text = 'wrong'")
        connection.commit()

    with pytest.raises(UnusableStore, match="a note is damaged"):
        notes_on(store, PLACE, "oslo")
    delete_note(store, PLACE, "oslo", note.id)
    assert notes_on(store, PLACE, "oslo") == []
