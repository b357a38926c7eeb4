"""All checks together."""

from __future__ import annotations

from callscore.checks.check import check_calls
from callscore.core.call import INVALID, Tool, ToolCall

FAILING = ToolCall("f", {"a": 1}, failed=True)
TOOLS = {"f": Tool("f", parameters={"properties": {"b": {}}, "required": ["b"]})}


def test_faults_come_in_the_order_of_the_calls() -> None:
    faults = check_calls([FAILING, FAILING, ToolCall("g")], TOOLS)

    assert [(fault.index, fault.kind) for fault in faults] == [
        (0, "missing_argument"),
        (0, "unknown_argument"),
        (1, "missing_argument"),
        (1, "unknown_argument"),
        (1, "repeat"),
        (1, "retry_unchanged"),
        (2, "unknown_tool"),
    ]


def test_without_definitions_only_what_shows_without_them_is_told() -> None:
    calls = [FAILING, FAILING, FAILING, ToolCall("h", raw="{", error=INVALID)]

    assert [(fault.index, fault.kind) for fault in check_calls(calls)] == [
        (1, "repeat"),
        (1, "retry_unchanged"),
        (2, "repeat"),
        (2, "loop"),
        (2, "retry_unchanged"),
        (3, "malformed"),
    ]


def test_where_no_tool_is_offered_every_call_is_of_an_unknown_one() -> None:
    assert [fault.kind for fault in check_calls([ToolCall("f")], {})] == ["unknown_tool"]
    assert check_calls([ToolCall("f")], None) == ()


def test_no_calls_have_no_faults() -> None:
    assert check_calls([], TOOLS) == ()
