"""All checks together."""

from __future__ import annotations

from callscore.checks.check import CheckResults, ToolFaults

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
