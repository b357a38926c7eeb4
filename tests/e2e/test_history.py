"""`callscore history`, from the command line to the exit code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace
from tests.e2e.histories import add_run

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where there were two runs, of which the second is worse, and one of some cases."""
    add_run(tmp_path, name="good")
    add_run(tmp_path, wrong=("sum",))
    add_run(tmp_path, arguments={"tags": ["short"]})
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_runs_are_listed_with_the_newest_first(callscore: Program) -> None:
    listed = callscore("history")

    assert (listed.returncode, listed.stderr) == (0, "")
    title, header, *lines = listed.stdout.splitlines()
    assert re.fullmatch(r"agent   █▁   66\.7% – 100\.0%( .*)?", title)
    assert header.split()[:6] == ["run", "when", "passed", "interval", "F1", "cases"]
    assert [line.split()[4:6] for line in lines] == [
        ["100.0%", "44–100%"],
        ["66.7%", "▼"],
        ["100.0%", "44–100%"],
    ]
    assert lines[0].endswith("some cases")
    assert lines[2].endswith("good")


@pytest.mark.usefixtures("folder")
def test_a_tag_counts_only_its_cases(callscore: Program) -> None:
    listed = callscore("history", "--tag", "smoke", "--max-shown", "2", "--lang", "ru")

    first, _, title, _, newest, second, _, more = listed.stdout.splitlines()
    assert first == "случаи с тегом smoke"
    assert title.split()[0] == "agent"
    assert [line.split()[4] for line in (newest, second)] == ["100.0%", "100.0%"]
    assert more == "Более старые прогоны не показаны; --max-shown покажет больше."


@pytest.mark.usefixtures("folder")
def test_programs_are_told_the_same(callscore: Program) -> None:
    newest, second, oldest = msgspec.json.decode(callscore("history", "--json").stdout)

    assert newest["is_partial"]
    assert newest["evaluations"][0]["direction"] is None
    (fallen,) = second["evaluations"]
    assert (fallen["share"], fallen["direction"]) == (pytest.approx(2 / 3), "down")
    (first,) = oldest["evaluations"]
    assert (oldest["name"], first["name"], first["cases"]) == ("good", "agent", 3)


@pytest.mark.usefixtures("folder")
def test_the_oldest_that_is_shown_has_its_arrow(callscore: Program) -> None:
    listed = callscore("history", "--max-shown", "2")

    assert "66.7% ▼" in listed.stdout


@pytest.mark.usefixtures("folder")
def test_words_choose_evaluations(callscore: Program) -> None:
    assert "66.7%" in callscore("history", "-k", "agent and not router").stdout
    none = callscore("history", "-k", "router")
    assert none.stdout == "No run has an evaluation that matches 'router'.\n"
    assert callscore("history", "-k", "agent and").returncode == 2


def test_a_run_whose_process_is_gone_did_not_end(callscore: Program, tmp_path: Path) -> None:
    run = add_run(tmp_path)
    with open_store(tmp_path / ".callscore/history.db") as store:
        store.begin(replace(store.find(run), status="running"))
        assert "did not finish" in callscore("history").stdout
        assert "did not finish" in callscore("show").stdout
        with store.lock(run):
            assert "running" in callscore("history").stdout


def test_a_project_without_a_history_says_how_to_begin(callscore: Program, tmp_path: Path) -> None:
    listed = callscore("history")

    assert (listed.returncode, listed.stdout) == (0, "No runs yet. Start with: callscore run\n")
    assert callscore("history", "--json").stdout == "[]\n"
    assert not list(tmp_path.iterdir())


def test_a_history_that_is_named_and_is_not_there_is_an_error(callscore: Program) -> None:
    named = callscore("history", "--store", "elsewhere.db")
    by_variable = callscore("history", CALLSCORE_STORE="elsewhere.db")

    for ran in (named, by_variable):
        assert ran.returncode == 2
        assert "elsewhere.db does not exist" in ran.stderr
