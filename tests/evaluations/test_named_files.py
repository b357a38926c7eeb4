"""Files that a suite names: they stay in the project, and messages do not show what is in them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from callscore import InvalidSettings
from callscore.core.results import Unloaded
from callscore.evaluations.discovery import load_file
from callscore.evaluations.named_files import named_file, project_folder
from callscore.evaluations.plan import make_plan

SECRET = "hunter2secret"  # noqa: S105  (not a password)
CASES = "cases:\n- {id: q, input: hi, expected: []}\n"
# A secret in the shapes in which a file can be read, and fail: by its suffix, and otherwise.
CONTENTS = {
    ".env": f"PASSWORD={SECRET}\nX={SECRET}\n",
    "plain": SECRET,
    "a.txt": f"{SECRET}\n{SECRET}: {SECRET}",
    "a.csv": f"{SECRET},{SECRET}\n1,2\n",
    "b.csv": f"id,{SECRET}\n{SECRET},2\n",
    "c.csv": f'id,answer,{SECRET}\n1,"{{""{SECRET}"": 1, ""{SECRET}"": 2}}",3\n',
    "a.yaml": f"*{SECRET}",
    "b.yaml": f"!{SECRET} x",
    "c.yaml": f"a: [{SECRET}",
    "d.yaml": f"- id: [{SECRET}]\n- {SECRET}: {SECRET}\n",
    "e.yaml": f"{SECRET}: 1\n{SECRET}: 2\n",
    "a.json": f'"{SECRET}"',
    "b.json": f'{{"{SECRET}": "{SECRET}", "{SECRET}": 2}}',
    "c.json": f'[{{"id": ["{SECRET}"], "expected": "{SECRET}"}}]',
    "a.jsonl": f'{{"id": "a", "expected": [{{"{SECRET}": "{SECRET}"}}]}}\n',
    "b.jsonl": f'{{"id": "a", "expectd": "{SECRET}", "answer": "{SECRET}\n',
    "c.jsonl": f'{{"id": "a", "tags": "{SECRET}", "actual": "{SECRET}", "answer": 1}}\n',
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a folder of suites, in another folder."""
    found = tmp_path / "project"
    (found / "evals").mkdir(parents=True)
    (found / ".git").mkdir()
    monkeypatch.chdir(found)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return found.resolve()


def problem_of(project: Path, text: str) -> str:
    """Why a suite cannot be used; empty if it can."""
    path = project / "evals" / "eval_suite.yaml"
    path.write_text(text, encoding="utf-8")
    found = load_file(path)
    if isinstance(found, Unloaded):
        return f"{found.place}: {found.problem}{found.details}"
    return "".join(f"{each.place}: {each.problem}" for each in make_plan(found).unloaded)


def suites_naming(name: str) -> list[str]:
    """Suites that name a file, each in another place."""
    return [
        f"answers: {name}\n{CASES}",
        f"variants:\n  a: {{answers: {name}}}\n{CASES}",
        f"model: m\ntools: {name}\n{CASES}",
        f"model: m\ncases: {name}\n",
        f"model: m\ncases: [{name}]\n",
    ]


def test_no_message_shows_what_is_in_a_file_that_a_suite_names(project: Path) -> None:
    shown, refused = [], 0
    for name, content in CONTENTS.items():
        (project / name).write_text(content, encoding="utf-8")
        for suite in suites_naming(f"../{name}"):
            problem = problem_of(project, suite)
            refused += bool(problem)
            if SECRET in problem:
                shown.append((name, suite, problem))

    assert shown == []
    assert refused > len(CONTENTS)


@pytest.mark.parametrize(
    "name",
    ["../../outside.jsonl", "/etc/passwd", "/proc/self/environ", "/dev/zero", "../.git/config"],
)
def test_a_file_outside_of_the_project_is_refused_everywhere(name: str, project: Path) -> None:
    (project / ".git" / "config").write_text("")
    (project.parent / "outside.jsonl").write_text("")

    for suite in suites_naming(name):
        assert f"'{name}' is outside of the project {project}" in problem_of(project, suite)


def test_a_link_that_leads_out_of_the_project_is_refused(project: Path) -> None:
    (project.parent / "outside.jsonl").write_text(SECRET)
    (project / "evals" / "link.jsonl").symlink_to(project.parent / "outside.jsonl")

    for suite in suites_naming("link.jsonl"):
        assert "is outside of the project" in problem_of(project, suite)


def test_a_suite_that_is_a_link_out_of_the_project_is_not_shown(project: Path) -> None:
    (project.parent / "outside").write_text(SECRET)
    link = project / "evals" / "eval_link.yaml"
    link.symlink_to(project.parent / "outside")

    found = load_file(link)

    assert isinstance(found, Unloaded)
    assert SECRET not in found.problem


def test_a_pipe_and_a_folder_are_not_read(project: Path) -> None:
    os.mkfifo(project / "evals" / "pipe")

    for name in ("pipe", "."):
        for suite in suites_naming(name):
            assert f"'{name}' is not a regular file" in problem_of(project, suite)


def test_a_path_that_cannot_be_a_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="cannot be used"):
        named_file("a\0b", tmp_path)


def test_files_beside_the_suite_and_elsewhere_in_the_repository_are_read(project: Path) -> None:
    (project / "shared").mkdir()
    (project / "shared" / "cases.jsonl").write_text('{"id": "a", "input": "x", "expected": []}\n')
    (project / "evals" / "link.jsonl").symlink_to(project / "shared" / "cases.jsonl")

    for name in ("../shared/cases.jsonl", "link.jsonl", str(project / "shared" / "cases.jsonl")):
        assert problem_of(project, f"model: m\ncases: {name}\n") == ""


def test_the_user_may_allow_a_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = project.parent / "other"
    other.mkdir()
    (other / "cases.jsonl").write_text("")
    monkeypatch.setenv("CALLSCORE_ALLOW_FOLDERS", str(other))

    assert named_file("../../other/cases.jsonl", project / "evals").is_file()


def test_without_a_repository_the_project_is_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path.resolve()
    evals = here / "evals"
    evals.mkdir()
    monkeypatch.chdir(here)
    inside = project_folder(evals)
    monkeypatch.setenv("HOME", str(here))
    at_home = project_folder(evals)
    (here / ".git").mkdir()
    home_repository = project_folder(evals)
    monkeypatch.chdir("/")

    assert inside == here
    assert at_home == home_repository == evals
    assert project_folder(Path("/nowhere/evals")) == Path("/nowhere/evals")
