"""Which calls count, and under which names."""

from __future__ import annotations

import pytest

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Forbidden
from callscore.core.counted_calls import PreparedCalls, prepare_calls
from callscore.core.settings import NamePart, Settings
from callscore.errors import InvalidCall

LOOKUP, CHANGE = ToolCall("mcp__x__lookup", {}), ToolCall("mcp__x__change", {})


def test_settings_that_select_nothing_leave_everything() -> None:
    given = prepare_calls((LOOKUP,), (CHANGE,), Settings(mode="flexible"), {})

    assert given == PreparedCalls((LOOKUP,), (CHANGE,))


def test_what_a_tool_does_is_told_by_the_name_that_is_compared() -> None:
    settings = Settings(strip_prefix=("mcp__*__",), count_calls="writes")
    tools = {"mcp__x__lookup": Tool("mcp__x__lookup", effect="read")}

    given = prepare_calls((CHANGE,), (LOOKUP, CHANGE), settings, tools)

    assert given.expected == given.actual == (ToolCall("change", {}),)
    assert [(item.call.name, item.side, item.why) for item in given.ignored] == [
        ("mcp__x__lookup", "actual", "read")
    ]


@pytest.mark.parametrize("pattern", ["mcp__x__look*", "look*", "*__lookup", "lookup", "LOOK*"])
@pytest.mark.parametrize("parts", [("case",), ("case", "namespace")])
def test_a_pattern_may_be_about_the_name_as_it_is_or_as_it_is_compared(
    pattern: str, parts: tuple[NamePart, ...]
) -> None:
    settings = Settings(strip_prefix=("mcp__*__",), normalise_name=parts)

    given = prepare_calls((CHANGE, Forbidden(pattern)), (CHANGE, LOOKUP), settings, {})

    assert given.forbidden == (1,)
    assert given.actual == (ToolCall("change", {}), LOOKUP)


def test_to_forbid_the_tools_of_a_server_does_not_forbid_others() -> None:
    settings = Settings(strip_prefix=("mcp__*__",))
    expected = (ToolCall("get", {}), Forbidden("mcp__x__*"))

    assert prepare_calls(expected, (ToolCall("get", {}),), settings, {}).forbidden == ()
    with pytest.raises(InvalidCall, match="'mcp__x__lookup' is expected, and forbidden"):
        prepare_calls((LOOKUP, Forbidden("mcp__x__*")), (), settings, {})


def test_effects_may_be_about_the_name_as_it_is_or_as_it_is_compared() -> None:
    for pattern in ("mcp__x__lookup", "lookup"):
        settings = Settings(
            strip_prefix=("mcp__*__",), count_calls="writes", effects=((pattern, "read"),)
        )

        assert prepare_calls((), (LOOKUP, CHANGE), settings, {}).actual == (ToolCall("change", {}),)


def test_a_call_is_a_repeat_by_the_name_that_is_compared() -> None:
    settings = Settings(strip_prefix=("mcp__*__",), repeated_calls="collapse")

    assert len(prepare_calls((), (CHANGE, ToolCall("change", {})), settings, {}).actual) == 1


def test_each_of_the_three_settings_selects() -> None:
    failed = ToolCall("change", {}, failed=True)
    calls = (ToolCall("get_x", {}), failed, ToolCall("change", {}), ToolCall("change", {}))

    def left(settings: Settings) -> int:
        return len(prepare_calls((), calls, settings, {}).actual)

    assert left(Settings(count_calls="writes")) == 3
    assert left(Settings(failed_calls="ignore")) == 3
    assert left(Settings(repeated_calls="collapse")) == 2


def test_a_set_in_a_pattern_is_no_name_with_a_dash() -> None:
    settings = Settings(normalise_name=("dots", "case"))

    given = prepare_calls(
        (Forbidden("Delete-[A-Z]*"),), (ToolCall("delete_user", {}),), settings, {}
    )

    assert given.forbidden == (0,)


def test_tools_that_are_compared_alike_and_do_different_things_say_nothing() -> None:
    settings = Settings(normalise_name=("namespace",), count_calls="writes")
    tools = {"x.do": Tool("x.do", effect="read"), "y.do": Tool("y.do", effect="write")}
    calls = (ToolCall("do", {}), ToolCall("x.do", {}), ToolCall("y.do", {}))

    for known in (tools, dict(reversed(tools.items()))):
        assert len(prepare_calls((), calls, settings, known).actual) == 2
