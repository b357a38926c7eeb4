"""Copies of calls."""

from __future__ import annotations

from typing import Any

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.metrics.metric import copy_calls


def test_a_copy_is_equal_and_shares_nothing_that_can_be_changed() -> None:
    arguments = {"a": [{"b": [1]}], "c": {"d": []}, "e": (1, 2)}
    (call,) = copy_calls([ToolCall("f", arguments, id="1", result={"r": [1]})])

    assert call == ToolCall("f", arguments, id="1", result={"r": [1]})
    assert call.arguments is not arguments
    call.arguments["a"][0]["b"].append(2)
    call.arguments["c"]["d"].append(2)
    assert arguments == {"a": [{"b": [1]}], "c": {"d": []}, "e": (1, 2)}


def test_calls_in_groups_are_copied_too() -> None:
    call = ToolCall("f", {"a": []})
    group, times, forbidden = copy_calls([Group("one_of", (call,)), Times(call), Forbidden("x")])

    group.members[0].arguments["a"].append(1)
    times.call.arguments["a"].append(1)
    assert (call.arguments, forbidden) == ({"a": []}, Forbidden("x"))


def test_arguments_may_be_missing_or_deeper_than_the_interpreter_can_follow() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]

    nothing, copy = copy_calls([ToolCall("f"), ToolCall("f", {"a": deep})])

    assert nothing.arguments is None
    depth, inner = 0, copy.arguments["a"]
    assert inner is not deep
    while isinstance(inner, list):  # or taking it down would go just as deep
        depth, inner, deep = depth + 1, inner.pop(), deep.pop()
    assert depth == 100_000
