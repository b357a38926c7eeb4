"""What a run is known by: the commit, and the versions."""

from __future__ import annotations

import platform
import subprocess
from typing import TYPE_CHECKING

import pytest

import callscore
from callscore.history import project
from callscore.history.project import git_state, resolve_commit, resolve_commit_here, versions

if TYPE_CHECKING:
    from pathlib import Path


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


def test_a_folder_inside_of_the_project_is_in_it(repository: Path) -> None:
    inside = repository / "evals"
    inside.mkdir()

    assert git_state(inside) == git_state(repository)


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


def test_without_git_nothing_is_known(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    assert git_state(repository) == (None, None)


def test_nobody_waits_for_a_slow_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "_GIT_TIMEOUT", 0.0)

    assert git_state(repository) == (None, None)


def test_a_reference_is_a_commit(repository: Path) -> None:
    commit, _ = git_state(repository)
    _git(repository, "tag", "v1")

    assert commit is not None
    for reference in ("HEAD", "v1", commit, commit[:10], "@"):
        assert resolve_commit(repository, reference) == commit


@pytest.mark.parametrize(
    "reference", ["", "nothing", "HEAD~1", "-h", "--all", "HEAD\x00", "HEAD v1", "$(touch x)"]
)
def test_what_is_no_commit_is_none(repository: Path, reference: str) -> None:
    assert resolve_commit(repository, reference) is None
    assert not (repository / "x").exists()


def test_the_working_directory_says_which_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    assert resolve_commit_here("HEAD") == git_state(repository)[0]

    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert resolve_commit_here("HEAD") is None


def test_the_versions_are_those_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "_LIBRARIES", ("msgspec", "no-such-library"))

    found = versions()

    assert found["callscore"] == callscore.__version__
    assert found["python"] == platform.python_version()
    assert set(found) == {"callscore", "python", "msgspec"}
