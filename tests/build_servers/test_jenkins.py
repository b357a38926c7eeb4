"""The Jenkinsfile in the documentation: its scripts, run with a shell as Jenkins does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from shutil import copy, which
from typing import TYPE_CHECKING
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


def evaluated(workspace: Path, number: int, *, answer: str, change: str = "") -> int:
    """Run the script of a build; the exit code."""
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
            "RUN": f"jenkins-{number}",
            "CALLSCORE_STORE": str(temp / f"history-{number}.db"),
            **({"CHANGE_ID": change} if change else {}),
        },
        capture_output=True,
        check=False,
    )
    return ran.returncode


def test_a_change_is_compared_with_the_baseline(workspace: Path) -> None:
    first = evaluated(workspace, 1, answer='["f"]')
    (workspace / "baseline").mkdir()
    copy(workspace / "baseline.jsonl", workspace / "baseline/baseline.jsonl")
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


def test_the_first_build_is_the_baseline_even_if_a_case_fails(workspace: Path) -> None:
    assert evaluated(workspace, 1, answer="[]") == 1
    assert (workspace / "baseline.jsonl").exists()


def test_a_run_that_does_not_work_fails_with_its_code(workspace: Path) -> None:
    (workspace / "evals/eval_weather.yaml").write_text("cases: 1\n")

    assert evaluated(workspace, 1, answer="[]") == 3
    assert not (workspace / "baseline.jsonl").exists()


def test_groovy_reads_the_scripts_as_they_are() -> None:
    assert len(SCRIPTS) == 2
    # In a text of Groovy a backslash begins an escape.
    assert all("\\" not in script for script in SCRIPTS)
    assert PAGE.count("{") == PAGE.count("}")
