"""Finds and opens the history of a project: for writing, for reading, on first use."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path, PurePath
from shlex import quote
from typing import TYPE_CHECKING, Any

from callscore.errors import InvalidOption, UnknownRun, UnusableStore
from callscore.history.postgres import (
    STORE_VARIABLE,
    connect,
    display_address,
    is_server_address,
    parse_address,
)
from callscore.history.run_metadata import run_git

if TYPE_CHECKING:
    from callscore.history.store import Store

_FOLDER = ".callscore"
_FILE = "history.db"


# --- where ------------------------------------------------------------------------------------


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


def _requested(place: Path | str | None) -> str | None:
    """The history that the user names: on the command line, or in the environment."""
    return str(place or "") or os.environ.get(STORE_VARIABLE) or None


def store_file_path(place: Path | str | None) -> Path | None:
    """The file of a history; None for a server address.

    Raises:
        UnusableStore: it is an address that cannot be read, or the working directory is gone.
    """
    requested = _requested(place)
    if requested is not None:
        return None if is_server_address(requested) else Path(requested)
    try:
        return default_path()
    except OSError as error:
        raise UnusableStore(
            _FOLDER, "the working directory no longer exists. Change to another one."
        ) from error


def display_path(path: Path) -> str:
    """The path relative to the working directory, if it is inside it."""
    with suppress(OSError, ValueError):
        path = path.relative_to(Path.cwd())
    return str(path)


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
    if file.suffix.lower() in (".gz", ".zst"):
        file = file.with_suffix("")
    return file.stem or path


# --- opening ----------------------------------------------------------------------------------


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
    path = store_file_path(place)
    if path is None:
        return _open_server(str(_requested(place)), named=place)
    _require_untracked(path)
    make_store_folder(path)
    if not path.exists():
        create_file(path)
    return _open_file(path, named=place)


def open_existing(place: Path | str | None = None) -> Store:
    """Open a history that exists for reading; none is created, and no file is changed.

    Raises:
        InvalidSettings: git tracks its file.
        UnknownRun: there is no history.
        UnusableStore: it cannot be used.
    """
    path = store_file_path(place)
    if path is None:
        return _open_server(str(_requested(place)), named=place or None)
    _require_untracked(path)
    try:
        path.stat()
    except FileNotFoundError:
        raise UnknownRun(f"no runs yet: {path} does not exist") from None
    except OSError as error:
        raise _unusable_folder(path.parent, error) from error
    # SQLite creates files beside it.
    can_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return _open_file(path, named=place or None, is_read_only=not can_write)


def _open_file(path: Path, *, named: Path | str | None, is_read_only: bool = False) -> Store:
    from callscore.history.database import connect_file
    from callscore.history.store import Store

    connecting = partial(connect_file, path, is_read_only=is_read_only)
    return _with_tables(Store(display_path(path), connecting, path, named))


def create_file(path: Path) -> None:
    """Create a file with the tables, at once: other processes see all of it, or none."""
    from callscore.history.database import connect_file, readable_errors
    from callscore.history.tables import make_tables

    new, place = path.with_name(f"{path.name}-{os.urandom(8).hex()}"), display_path(path)
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and not path.exists():  # SQLite would write it into the new file
        raise UnusableStore(
            place,
            f"the file was deleted, but not {log.name}. Restore the file, or delete that, too.",
        )
    try:
        with readable_errors(place), closing(connect_file(new)) as connection:
            # Readers and writers do not block each other. The file remembers it; some disks cannot do it.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN")
            make_tables(connection)
            connection.commit()
        try:
            os.link(new, path)
        except FileExistsError:
            return  # another process was faster
        except OSError:  # this disk has no links
            new.rename(path)
    except OSError as error:
        raise _unusable_folder(path.parent, error) from error
    finally:
        new.unlink(missing_ok=True)


def _open_server(address: str, *, named: Path | str | None) -> Store:
    parts = parse_address(address)

    from callscore.history.store import Store

    return _with_tables(Store(display_address(parts), partial(connect, parts), None, named))


def _with_tables(store: Store) -> Store:
    """The history, with its tables: those of a server are created if it has none."""
    from callscore.history.tables import has_tables, make_tables

    try:
        with store.reading() as connection:
            is_ready = has_tables(connection, store.place)
        if not is_ready:  # of several processes one does it, and the others wait for it
            with store.writing() as connection:
                if not has_tables(connection, store.place):
                    make_tables(connection)
    except BaseException:
        store.close()
        raise
    return store


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
            display_path(path), "a file is required, but this is a folder. Move it away."
        )


def _unusable_folder(folder: Path, error: OSError) -> UnusableStore:
    return UnusableStore(
        display_path(folder),
        f"the folder for the history cannot be used ({error.strerror}). Make it a writable folder.",
    )


class StoreOpener:
    """Opens a history on the first call, or when a judge is first asked."""

    def __init__(self, open_it: Callable[[], Store]) -> None:
        self._open = open_it
        self._store: Store | None = None

    def __call__(self) -> Store:
        """The open store; later calls return the same."""
        if self._store is None:
            self._store = self._open()
        return self._store

    def close(self) -> None:
        """Close it, if it was opened."""
        if self._store is not None:
            self._store.close()

    def judgement(self, key: str) -> Any | None:
        """The stored answer of a judge; None if there is none."""
        return self().judgement(key)

    def save_judgement(self, key: str, model: str, answer: Any) -> None:
        """Store an answer of a judge."""
        self().save_judgement(key, model, answer)


# --- a history that git tracks ----------------------------------------------------------------

_ENDINGS = ("", "-wal", "-shm", "-journal")  # of the files of an SQLite database
_COMPRESSED = b"\4"  # the version of an index in which a name is what differs from the one before
# The repository may belong to another user, as in a container of a build.
_LIST = ("-c", "safe.directory=*", "ls-files", "-z", "--")


def _require_untracked(path: Path) -> None:
    """Refuse a history that comes with a checkout: a commit could replace its runs."""
    with suppress(OSError, RuntimeError):  # the folder is gone, or links form a loop
        for file in {path.absolute(), path.resolve()}:
            root = next((each for each in file.parents if (each / ".git").exists()), None)
            if root is not None:
                _require_not_in(root, file.relative_to(root).as_posix())


def _require_not_in(root: Path, name: str) -> None:
    """Refuse a file that a repository tracks: git is only asked if its index may have the name."""
    index = _read_index(root / ".git")
    # Some file systems do not distinguish upper and lower case. A compressed index has parts of names.
    is_named = os.fsencode(name).lower() in index.lower()
    if not is_named and index[7:8] != _COMPRESSED:
        return
    found = run_git(root, *_LIST, *[f":(icase,literal){name}{ending}" for ending in _ENDINGS])
    if found is None and is_named:
        from shutil import which

        found = "" if which("git") else name  # it is refused rather than trusted
    if found:
        tracked = found.partition("\0")[0]
        raise InvalidOption(
            f"git tracks {tracked}, so that a commit can replace saved runs. Take the history out of the"
            f" repository: git rm --cached {quote(f':/{tracked}')}. In a build, keep it outside of the checkout:"
            f" set {STORE_VARIABLE} to a file there"
        )


def _read_index(git: Path) -> bytes:
    """The index of a repository, a worktree or a submodule; empty if there is none."""
    if git.is_file():
        git = git.parent / os.fsdecode(git.read_bytes()).removeprefix("gitdir:").strip()
    index = git / "index"
    return index.read_bytes() if index.exists() else b""
