"""`callscore score --save`, from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

CASES = """\
{"id": "right", "expected": ["f"], "actual": ["f"]}
{"id": "wrong", "expected": ["f"], "actual": ["g"]}
"""


@pytest.fixture(autouse=True)
def cases(tmp_path: Path) -> Path:
    (tmp_path / "cases.jsonl").write_text(CASES, encoding="utf-8")
    return tmp_path / "cases.jsonl"


def test_every_case_is_kept_under_the_name(callscore: Program, tmp_path: Path) -> None:
    ran = callscore("score", "cases.jsonl", "--save", "before")

    assert ran.returncode == 0
    assert "saved as run" in ran.stderr
    assert "callscore show before" in ran.stderr
    with open_store(tmp_path / ".callscore/history.db") as store:
        run = store.find("before")
        assert [result.case for result in store.results(run.id)] == ["right", "wrong"]
    assert run.id in ran.stderr
    assert (run.status, run.totals["passed"]) == ("finished", 1)


def test_the_report_and_the_exit_code_are_as_without(callscore: Program) -> None:
    plain = callscore("score", "cases.jsonl", "--fail-under", "0.9", "--format", "json")
    saved = callscore(
        "score", "cases.jsonl", "--fail-under", "0.9", "--format", "json", "--save", "x"
    )

    assert (saved.stdout, saved.returncode) == (plain.stdout, plain.returncode)
    assert plain.returncode == 1


def test_without_the_option_nothing_is_kept(callscore: Program, tmp_path: Path) -> None:
    callscore("score", "cases.jsonl")

    assert not (tmp_path / ".callscore").exists()


def test_it_is_kept_where_one_wants_it(callscore: Program, tmp_path: Path) -> None:
    callscore("score", "cases.jsonl", "--save", "a", "--store", "mine.db")
    callscore("score", "cases.jsonl", "--save", "b", CALLSCORE_STORE="mine.db")

    with open_store(tmp_path / "mine.db") as store:
        assert [run.name for run in store.runs()] == ["b", "a"]
    assert not (tmp_path / ".callscore").exists()


def test_it_is_kept_on_a_server(callscore: Program, postgres_url: str) -> None:
    ran = callscore("score", "cases.jsonl", "--save", "team", CALLSCORE_STORE=postgres_url)

    assert "saved as run" in ran.stderr
    with open_store(postgres_url) as store:
        assert [result.passed for result in store.results(store.find("team").id)] == [True, False]


def test_what_was_scored_before_the_input_broke_off_is_kept(
    callscore: Program, cases: Path, tmp_path: Path
) -> None:
    cases.write_text(CASES + "{broken", encoding="utf-8")

    ran = callscore("score", "cases.jsonl", "--save", "half")

    assert ran.returncode == 3
    with open_store(tmp_path / ".callscore/history.db") as store:
        run = store.find("half")
        assert (run.status, len(list(store.results(run.id)))) == ("interrupted", 2)


def test_a_file_that_is_not_there_leaves_no_run(callscore: Program, tmp_path: Path) -> None:
    assert callscore("score", "nothing.jsonl", "--save", "x").returncode == 3
    assert not (tmp_path / ".callscore").exists()


def test_a_history_that_cannot_be_used_costs_neither_the_report_nor_the_scores(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "broken.db").write_bytes(b"this is no database" * 100)

    ran = callscore("score", "cases.jsonl", "--save", "x", "--store", "broken.db")

    assert ran.returncode == 0
    assert "Macro F1" in ran.stdout
    assert (
        "the history cannot be used; results are saved to a file beside it: broken.db: "
        in ran.stderr
    )
    assert "saved as run" not in ran.stderr
    (file,) = tmp_path.glob("unsaved-*.jsonl")
    assert f"callscore import {file.relative_to(tmp_path)}" in ran.stderr

    assert callscore("import", file).returncode == 0
    with open_store(tmp_path / ".callscore/history.db") as store:
        assert store.find("x").totals["passed"] == 1


def test_in_russian(callscore: Program) -> None:
    assert "сохранено" in callscore("score", "cases.jsonl", "--save", "x", "--lang", "ru").stderr


@pytest.mark.parametrize("name", ["latest", "-x", ""])
def test_a_name_that_would_not_be_found_is_refused(callscore: Program, name: str) -> None:
    assert callscore("score", "cases.jsonl", f"--save={name}").returncode == 2


def test_what_is_kept_can_be_scored_again(callscore: Program) -> None:
    callscore("score", "cases.jsonl", "--save", "x")

    again = callscore("rescore", "x", "--pass-mark", "0")

    assert again.returncode == 0
    assert "All 2 passed" in again.stdout


def test_a_reference_without_a_trace_is_an_error_when_it_is_scored_again(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "few.jsonl").write_text(
        '{"id": "a", "expected": ["f"], "actual": ["f"]}\n{"id": "b", "expected": ["f"]}\n'
    )
    callscore("score", "few.jsonl", "--save", "few")

    again = callscore("rescore", "few")

    assert again.returncode == 4
    assert "1 of 2 passed, 1 error" in again.stdout
    assert "1 of 2 passed, 1 error" in callscore("show", "few").stdout
