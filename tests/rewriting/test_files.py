"""Files that `callscore bless` writes: whole or not at all, and as they were otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.tables.commands import Folder, stable_environment

from callscore.rewriting.applying import open_source, replace_source
from callscore.rewriting.change import CannotRewrite

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tables.commands import Outcome

OLD = '{"id": "a", "expected": ["f"], "actual": ["g"]}\n'
NEW = OLD.replace('"f"', '{"name": "g", "arguments": {}}')


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose cases expect another call than was made."""
    stable_environment(monkeypatch, tmp_path)
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "c.jsonl").write_text(OLD)
    monkeypatch.chdir(project)
    return project


def _bless(project: Path, file: str = "c.jsonl") -> Outcome:
    folder = Folder(project)
    assert folder.run(f"score {file} --save x").exit == 0
    return folder.run("bless x --yes")


def test_a_file_keeps_its_mode_and_a_link_stays_one(project: Path) -> None:
    file, link = project / "c.jsonl", project / "link.jsonl"
    file.chmod(0o640)
    link.symlink_to(file)

    assert _bless(project, "link.jsonl").exit == 0

    assert link.is_symlink()
    assert file.read_text() == NEW
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_link_to_a_file_outside_of_the_project_is_not_followed(project: Path) -> None:
    outside = project.parent / "outside.jsonl"
    outside.write_text(OLD)
    (project / "link.jsonl").symlink_to(outside)

    blessed = _bless(project, "link.jsonl")

    assert blessed.exit == 1
    assert "the file is outside of" in blessed.out
    assert outside.read_text() == OLD


def test_a_file_that_cannot_be_written_stays_whole(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(project)
    folder.run("score c.jsonl --save x")
    names = {path.name for path in project.iterdir()}

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", refuse)
        blessed = folder.run("bless x --yes")

    assert blessed.exit == 1
    assert "c.jsonl: cannot write the file: No space left on device" in blessed.err
    assert (project / "c.jsonl").read_text() == OLD
    assert {path.name for path in project.iterdir()} == names


def test_a_file_that_another_program_has_changed_meanwhile_is_left_alone(project: Path) -> None:
    path = project / "c.jsonl"
    file = open_source(path, project)
    path.write_text("by somebody else")

    with pytest.raises(CannotRewrite, match="the file was changed by another program meanwhile"):
        replace_source(file, NEW)

    assert path.read_text() == "by somebody else"
