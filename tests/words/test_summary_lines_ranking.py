from __future__ import annotations

from callscore.core.summary import Summary, ToolCounts
from callscore.words.summary_lines import (
    confused_tools,
    forbidden_tools,
    worst_arguments,
    worst_faults,
    worst_tools,
)


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
