"""Which calls count: the laws of leaving calls out."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.counted_calls import (
    PreparedCalls,
    select_counted,
)
from callscore.core.settings import Settings

ONCE = Settings(repeated_calls="collapse")


def _made(*calls: ToolCall, settings: Settings) -> tuple[ToolCall, ...]:
    return select_counted((), calls, settings, {}).actual


def test_arguments_of_any_depth_can_be_repeats() -> None:
    deep: Any = []
    deeper: Any = []
    for _ in range(100_000):
        deep, deeper = [deep], [deeper]

    left = _made(ToolCall("f", {"x": deep}), ToolCall("f", {"x": deeper}), settings=ONCE)

    assert len(left) == 1


CALLS = st.lists(
    st.builds(
        ToolCall,
        st.sampled_from(["get_user", "book", "pay"]),
        st.fixed_dictionaries({"n": st.sampled_from([1, 1.0, "1", True])}),
        failed=st.sampled_from([None, False, True]),
    )
).map(tuple)
SETTINGS = st.builds(
    Settings,
    count_calls=st.sampled_from(["all", "writes"]),
    failed_calls=st.sampled_from(["count", "ignore"]),
    repeated_calls=st.sampled_from(["count", "collapse"]),
)


@given(CALLS, SETTINGS)
def test_every_call_is_kept_or_ignored_in_order(
    calls: tuple[ToolCall, ...], settings: Settings
) -> None:
    selected = select_counted((), calls, settings, {})

    left = list(calls)
    for call in (*selected.actual, *(one.call for one in selected.ignored)):
        left.remove(call)
    assert not left
    positions = iter(calls)
    assert all(any(call is other for other in positions) for call in selected.actual)


@given(CALLS, SETTINGS)
def test_equal_expected_and_actual_calls_stay_equal_after_selection(
    calls: tuple[ToolCall, ...], settings: Settings
) -> None:
    selected = select_counted(calls, calls, settings, {})

    assert selected.expected == selected.actual


@given(CALLS, SETTINGS)
def test_to_select_twice_is_to_select_once(calls: tuple[ToolCall, ...], settings: Settings) -> None:
    once = select_counted(calls, calls, settings, {})
    twice = select_counted(once.expected, once.actual, settings, {})

    assert twice == PreparedCalls(once.expected, once.actual)


# Which calls count, and under which names.

LOOKUP, CHANGE = ToolCall("mcp__x__lookup", {}), ToolCall("mcp__x__change", {})
