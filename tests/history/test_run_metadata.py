"""What a run, or a baseline, may be called."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from callscore.history import run_metadata as project
from callscore.history.run_metadata import (
    MAX_NAME_LENGTH,
    git_state,
    name_problem,
    resolve_commit,
    versions,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "1 to 200"),
        ("x" * (MAX_NAME_LENGTH + 1), "1 to 200"),
        ("a\nb", "1 to 200"),
        ("\ud800", "1 to 200"),
        (" main", "space"),
        ("-x", "option"),
        ("latest", "age"),
        ("LATEST", "age"),
        ("latest-run", "age"),
        ("main~2", "age"),
        ("Head", "commit"),
        ("@", "commit"),
        ("main:large", "variant"),
        ("20261115-184354-k3f9", "run id"),
    ],
)
def test_an_invalid_or_reserved_name_is_refused_for_a_run(name: str, fault: str) -> None:
    assert fault in (name_problem(name) or "")


# What a run is known by: the commit, and the versions.


def _git(folder: Path, *words: str) -> str:
    given = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", *words]
    return subprocess.run(
        given, cwd=folder, check=True, capture_output=True, encoding="utf-8"
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "--quiet")
    (tmp_path / "agent.py").write_text("one = 1\n")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "--quiet", "-m", "One")
    return tmp_path


def test_a_clean_project_is_known_by_its_commit(repository: Path) -> None:
    commit, is_dirty = git_state(repository)

    assert commit == _git(repository, "rev-parse", "HEAD")
    assert is_dirty is False


def test_a_changed_file_is_noted_and_an_unknown_one_is_not(repository: Path) -> None:
    (repository / "new.py").write_text("two = 2\n")
    before = git_state(repository)
    (repository / "agent.py").write_text("one = 2\n")

    assert before[1] is False
    assert git_state(repository) == (before[0], True)


def test_in_a_hook_the_folder_that_is_asked_about_counts(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository / "nowhere"))

    commit, _ = git_state(repository)

    assert commit is not None


def test_without_a_repository_a_commit_or_a_folder_nothing_is_known(tmp_path: Path) -> None:
    nowhere = git_state(tmp_path)
    _git(tmp_path, "init", "--quiet")

    assert nowhere == (None, None)
    assert git_state(tmp_path) == (None, None)
    assert git_state(tmp_path / "missing") == (None, None)


def test_nobody_waits_for_a_slow_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "_GIT_TIMEOUT", 0.0)

    assert git_state(repository) == (None, None)


@pytest.mark.parametrize(
    "reference", ["", "nothing", "HEAD~1", "-h", "--all", "HEAD\x00", "HEAD v1", "$(touch x)"]
)
def test_an_unknown_reference_has_no_commit(repository: Path, reference: str) -> None:
    assert resolve_commit(reference, repository) is None
    assert not (repository / "x").exists()


@pytest.mark.parametrize(
    ("folder", "expected"), [("talker-2.5.1.dist-info", "2.5.1"), ("talker", None)]
)
def test_the_version_of_a_library_is_known_if_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str, expected: str | None
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.setattr(project, "_LIBRARIES", ("talker",))
    monkeypatch.setattr("sys.path", [str(tmp_path / "gone"), str(tmp_path)])

    assert versions().get("talker") == expected
