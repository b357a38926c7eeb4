"""Files that are rewritten: only below a folder, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from callscore.rewriting.applying import display_name, open_source, replace_source
from callscore.rewriting.change import CannotRewrite


def test_a_file_is_replaced_with_its_mode_its_mark_and_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("\ufeffa\r\nb\r\n".encode())
    path.chmod(0o640)

    file = open_source(path, tmp_path)
    replace_source(file, file.text.replace("a\n", "c\nd\n"))

    assert file.text == "a\nb\n"
    assert path.read_bytes() == "\ufeffc\r\nd\r\nb\r\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["x.txt"]


def test_mixed_line_ends_stay_mixed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"a\r\nb\n")

    file = open_source(path, tmp_path)
    replace_source(file, file.text.replace("b", "c"))

    assert path.read_bytes() == b"a\r\nc\n"


def test_a_link_stays_one(tmp_path: Path) -> None:
    path, link = tmp_path / "x.txt", tmp_path / "link.txt"
    path.write_text("a")
    link.symlink_to(path)

    replace_source(open_source(link, tmp_path), "b")

    assert link.is_symlink()
    assert path.read_text() == "b"


def test_a_file_outside_of_the_folder_is_not_touched(tmp_path: Path) -> None:
    inside, outside = tmp_path / "project", tmp_path / "outside.txt"
    inside.mkdir()
    outside.write_text("a")
    link = inside / "link.txt"
    link.symlink_to(outside)

    for path in (outside, link):
        with pytest.raises(CannotRewrite, match="it is outside of"):
            open_source(path, inside)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xe9")

    with pytest.raises(CannotRewrite, match="latin: it is not UTF-8"):
        open_source(tmp_path / "latin", tmp_path)
    with pytest.raises(CannotRewrite, match="missing: it cannot be read: No such file"):
        open_source(tmp_path / "missing", tmp_path)


def test_a_file_that_has_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a")
    file = open_source(path, tmp_path)
    path.write_text("by somebody else")

    with pytest.raises(CannotRewrite, match="it has changed in the meantime"):
        replace_source(file, "b")

    assert path.read_text() == "by somebody else"


def test_what_cannot_be_written_is_said_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a")
    file = open_source(path, tmp_path)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)

    with pytest.raises(CannotRewrite, match=r"x.txt: it cannot be written: No space left"):
        replace_source(file, "b")

    assert path.read_text() == "a"
    assert [each.name for each in tmp_path.iterdir()] == ["x.txt"]


def test_a_file_is_called_by_its_path_from_the_folder_on(tmp_path: Path) -> None:
    assert display_name(tmp_path / "a/b.txt", tmp_path) == "a/b.txt"
    assert display_name(Path("/elsewhere/b.txt"), tmp_path) == "/elsewhere/b.txt"


def test_a_file_that_is_write_protected_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text("a")
    file.chmod(0o444)

    with pytest.raises(CannotRewrite, match=r"x\.yaml: it is write-protected"):
        open_source(file, tmp_path)
