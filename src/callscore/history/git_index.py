"""Finds out whether git tracks the files of a history.

A tracked file comes with a checkout, so that a commit can replace saved runs. Every command asks this:
git is only asked if the name of the file is in the index of the repository.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from callscore.history.run_metadata import run_git

if TYPE_CHECKING:
    from pathlib import Path

_ENDINGS = ("", "-wal", "-shm", "-journal")  # of the files of an SQLite database
_COMPRESSED = b"\4"  # the version of an index in which a name is what differs from the one before
# The repository may belong to another user, as in a container of a build.
_LIST = ("-c", "safe.directory=*", "ls-files", "-z", "--")


def tracked_file(path: Path) -> str | None:
    """The file of a history that git tracks, as git calls it; None if it tracks none. Links are followed."""
    from shutil import which  # with what it imports, longer to import than the rest of this

    with suppress(OSError, RuntimeError, ValueError):  # the folder is gone, or links form a loop
        for file in {path.absolute(), path.resolve()}:
            root = next((each for each in file.parents if (each / ".git").exists()), None)
            index = b"" if root is None else _read_index(root / ".git")
            name = file.name if root is None else file.relative_to(root).as_posix()
            # Some file systems do not distinguish upper and lower case. A compressed index has parts of names.
            is_named = os.fsencode(name).lower() in index.lower()
            if root is not None and (is_named or index[7:8] == _COMPRESSED):
                names = [f":(icase,literal){name}{ending}" for ending in _ENDINGS]
                found = run_git(root, *_LIST, *names)
                if found is None and is_named and which("git") is None:
                    return name  # as in the image of a build: it is refused rather than trusted
                if found:
                    return found.partition("\0")[0]
    return None


def _read_index(git: Path) -> bytes:
    """The index of a repository, a worktree or a submodule; empty if there is none."""
    if git.is_file():
        git = git.parent / git.read_text("utf-8").removeprefix("gitdir:").strip()
    index = git / "index"
    return index.read_bytes() if index.exists() else b""
