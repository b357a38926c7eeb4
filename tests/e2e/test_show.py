"""`callscore show`, from the command line to the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.e2e.agents import add_file

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

AGENT = """
ANSWERS["sum"][0]["arguments"]["b"] = 8

@evaluation(cases=CASES, fail_under={"accuracy": 0.9})
def agent(case):
    asking(case)
    if case.id == "greeting":
        raise ValueError("not in the mood")
    return ANSWERS[case.id]
"""


@pytest.fixture
def folder(callscore: Program, tmp_path: Path) -> Path:
    """Where a run has left its answers, and what gave them is gone."""
    file = add_file(tmp_path, "eval_agent.py", AGENT)
    assert callscore("run", "--jobs", "1", "--name", "first", "-o", "run.json").returncode == 4
    file.unlink()
    return tmp_path


def test_a_report_goes_to_a_file_of_its_kind(callscore: Program, folder: Path) -> None:
    callscore("show", "-o", "run.md")
    callscore("show", "-o", "run.xml")

    assert (folder / "run.md").read_text().startswith("## 1 of 3 passed")
    assert '<failure type="score"' in (folder / "run.xml").read_text()
