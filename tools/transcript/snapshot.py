"""The files of a folder as text."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["changed_files", "histories", "stamps"]

Stamps = dict[str, tuple[int, int, int]]

# Beside a database while it is in use, and caches of other programs.
_PASSED_OVER = ("-wal", "-shm", "-journal", ".pyc", ".lock")
_FOLDERS_PASSED_OVER = {".git", "__pycache__", ".pytest_cache"}
_SQLITE = b"SQLite format 3\x00"


def stamps(folder: Path) -> Stamps:
    """What tells whether a file has changed, by the name of the file."""
    found = {}
    for file in _files(folder):
        status = file.lstat()
        name = file.relative_to(folder).as_posix()
        found[name] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return found


def changed_files(folder: Path, before: Stamps) -> dict[str, str | None]:
    """The files that were written since, as text; None for those that were removed."""
    after = stamps(folder)
    changed: dict[str, str | None] = {name: None for name in before if name not in after}
    for name, stamp in after.items():
        if before.get(name) != stamp and not _is_history(folder / name):
            changed[name] = _text_of(folder / name)
    return dict(sorted(changed.items()))


def histories(folder: Path) -> list[str]:
    """The names of the databases in a folder. Users see what commands print of them, and no rows."""
    return [file.relative_to(folder).as_posix() for file in _files(folder) if _is_history(file)]


def _files(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink() or entry.is_file():
            if not entry.name.endswith(_PASSED_OVER):
                yield entry
        elif entry.is_dir() and entry.name not in _FOLDERS_PASSED_OVER:
            yield from _files(entry)


def _is_history(file: Path) -> bool:
    if file.is_symlink():
        return False
    with file.open("rb") as opened:
        return opened.read(len(_SQLITE)) == _SQLITE


def _text_of(file: Path) -> str:
    if file.is_symlink():
        return f"symbolic link to {file.readlink()}"
    content = file.read_bytes()
    if content.startswith(b"PAR1"):
        return _rows_of_parquet(file)
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    return content.decode("utf-8", "backslashreplace")


def _rows_of_parquet(file: Path) -> str:
    from pyarrow import parquet

    table = parquet.read_table(file)
    lines = [str(table.schema.remove_metadata())]
    lines += [msgspec.json.encode(row).decode() for row in table.to_pylist()]
    return "".join(f"{line}\n" for line in lines)
