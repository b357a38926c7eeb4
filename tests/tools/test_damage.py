"""The tool that breaks things: what it does depends on the seed alone, and it notices what is different."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation
from tools.faults.damage import DAMAGES, DamagedProject, damaged
from tools.faults.project import Outcome, Project

from callscore.history.opening import open_store

ROOT = Path(__file__).parents[2]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "project/.callscore/history.db"
    with open_store(path) as store:
        for number in range(3):
            run = store.begin(a_run(f"2026111{number}-000000-aaaa", started_at=float(number))).id
            store.add_evaluation(an_evaluation(run))
            store.save_results([a_result(run, f"case-{each}") for each in range(8)])
            store.save_results([an_answer(run)])
            store.finish(run, "finished", {"answered": 8}, {})
        store.set_baseline("main", "20261110-000000-aaaa")
    return path


def _contents(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.parent.iterdir()}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_seed_does_the_same_each_time(history: Path, kind: str, tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        shutil.copytree(history.parents[1], tmp_path / name)
        path = tmp_path / name / ".callscore/history.db"
        DAMAGES[kind](path, Random(7))
        found.append(_contents(path))

    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("found", "is_wrong"),
    [
        (Outcome(0, "8 of 12 passed"), False),
        (Outcome(3, "", "history.db: damaged"), False),
        (Outcome(0, "8 of 8 passed"), True),
        (Outcome(1, "8 of 12 passed"), True),
        (Outcome(1, "", "Traceback"), True),
        (Outcome(3, "", "Traceback"), True),
        (Outcome(3, "", ""), True),
        (Outcome(-11, "", ""), True),
    ],
)
def test_a_damaged_history_gives_the_same_output_or_is_refused(
    history: Path, monkeypatch: pytest.MonkeyPatch, found: Outcome, is_wrong: bool
) -> None:
    monkeypatch.setattr(Project, "run", lambda *_, **__: found)
    whole = DamagedProject(Project(history.parents[1]), {("show",): Outcome(0, "8 of 12 passed")})

    wrong = damaged(whole, "results deleted", Random(1), 1)

    assert bool(wrong) is is_wrong


# A small part of `make faults`: kills come after measured times, damages are the same each time.
@pytest.mark.slow
def test_some_damages_change_nothing() -> None:
    command = ["-m", "tools.faults", "--only", "damages", "--damages", "4", "--first", "11"]

    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 faults, 0 failures" in done.stdout
