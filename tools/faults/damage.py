"""Damages histories, and compares what every command says with what it says of the undamaged one.

Where results or texts are missing, a command must say the same, or refuse: another output with a code of
success is a failure. Where single bytes are changed, it may not crash.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from tools.faults.project import difference, make_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from tools.faults.project import Outcome, Project

__all__ = ["DAMAGES", "DamagedProject", "damaged", "make_damaged_project"]

_PAGE = 4096


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
        is_told = found.is_refusal and found.errors
        # gc says how many rows it removes, whether there should be more or not.
        may_differ = kind in _UNNOTICED or words[0] == "gc"
        is_right = found[:2] == expected[:2] or is_told or (may_differ and found.code >= 0)
        if not is_right or "Traceback" in found.errors:
            failures.append(f"{' '.join(words)}: {difference(expected, found)}")
    shutil.rmtree(copy.folder)
    return failures


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


def _truncate(path: Path, chance: Random) -> None:
    def truncate(content: bytearray) -> None:
        end = chance.randrange(len(content))
        del content[end - end % chance.choice((1, _PAGE)) :]

    _change(path, truncate)


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


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


def _delete_results(path: Path, chance: Random) -> None:
    def change(database: sqlite3.Connection) -> None:
        # A run that was killed has no record of what it had. It is never reported as finished.
        ended = "SELECT number FROM runs WHERE result_count IS NOT NULL"
        query = f"SELECT number FROM results WHERE run IN ({ended})"
        numbers = [number for (number,) in database.execute(query)]
        for number in chance.sample(numbers, chance.randrange(1, 12)):
            database.execute("DELETE FROM results WHERE number = ?", [number])

    _in_tables(path, change)


def _change_texts(path: Path, chance: Random) -> None:
    def change(database: sqlite3.Connection) -> None:
        numbers = [number for (number,) in database.execute("SELECT rowid FROM payloads")]
        statement = chance.choice(
            (
                "DELETE FROM payloads WHERE rowid = ?",
                "UPDATE payloads SET body = x'7b7d' WHERE rowid = ?",
            )
        )
        for number in chance.sample(numbers, chance.randrange(1, 12)):
            database.execute(statement, [number])

    _in_tables(path, change)


DAMAGES: dict[str, Callable[[Path, Random], None]] = {
    "bits flipped": _flip,
    "bytes overwritten": _overwrite,
    "page zeroed": _zero_page,
    "file truncated": _truncate,
    "journal added": _journal,
    "another file": _other_file,
    "results deleted": _delete_results,
    "texts changed": _change_texts,
}
# Bytes that are changed where SQLite does not look: a value of a row may be another one.
_UNNOTICED = ("bits flipped", "bytes overwritten")
