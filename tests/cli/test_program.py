"""The list of commands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from callscore.cli.main import run_command
from callscore.cli.program import COMMANDS, cli


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, arguments)


def test_help_groups_the_commands_by_task() -> None:
    shown = run("--help").output

    titles = [line for line in shown.splitlines() if line.endswith(":") and line[0].isupper()]
    assert titles == ["Options:", "Score:", "Run:", "Look:", "Compare:", "Gate:", "Maintain:"]
    for name in COMMANDS:
        assert f"\n  {name} " in shown
    assert len(COMMANDS) == 30


def test_help_imports_no_command() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from callscore.cli.program import cli;"
        "CliRunner().invoke(cli, ['--help']);"
        "print([name for name in sys.modules if name in ('callscore.cli.score', 'rich')])"
    )

    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)

    assert command is not None
    assert (command.help or "").strip()


@pytest.mark.parametrize("arguments", [("score",), ("score", "c.jsonl", "-o"), ("init",)])
def test_names_of_files_that_are_too_long_are_refused(
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.jsonl").write_text('{"expected": [], "actual": []}')
    monkeypatch.setattr(sys, "argv", ["callscore", *arguments, "a" * 300])

    assert run_command() == 3
    assert "too long" in capsys.readouterr().err
