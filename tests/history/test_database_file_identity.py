"""Whether a file is still the one that stood there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.history.database import file_identity

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_itself_until_another_stands_there(tmp_path: Path) -> None:
    path, other = tmp_path / "history.db", tmp_path / "other.db"
    path.write_text("a")
    other.write_text("b")
    before = file_identity(path)
    path.write_text("changed")

    assert before is not None
    assert file_identity(path) == before
    other.replace(path)
    assert file_identity(path) not in {before, None}


def test_no_file_is_none(tmp_path: Path) -> None:
    assert file_identity(None) is None
    assert file_identity(tmp_path / "missing") is None
