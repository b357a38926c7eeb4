"""`callscore baseline`, from the command line to the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.e2e.histories import add_run

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

    from callscore.history.records import RunStatus


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """The ids of two runs, the newest first."""
    oldest = add_run(tmp_path)
    return [add_run(tmp_path), oldest]


def test_a_name_means_a_run_until_it_means_another(callscore: Program, runs: list[str]) -> None:
    newest, oldest = runs

    first = callscore("baseline", "set", "latest~1", "--name", "main")
    again = callscore("baseline", "set")
    other = callscore("baseline", "set", oldest, "--name", "release", "--lang", "ru")

    assert first.stdout == (
        f"main now points to the run {oldest}. Compare another run with it:\n"
        "  callscore gate --against main\n"
    )
    assert again.stdout == f"main pointed to the run {oldest}, and now points to {newest}.\n"
    assert other.stdout.startswith(f"release теперь указывает на прогон {oldest}.")
    listed = msgspec.json.decode(callscore("baseline", "list", "--json").stdout)
    assert [(each["name"], each["run"]) for each in listed] == [
        ("main", newest),
        ("release", oldest),
    ]
    assert "◆ release" in callscore("history").stdout


def test_a_baseline_can_be_forgotten_and_its_run_stays(
    callscore: Program, runs: list[str], tmp_path: Path
) -> None:
    with open_store(tmp_path / ".callscore/history.db") as store:
        store.set_baseline("main", runs[0])

    removed = callscore("baseline", "remove", "main")
    again = callscore("baseline", "remove", "main")

    assert removed.stdout == f"main is no longer a baseline. Its run {runs[0]} is still saved.\n"
    assert again.returncode == 2
    assert "unknown baseline 'main'. There are none yet." in again.stderr
    none = callscore("baseline", "list")
    assert none.stdout.startswith("No baselines yet. Set one: callscore baseline set latest")


@pytest.mark.parametrize("name", ["latest~3", "-x", "main:large", "\x1b[31mred"])
def test_a_name_that_means_something_else_is_refused(
    callscore: Program, runs: list[str], name: str
) -> None:
    refused = callscore("baseline", "set", "latest", f"--name={name}")

    assert refused.returncode == 2
    assert "cannot be a name" in refused.stderr
    assert runs


def test_a_hostile_name_is_harmless(callscore: Program, runs: list[str]) -> None:
    said = callscore("baseline", "set", "latest", "--name", "it's; [red]")

    assert said.stdout.endswith("callscore gate --against 'it'\"'\"'s; [red]'\n")
    assert "◆ it's; [red]" in callscore("baseline", "list").stdout
    assert runs


def test_a_run_that_is_not_there_is_told(callscore: Program, runs: list[str]) -> None:
    unknown = callscore("baseline", "set", "nowhere")

    assert unknown.returncode == 2
    assert "unknown run 'nowhere'" in unknown.stderr
    assert runs


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        (("interrupted", {}), "it did not finish"),
        (("finished", {"errors": 2}), "2 answers are missing"),
    ],
)
def test_a_broken_run_is_taken_only_where_somebody_insists(
    callscore: Program,
    runs: list[str],
    tmp_path: Path,
    ended: tuple[RunStatus, dict[str, int]],
    why: str,
) -> None:
    with open_store(tmp_path / ".callscore/history.db") as store:
        store.finish(runs[0], *ended, {})

    refused = callscore("baseline", "set", "latest", "--lang", "ru")  # errors are in English
    forced = callscore("baseline", "set", "latest", "--allow-incomplete")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert why in refused.stderr
    assert "--allow-incomplete" in refused.stderr
    assert forced.returncode == 0
    assert forced.stdout.endswith(f"\nNote: {why}.\n")


def test_a_partial_run_and_a_mean_below_fail_under_are_pointed_out(
    callscore: Program, tmp_path: Path
) -> None:
    run = add_run(tmp_path, arguments={"limit": 2})
    scorer = {"name": "accuracy", "mean": 0.5, "scored": 2, "passed": 1, "fail_under": 0.9}
    with open_store(tmp_path / ".callscore/history.db") as store:
        store.finish(run, "finished", {}, {0: {"scorers": [scorer]}})

    said = callscore("baseline", "set")

    assert said.returncode == 0
    assert "this run covers only some of the cases" in said.stdout
    assert said.stdout.endswith("below fail_under: agent: accuracy.\n")


def test_a_run_cannot_be_called_like_a_baseline(
    callscore: Program, runs: list[str], tmp_path: Path
) -> None:
    callscore("baseline", "set")
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "expected": ["f"], "actual": ["f"]}\n')

    refused = callscore("score", "cases.jsonl", "--save", "main")

    assert refused.returncode == 2
    assert "'main' is the name of a baseline" in refused.stderr
    assert runs
