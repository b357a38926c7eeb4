from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import parquet
from tools.transcript.snapshot import changed_files, histories, stamps

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


def test_histories_are_named_and_their_bytes_are_not_recorded(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "broken.db").write_text("no database\n")
    with closing(sqlite3.connect(tmp_path / "kept" / "history.db")) as database, database:
        database.execute("create table results (number integer)")

    assert histories(tmp_path) == ["kept/history.db"]
    assert changed_files(tmp_path, {}) == {"broken.db": "no database\n"}


def test_the_rows_of_a_parquet_file_are_recorded(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"id": ["a", "b"], "f1": [1.0, None]}), tmp_path / "rows.parquet")

    assert changed_files(tmp_path, {}) == {
        "rows.parquet": 'id: string\nf1: double\n{"id":"a","f1":1.0}\n{"id":"b","f1":null}\n'
    }
