"""All checks together."""

from __future__ import annotations

from callscore.checks.check import CheckResults, ToolFaults, check_calls
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


# What checking many runs comes to.


def test_the_share_of_valid_parameters_is_of_the_calls_that_could_be_checked() -> None:
    assert CheckResults(calls=10, checked_calls=4, invalid_calls=1).parameters_valid == 0.75
    assert CheckResults(calls=10).parameters_valid is None


def test_totals_are_of_all_tools_and_of_classes_that_occur() -> None:
    tools = {
        "f": ToolFaults(3, {"loop": 1, "wrong_type": 2}),
        "g": ToolFaults(1, {"wrong_type": 1}),
        "h": ToolFaults(1, {}),
    }

    assert CheckResults(tools=tools).totals == {"wrong_type": 3, "loop": 1}
    assert [tool.total for tool in tools.values()] == [3, 1, 0]
