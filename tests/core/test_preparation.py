"""Which calls count, and under which names."""

from __future__ import annotations

from callscore.core.call import ToolCall
from callscore.core.preparation import prepared
from callscore.core.settings import Settings
from callscore.core.tool import Tool

LOOKUP, CHANGE = ToolCall("mcp__x__lookup", {}), ToolCall("mcp__x__change", {})


def test_settings_that_select_nothing_leave_everything() -> None:
    assert prepared((LOOKUP,), (CHANGE,), Settings(mode="flexible"), {}) == (
        (LOOKUP,),
        (CHANGE,),
        (),
    )


def test_what_a_tool_does_is_told_by_the_name_that_is_compared() -> None:
    settings = Settings(strip_prefix=("mcp__*__",), count_calls="writes")
    tools = {"mcp__x__lookup": Tool("mcp__x__lookup", effect="read")}

    expected, actual, ignored = prepared((CHANGE,), (LOOKUP, CHANGE), settings, tools)

    assert expected == actual == (ToolCall("change", {}),)
    assert [(item.call.name, item.side, item.why) for item in ignored] == [
        ("lookup", "actual", "read")
    ]


def test_each_of_the_three_settings_selects() -> None:
    failed = ToolCall("change", {}, failed=True)
    calls = (ToolCall("get_x", {}), failed, ToolCall("change", {}), ToolCall("change", {}))

    def left(settings: Settings) -> int:
        return len(prepared((), calls, settings, {})[1])

    assert left(Settings(count_calls="writes")) == 3
    assert left(Settings(failed_calls="ignore")) == 3
    assert left(Settings(repeated_calls="collapse")) == 2
