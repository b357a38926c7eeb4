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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--case", "third"], "no case with the id 'third' found."),
        (["--case", "first", "--trial", "7"], "with the id 'first' and the trial '7' found."),
        (["--case", "open"], "the case 'open' has no 'expected' calls, so it has no score."),
    ],
)
def test_a_case_that_cannot_be_explained(
    callscore: Program, cases: Path, arguments: list[str], said: str
) -> None:
    run = callscore("explain", cases, *arguments)

    assert run.returncode == 3
    assert said in run.stderr


def test_two_files_can_be_explained_as_well(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "a", "expected": ["f"]}\n')
    (tmp_path / "t.jsonl").write_text('{"id": "b", "actual": []}\n{"id": "a", "actual": ["f"]}\n')

    run = callscore("explain", "--expected", "r.jsonl", "--actual", "t.jsonl")

    assert run.returncode == 0
    assert run.stdout.startswith("a\n\nStep 1.")


def test_of_two_files_only_what_is_in_both_can_be_explained(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "a", "expected": ["f"]}\n')
    (tmp_path / "t.jsonl").write_text('{"id": "b", "actual": []}\n')

    run = callscore("explain", "--expected", "r.jsonl", "--actual", "t.jsonl")

    assert run.returncode == 3
    assert run.stderr == "callscore: t.jsonl: no case found.\n"


def test_two_references_of_one_id_cannot_be_explained(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "a", "expected": []}\n' * 2)
    (tmp_path / "t.jsonl").write_text('{"id": "a", "actual": []}\n')

    run = callscore("explain", "--expected", "r.jsonl", "--actual", "t.jsonl")

    assert run.returncode == 3
    assert "duplicate reference id 'a', first used at r.jsonl:1" in run.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["c.jsonl", "--expected", "r", "--actual", "t"], ["--expected", "r"]]
)
def test_one_file_or_two_are_needed(callscore: Program, arguments: list[str]) -> None:
    assert callscore("explain", *arguments).returncode == 2


def test_order_is_part_of_the_explanation(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": 1, "expected": ["f", "g"], "actual": ["g", "f"]}\n')

    run = callscore("explain", "c.jsonl", "--order", "in_order")

    assert "missed, no actual call to pair with in this order" in run.stdout


def test_a_broken_file_is_refused(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": \n{"id": "a"}\n')

    run = callscore("explain", "c.jsonl")

    assert run.returncode == 3
    assert run.stderr.startswith("callscore: c.jsonl:")


def test_a_case_that_contradicts_itself_is_named(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("[{id: a, expected: [f, {forbid: f}], actual: []}]")

    run = callscore("explain", "c.yaml")

    assert run.returncode == 3
    assert run.stderr.startswith("callscore: c.yaml: case 'a': expected: 'f' is both expected and")
