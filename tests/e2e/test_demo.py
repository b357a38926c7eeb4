"""`callscore demo`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.e2e.conftest import Program


def test_the_published_rates_come_out(callscore: Program) -> None:
    run = callscore("demo")

    assert (run.returncode, run.stderr) == (0, "")
    assert "200 trials" in run.stdout
    assert "pass^1 0.420 pass^2 0.273 pass^3 0.220 pass^4 0.200" in run.stdout


def commands(shown: str) -> list[list[str]]:
    return [shlex.split(line) for line in shown.splitlines()[-3:]]


def test_the_commands_that_the_demo_suggests_succeed(callscore: Program) -> None:
    for words in commands(callscore("demo").stdout):
        arguments = words[
            max(words.index(verb) for verb in ("explain", "score") if verb in words) :
        ]

        assert callscore(*arguments).returncode == 0


def test_the_script_is_named_where_there_is_one(callscore: Program, tmp_path: Path) -> None:
    script = tmp_path / "callscore"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)

    with_script = commands(callscore("demo", PATH=str(tmp_path)).stdout)
    without = commands(callscore("demo", PATH=str(tmp_path / "empty")).stdout)

    assert [words[0] for words in with_script] == ["callscore"] * 3
    assert [words[0] for words in without] == [str(Path(sys.executable).with_name("callscore"))] * 3
