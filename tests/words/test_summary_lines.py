"""What a run gave, as it prints itself."""

from __future__ import annotations

from tests.reports.runs import FINE, MIXED, VARIANTS

from callscore.core.results import EvaluationResults, RunResults, Unloaded
from callscore.core.summary import Summary, ToolCounts
from callscore.words.summary_lines import (
    confused_tools,
    forbidden_tools,
    run_text,
    worst_arguments,
    worst_faults,
    worst_tools,
)


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


def test_tools_with_the_most_wrong_calls_come_first() -> None:
    summary = Summary(
        tools={
            "fine": ToolCounts(correct=9),
            "b": ToolCounts(missed=2),
            "worst": ToolCounts(correct=5, incorrect=1, missed=1, extra=1),
            "a": ToolCounts(extra=2),
        }
    )

    assert [tool for tool, _ in worst_tools(summary)] == ["worst", "a", "b", "fine"]


def test_arguments_wrong_most_often_come_first() -> None:
    summary = Summary(wrong_arguments={("f", "b"): 1, ("g", "a"): 3, ("f", "a"): 1})

    assert worst_arguments(summary) == [("g", "a", 3), ("f", "a", 1), ("f", "b", 1)]


def test_tools_confused_most_often_come_first_and_nothing_is_left_out() -> None:
    summary = Summary(confusion={("b", None): 1, (None, "x"): 1, ("a", "x"): 2})

    assert confused_tools(summary) == [("a", "x", 2), (None, "x", 1), ("b", None, 1)]


def test_tools_that_must_not_be_called_and_were_come_before_all_others() -> None:
    summary = Summary(
        tools={
            "wrong": ToolCounts(missed=9),
            "b": ToolCounts(extra=1, forbidden=1),
            "a": ToolCounts(extra=1, forbidden=1),
            "worst": ToolCounts(extra=2, forbidden=2),
        }
    )

    assert [tool for tool, _ in worst_tools(summary)] == ["worst", "a", "b", "wrong"]
    assert forbidden_tools(summary) == [("worst", 2), ("a", 1), ("b", 1)]


def test_faults_found_most_often_come_first() -> None:
    summary = Summary(faults={("f", "wrong_type"): 1, ("g", "malformed"): 3, ("f", "malformed"): 1})

    assert worst_faults(summary) == [
        ("g", "malformed", 3),
        ("f", "malformed", 1),
        ("f", "wrong_type", 1),
    ]
