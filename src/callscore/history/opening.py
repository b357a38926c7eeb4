"""Where the history of a project stands, and how it is opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from callscore.errors import UnusableStore
from callscore.history.addresses import (
    STORE_VARIABLE,
    is_server,
    require_server,
    shown_address,
)

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from callscore.history.store import Store

__all__ = ["default_path", "file_of_store", "make_folder", "open_store", "open_to_read"]

_FOLDER = ".callscore"
_FILE = "history.db"


def default_path() -> Path:
    """Where the history of the project is that we are in.

    In the nearest folder upward that has a folder `.callscore`, not beyond the git repository; else
    in the working directory. Outside of a repository only the working directory counts: what lies
    above it need not be ours.
    """
    here = Path.cwd()
    above = [here, *here.parents]
    roots = [depth for depth, folder in enumerate(above) if _has(folder, ".git")]
    folders = above[: roots[0] + 1] if roots else [here]
    home = next((folder for folder in folders if _has(folder, _FOLDER)), here)
    return home / _FOLDER / _FILE


def _has(folder: Path, name: str) -> bool:
    try:
        return (folder / name).exists()
    except OSError:  # a folder that we may not look into
        return False


def open_store(place: Path | str | None = None) -> Store:
    """Open the history; make it where there is none, bring it up to date where it is older.

    Args:
        place: a file, or the address of a server, `postgresql://...`. By default what the variable
            `CALLSCORE_STORE` says; else the file of the project that we are in.

    Raises:
        UnusableStore: the file, its folder or the server cannot be used, or a newer callscore has
            written it.
        MissingExtra: what speaks to the server is not installed.
    """
    said = _said(place)
    if said is not None and is_server(str(said)):
        return _open_server(str(said), named=place)
    path = None if said is None else Path(said)
    place_shown, path = _shown_place(path)
    make_folder(path)
    return _open_file(path, place_shown, named=place)


def open_to_read(place: Path | str | None = None) -> Store:
    """Open a history that is there; nothing is written for that, where it is of this version.

    Args:
        place: as for `open_store`.

    Raises:
        UnusableStore: as for `open_store`, or it is older and cannot be brought up to date there.
        MissingExtra: what speaks to the server is not installed.
    """
    file = file_of_store(place)
    if file is None:
        return _open_server(str(_said(place)), named=place)
    place_shown, path = _shown_place(file)
    can_write = _can_write(path)

    from callscore.history.connecting import reading_engine, sqlite_engine
    from callscore.history.migrations import is_prepared, require_tables
    from callscore.history.store import Store

    engine = sqlite_engine(path) if can_write else reading_engine(path)
    try:
        store = Store(engine, place_shown, path, named=place)
        with store.reading() as connection:
            is_ready = is_prepared(connection)
            if not can_write:
                require_tables(connection, place_shown)
    except BaseException:
        engine.dispose()
        raise
    if is_ready:
        return store
    engine.dispose()
    return _open_file(path, place_shown, named=place)


def file_of_store(place: Path | str | None) -> Path | None:
    """The file of a history that is called so; None where it is on a server.

    Raises:
        UnusableStore: it is an address that cannot be read, or the working directory is gone.
    """
    said = _said(place)
    if said is None:
        return _shown_place(None)[1]
    return None if is_server(str(said)) else Path(said)


def _said(place: Path | str | None) -> Path | str | None:
    """What somebody says of the place: on the command line, or in the environment."""
    return place or os.environ.get(STORE_VARIABLE) or None


def _can_write(path: Path) -> bool:
    """Whether the file can be written, and its folder, where SQLite has files of its own beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _shown_place(path: Path | None) -> tuple[str, Path]:
    """What the file of a history is called in messages, and the file."""
    try:
        path = default_path() if path is None else path
        return _shown(path), path
    except OSError as error:
        raise UnusableStore(
            str(path or _FOLDER), "the working directory is gone. Change into another one."
        ) from error


def _open_file(path: Path, place: str, *, named: Path | str | None) -> Store:
    from callscore.history.connecting import log_ahead, sqlite_engine
    from callscore.history.migrations import prepare
    from callscore.history.run_lock import remove_stale
    from callscore.history.store import Store
    from callscore.history.troubles import in_sentences

    engine: Engine = sqlite_engine(path)
    try:
        with in_sentences(place):
            log_ahead(engine)
        store = Store(engine, place, path, named=named)
        with store.writing() as connection:
            prepare(connection, place)
    except BaseException:
        engine.dispose()
        raise
    remove_stale(path)
    return store


def _open_server(address: str, *, named: Path | str | None) -> Store:
    parts = require_server(address)
    place = shown_address(parts)

    from callscore.history.migrations import is_prepared, prepare
    from callscore.history.postgres import postgres_engine
    from callscore.history.store import Store

    engine = postgres_engine(parts)
    try:
        store = Store(engine, place, server=parts, named=named)
        with store.reading() as connection:
            is_ready = is_prepared(connection)
        # Of several who come first one makes the tables, and the others wait until they are there.
        if not is_ready:
            with store.writing(is_alone=True) as connection:
                prepare(connection, place)
    except BaseException:
        engine.dispose()
        raise
    return store


def _shown(path: Path) -> str:
    """The path as a person would write it here."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def make_folder(path: Path) -> None:
    """Make the folder of the file, with a note that no repository should hold what is in it.

    Raises:
        UnusableStore: there can be no such folder, or the file is a folder itself.
    """
    folder = path.parent
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if is_new or folder.name == _FOLDER:
            _leave_out(folder)
        is_folder = path.is_dir()
    except OSError as error:
        raise UnusableStore(
            _shown(folder),
            f"the folder for the history cannot be used ({error.strerror}). "
            "Make it a folder that can be written.",
        ) from error
    if is_folder:
        raise UnusableStore(_shown(path), "this is a folder, and should be a file. Move it away.")


def _leave_out(folder: Path) -> None:
    note = folder / ".gitignore"
    if not note.exists():
        note.write_text("*\n", encoding="utf-8")
