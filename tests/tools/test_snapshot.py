from __future__ import annotations

import gzip
import sqlite3
import zlib
from contextlib import closing
from typing import TYPE_CHECKING

from tools.transcript.snapshot import changed_files, new_lines, stamps

if TYPE_CHECKING:
    from pathlib import Path


def test_only_what_was_written_or_removed_is_recorded(tmp_path: Path) -> None:
    for name in ("same", "gone", "changed"):
        (tmp_path / name).write_text("before\n")
    before = stamps(tmp_path)
    (tmp_path / "gone").unlink()
    (tmp_path / "changed").write_text("after, and longer\n")
    (tmp_path / "new.gz").write_bytes(gzip.compress(b"new\n"))

    found = changed_files(tmp_path, before)

    assert found == {"changed": "after, and longer\n", "gone": None, "new.gz": "new\n"}


def test_a_database_is_recorded_as_its_rows(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "history.db")) as database, database:
        database.execute("create table results (number integer, body blob)")
        rows = [(2, zlib.compress(b"long text")), (1, b"\xff\x00")]
        database.executemany("insert into results values (?, ?)", rows)

    found = changed_files(tmp_path, {})

    assert found["history.db"] == (
        "CREATE TABLE results (number integer, body blob)\n"
        'results {"body":"ff00"}\n'
        'results {"body":"long text"}\n'
    )


def test_of_a_database_the_new_rows_are_told_from_those_that_are_gone() -> None:
    assert new_lines("a\nb\nb\n", "b\nc\n") == "- a\n- b\n+ c\n"
