"""`callscore validate`, as a person and a build server call it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.e2e.conftest import Program

AGENTS = Path(__file__).parents[2] / "docs/how-to/teach-a-coding-agent.md"


def test_on_github_there_are_annotations_in_the_repository(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "cases.jsonl").write_text(
        '{"id": "a", "expected": ["f"]}\n{"id": "a", "expected": ["g"]}\n{"id": "b", "expectd": []}\n'
    )

    ran = callscore(
        "validate",
        "cases.jsonl",
        GITHUB_ACTIONS="true",
        GITHUB_WORKSPACE=str(tmp_path.parent),
    )

    error, warning = ran.stderr.splitlines()
    file = f"{tmp_path.name}/cases.jsonl"
    assert error.startswith(f"::error file={file},line=3,title=callscore::unknown field")
    assert warning.startswith(f"::warning file={file},line=2,title=callscore::the id 'a'")
    assert "::" not in ran.stdout


def test_secrets_are_not_printed(callscore: Program, tmp_path: Path) -> None:
    secret = "sk-validate-4711-abcdef"  # noqa: S105  (made up)
    (tmp_path / "cases.jsonl").write_text(f'{{"id": "a", "{secret}": [], "expectd": []}}\n')

    ran = callscore("validate", "cases.jsonl", MY_API_KEY=secret, GITHUB_ACTIONS="true")

    assert ran.returncode == 3
    assert secret not in ran.stdout + ran.stderr


def test_the_commands_that_agents_are_told_write_json(callscore: Program) -> None:
    (sentence,) = re.findall(
        r"^((?:`\w+`(?:, | and ))+`\w+`) write JSON",
        AGENTS.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    commands = re.findall(r"`(\w+)`", sentence)

    assert "validate" in commands
    for each in commands:
        assert "--json" in callscore(each, "--help").stdout
