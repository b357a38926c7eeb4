"""The files of a folder as text: databases and Parquet files as their rows."""

from __future__ import annotations

import gzip
import sqlite3
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["changed_files", "is_database", "new_lines", "stamps", "text_of"]

# Beside a database while somebody uses it, and caches of other programs.
_PASSED_OVER = ("-wal", "-shm", "-journal", ".pyc", ".lock")
_FOLDERS_PASSED_OVER = {".git", "__pycache__", ".pytest_cache"}
# Rows that several threads write in any order: their numbers say nothing.
_UNNUMBERED = {"results", "answers"}
_SQLITE = b"SQLite format 3\x00"
_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"


def stamps(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What tells whether a file has changed, by the name of the file."""
    found = {}
    for file in _files(folder):
        status = file.lstat()
        name = file.relative_to(folder).as_posix()
        found[name] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return found


def changed_files(folder: Path, before: dict[str, tuple[int, int, int]]) -> dict[str, str | None]:
    """The files that were written since, as text; None for those that were removed."""
    after = stamps(folder)
    changed: dict[str, str | None] = {name: None for name in before if name not in after}
    for name, stamp in after.items():
        if before.get(name) != stamp:
            changed[name] = text_of(folder / name)
    return dict(sorted(changed.items()))


def _files(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink() or entry.is_file():
            if not entry.name.endswith(_PASSED_OVER):
                yield entry
        elif entry.is_dir() and entry.name not in _FOLDERS_PASSED_OVER:
            yield from _files(entry)


def is_database(file: Path) -> bool:
    """Whether a file is a history, of which only new rows are worth recording."""
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(len(_SQLITE)) == _SQLITE


def new_lines(before: str, after: str) -> str:
    """The lines of a text that another did not have, and those that it had more."""
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    gone = [f"- {line}\n" for line in (old - new).elements()]
    return "".join([*gone, *(f"+ {line}\n" for line in (new - old).elements())])


def text_of(file: Path) -> str:
    """The content of a file as text."""
    if file.is_symlink():
        return f"symbolic link to {file.readlink()}"
    content = file.read_bytes()
    if content.startswith(_SQLITE):
        return _rows_of_database(file)
    if content.startswith(_PARQUET):
        return _rows_of_parquet(file)
    if content.startswith(_GZIP):
        content = gzip.decompress(content)
    return content.decode("utf-8", "backslashreplace")


def _rows_of_database(file: Path) -> str:
    """Every row of every table, one a line; rows are sorted, because threads race."""
    lines = []
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        query = "select name, sql from sqlite_master where sql is not null order by type, name"
        master = connection.execute(query).fetchall()
        for name, statement in master:
            lines.append(" ".join(statement.split()))
            if statement.upper().startswith("CREATE TABLE"):
                lines += _rows_of_table(connection, name)
    except sqlite3.DatabaseError as error:
        lines.append(f"not readable as a database: {error}")
    finally:
        connection.close()
    return "".join(f"{line}\n" for line in lines)


def _rows_of_table(connection: sqlite3.Connection, name: str) -> list[str]:
    found = connection.execute(f'select * from "{name}"')  # noqa: S608  (a name out of the file)
    columns = [column[0] for column in found.description]
    lines = []
    for row in found:
        values = {
            column: _plain(value)
            for column, value in zip(columns, row, strict=True)
            if not (column == "number" and name in _UNNUMBERED)
        }
        lines.append(f"{name} {msgspec.json.encode(values).decode()}")
    return sorted(lines)


def _plain(value: Any) -> Any:
    """A value of a row that can be read: compressed text is unpacked, a digest is hexadecimal."""
    if not isinstance(value, bytes):
        return value
    try:
        return zlib.decompress(value).decode()
    except (zlib.error, UnicodeDecodeError):
        pass
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return value.hex()
    return text if text.isprintable() else value.hex()


def _rows_of_parquet(file: Path) -> str:
    from pyarrow import parquet

    table = parquet.read_table(file)
    lines = [str(table.schema.remove_metadata())]
    lines += [msgspec.json.encode(row).decode() for row in table.to_pylist()]
    return "".join(f"{line}\n" for line in lines)
