"""The hooks for pre-commit: which files they check, and what they say about mistakes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from io import StringIO
from shutil import which
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML
from tests.build_servers.runner import ROOT, load_yaml

if TYPE_CHECKING:
    from pathlib import Path

HOOKS = {hook["id"]: hook for hook in load_yaml(ROOT / ".pre-commit-hooks.yaml")}
WRONG = '{"id": "a", "expectd": []}\n'
GIT = which("git") or "git"


def checks(hook: str, path: str) -> bool:
    """Whether a hook is called with a file."""
    given = HOOKS[hook]
    is_left_out = "exclude" in given and re.search(given["exclude"], path)
    return bool(re.search(given["files"], path)) and not is_left_out


@pytest.mark.parametrize(
    ("path", "hooks"),
    [
        ("eval_weather.yaml", ["callscore-suites"]),
        ("evals/eval_weather.toml", ["callscore-suites"]),
        ("callscore.toml", ["callscore-suites"]),
        ("cases.jsonl", ["callscore-cases"]),
        ("evals/cases/weather.yaml", ["callscore-cases"]),
        ("weather.cases.json", ["callscore-cases"]),
        ("weather_cases.yml", ["callscore-cases"]),
        ("cases-large.jsonl", ["callscore-cases"]),
        ("cases/deep/deeper/x.jsonl", ["callscore-cases"]),
        ("weather.cases.callscore.json", ["callscore-cases"]),
        ("evals/cases.callscore.yaml", ["callscore-cases"]),
        ("case.schema.json", []),
        ("showcases/x.json", []),
        ("evals/cases/case.schema.json", []),
        ("eval_weather.py", []),
        ("showcases.json", []),
        ("pyproject.toml", []),
        ("docker-compose.yaml", []),
    ],
)
def test_a_hook_is_called_for_its_files(path: str, hooks: list[str]) -> None:
    assert [hook for hook in HOOKS if checks(hook, path)] == hooks


@pytest.mark.parametrize("hook", HOOKS)
def test_the_command_of_a_hook_finds_mistakes(hook: str, tmp_path: Path) -> None:
    name = {"callscore-suites": "eval_a.yaml", "callscore-cases": "cases.jsonl"}[hook]
    (tmp_path / name).write_text(WRONG)
    program, *words = shlex.split(HOOKS[hook]["entry"])
    assert program == "callscore"

    ran = subprocess.run(
        [sys.executable, "-m", program, *words, name],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 3
    assert any(line.startswith(f"{name}:1: ") for line in ran.stdout.splitlines())


@pytest.mark.skipif(which("pre-commit") is None, reason="pre-commit is not installed")
def test_pre_commit_calls_the_hooks(tmp_path: Path) -> None:
    # The environment of the tests has the package: nothing is installed.
    local: list[dict[str, Any]] = [
        {**hook, "language": "system", "entry": f"{sys.executable} -m {hook['entry']}"}
        for hook in HOOKS.values()
    ]
    config = StringIO()
    YAML().dump({"repos": [{"repo": "local", "hooks": local}]}, config)
    (tmp_path / ".pre-commit-config.yaml").write_text(config.getvalue())
    (tmp_path / "cases.jsonl").write_text(WRONG)
    (tmp_path / "other.json").write_text("{}")
    for words in (["init", "--quiet"], ["add", "."]):
        subprocess.run([GIT, *words], cwd=tmp_path, check=True)

    ran = subprocess.run(
        [which("pre-commit") or "pre-commit", "run", "--all-files"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "PRE_COMMIT_HOME": str(tmp_path / "pc"),
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 1
    assert "cases.jsonl:1: unknown field 'expectd'. Did you mean 'expected'?" in ran.stdout
    assert "other.json" not in ran.stdout
