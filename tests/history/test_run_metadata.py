"""What a run, or a baseline, may be called."""

from __future__ import annotations

import platform
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_run

import callscore
from callscore.errors import InvalidSettings
from callscore.history import run_metadata as project
from callscore.history import run_metadata as run_names
from callscore.history.records import Baseline
from callscore.history.run_metadata import (
    MAX_NAME_LENGTH,
    git_state,
    is_partial,
    lineage,
    name_problem,
    new_run_id,
    require_no_baseline,
    resolve_commit,
    resolve_commit_here,
    versions,
)

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store


@pytest.mark.parametrize(
    "name",
    ["main", "before the change", "v1.2/try-3", "прогон", "latestone", "x" * MAX_NAME_LENGTH],
)
def test_a_word_that_means_nothing_else_is_a_name(name: str) -> None:
    assert name_problem(name) is None


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
def test_what_means_something_else_is_none(name: str, fault: str) -> None:
    assert fault in (name_problem(name) or "")


def test_a_run_is_not_called_like_a_baseline() -> None:
    known = [Baseline(name="main", run="20261115-184354-k3f9", set_at=0.0)]

    require_no_baseline("other", known)
    require_no_baseline(None, known)
    with pytest.raises(
        InvalidSettings, match=r"'main' is the name of a baseline \(run 20261115-184354-k3f9\)"
    ):
        require_no_baseline("main", known)


# Names of runs: one can be read, two are never the same, and they sort by time.

NOW = 1_794_768_234.9


def test_a_name_is_the_time_and_four_letters() -> None:
    name = new_run_id(NOW)

    assert re.fullmatch(r"20261115-184354-[2-9b-df-hj-np-tv-z]{4}", name)


def test_many_that_start_within_one_second_have_names_of_their_own() -> None:
    with ThreadPoolExecutor(8) as threads:
        names = list(threads.map(new_run_id, [NOW] * 5_000))

    assert len(set(names)) == 5_000


def test_a_name_is_drawn_again_where_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter("kkkkkkkkffff")
    monkeypatch.setattr("secrets.choice", lambda _: next(drawn))

    names = [new_run_id(1.0), new_run_id(1.0)]

    assert names == ["19700101-000001-kkkk", "19700101-000001-ffff"]


def test_where_four_letters_may_run_out_there_are_eight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_names, "_LETTERS", "k")

    names = [new_run_id(2.0), new_run_id(3.0)]

    assert names == ["19700101-000002-kkkkkkkk", "19700101-000003-kkkkkkkk"]


def test_names_sort_by_time() -> None:
    assert new_run_id(NOW) < new_run_id(NOW + 1) < new_run_id(NOW + 100_000)


# Whether a run has left cases out.


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [({}, False), ({"keyword": "", "limit": None}, False), ({"tags": ["smoke"]}, True)],
)
def test_a_run_that_was_told_to_leave_cases_out_is_partial(
    arguments: dict[str, Any], expected: bool
) -> None:
    assert is_partial(a_run(arguments=arguments), {}) is expected


def test_the_files_of_a_score_are_no_selection() -> None:
    assert not is_partial(a_run(command="score", arguments={"cases": ["a.jsonl"]}), {})


def test_what_is_scored_again_is_as_partial_as_what_was_asked(store: Store) -> None:
    store.begin(a_run("a", arguments={"limit": 3}))
    store.begin(a_run("b", command="rescore", parent="a"))
    newest = store.begin(a_run("c", command="rescore", parent="b"))
    orphan = store.begin(a_run("d", command="rescore", parent="gone"))
    loop = store.begin(a_run("e", command="rescore", parent="e"))

    assert list(lineage(store, newest)) == ["c", "b", "a"]
    assert is_partial(newest, lineage(store, newest))
    assert not is_partial(newest, {})
    for run in (orphan, loop):
        assert list(lineage(store, run)) == [run.id]
        assert not is_partial(run, lineage(store, run))


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


@pytest.mark.parametrize(
    ("folder", "content", "expected"),
    [
        ("talker-2.5.dist-info", "Name: talker\nVersion: 2.5\n\nVersion: 3\n", "2.5"),
        ("talker-2.5.egg-info", "Name: talker\nVersion: 2.5\n", None),
        ("talker-2.5.dist-info", "Name: talker\n", None),
        ("talker", "Version: 2.5\n", None),
    ],
)
def test_the_version_of_a_library_is_in_its_metadata(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str, content: str, expected: str | None
) -> None:
    from importlib import metadata

    asked: list[str] = []

    def version(library: str) -> str:
        asked.append(library)
        raise metadata.PackageNotFoundError(library)

    (tmp_path / folder).mkdir()
    (tmp_path / folder / ("METADATA" if "dist" in folder else "PKG-INFO")).write_text(content)
    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(project, "_LIBRARIES", ("talker",))
    monkeypatch.setattr("sys.path", [str(tmp_path / "gone"), str(tmp_path)])

    assert versions().get("talker") == expected
    is_plain = expected is not None or folder == "talker"
    assert asked == ([] if is_plain else ["talker"])


def test_libraries_in_archives_are_found_by_python(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from importlib import metadata

    (tmp_path / "all.zip").touch()
    monkeypatch.setattr(metadata, "version", lambda library: f"{library} 1")
    monkeypatch.setattr(project, "_LIBRARIES", ("talker",))
    monkeypatch.setattr("sys.path", [str(tmp_path / "all.zip")])

    assert versions()["talker"] == "talker 1"
