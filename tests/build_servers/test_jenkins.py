"""The Jenkinsfile in the documentation: its scripts, run with a shell as Jenkins does."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from shutil import copy, which
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

import pytest
from tests.build_servers.runner import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs/how-to/use-jenkins.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"sh '''\n(.*?)'''", PAGE, re.DOTALL)
SUITE = """\
answers: answers.jsonl
cases:
  - {id: a, input: Oslo?, expected: [f]}
  - {id: b, input: Rome?, expected: [f]}
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "evals").mkdir(parents=True)
    (folder / "evals/eval_weather.yaml").write_text(SUITE)
    programs = tmp_path / "temp/python/bin"
    programs.mkdir(parents=True)
    program = programs / "callscore"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m callscore "$@"\n')
    program.chmod(0o755)
    (programs / "python").symlink_to(sys.executable)
    return folder


class Ran(NamedTuple):
    code: int
    log: str


def built(
    workspace: Path, number: int, *, answer: str, branch: str = "main", **variables: str
) -> Ran:
    """Run the script of a build; its exit code, and its log."""
    answers = f'{{"id": "a", "answer": ["f"]}}\n{{"id": "b", "answer": {answer}}}\n'
    (workspace / "evals/answers.jsonl").write_text(answers)
    temp = workspace.parent / "temp"
    ran = subprocess.run(
        [which("sh") or "sh", "-xe", "-c", SCRIPTS[1]],
        cwd=workspace,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "src"),
            "WORKSPACE_TMP": str(temp),
            "BRANCH_NAME": branch,
            "RUN": f"jenkins-agent-{branch.replace('/', '%2F')}-{number}",
            "CALLSCORE_STORE": str(temp / f"history-{number}.db"),
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout)


def evaluated(workspace: Path, number: int, *, answer: str, change: str = "") -> int:
    """Run the script of a build of the main branch, or of a change to it; the exit code."""
    about = {"branch": f"PR-{change}", "CHANGE_ID": change, "CHANGE_TARGET": "main"}
    return built(workspace, number, answer=answer, **(about if change else {})).code


def test_a_change_is_compared_with_the_baseline(workspace: Path) -> None:
    first = evaluated(workspace, 1, answer='["f"]')
    copy(workspace / "baseline.jsonl", workspace.parent / "temp/baseline.jsonl")
    worse = evaluated(workspace, 2, answer="[]", change="7")
    gate = ET.parse(workspace / "callscore/gate.xml")  # noqa: S314  (our own)
    has_baseline = (workspace / "baseline.jsonl").exists()
    worse_on_branch = evaluated(workspace, 3, answer="[]")
    is_kept = (workspace / "baseline.jsonl").exists()
    same = evaluated(workspace, 4, answer='["f"]')

    assert (first, worse, worse_on_branch, same) == (0, 1, 1, 0)
    assert len([*gate.iter("failure")]) == 1
    assert (has_baseline, is_kept) == (False, False)
    assert (workspace / "baseline.jsonl").exists()
    assert (workspace / "callscore/report.html").read_text().startswith("<!doctype html>")


def test_the_first_build_passes_with_a_warning_and_is_the_baseline(workspace: Path) -> None:
    first = built(workspace, 1, answer="[]")
    copy(workspace / "baseline.jsonl", workspace.parent / "temp/baseline.jsonl")
    same = built(workspace, 2, answer="[]")

    assert (first.code, same.code) == (0, 0)
    assert "Warning: some cases failed. As the first run of main" in first.log
    assert "Warning: some cases failed" not in same.log


def test_a_change_without_a_baseline_fails_if_a_case_fails(workspace: Path) -> None:
    assert evaluated(workspace, 1, answer="[]", change="7") == 1
    assert not (workspace / "baseline.jsonl").exists()


def test_the_first_build_still_needs_its_limit(workspace: Path) -> None:
    (workspace / "evals/eval_weather.yaml").write_text(f"fail_under: 0.9\n{SUITE}")

    assert evaluated(workspace, 1, answer="[]") == 1
    assert not (workspace / "baseline.jsonl").exists()


def test_a_shared_history_has_a_baseline_for_each_branch(workspace: Path) -> None:
    shared = {"CALLSCORE_STORE": str(workspace.parent / "shared.db")}
    change = {"branch": "PR-7", "CHANGE_ID": "7", "CHANGE_TARGET": "main"}
    main = built(workspace, 1, answer='["f"]', **shared)
    other = built(workspace, 1, answer="[]", branch="feature/x", **shared)
    worse = built(workspace, 1, answer="[]", **change, **shared)
    again = built(workspace, 2, answer="[]", **change, **shared)

    assert (main.code, other.code, worse.code, again.code) == (0, 0, 1, 1)


@pytest.mark.parametrize("end", [0, 1, 300, -60])
def test_a_baseline_that_is_cut_off_fails_the_build(workspace: Path, end: int) -> None:
    assert evaluated(workspace, 1, answer='["f"]') == 0
    text = (workspace / "baseline.jsonl").read_bytes()
    (workspace.parent / "temp/baseline.jsonl").write_bytes(text[:end])

    assert evaluated(workspace, 2, answer='["f"]', change="7") == 3
    assert evaluated(workspace, 3, answer='["f"]') == 3
    assert not (workspace / "baseline.jsonl").exists()


def test_a_damaged_baseline_on_a_server_fails_the_build(workspace: Path) -> None:
    store = workspace.parent / "shared.db"
    shared = {"CALLSCORE_STORE": str(store)}
    assert built(workspace, 1, answer='["f"]', **shared).code == 0
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM results")

    ran = built(workspace, 2, answer='["f"]', **shared)

    assert ran.code == 3
    assert "There is no baseline" not in ran.log


def test_a_commit_cannot_bring_a_baseline(workspace: Path) -> None:
    assert evaluated(workspace, 1, answer='["f"]') == 0
    for folder in (workspace / "baseline", workspace / ".callscore"):
        folder.mkdir()
        copy(workspace / "baseline.jsonl", folder)

    ran = built(workspace, 2, answer='["f"]', branch="PR-7", CHANGE_ID="7", CHANGE_TARGET="main")

    assert ran.code == 0
    assert "There is no baseline of main yet: nothing is compared" in ran.log
    (copied,) = re.findall(r"dir\((.*?)\) \{\s*copyArtifacts", PAGE)
    assert copied == "env.WORKSPACE_TMP"


def test_failing_cases_do_not_make_a_build_unstable_that_passes() -> None:
    (published,) = re.findall(r"^ *junit (.*)$", PAGE, re.MULTILINE)

    assert "skipMarkingBuildUnstable: true" in published


def test_a_run_that_does_not_work_fails_with_its_code(workspace: Path) -> None:
    (workspace / "evals/eval_weather.yaml").write_text("cases: 1\n")

    assert evaluated(workspace, 1, answer="[]") == 3
    assert not (workspace / "baseline.jsonl").exists()


def test_groovy_reads_the_scripts_as_they_are() -> None:
    assert len(SCRIPTS) == 2
    # In a text of Groovy a backslash begins an escape.
    assert all("\\" not in script for script in SCRIPTS)
    assert PAGE.count("{") == PAGE.count("}")
