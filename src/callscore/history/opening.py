"""Finds and opens the history of a project: for writing, for reading, on first use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePath
from shlex import quote
from time import time
from typing import TYPE_CHECKING, Any

from callscore.errors import InvalidOption, UnknownRun, UnusableStore
from callscore.history.environment import STORE_VARIABLE
from callscore.history.git_index import tracked_file
from callscore.history.postgres import (
    display_address,
    is_server_address,
    parse_address,
)

if TYPE_CHECKING:
    from callscore.history.connections import Connections
    from callscore.history.store import Store

_FOLDER = ".callscore"
_FILE = "history.db"
# Seconds in which a process creates the tables of a new file.
_BEGINNING = 3.0


def default_path() -> Path:
    """The file of the history of the current project.

    In the nearest parent folder with a folder `.callscore` inside the git repository; else in the
    working directory. Outside of a repository only the working directory counts: its parents may
    belong to other users.
    """
    here = Path.cwd()
    parents = [here, *here.parents]
    roots = [depth for depth, folder in enumerate(parents) if _contains(folder, ".git")]
    folders = parents[: roots[0] + 1] if roots else [here]
    project = next((folder for folder in folders if _contains(folder, _FOLDER)), here)
    return project / _FOLDER / _FILE


def _contains(folder: Path, name: str) -> bool:
    try:
        return (folder / name).exists()
    except OSError:  # no permission to read the folder
        return False


def open_store(place: Path | str | None = None) -> Store:
    """Open the history, and create it if there is none.

    Args:
        place: a file, or the address of a server, `postgresql://...`. By default the value of
            `CALLSCORE_STORE`; else the file of the current project.

    Raises:
        InvalidSettings: git tracks the file.
        UnusableStore: the file, its folder or the server cannot be used, or a newer callscore has
            written it.
        MissingExtra: psycopg is not installed.
    """
    requested = _requested(place)
    if requested is not None and is_server_address(str(requested)):
        return _open_server(str(requested), named=place)
    place_shown, path = _display_and_path(None if requested is None else Path(requested))
    _require_untracked(path)
    make_store_folder(path)
    _require_content(path, place_shown, _BEGINNING)
    return _open_file(path, place_shown, is_reading=False, named=place)


def open_existing(place: Path | str | None = None) -> Store:
    """Open a history that exists for reading; none is created, and no file of the current version is changed.

    Raises:
        InvalidSettings: git tracks its file.
        UnknownRun: there is no history.
        UnusableStore: it cannot be used.
    """
    file = store_file_path(place)
    if file is None:
        return _open_server(str(_requested(place)), named=place or None)
    place_shown, path = _display_and_path(file)
    _require_untracked(path)
    if not _exists(path):
        raise UnknownRun(f"no runs yet: {path} does not exist")
    _require_content(path, place_shown)
    return _open_file(path, place_shown, is_reading=True, named=place or None)


def _require_content(path: Path, place: str, seconds: float = 0.0) -> None:
    """Refuse an empty file, which is what is left of a history. SQLite takes one byte for an empty file, too.

    One that was changed in the last `seconds` may be a history that another process is just creating.
    """
    found = path.stat() if path.is_file() else None
    if found is not None and found.st_size <= 1 and time() - found.st_mtime >= seconds:
        raise UnusableStore(
            place, "the file is empty. Restore a copy, or delete it to create a new one."
        )


def _require_untracked(path: Path) -> None:
    """Refuse a history that comes with a checkout: a commit could replace its runs."""
    found = tracked_file(path)
    if found is not None:
        raise InvalidOption(
            f"git tracks {found}, so that a commit can replace saved runs. Take the history out of the"
            f" repository: git rm --cached {quote(f':/{found}')}. In a build, keep it outside of the checkout: set"
            f" {STORE_VARIABLE} to a file there"
        )


def store_file_path(place: Path | str | None) -> Path | None:
    """The file of a history; None for a server address.

    Raises:
        UnusableStore: it is an address that cannot be read, or the working directory is gone.
    """
    requested = _requested(place)
    if requested is None:
        return _display_and_path(None)[1]
    return None if is_server_address(str(requested)) else Path(requested)


def _requested(place: Path | str | None) -> Path | str | None:
    """The store that the user names: on the command line, or in the environment."""
    return place or os.environ.get(STORE_VARIABLE) or None


def _can_write(path: Path) -> bool:
    """Whether the file and its folder can be written: SQLite creates files beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _display_and_path(path: Path | None) -> tuple[str, Path]:
    """The name of the file in messages, and the file."""
    try:
        path = default_path() if path is None else path
        return _display_path(path), path
    except OSError as error:
        raise UnusableStore(
            str(path or _FOLDER), "the working directory no longer exists. Change to another one."
        ) from error


