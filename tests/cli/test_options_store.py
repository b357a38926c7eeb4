"""Where a command finds the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from callscore.cli.options import (
    open_existing_store,
    open_store_to_write,
    store_option,
)
from callscore.errors import UnknownRun, UnusableStore

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALLSCORE_STORE", raising=False)
    return tmp_path


def test_a_command_is_given_what_was_typed() -> None:
    @click.command()
    @store_option
    def command(**options: Any) -> dict[str, Any]:
        return options

    def given(*arguments: str) -> Any:
        return CliRunner().invoke(command, arguments, standalone_mode=False).return_value

    assert given() == {"store": None}
    assert given("--store", "runs.db") == {"store": "runs.db"}
    assert "CALLSCORE_STORE" in CliRunner().invoke(command, ["--help"]).output


@pytest.mark.parametrize("place", [None, ""])
def test_without_a_word_it_is_the_history_of_the_project(place: str | None, folder: Path) -> None:
    open_store_to_write(place).close()

    assert (folder / ".callscore/history.db").exists()
    open_existing_store(place).close()


def test_what_is_typed_comes_before_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSCORE_STORE", "team.db")
    open_store_to_write(None).close()
    open_store_to_write("mine.db").close()

    assert (folder / "team.db").exists()
    assert (folder / "mine.db").exists()
    assert not (folder / ".callscore").exists()


@pytest.mark.parametrize("place", [None, "runs.db"])
def test_nothing_is_made_to_look_for_something_in_it(place: str | None, folder: Path) -> None:
    with pytest.raises(UnknownRun, match="does not exist"):
        open_existing_store(place)

    assert list(folder.iterdir()) == []


def test_an_address_of_another_kind_is_refused() -> None:
    for opened in (open_store_to_write, open_existing_store):
        with pytest.raises(UnusableStore, match="postgresql"):
            opened("mysql://me:secret@host/db")
