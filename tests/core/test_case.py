"""Groups, repeats and what is forbidden, as values."""

from __future__ import annotations

from msgspec import structs

from callscore.core.call import ToolCall
from callscore.core.case import Expected, Forbidden, Group, Times, calls_in, with_calls

EXPECTED: tuple[Expected, ...] = (
    ToolCall("a"),
    Group("in_order", (ToolCall("b"), Group("one_of", (ToolCall("c"), Times(ToolCall("d"), 0))))),
    Forbidden("x_*"),
    Times(ToolCall("e"), 2, None),
)


def test_every_call_is_found_in_the_order_as_written() -> None:
    assert [call.name for call in calls_in(EXPECTED)] == ["a", "b", "c", "d", "e"]
    assert list(calls_in(())) == []


def test_every_call_can_be_changed_and_nothing_else_is() -> None:
    def shout(call: ToolCall) -> ToolCall:
        return structs.replace(call, name=call.name.upper())

    changed = tuple(with_calls(item, shout) for item in EXPECTED)

    assert [call.name for call in calls_in(changed)] == ["A", "B", "C", "D", "E"]
    assert changed[2] == EXPECTED[2]
    assert changed[3] == Times(ToolCall("E"), 2, None)