def _open_file(path: Path, place: str, *, is_reading: bool, named: Path | str | None) -> Store:
    from callscore.history.connections import enable_wal, file_connections
    from callscore.history.database import readable_errors
    from callscore.history.locks import remove_stale_locks
    from callscore.history.store import Store
    from callscore.history.table_versions import is_current, require_tables

    can_write = not is_reading or _can_write(path)
    connections = file_connections(path, is_read_only=not can_write)
    with _closing_after_error(connections):
        if not is_reading:
            with readable_errors(place):
                enable_wal(connections)
        store = Store(connections, place, path, named=named)
        if not is_reading:
            _make_ready(store)
            remove_stale_locks(path)
            return store
        with store.reading() as connection:
            if not can_write:
                require_tables(connection, place)
            if not can_write or is_current(connection):
                return store
    connections.close()
    return _open_file(path, place, is_reading=False, named=named)


def _open_server(address: str, *, named: Path | str | None) -> Store:
    parts = parse_address(address)

    from callscore.history.connections import server_connections
    from callscore.history.store import Store

    connections = server_connections(parts)
    with _closing_after_error(connections):
        store = Store(connections, display_address(parts), server=parts, named=named)
        _make_ready(store)
    return store


def _make_ready(store: Store) -> None:
    """Create the tables, if there are none; of several processes one does it, and the others wait for it."""
    from callscore.history.table_versions import ensure_tables, is_current

    with store.reading() as connection:
        is_ready = is_current(connection)
    if not is_ready:
        with store.altering() as connection:
            ensure_tables(connection, store.place)


@contextmanager
def _closing_after_error(connections: Connections) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connections.close()
        raise


def _display_path(path: Path) -> str:
    """The path relative to the working directory, if it is inside it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def make_store_folder(path: Path) -> None:
    """Create the folder of the file, with a `.gitignore` in it."""
    folder = path.parent
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        note = folder / ".gitignore"
        if (is_new or folder.name == _FOLDER) and not note.exists():
            note.write_text("*\n", encoding="utf-8")
        is_folder = path.is_dir()
    except OSError as error:
        raise _unusable_folder(folder, error) from error
    if is_folder:
        raise UnusableStore(
            _display_path(path), "a file is required, but this is a folder. Move it away."
        )


def _exists(file: Path) -> bool:
    """Whether the file of a history exists; a folder that cannot be looked into is refused."""
    try:
        file.stat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _unusable_folder(file.parent, error) from error
    return True


def _unusable_folder(folder: Path, error: OSError) -> UnusableStore:
    return UnusableStore(
        _display_path(folder),
        f"the folder for the history cannot be used ({error.strerror}). Make it a writable folder.",
    )


class StoreOpener:
    """Opens a history on the first call; later calls return the same store."""

    def __init__(self, open_it: Callable[[], Store]) -> None:
        self._open = open_it
        self._store: Store | None = None

    def __call__(self) -> Store:
        """The open store."""
        if self._store is None:
            self._store = self._open()
        return self._store

    def close(self) -> None:
        """Close it, if it was opened."""
        if self._store is not None:
            self._store.close()


class LazyJudgementStore(StoreOpener):
    """Stores judgements; opens the history when a judge is first asked."""

    def __init__(self, place: str | None = None) -> None:
        super().__init__(partial(open_store, place))

    def judgement(self, key: str) -> Any | None:
        """The stored answer of a judge; None if there is none."""
        return self().judgement(key)

    def save_judgement(self, key: str, model: str, answer: Any) -> None:
        """Store an answer of a judge."""
        self().save_judgement(key, model, answer)


# Suffixes that may follow the suffix of the content.
_COMPRESSED_SUFFIXES = (".gz", ".zst")


def project_path(path: str) -> str:
    """The path of a file relative to the project; unchanged if it is outside, or a URL."""
    if "://" in path:
        return path
    try:
        file, project = Path(path).resolve(), default_path().parent.parent.resolve()
    except (OSError, RuntimeError):  # the working directory is gone, or links form a loop
        return path
    return file.relative_to(project).as_posix() if file.is_relative_to(project) else path


def file_evaluation_name(path: str) -> str:
    """The evaluation name for the cases of a file: `answers` for `runs/answers.jsonl.gz`."""
    file = PurePath(path)
    if file.suffix.lower() in _COMPRESSED_SUFFIXES:
        file = file.with_suffix("")
    return file.stem or path
