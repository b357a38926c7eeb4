"""Runs a command in this process."""

from __future__ import annotations

import pytest

from callscore.cli.main import run_command

__all__ = ["run"]


def run(*arguments: object) -> int:
    """The exit code of `callscore` with these arguments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["callscore", *map(str, arguments)])
        return run_command()
