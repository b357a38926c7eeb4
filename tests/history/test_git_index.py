"""A history that git tracks is refused, whatever the index is like; others are not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from shutil import which

import pytest
from click.testing import CliRunner

from callscore.cli.program import cli
from callscore.errors import InvalidSettings
from callscore.history.opening import open_existing, open_store

GIT = which("git") or "git"


def git(*words: str) -> None:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    subprocess.run([GIT, *who, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with many files, and another project in it whose history is tracked."""
    folder = tmp_path / "repository"
    (folder / "docs/.callscore").mkdir(parents=True)
    for number in range(100):
        (folder / f"docs/{'x' * number}{number}").touch()
    (folder / "docs/.callscore/history.db").touch()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("CALLSCORE_STORE", raising=False)
    git("init", "--quiet")
    git("add", "docs")
    open_store().close()
    return folder


def track(name: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).touch()
    git("add", "--force", name)


def is_refused(name: str, place: str | None = None) -> None:
    for opens in (open_store, open_existing):
        with pytest.raises(
            InvalidSettings, match="so that a commit can replace saved runs"
        ) as caught:
            opens(place)
        assert str(caught.value).startswith(f"git tracks {name}, ")
        assert f"git rm --cached :/{name}. In a build" in str(caught.value)


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
def test_every_file_of_a_tracked_history_is_refused(
    repository: Path, version: str, ending: str
) -> None:
    git("update-index", "--index-version", version)
    open_existing().close()

    track(f".callscore/history.db{ending}")

    is_refused(f".callscore/history.db{ending}")
    git("rm", "--quiet", "--cached", f":/.callscore/history.db{ending}")
    if ending:
        Path(f".callscore/history.db{ending}").unlink()
    open_existing().close()
    assert repository.exists()


def test_other_files_and_projects_do_not_matter(repository: Path) -> None:
    for name in (
        "history.db.txt",
        "history.db-notes",
        "my-history.db",
        "old/.callscore/history.db",
    ):
        track(name)
    track(".callscore/.gitignore")

    open_existing().close()
    assert repository.exists()


@pytest.mark.parametrize("name", ["runs.db", "runs/saved.db"])
def test_a_named_file_is_refused(repository: Path, name: str) -> None:
    track(name)

    is_refused(name, name)
    is_refused(name, str(repository / name))
    is_refused(name, f"docs/../{name}")


def test_other_letters_are_the_same_file_on_some_systems(repository: Path) -> None:
    track(".CallScore/History.db")

    is_refused(".CallScore/History.db")
    assert repository.exists()


def test_a_link_in_the_repository_is_followed(repository: Path) -> None:
    track("data/history.db")
    for file in Path(".callscore").iterdir():
        file.unlink()
    Path(".callscore").rmdir()
    Path(".callscore").symlink_to("data")

    is_refused("data/history.db")
    assert repository.exists()


def test_a_worktree_and_a_submodule_have_an_index_of_their_own(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("commit", "--quiet", "--message", "Start")
    git("worktree", "add", "--quiet", "../other")
    git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", "./", "part")

    for folder in ("../other", "part"):
        monkeypatch.chdir(repository / folder)
        open_store().close()
        track(".callscore/history.db")
        is_refused(".callscore/history.db")
    monkeypatch.chdir(repository)
    open_existing().close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_the_repository_of_another_user_is_read(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    track(".callscore/history.db")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    os.chown(repository, 1234, 1234)

    is_refused(".callscore/history.db")


@pytest.mark.parametrize(
    "index", [b"", b"DIRC", b".callscore/history.db", b"DIRC\0\0\0\2\0\0\0\7history.db"]
)
def test_an_index_that_git_would_refuse_too_is_not_read(repository: Path, index: bytes) -> None:
    (repository / ".git/index").write_bytes(index)

    open_existing().close()


@pytest.mark.parametrize(
    "words",
    [
        *(
            "run",
            "score c.jsonl --save one",
            "show",
            "history",
            "gate",
            "compare one two",
            "rescore",
        ),
        *(
            "baseline list",
            "baseline set one",
            "export one",
            "import one.jsonl",
            "gc --keep 1",
            "bless one",
        ),
        *("upload one --to otel", "view one"),
    ],
)
def test_every_command_refuses_it(repository: Path, words: str) -> None:
    track(".callscore/history.db")
    Path("c.jsonl").write_text('{"id": "a", "expected": ["f"], "actual": ["f"]}\n')
    Path("eval_a.yaml").write_text("answers: c.jsonl\ncases: [{id: a, input: x, expected: [f]}]\n")
    before = sorted(Path(".callscore").iterdir())

    result = CliRunner().invoke(cli, words.split(), standalone_mode=False)

    assert str(result.exception).startswith("git tracks .callscore/history.db, so that a commit")
    assert sorted(Path(".callscore").iterdir()) == before
    assert repository.exists()


def test_a_history_that_git_names_is_refused_if_git_cannot_be_asked(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    track(".callscore/history.db")
    monkeypatch.setenv("PATH", str(repository / "docs"))

    is_refused(".callscore/history.db")
