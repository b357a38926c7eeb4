"""Damages histories, and compares what every command says with what it says of the undamaged one.

A command must say the same, or refuse. Another output with a code of success is a failure; so is a
code that no refusal has.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from tools.faults.project import difference, make_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from tools.faults.project import Outcome, Project

__all__ = ["DAMAGES", "DamagedProject", "damaged", "make_damaged_project"]

_PAGE = 4096
_TABLES = ("runs", "evaluations", "results", "answers", "payloads", "baselines", "contents")


class DamagedProject(NamedTuple):
    """A project with a history of all kinds of runs, and what the commands say of it.

    Attributes:
        project: the undamaged project.
        commands: what each command says, by its words.
    """

    project: Project
    commands: dict[tuple[str, ...], Outcome]


def make_damaged_project(folder: Path) -> DamagedProject:
    """Make the project; `folder` must not exist."""
    project = make_project(folder / "whole")
    project.must("run", "--name", "v1", VERSION="1")
    project.must("baseline", "set", "latest", "--name", "main")
    shutil.copy(project.history, folder / "earlier.db")
    project.must("run")
    project.must("score", "cases.jsonl", "--save", "scored")
    project.must("rescore", "latest~1")
    # Killed: the last writes are in the log beside the file.
    project.run("run", "--jobs", "1", DIES="city-9", SECONDS="0.03")
    settled = project.copy(folder / "settled")
    ids = settled.runs()
    shutil.rmtree(settled.folder)
    project.remember(*ids)
    second = ids[3]
    commands = [
        *(["history"], ["history", "--json"], ["history", "--tag", "even"], ["baseline", "list"]),
        *(["show"], ["show", "v1"], ["show", second, "--json"], ["show", "HEAD"]),
        *(["show", "main", "city-3"], ["show", "latest~1", "--show", "all"], ["show", "scored"]),
        *(["compare", "main", second], ["compare", "v1", "latest~1", "--json"]),
        *(["gate", second], ["gate", "latest~1", "--json"], ["bless", "v1", "--dry-run"]),
        *(["export", "v1"], ["export", second, "--format", "csv"], ["export", "latest"]),
        *(["rescore", "v1"], ["rescore", second, "--mode", "flexible"]),
        *(["run", "--resume"], ["run", "--last-failed"], ["baseline", "set", "v1"]),
        *(["gc", "--keep", "1", "--dry-run"], ["gc", "--keep", "1"]),
    ]
    said: dict[tuple[str, ...], Outcome] = {}
    for words in commands:
        copy = project.copy(folder / "copy")
        said[tuple(words)] = copy.run(*words)
        shutil.rmtree(copy.folder)
    return DamagedProject(project, said)


def damaged(whole: DamagedProject, kind: str, chance: Random, count: int) -> list[str]:
    """Damage a copy of the project, and run some of the commands; returns what is wrong."""
    folder = whole.project.folder.parent
    copy = whole.project.copy(folder / "damaged")
    DAMAGES[kind](copy.history, chance)
    failures = []
    for words in chance.sample(sorted(whole.commands), count):
        one = copy.copy(folder / "one")
        expected, found = whole.commands[words], one.run(*words)
        shutil.rmtree(one.folder)
        is_same = found[:2] == expected[:2] or _is_told(found)
        if not is_same and not (
            found.is_refusal and found.errors and "Traceback" not in found.errors
        ):
            failures.append(f"{' '.join(words)}: {difference(expected, found)}")
    shutil.rmtree(copy.folder)
    return failures


def _is_told(found: Outcome) -> bool:
    """Whether a damaged baseline was replaced, with a note about the damage."""
    return found.code == 0 and "Note: " in found.output and " damaged. " in found.output


# --- what happens to the bytes ----------------------------------------------------------------


def _change(path: Path, change: Callable[[bytearray], object]) -> None:
    content = bytearray(path.read_bytes() if path.exists() else b"")
    change(content)
    path.write_bytes(content)


def _flip(path: Path, chance: Random) -> None:
    def flip(content: bytearray) -> None:
        for _ in range(chance.choice((1, 1, 2, 8))):
            at = chance.randrange(len(content))
            content[at] ^= 1 << chance.randrange(8)

    _change(path, flip)


def _flip_used(path: Path, chance: Random) -> None:
    """Flip bits that are not in empty space."""

    def flip(content: bytearray) -> None:
        used = [at for at, byte in enumerate(content) if byte]
        for _ in range(chance.choice((1, 1, 2, 4))):
            content[chance.choice(used)] ^= 1 << chance.randrange(8)

    _change(path, flip)


def _overwrite(path: Path, chance: Random) -> None:
    def overwrite(content: bytearray) -> None:
        at, length = chance.randrange(len(content)), chance.randrange(1, 600)
        content[at : at + length] = chance.randbytes(len(content[at : at + length]))

    _change(path, overwrite)


def _pages(content: bytearray) -> int:
    return len(content) // _PAGE


def _zero_page(path: Path, chance: Random) -> None:
    def zero(content: bytearray) -> None:
        at = chance.randrange(_pages(content)) * _PAGE
        content[at : at + _PAGE] = bytes(_PAGE)

    _change(path, zero)


def _swap_pages(path: Path, chance: Random) -> None:
    def swap(content: bytearray) -> None:
        one, two = [each * _PAGE for each in chance.sample(range(1, _pages(content)), 2)]
        first, second = content[one : one + _PAGE], content[two : two + _PAGE]
        content[one : one + _PAGE], content[two : two + _PAGE] = second, first

    _change(path, swap)


def _copy_page(path: Path, chance: Random) -> None:
    def copy(content: bytearray) -> None:
        one, two = [each * _PAGE for each in chance.sample(range(1, _pages(content)), 2)]
        content[one : one + _PAGE] = content[two : two + _PAGE]

    _change(path, copy)


def _truncate(path: Path, chance: Random) -> None:
    def truncate(content: bytearray) -> None:
        end = chance.randrange(len(content))
        del content[end - end % chance.choice((1, _PAGE)) :]

    _change(path, truncate)


def _older_pages(path: Path, chance: Random) -> None:
    """Some pages as they were before the last runs."""
    earlier = (path.parents[2] / "earlier.db").read_bytes()

    def restore(content: bytearray) -> None:
        for number in chance.sample(range(1, len(earlier) // _PAGE), chance.randrange(1, 6)):
            at = number * _PAGE
            content[at : at + _PAGE] = earlier[at : at + _PAGE]

    _change(path, restore)


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _damage_log(path: Path, chance: Random) -> None:
    log = _log_of(path)
    if log.exists() and log.stat().st_size:
        chance.choice((_flip, _overwrite, _truncate))(log, chance)
    else:
        log.write_bytes(chance.randbytes(chance.randrange(1, 9_000)))


def _journal(path: Path, chance: Random) -> None:
    path.with_name(f"{path.name}-journal").write_bytes(chance.randbytes(chance.randrange(9_000)))


def _other_file(path: Path, chance: Random) -> None:
    _log_of(path).unlink(missing_ok=True)
    content = chance.choice((b"", chance.randbytes(20_000), b"run,passed\n1,40\n", None))
    if content is not None:
        path.write_bytes(content)
    else:
        path.unlink()
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("CREATE TABLE bookmarks (name TEXT)")
            other.execute("INSERT INTO bookmarks VALUES ('a')")


# --- what happens to the rows -----------------------------------------------------------------


def _in_tables(path: Path, change: Callable[[sqlite3.Connection], object]) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        change(database)


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in database.execute(f"PRAGMA table_info({table})")]


def _rows(database: sqlite3.Connection, table: str, chance: Random, most: int) -> list[int]:
    # A run that was killed has no record of what it had. It is never reported as finished.
    of_ended = f" WHERE run != {_killed(database)}" if "run" in _columns(database, table) else ""
    numbers = [row[0] for row in database.execute(f"SELECT rowid FROM {table}{of_ended}")]
    return chance.sample(numbers, min(len(numbers), chance.randrange(1, most + 1)))


def _killed(database: sqlite3.Connection) -> int:
    row = database.execute("SELECT number FROM runs WHERE status = 'running'").fetchone()
    return row[0] if row else -1


def _delete_rows(path: Path, chance: Random) -> None:
    def change(database: sqlite3.Connection) -> None:
        table = chance.choice(_TABLES)
        database.execute(f"PRAGMA foreign_keys = {chance.randrange(2)}")
        for row in _rows(database, table, chance, 12):
            database.execute(f"DELETE FROM {table} WHERE rowid = ?", [row])

    _in_tables(path, change)


def _swap_values(path: Path, chance: Random) -> None:
    def change(database: sqlite3.Connection) -> None:
        table = chance.choice(_TABLES)
        column = chance.choice(_columns(database, table))
        rows = _rows(database, table, chance, 2)
        values = [
            database.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", [row]).fetchone()[0]
            for row in rows
        ]
        for row, value in zip(rows, reversed(values), strict=True):
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", [value, row])

    with suppress(sqlite3.IntegrityError):  # a value that has to be unique
        _in_tables(path, change)


def _change_values(path: Path, chance: Random) -> None:
    def change(database: sqlite3.Connection) -> None:
        table = chance.choice(_TABLES)
        column = chance.choice(_columns(database, table))
        value = chance.choice((0, 1, 2, 0.5, None, "finished", "passed", "[]", "main", b"\0" * 16))
        for row in _rows(database, table, chance, 5):
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", [value, row])

    with suppress(sqlite3.IntegrityError):
        _in_tables(path, change)


def _copy_rows(path: Path, chance: Random) -> None:
    def change(database: sqlite3.Connection) -> None:
        trial = chance.randrange(3, 9)
        names = [name for name in _columns(database, "results") if name not in ("number", "trial")]
        columns = ", ".join(names)
        for row in _rows(database, "results", chance, 9):
            database.execute(
                f"INSERT INTO results ({columns}, trial)"
                f" SELECT {columns}, {trial} FROM results WHERE number = ?",
                [row],
            )

    _in_tables(path, change)


DAMAGES: dict[str, Callable[[Path, Random], None]] = {
    "bits flipped": _flip,
    "bits flipped in use": _flip_used,
    "bytes overwritten": _overwrite,
    "page zeroed": _zero_page,
    "pages swapped": _swap_pages,
    "page copied": _copy_page,
    "pages of an earlier time": _older_pages,
    "file truncated": _truncate,
    "log damaged": _damage_log,
    "journal added": _journal,
    "another file": _other_file,
    "rows deleted": _delete_rows,
    "values swapped": _swap_values,
    "values changed": _change_values,
    "rows copied": _copy_rows,
}
