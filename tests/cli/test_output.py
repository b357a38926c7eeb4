"""Where a report goes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from callscore.cli.output import (
    add_step_summary,
    next_steps,
    open_output,
    path_in_repository,
    stdout_to_stderr,
)
from callscore.engines.local import score_cases

if TYPE_CHECKING:
    from pathlib import Path

RESULTS = score_cases([{"id": "a", "expected": ["f"], "actual": []}])


def test_a_file_keeps_its_mode_and_is_replaced_as_a_whole(tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    target.write_text("old")
    target.chmod(0o600)

    with open_output(str(target), "table", "en") as output:
        output.write(RESULTS)
        assert target.read_text() == "old"

    assert target.read_text().startswith("a   failed   0.0% Poor")
    assert target.stat().st_mode & 0o777 == 0o600


def test_cases_written_before_a_failure_are_kept_in_the_output_file(tmp_path: Path) -> None:
    target = tmp_path / "cases.jsonl"

    with pytest.raises(RuntimeError), open_output(str(target), "jsonl", "en") as output:  # noqa: PT012
        assert output.on_case is not None
        output.on_case(RESULTS.cases[0])
        raise RuntimeError

    assert target.read_text().count("\n") == 1


def test_a_file_of_a_project_in_a_folder_is_known_from_the_top_of_the_repository_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "services/agent"
    (project / ".callscore").mkdir(parents=True)
    monkeypatch.chdir(project)

    assert (
        path_in_repository("evals/eval_a.py") == "evals/eval_a.py"
    )  # nobody says where the top is

    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert path_in_repository("evals/eval_a.py") == "services/agent/evals/eval_a.py"
    assert path_in_repository("") == ""

    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "elsewhere"))
    assert path_in_repository("evals/eval_a.py") == "evals/eval_a.py"


def test_a_summary_that_cannot_be_written_is_told_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))

    add_step_summary(lambda: "text")

    assert capsys.readouterr().err == (
        f"callscore: the step summary was not written: {tmp_path}: Is a directory\n"
    )

    add_step_summary(lambda: "text", "ru")

    assert capsys.readouterr().err.startswith("callscore: сводка шага не записана: ")


def test_where_there_is_no_standard_output_it_runs_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def closed(_: int) -> int:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(os, "dup", closed)
        with stdout_to_stderr():
            sys.stdout.write("from Python\n")

    assert capfd.readouterr().err == "from Python\n"


def test_an_interrupted_report_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    path.write_text("old")

    def write_half() -> None:
        with open_output(str(path), "jsonl", "en") as output:
            output.write_text("half of a report\n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("path", "folder", "name"),
    [
        (".venv/bin", "project", "callscore"),
        ("", "project", ".venv/bin/callscore"),
        ("", "elsewhere", "{project}/.venv/bin/callscore"),
    ],
)
def test_next_steps_call_the_program_as_shortly_as_it_can_be_called(
    path: str, folder: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    script = project / ".venv/bin/callscore"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / folder)
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr("sys.executable", str(script.with_name("python")))
    assert next_steps(["demo"], "en")[1] == f"  {name.format(project=project)} demo"
