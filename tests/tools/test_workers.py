from __future__ import annotations

import os
from math import inf
from typing import TYPE_CHECKING

import pytest
from tools.fuzz.execution import Outcome, execute, in_folder
from tools.fuzz.generation import TARGETS
from tools.fuzz.inputs import Input
from tools.fuzz.seeds import past_inputs
from tools.fuzz.workers import Share, run_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from tools.fuzz.failures import Failure

SEED = 20261116
# Those of a history differ each time, since its ids and times do.
REPEATABLE = tuple(name for name in TARGETS if name not in ("cli import", "cli history"))


@pytest.fixture(autouse=True)
def plain_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in list(os.environ):
        if name.startswith(("CALLSCORE_", "GITHUB_", "OPENAI_")):
            monkeypatch.delenv(name)


@pytest.mark.slow
def test_the_first_inputs_are_read_or_refused(tmp_path: Path) -> None:
    failures: list[Failure] = []
    share = Share(SEED, 0, 1, 600, inf, REPEATABLE, str(tmp_path / "scratch"), most=600)

    counts, after = run_inputs(share, failures.append, is_limited=False)

    assert (counts.inputs, after) == (600, None)
    assert [(each.outcome.place, each.number, each.outcome.detail) for each in failures] == []


@pytest.mark.slow
def test_inputs_that_once_failed_are_read_or_refused(tmp_path: Path) -> None:
    found: dict[str, Outcome] = {}
    with in_folder(tmp_path / "scratch") as scratch:
        for name, data in past_inputs():
            for command in ("score", "check", "extract"):
                given = Input("cli score", (command, name), {name: data})
                found[f"{command} {name}"] = execute(given, scratch, is_limited=False)

    assert found
    assert [(key, each.detail) for key, each in found.items() if each.place] == []
