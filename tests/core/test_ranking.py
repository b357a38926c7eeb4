from __future__ import annotations

from callscore.core.ranking import confused_tools, worst_arguments, worst_tools
from callscore.core.summary import Summary, ToolCounts


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
