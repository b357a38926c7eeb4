"""`callscore gate`, from the command line to the exit code."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.weather import CITIES, program, write_answers, write_suite

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


def run(callscore: Program, folder: Path, *, wrong: tuple[str, ...] = ()) -> str:
    """Run the suite with some wrong answers; the id of the run."""
    write_answers(folder, wrong=wrong)
    # One at a time: the cases of a run are listed in the order in which they were answered.
    ran = callscore("run", "--format", "json", "--jobs", "1")
    found: str = msgspec.json.decode(ran.stdout, type=dict[str, Any])["id"]
    return found


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there is a baseline."""
    folder = tmp_path_factory.mktemp("good")
    write_suite(folder)
    program(folder, "run", "--show", "none", "--jobs", "1")
    program(folder, "baseline", "set", "latest", "--name", "main")
    return folder


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    shutil.copytree(good, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_the_newest_run_of_another_commit_is_pointed_out(callscore: Program, folder: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)  # noqa: S607  (any git will do)

    git("init", "--quiet")
    git("add", "cases.jsonl")
    git("commit", "--quiet", "--message", "One")
    new = run(callscore, folder)
    same = callscore("gate", "--against", "main")
    git("commit", "--quiet", "--allow-empty", "--message", "Two")

    newest = callscore("gate", "--against", "main")
    named = callscore("gate", new, "--against", "main")

    assert "the newest run is of the commit" not in same.stdout + named.stdout
    assert "! the newest run is of commit " in newest.stdout
    assert newest.returncode == 0


def test_cases_without_numbers_are_told_from_no_cases(callscore: Program, tmp_path: Path) -> None:
    write_suite(tmp_path)
    callscore("run", "--jobs", "1")
    callscore("baseline", "set", "latest", "--name", "main")
    cases = (tmp_path / "cases.jsonl").read_text().splitlines()
    bare = [msgspec.json.decode(line, type=dict[str, Any]) for line in cases]
    lines = [msgspec.json.encode({"id": one["id"], "input": one["input"]}) for one in bare]
    (tmp_path / "cases.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    new = run(callscore, tmp_path)

    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 1
    assert "\n! no case has a value of passed in both runs\n" in ran.stdout
    assert "\n! 12 cases have no value now\n" in ran.stdout
    assert "\nMissing: 12 cases\n- oslo\n    no value now\n- rome\n" in ran.stdout
    assert ran.stdout.endswith(f"\nNext: callscore show {new}\n")


def test_on_github_there_are_annotations_and_a_summary_of_the_step(
    callscore: Program, folder: Path
) -> None:
    run(callscore, folder, wrong=CITIES[:9])
    summary = folder / "summary.md"
    summary.write_text("# Earlier\n")

    ran = callscore(
        *("gate", "--against", "main", "--format", "json"),
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert ran.returncode == 1
    assert msgspec.json.decode(ran.stdout, type=dict[str, Any])["fail_on"] == "default"
    lines = [line for line in ran.stderr.splitlines() if line.startswith("::")]
    assert lines[0].startswith(
        "::error title=callscore%3A Gate failed::regressed: passed 100.0%25 "
    )
    assert (
        "::error file=eval_weather.toml,title=Broken%3A oslo::weather, F1 100.0%25 → 0.0%25"
    ) in lines[2:]  # in the order in which they were answered
    assert summary.read_text().startswith("# Earlier\n## Gate failed: regressed, `main` → `latest`")
