"""What a run gave, as it prints itself."""

from __future__ import annotations

from tests.reports.runs import FINE, MIXED, VARIANTS

from callscore.core.results import EvaluationResults, RunResults, Unloaded
from callscore.words.summary_lines import run_text


def test_an_evaluation_is_a_line_with_its_scorers() -> None:
    lines = str(VARIANTS).splitlines()

    assert len(lines) == 3
    assert lines[2] == (
        "assistant [small]: 4 of 6 passed, 1 error; tool_called 0.833, parameters_valid 0.750,"
        " accuracy 0.667 < 0.800"
    )
    assert str(FINE).count("\n") == 0
    assert " < " not in str(FINE)


def test_what_went_wrong_follows() -> None:
    lines = str(MIXED).splitlines()

    assert "polite - < 0.500" in str(MIXED)
    assert lines[-3:] == [
        "evals/eval_broken.py:3: ModuleNotFoundError: No module named 'wether'",
        "interrupted",
        "Nothing was kept: the disk is full (.callscore/history.db).",
    ]


def test_names_are_escaped_and_a_run_may_be_empty() -> None:
    bare = EvaluationResults(name="a\x1b", place="", results=FINE.evaluations[0].results)
    run = RunResults(evaluations=(bare,), unloaded=(Unloaded("b\x1b", "c\x1b"),))

    assert run_text(run) == "a\\u001b: 0 of 0 passed\nb\\u001b: c\\u001b"
    assert run_text(RunResults()) == "nothing was run"
