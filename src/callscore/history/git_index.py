"""Finds out whether git tracks the files of a history, from the index of the repository.

A tracked file comes with a checkout, so that a commit can replace saved runs. Every command asks this:
therefore no process is started, and the index is only parsed if the name is in it. The format is
documented at https://git-scm.com/docs/index-format.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["tracked_file"]

_ENDINGS = (b"", b"-wal", b"-shm", b"-journal")  # of the files of an SQLite database
_HEADER = 12  # the signature, the version, the number of entries
_FIELDS = 60  # of an entry, before its flags
_EXTENDED = 0x40  # in the first byte of the flags: there are two bytes more
_COMPRESSED = 4  # the version in which a name is what differs from the one before


def tracked_file(path: Path) -> str | None:
    """The file of a history that git tracks, as git calls it; None if it tracks none. Links are followed."""
    # The folder is gone, links form a loop, or the index is damaged or has SHA-256.
    with suppress(OSError, RuntimeError, IndexError, ValueError):
        for file in {path.absolute(), path.resolve()}:
            root = next((each for each in file.parents if (each / ".git").exists()), None)
            index = b"" if root is None else _read_index(root / ".git")
            # Some file systems do not distinguish upper and lower case. A compressed index has parts of names.
            is_named = os.fsencode(file.name).lower() in index.lower()
            if root is None or not (is_named or index[7:8] == bytes([_COMPRESSED])):
                continue
            called = os.fsencode(file.relative_to(root).as_posix()).lower()
            names = {called + ending for ending in _ENDINGS}
            for name in _names_in(index):
                if name.lower() in names:
                    return os.fsdecode(name)
    return None


def _read_index(git: Path) -> bytes:
    """The index of a repository, a worktree or a submodule; empty if there is none."""
    if git.is_file():
        git = git.parent / git.read_text("utf-8").removeprefix("gitdir:").strip()
    index = git / "index"
    return index.read_bytes() if index.exists() else b""


def _names_in(index: bytes) -> Iterator[bytes]:
    """The names of the entries of an index with SHA-1."""
    is_compressed = index[7] == _COMPRESSED
    place, name = _HEADER, b""
    for _ in range(int.from_bytes(index[8:_HEADER])):
        start = place + _FIELDS + (4 if index[place + _FIELDS] & _EXTENDED else 2)
        if is_compressed:
            removed, start = _number_at(index, start)
            name = name[: len(name) - removed]
        end = index.index(0, start)
        name = name + index[start:end] if is_compressed else index[start:end]
        # Otherwise one to eight null bytes follow, so that the length is a multiple of eight.
        place = end + 1 if is_compressed else end + 8 - (end - place) % 8
        yield name


def _number_at(index: bytes, place: int) -> tuple[int, int]:
    """A number of variable length, and the place after it."""
    found = index[place] & 0x7F
    while index[place] & 0x80:
        place += 1
        found = (found + 1 << 7) | (index[place] & 0x7F)
    return found, place + 1
