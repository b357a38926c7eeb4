"""Which calls count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Expected, Forbidden, Group, Times
from callscore.core.counted_calls import (
    Ignored,
    PreparedCalls,
    prepare_calls,
    select_counted,
)
from callscore.core.rules import Matcher
from callscore.core.settings import DEFAULT, NamePart, Settings
from callscore.errors import InvalidCall

WRITES = Settings(count_calls="writes")
DONE = Settings(failed_calls="ignore")
ONCE = Settings(repeated_calls="collapse")
ALL_THREE = Settings(count_calls="writes", failed_calls="ignore", repeated_calls="collapse")

LOOK = ToolCall("get_user", {"id": 1})
BOOK = ToolCall("book", {"seat": "A"})
PAY = ToolCall("pay", {"amount": 5})
CANCEL = ToolCall("cancel", {})


def _expected(*members: Expected, settings: Settings = WRITES) -> tuple[Expected, ...]:
    return select_counted(members, (), settings, {}).expected


def _made(*calls: ToolCall, settings: Settings) -> tuple[ToolCall, ...]:
    return select_counted((), calls, settings, {}).actual


def test_by_default_every_call_counts_and_nothing_is_copied() -> None:
    expected, actual = (LOOK, BOOK, BOOK), (ToolCall("book", {}, failed=True), LOOK)

    selected = select_counted(expected, actual, DEFAULT, {})

    assert selected == PreparedCalls(expected, actual)
    assert selected.expected is expected
    assert selected.actual is actual


def test_where_everything_counts_the_same_objects_come_back() -> None:
    expected: tuple[Expected, ...] = (
        BOOK,
        Group("one_of", (PAY, Group("in_order", (CANCEL,)))),
        Group("optional", (ToolCall("tip", {}),)),
        Times(ToolCall("ring", {}), 0, 1),
        Forbidden("delete_*"),
    )
    actual = (BOOK, PAY)

    selected = select_counted(expected, actual, ALL_THREE, {})

    assert selected.expected is expected
    assert selected.actual is actual
    assert selected.ignored == ()


def test_reads_are_left_out_on_both_sides_and_named() -> None:
    other = ToolCall("find_user", {})

    selected = select_counted((LOOK, BOOK), (BOOK, other), WRITES, {})

    assert selected.expected == (BOOK,)
    assert selected.actual == (BOOK,)
    assert selected.ignored == (
        Ignored(LOOK, "expected", "read"),
        Ignored(other, "actual", "read"),
    )


def test_definitions_and_settings_say_what_a_read_is() -> None:
    tools = {"book": Tool("book", effect="read")}

    assert select_counted((), (LOOK, BOOK), WRITES, tools).actual == ()
    no_reads = Settings(count_calls="writes", effects=(("*", "write"),))
    assert select_counted((), (LOOK, BOOK), no_reads, tools).actual == (LOOK, BOOK)


def test_failed_calls_are_left_out_where_they_are_known_to_have_failed() -> None:
    failed = ToolCall("book", {}, failed=True)
    done = ToolCall("book", {}, failed=False)

    selected = select_counted((), (failed, done, BOOK), DONE, {})

    assert selected.actual == (done, BOOK)
    assert selected.ignored == (Ignored(failed, "actual", "failed"),)


def test_a_reference_run_loses_its_failed_calls_too() -> None:
    failed = ToolCall("book", {}, failed=True)

    assert _expected(failed, BOOK, settings=DONE) == (BOOK,)


def test_a_failed_read_is_named_as_failed() -> None:
    failed = ToolCall("get_user", {}, failed=True)

    assert select_counted((), (failed,), ALL_THREE, {}).ignored == (
        Ignored(failed, "actual", "failed"),
    )


def test_a_retry_after_a_failure_is_no_repeat() -> None:
    failed = ToolCall("book", {"seat": "A"}, failed=True)
    retried = ToolCall("book", {"seat": "A"}, failed=False)

    assert _made(failed, retried, settings=ALL_THREE) == (retried,)


def test_identical_calls_are_one_call() -> None:
    same = ToolCall("pay", {"amount": 5.0}, id="another", step=7)

    selected = select_counted((BOOK, PAY, BOOK), (PAY, same, BOOK, PAY), ONCE, {})

    assert selected.expected == (BOOK, PAY)
    assert selected.actual == (PAY, BOOK)
    assert selected.ignored == (
        Ignored(BOOK, "expected", "repeated"),
        Ignored(same, "actual", "repeated"),
        Ignored(PAY, "actual", "repeated"),
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (ToolCall("f", {"a": 1}), ToolCall("f", {"a": True})),
        (ToolCall("f", {"a": 1}), ToolCall("f", {"a": "1"})),
        (ToolCall("f", {"a": None}), ToolCall("f", {})),
        (ToolCall("f", {}), ToolCall("g", {})),
        (ToolCall("f", raw="{", error="truncated"), ToolCall("f", raw="{{", error="truncated")),
    ],
)
def test_calls_that_are_not_the_same_are_not_collapsed(left: ToolCall, right: ToolCall) -> None:
    assert _made(left, right, settings=ONCE) == (left, right)


def test_actual_calls_without_arguments_have_none() -> None:
    assert _made(ToolCall("f"), ToolCall("f", {}), settings=ONCE) == (ToolCall("f"),)


def test_what_leaves_something_open_may_mean_several_calls() -> None:
    anything, nothing = ToolCall("f"), ToolCall("f", {})
    ruled = ToolCall("f", {"x": [Matcher("$approx", 3)]})

    assert _expected(anything, nothing, anything, settings=ONCE) == (anything, nothing, anything)
    assert _expected(ruled, nothing, ruled, nothing, settings=ONCE) == (ruled, nothing, ruled)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Matcher("$approx", 3), 3),
        (Matcher("$approx", 3), {"$approx": 3}),
        (Matcher("$approx", 3), Matcher("$approx", 4)),
        (Matcher("$approx", 3), Matcher("$approx", 3, {"abs": 1})),
        (Matcher("$approx", 3), Matcher("$gt", 3)),
        (Matcher("$any", True), Matcher("$any", 1)),
        ([Matcher("$any")], Matcher("$any")),
    ],
)
def test_rules_that_are_not_the_same_are_not_collapsed(left: Any, right: Any) -> None:
    calls = (ToolCall("f", {"x": left}), ToolCall("f", {"x": right}))

    assert _expected(*calls, settings=ONCE) == calls


def test_arguments_of_any_depth_can_be_repeats() -> None:
    deep: Any = []
    deeper: Any = []
    for _ in range(100_000):
        deep, deeper = [deep], [deeper]

    left = _made(ToolCall("f", {"x": deep}), ToolCall("f", {"x": deeper}), settings=ONCE)

    assert len(left) == 1


def test_a_forbidden_call_counts_even_if_it_failed_reads_or_repeats() -> None:
    secret = ToolCall("get_secret", {}, failed=True)
    expected: tuple[Expected, ...] = (Forbidden("get_secret*"), LOOK)

    selected = select_counted(expected, (secret, LOOK, secret), ALL_THREE, {})

    assert selected.expected == (Forbidden("get_secret*"),)
    assert selected.actual == (secret, secret)
    assert selected.ignored == (Ignored(LOOK, "expected", "read"), Ignored(LOOK, "actual", "read"))


def test_reads_inside_groups_are_left_out() -> None:
    group = Group("in_order", (LOOK, Group("any_order", (BOOK, LOOK)), Times(LOOK, 1, 3), PAY))

    selected = select_counted((group,), (), WRITES, {})

    assert selected.expected == (Group("in_order", (Group("any_order", (BOOK,)), PAY)),)
    assert selected.ignored == (Ignored(LOOK, "expected", "read"),) * 3


def test_a_group_of_reads_disappears() -> None:
    group = Group("in_order", (LOOK, Group("any_order", (LOOK,)), Group("optional", (LOOK,))))

    assert _expected(BOOK, group) == (BOOK,)


def test_a_group_that_was_empty_from_the_start_stays() -> None:
    group = Group("any_order", ())

    assert _expected(LOOK, group) == (group,)


def test_an_alternative_that_only_reads_makes_the_others_optional() -> None:
    assert _expected(Group("one_of", (LOOK, BOOK))) == (Group("optional", (BOOK,)),)
    assert _expected(Group("one_of", (BOOK, LOOK, PAY))) == (
        Group("optional", (Group("one_of", (BOOK, PAY)),)),
    )


def test_alternatives_that_only_read_ask_for_nothing() -> None:
    assert _expected(Group("one_of", (LOOK, Group("in_order", (LOOK,)))), BOOK) == (BOOK,)


def test_an_alternative_that_reads_and_writes_stays_one() -> None:
    group = Group("one_of", (Group("in_order", (LOOK, BOOK)), PAY))

    assert _expected(group) == (Group("one_of", (Group("in_order", (BOOK,)), PAY)),)


def test_what_is_optional_already_is_not_made_so_twice() -> None:
    group = Group("optional", (Group("one_of", (LOOK, BOOK)),))

    assert _expected(group) == (Group("optional", (BOOK,)),)


def test_an_optional_group_keeps_what_counts() -> None:
    group = Group("optional", (Group("in_order", (LOOK, BOOK)),))

    assert _expected(group) == (Group("optional", (Group("in_order", (BOOK,)),)),)


def test_repeats_inside_a_group_are_one_call() -> None:
    group = Group("in_order", (BOOK, PAY, BOOK))

    assert _expected(group, PAY, settings=ONCE) == (Group("in_order", (BOOK, PAY)),)


def test_an_alternative_repeats_nothing_of_the_other_and_nothing_repeats_it() -> None:
    group = Group("one_of", (Group("in_order", (BOOK, PAY)), Group("in_order", (BOOK, CANCEL))))

    assert _expected(group, BOOK, settings=ONCE) == (group, BOOK)


def test_an_alternative_that_was_wanted_anyway_makes_the_others_optional() -> None:
    group = Group("one_of", (BOOK, PAY))

    assert _expected(BOOK, group, settings=ONCE) == (BOOK, Group("optional", (PAY,)))


@pytest.mark.parametrize(
    ("times", "left"),
    [
        (Times(BOOK, 1, None), (BOOK,)),
        (Times(BOOK, 3, 3), (BOOK,)),
        (Times(BOOK, 0, None), (Times(BOOK, 0, 1),)),
        (Times(BOOK, 0, 5), (Times(BOOK, 0, 1),)),
        (Times(BOOK, 0, 1), (Times(BOOK, 0, 1),)),
        (Times(BOOK, 0, 0), (Times(BOOK, 0, 0),)),
    ],
)
def test_where_repeats_are_one_call_it_is_wanted_once(
    times: Times, left: tuple[Expected, ...]
) -> None:
    assert _expected(times, settings=ONCE) == left


def test_repeats_that_were_wanted_are_named_once() -> None:
    selected = select_counted((Times(BOOK, 3, 3), Times(PAY, 1, None)), (), ONCE, {})

    assert selected.ignored == (Ignored(BOOK, "expected", "repeated"),)


def test_times_of_a_call_that_was_wanted_before_ask_for_nothing() -> None:
    assert _expected(BOOK, Times(BOOK, 1, 2), Times(BOOK, 0, 2), settings=ONCE) == (BOOK,)
    assert _expected(Times(BOOK, 0, 2), BOOK, settings=ONCE) == (Times(BOOK, 0, 1), BOOK)


def test_where_repeats_count_times_stay_as_they_are() -> None:
    assert _expected(Times(BOOK, 2, 4), Times(LOOK, 0, 2)) == (Times(BOOK, 2, 4),)


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
def test_both_sides_lose_the_same_calls(calls: tuple[ToolCall, ...], settings: Settings) -> None:
    selected = select_counted(calls, calls, settings, {})

    assert selected.expected == selected.actual


@given(CALLS, SETTINGS)
def test_to_select_twice_is_to_select_once(calls: tuple[ToolCall, ...], settings: Settings) -> None:
    once = select_counted(calls, calls, settings, {})
    twice = select_counted(once.expected, once.actual, settings, {})

    assert twice == PreparedCalls(once.expected, once.actual)


def test_a_repeat_that_leaves_something_open_may_mean_several_calls() -> None:
    times = Times(ToolCall("f", {"x": Matcher("$any")}), 2, 3)

    assert _expected(times, settings=ONCE) == (times,)
    assert _expected(Times(ToolCall("f"), 2, 2), settings=ONCE) == (Times(ToolCall("f"), 2, 2),)


# Which calls count, and under which names.

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
    settings = Settings(strip_prefix=("mcp__*__",), normalize_name=parts)

    given = prepare_calls((CHANGE, Forbidden(pattern)), (CHANGE, LOOKUP), settings, {})

    assert given.forbidden == (1,)
    assert given.actual == (ToolCall("change", {}), LOOKUP)


def test_to_forbid_the_tools_of_a_server_does_not_forbid_others() -> None:
    settings = Settings(strip_prefix=("mcp__*__",))
    expected = (ToolCall("get", {}), Forbidden("mcp__x__*"))

    assert prepare_calls(expected, (ToolCall("get", {}),), settings, {}).forbidden == ()
    with pytest.raises(InvalidCall, match="'mcp__x__lookup' is both expected and forbidden"):
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
    settings = Settings(normalize_name=("dots", "case"))

    given = prepare_calls(
        (Forbidden("Delete-[A-Z]*"),), (ToolCall("delete_user", {}),), settings, {}
    )

    assert given.forbidden == (0,)


def test_tools_that_are_compared_alike_and_do_different_things_say_nothing() -> None:
    settings = Settings(normalize_name=("namespace",), count_calls="writes")
    tools = {"x.do": Tool("x.do", effect="read"), "y.do": Tool("y.do", effect="write")}
    calls = (ToolCall("do", {}), ToolCall("x.do", {}), ToolCall("y.do", {}))

    for known in (tools, dict(reversed(tools.items()))):
        assert len(prepare_calls((), calls, settings, known).actual) == 2
