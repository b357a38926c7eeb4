"""Recipes for build servers start Python without modules of the project: it may be that of a pull request."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

ROOT = Path(__file__).parents[2]
RECIPES = [
    ROOT / "action.yml",
    ROOT / ".pre-commit-hooks.yaml",
    *ROOT.glob("templates/**/*.yml"),
    *ROOT.glob("tools/github/*.sh"),
    *(ROOT / "docs/how-to").glob("use-*.md"),
    ROOT / "docs/how-to/gate-ci.md",
    ROOT / "docs/how-to/report-another-tools-number.md",
]
# A program whose name begins with python, and what follows it; not the name of an image or of an input.
START = re.compile(r"""(?<![\w.-])(?:[\w$./{}-]*/)?python[\d.]*"?[ \t]+(?=[-"$./\w<])([^\n]*)""")
PROSE = re.compile(r"> /dev/null|\d|files?\b|code\b|or\b")
HOSTILE = "import sys\nsys.stderr.write('the module of the pull request was run\\n')\nsys.exit(9)\n"


def starts(text: str) -> list[str]:
    """The starts of Python in a recipe, each with its options."""
    return [found[1] for found in START.finditer(text) if not PROSE.match(found[1])]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_every_python_of_a_recipe_is_started_without_the_current_folder(path: Path) -> None:
    found = starts(path.read_text(encoding="utf-8"))

    assert [each for each in found if not each.startswith(("-I ", "-P -E "))] == []


def test_the_starts_are_found() -> None:
    counts = {path.name: len(starts(path.read_text(encoding="utf-8"))) for path in RECIPES}

    assert counts["action.yml"] == 3
    assert counts["install.sh"] == 6
    assert counts["template.yml"] == 6
    assert counts["use-jenkins.md"] == 5
    assert starts('"$WORKSPACE_TMP/python/bin/python" -m pip install x') == ["-m pip install x"]
    assert starts("id=$(python3 -c 'x')\npython3.12 - <<'END'\n") == ["-c 'x')", "- <<'END'"]


@pytest.mark.parametrize("by", ["folder", "PYTHONPATH"])
def test_the_script_that_installs_runs_no_module_of_the_project(tmp_path: Path, by: str) -> None:
    project = hostile_project(tmp_path)
    ran = subprocess.run(
        [which("bash") or "bash", ROOT / "tools/github/install.sh"],
        cwd=project,
        env={
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "VERSION": "",
            "EXTRAS": "",
            "GITHUB_ACTION_PATH": str(tmp_path / "no package"),
            "GITHUB_PATH": str(tmp_path / "path"),
            "RUNNER_TEMP": str(tmp_path),
            **({"PYTHONPATH": str(project)} if by == "PYTHONPATH" else {}),
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert "of the pull request" not in ran.stdout + ran.stderr
    assert "Invalid requirement" in ran.stderr  # of the real pip


@pytest.mark.parametrize("by", ["folder", "PYTHONPATH"])
def test_the_action_runs_no_module_of_the_project(tmp_path: Path, by: str) -> None:
    project = hostile_project(tmp_path)
    (project / "cases.jsonl").write_text('{"id": "a", "expected": ["f"], "actual": ["f"]}\n')
    (command,) = {
        line.split("run: ")[1].replace("$GITHUB_ACTION_PATH", str(ROOT))
        for line in (ROOT / "action.yml").read_text(encoding="utf-8").splitlines()
        if line.endswith('action.py" check')
    }
    inputs = {
        "INPUT_COMMAND": "score",
        "INPUT_PATHS": "cases.jsonl",
        "INPUT_FAIL_ON": "default",
        "INPUT_ALLOW_LOOSER": "false",
        "INPUT_ACCEPT": "false",
        "INPUT_ID": "callscore",
        "INPUT_LANG": "en",
    }
    ran = subprocess.run(
        [which("bash") or "bash", "-c", command],
        cwd=project,
        env={
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            **inputs,
            **({"PYTHONPATH": str(project)} if by == "PYTHONPATH" else {}),
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert "of the pull request" not in ran.stdout + ran.stderr
    assert re.search("passed<<.*\ntrue\n", (tmp_path / "output").read_text(encoding="utf-8"))


def hostile_project(folder: Path) -> Path:
    """A repository with modules that have the names of those of Python and of pip."""
    project = folder / "project"
    project.mkdir()
    for name in ("json", "pip", "sysconfig", "shlex", "venv", "msgspec", "sitecustomize"):
        (project / f"{name}.py").write_text(HOSTILE, encoding="utf-8")
    return project
