"""`callscore demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Program


def test_the_published_rates_come_out(callscore: Program) -> None:
    run = callscore("demo")

    assert (run.returncode, run.stderr) == (0, "")
    assert "200 cases" in run.stdout
    assert "pass^1 0.420 pass^2 0.273 pass^3 0.220 pass^4 0.200" in run.stdout


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_it_says_what_to_type_next(callscore: Program, lang: str) -> None:
    run = callscore("demo", "--lang", lang)
    explain = next(line for line in run.stdout.splitlines() if "callscore explain" in line)

    assert callscore(*explain.split()[1:]).returncode == 0
