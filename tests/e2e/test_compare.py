"""`callscore compare`, from the command line to the exit code."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.e2e.weather import CITIES, program, write_answers, write_suite

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


@pytest.fixture(scope="module")
def worse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there are two runs, and the second is much worse."""
    folder = tmp_path_factory.mktemp("worse")
    write_suite(folder)
    program(folder, "run", "--show", "none", "--jobs", "1")
    write_answers(folder, wrong=CITIES[:9])
    program(folder, "run", "--show", "none", "--jobs", "1")
    return folder


@pytest.fixture
def folder(worse: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    shutil.copytree(worse, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_sides_can_be_turned(callscore: Program) -> None:
    ran = callscore("compare", "latest", "latest~1", "--lang", "ru")

    assert ran.stdout.startswith("Стало лучше   пройдено 25.0% → 100.0%, +75.0 п. п.\n")
    assert "\nИсправлено: 9 случаев\n" in ran.stdout


def test_a_history_elsewhere_can_be_named(callscore: Program, folder: Path) -> None:
    (folder / ".callscore/history.db").rename(folder / "team.db")

    named = callscore("compare", "latest~1", "latest", "--store", "team.db")
    by_variable = callscore("compare", "latest~1", "latest", CALLSCORE_STORE="team.db")

    assert named.stdout.startswith("Regressed ")
    assert by_variable.stdout == named.stdout
