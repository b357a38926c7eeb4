"""Scorers of a run that are found again, and why some are not."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from callscore.evaluations.evaluation import Scorer
from callscore.history.records import EvaluationRecord
from callscore.runner.rescoring import StoredScorers

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
    from pathlib import Path

    from callscore import Case, evaluation

    with Path("imported.log").open("a") as log:
        log.write("x")

    def polite():
        return 1.0

    def accuracy():
        return 0.25

    @evaluation(cases=[Case("Hi!")], scorers=[polite, accuracy])
    def agent(case):
        return []

    @evaluation(cases=[Case("Hi!")])
    def other(case):
        return []
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eval_agent.py").write_text(dedent(TEXT))
    return tmp_path


def kept(key: str) -> EvaluationRecord:
    return EvaluationRecord(run="r", number=1, name="agent", place=key)


def test_functions_are_found_in_the_file_which_is_read_once(folder: Path) -> None:
    scorers = StoredScorers()
    record = kept("eval_agent.py::agent")

    found = [scorers.find(record, name) for name in ("polite", "accuracy()", "accuracy")]

    assert [one.name for one in found if isinstance(one, Scorer)] == ["polite"] + ["accuracy"] * 2
    assert [one.function() for one in found[:2] if isinstance(one, Scorer)] == [1.0, 0.25]
    assert (folder / "imported.log").read_text() == "x"


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("::agent", "it is a function, and its file is unknown"),
        ("eval_gone.py::agent", "it is a function in eval_gone.py, which no longer exists"),
        ("eval_agent.py::other", "eval_agent.py has no scorer of this name"),
        ("eval_agent.py::nobody", "eval_agent.py has no scorer of this name"),
        ("eval_broken.py::agent", "eval_broken.py:1: "),
        (
            "../eval_x.py::agent",
            "it is a function in ../eval_x.py, which is outside of the project",
        ),
        ("/etc/eval_x.py::agent", "it is a function in /etc/eval_x.py, which is outside of the"),
    ],
)
def test_a_stored_scorer_that_is_not_found_is_reported_with_the_reason(
    folder: Path, key: str, problem: str
) -> None:
    (folder / "eval_broken.py").write_text("1 / 0\n")

    assert str(StoredScorers().find(kept(key), "polite")).startswith(problem)
