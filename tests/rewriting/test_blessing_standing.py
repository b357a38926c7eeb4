"""Where the cases that a run has kept stand now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.history.records import EvaluationRecord, ResultRecord
from callscore.rewriting.blessing import CaseLocator
from callscore.rewriting.change import CannotRewrite

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = """
from pathlib import Path
from callscore import Case, evaluation

@evaluation(cases=[Case("hi", id="a", expected=["f"]), Path("cases.jsonl")])
def agent(case):
    return []
"""
LINES = '{"id": "b", "input": "ho", "expected": ["g"]}\n'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".callscore").mkdir()
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/eval_agent.py").write_text(PYTHON)
    (tmp_path / "evals/cases.jsonl").write_text(LINES)
    return tmp_path


def evaluation(place: str, name: str = "agent") -> EvaluationRecord:
    return EvaluationRecord(run="r", number=0, name=name, place=place)


def result(case: str, asked: str | None = None) -> ResultRecord:
    payload = {} if asked is None else {"input": asked}
    return ResultRecord(run="r", evaluation=0, case=case, status="scored", payload=payload)


def problem(standings: CaseLocator, record: EvaluationRecord, case: str = "a") -> str:
    with pytest.raises(CannotRewrite) as refused:
        standings.find(record, result(case), "agent[a]")
    return str(refused.value)


def test_a_case_of_an_evaluation_is_found_with_what_it_expects_now(root: Path) -> None:
    standings = CaseLocator(root)
    record = evaluation("evals/eval_agent.py::agent")

    spot, case = standings.find(record, result("a"), "agent[a]")
    other = standings.find(record, result("b"), "agent[b]")

    files = (str(root / "evals/eval_agent.py"), str(root / "evals/cases.jsonl"))
    assert (spot.label, spot.files, spot.case, spot.input) == ("agent[a]", files, "a", "hi")
    assert spot.line == 5
    assert case is not None
    assert case.expected
    assert other.spot.input == "ho"


def test_a_file_is_loaded_once(root: Path) -> None:
    standings = CaseLocator(root)
    record = evaluation("evals/eval_agent.py::agent")
    standings.find(record, result("a"), "agent[a]")

    (root / "evals/eval_agent.py").write_text("raise RuntimeError")

    assert standings.find(record, result("b"), "agent[b]").case


def test_what_is_gone_is_told(root: Path) -> None:
    standings = CaseLocator(root)

    assert problem(standings, evaluation("evals/eval_agent.py::agent"), "z") == (
        "evals/eval_agent.py: there is no case z any more."
    )
    assert problem(standings, evaluation("evals/eval_agent.py::other", "other")) == (
        "evals/eval_agent.py: there is no other in it any more."
    )
    assert problem(standings, evaluation("evals/eval_gone.py::agent")) == (
        "evals/eval_gone.py: there is no such file any more."
    )
    assert problem(standings, evaluation("::agent")) == "the run does not know the file of agent."
    assert problem(standings, evaluation("")) == "the run does not know the file of agent."


def test_a_file_that_cannot_be_used_is_told(root: Path) -> None:
    (root / "evals/eval_broken.py").write_text("raise RuntimeError('no')")
    (root / "evals/cases.jsonl").write_text("{")

    broken = problem(CaseLocator(root), evaluation("evals/eval_broken.py::agent"))
    unreadable = problem(CaseLocator(root), evaluation("evals/eval_agent.py::agent"))

    assert broken.startswith("evals/eval_broken.py:1: it raises RuntimeError")
    assert "cases.jsonl:1" in unreadable


@pytest.mark.parametrize("place", ["../eval_x.py::x", "/eval_x.py::x", "../cases.jsonl"])
def test_no_file_outside_of_the_project_is_touched(root: Path, place: str) -> None:
    outside = root.parent / "eval_x.py"
    outside.write_text("raise SystemExit('was loaded')")

    assert "it is outside of" in problem(CaseLocator(root), evaluation(place, "x"))


def test_a_case_of_a_file_that_was_scored_stands_in_that_file(root: Path) -> None:
    record = evaluation("evals/cases.jsonl", "cases")

    spot, case = CaseLocator(root).find(record, result("b", "ho"), "cases[b]")
    unknown = CaseLocator(root).find(record, result("sha-123"), "cases[sha-123]")

    assert (spot.files, spot.case, spot.input) == ((str(root / "evals/cases.jsonl"),), "b", "ho")
    assert case is not None
    assert case.expected
    assert unknown.case is None


def test_references_in_several_files_are_looked_for_in_all(root: Path) -> None:
    (root / "more.jsonl").write_text('{"id": "c", "expected": []}\n')
    standings = CaseLocator(root, ["evals/cases.jsonl", "more.jsonl"])

    spot, case = standings.find(evaluation(""), result("c"), "both[c]")

    assert spot.files == (str(root / "evals/cases.jsonl"), str(root / "more.jsonl"))
    assert case is not None
    assert case.id == "c"


def test_a_file_that_cannot_be_read_as_cases_knows_none(root: Path) -> None:
    (root / "evals/cases.jsonl").write_text('{"id": "b", "expected": 5}\n')

    found = CaseLocator(root).find(evaluation("evals/cases.jsonl"), result("b"), "cases[b]")

    assert found.case is None
