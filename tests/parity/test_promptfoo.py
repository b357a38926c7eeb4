"""promptfoo."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import NotScorable, ToolCall
from callscore.parity.promptfoo import tool_call_f1, tool_call_f1_passes


def calls(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "arguments": {"a": 1}} for name in names]


def test_f1_is_over_the_sets_of_names() -> None:
    assert tool_call_f1(calls("f", "g"), calls("g", "f")) == 1.0
    assert tool_call_f1(calls("f", "g"), calls("f")) == 2 / 3
    assert tool_call_f1(calls("f"), calls("f", "g")) == 2 / 3
    assert tool_call_f1(calls("f"), calls("g")) == 0.0
    assert tool_call_f1(calls("f"), []) == 0.0


def test_how_often_and_with_what_a_tool_is_called_does_not_count() -> None:
    assert tool_call_f1(calls("f", "f"), calls("f")) == 1.0
    assert tool_call_f1(calls("f"), [ToolCall("f"), ToolCall("f", {"a": 2})]) == 1.0


def test_whitespace_is_taken_off_on_the_expected_side_only() -> None:
    assert tool_call_f1(calls("\ufefff "), calls("f")) == 1.0
    assert tool_call_f1(calls("f"), calls("f ")) == 0.0


@pytest.mark.parametrize("nothing", [[], calls(""), calls(" ")])
def test_without_an_expected_tool_there_is_no_score(nothing: Any) -> None:
    with pytest.raises(NotScorable, match="at least one expected tool"):
        tool_call_f1(nothing, calls("f"))
    with pytest.raises(NotScorable, match="at least one expected tool"):
        tool_call_f1_passes(nothing, [])


def test_the_assertion_holds_from_the_threshold_on() -> None:
    expected, actual = calls("f"), calls("f", "g")

    assert tool_call_f1_passes(expected, actual) is False
    assert tool_call_f1_passes(expected, actual, threshold=2 / 3) is True
    assert tool_call_f1_passes(expected, actual, threshold=2 / 3, inverse=True) is False
    assert tool_call_f1_passes(expected, actual, inverse=True) is True
