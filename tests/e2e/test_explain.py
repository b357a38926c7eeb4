"""`callscore explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

CASES = """
- {id: first, trial: 0, expected: [f], actual: [f, g]}
- {id: first, trial: 1, expected: [f], actual: []}
- {id: second, expected: [{name: f, arguments: {a: 1, b: 2}}], actual: [[f, {a: 1}]]}
- {id: open, actual: []}
"""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.yaml"
    path.write_text(CASES)
    return path


def test_the_first_case_is_explained(callscore: Program, cases: Path) -> None:
    run = callscore("explain", cases)

    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("first #0\n\nStep 1.")
    assert "1 / 2 = 0.500" in run.stdout
    assert "0.667" in run.stdout


def test_a_case_and_a_trial_can_be_named(callscore: Program, cases: Path) -> None:
    one = callscore("explain", cases, "--case", "first", "--trial", "1")
    other = callscore("explain", cases, "--case", "second", "--mode", "flexible")

    assert "0 / 1 = 0.000" in one.stdout
    assert "below 0.8" in other.stdout


def test_it_speaks_russian(callscore: Program, cases: Path) -> None:
    assert "Шаг 1" in callscore("explain", cases, "--lang", "ru").stdout


def test_two_files_can_be_explained_as_well(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "a", "expected": ["f"]}\n')
    (tmp_path / "t.jsonl").write_text('{"id": "b", "actual": []}\n{"id": "a", "actual": ["f"]}\n')

    run = callscore("explain", "--expected", "r.jsonl", "--actual", "t.jsonl")

    assert run.returncode == 0
    assert run.stdout.startswith("a\n\nStep 1.")


def test_order_is_part_of_the_explanation(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": 1, "expected": ["f", "g"], "actual": ["g", "f"]}\n')

    run = callscore("explain", "c.jsonl", "--order", "in_order")

    assert "missed, no actual call to pair with in this order" in run.stdout
