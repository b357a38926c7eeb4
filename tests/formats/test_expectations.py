"""Calls, groups, repeats and what is forbidden, as people spell them."""

from __future__ import annotations

from typing import Any, cast

import pytest

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times, calls_in
from callscore.core.rules import Matcher
from callscore.errors import InvalidCall
from callscore.formats.case_sides import read_expected_side
from callscore.formats.expectations import has_groups

A, B = ToolCall("a"), ToolCall("b", {"x": 1})


def read(value: Any, *, spelled: bool = True) -> Any:
    return read_expected_side(value, where="expected", spelled=spelled)


def test_groups_are_read_from_files_in_any_depth() -> None:
    value = [
        {"in_order": [{"any_order": ["a", {"tool": "b", "args": {"x": 1}}]}, {"optional": "a"}]},
        {"one_of": ["a", {"in_order": ["a", ["b", {"x": 1}]]}]},
        {"forbid": "delete_*"},
        {"name": "b", "arguments": {"x": 1}, "times": {"min": 1, "max": 3}},
    ]

    assert read(value) == (
        Group("in_order", (Group("any_order", (A, B)), Group("optional", (A,)))),
        Group("one_of", (A, Group("in_order", (A, B)))),
        Forbidden("delete_*"),
        Times(B, 1, 3),
    )


def test_groups_made_in_python_stand_beside_calls_in_any_spelling() -> None:
    group = Group("optional", (A,))

    assert read([group, {"name": "b", "arguments": {"x": 1}}, "a"], spelled=False) == (group, B, A)
    assert read(group, spelled=False) == (group,)
    assert read(iter([group]), spelled=False) == (group,)
    assert read((Times(A, 2, 2), Forbidden("x")), spelled=False) == (Times(A, 2, 2), Forbidden("x"))


@pytest.mark.parametrize(
    ("times", "least", "most"),
    [
        (2, 2, 2),
        ({}, 1, None),
        ({"min": 0}, 0, None),
        ({"max": 3}, 1, 3),
        ({"min": 2, "max": 2}, 2, 2),
    ],
)
def test_a_repeat_count_is_a_number_or_two_bounds(times: Any, least: int, most: int | None) -> None:
    assert read([{"name": "a", "times": times}]) == (Times(A, least, most),)


def test_dollar_keys_are_rules_in_a_file_and_literal_in_python() -> None:
    value = [{"name": "a", "arguments": {"q": {"$contains": "x"}}}]

    assert read(value) == (ToolCall("a", {"q": Matcher("$contains", "x")}),)
    assert read(value, spelled=False) == (ToolCall("a", {"q": {"$contains": "x"}}),)
    assert read([{"tool": "a", "args": '{"q": {"$any": true}}'}]) == (
        ToolCall("a", {"q": Matcher("$any")}),
    )
    assert read([{"optional": value[0]}], spelled=False) == (
        Group("optional", (ToolCall("a", {"q": {"$contains": "x"}}),)),
    )


def test_a_single_call_in_place_of_a_list_has_rules_too() -> None:
    assert read({"name": "a", "arguments": {"q": {"$any": True}}}) == (
        ToolCall("a", {"q": Matcher("$any")}),
    )


def test_a_field_that_no_call_has_does_not_turn_rules_into_values() -> None:
    call = {"name": "a", "arguments": {"q": {"$any": True}}, "note": "x"}

    assert read([call]) == read(call) == (ToolCall("a", {"q": Matcher("$any")}),)


def test_dollar_keys_in_a_recorded_message_are_literal() -> None:
    function = {"name": "a", "arguments": '{"q": {"$any": true}}'}
    message = {
        "role": "assistant",
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }

    assert [call.arguments for call in read([message])] == [{"q": {"$any": True}}]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            [{"in_ordre": ["a"]}],
            r"expected\[0\]: unknown group 'in_ordre'. Did you mean 'in_order'\?",
        ),
        ([{"$one_of": ["a"]}], r"Did you mean 'one_of'\?"),
        ([{"in_order": "a"}], r"expected\[0\].in_order: must be a list of calls; got 'a'"),
        ([{"in_order": []}], r"expected\[0\].in_order: the group is empty"),
        ([{"in_order": ["a"], "max": 1}], "'max' is not allowed beside 'in_order'"),
        (
            [{"$contains": "x"}],
            r"'\$contains' can replace the value of an argument, not a call",
        ),
        (
            [{"name": "a", "arguments": {}, "forbid": True}],
            r"Put the call inside it, as in \{\"forbid\"",
        ),
        (
            [{"name": "a", "arguments": {}, "optional": True}],
            "'optional' is not a field of a call",
        ),
        (
            [{"name": "a", "arguments": {}, "tmes": 3}],
            "unknown field 'tmes' of a call. Did you mean 'times'",
        ),
        ([{"name": "a", "arguments": {}, "min": 3}], "'min' must be inside 'times'"),
        ([{"optional": {"name": "a", "arguments": {}, "forbid": "x"}}], "is not a field of a call"),
        ([{"sequence": ["a"]}], "unknown group 'sequence'. Choose from: in_order, any_order"),
        ([{"name": "a", "arguments": {"$any": True}}], "leave out 'arguments'"),
        ([{"forbid": ["a", "b"]}], "got a list of 2"),
        ([Times(cast("Any", Group("in_order", (A,))), 2)], r"times: only a call can be repeated"),
        ([Matcher("$optional", "a")], r"For calls write expect.optional\(expect.call"),
        ([{"optional": ["a", "b"]}], r"optional: it takes one call or one group"),
        ([{"one_of": ["a", {"forbid": "b"}]}], r"one_of\[1\]: 'forbid' applies to the whole case"),
        ([{"optional": {"forbid": "b"}}], r"expected\[0\].optional: 'forbid'"),
        ([{"forbid": 3}], r"expected\[0\].forbid: must be the name of a tool"),
        ([{"forbid": "a", "times": 2}], "without other keys"),
        ([{"name": "a", "times": "often"}], r"expected\[0\].times: must be a number"),
        ([{"name": "a", "times": True}], r"times: must be a number"),
        ([{"name": "a", "times": {"mn": 1}}], r"unknown key 'mn'"),
        ([{"name": "a", "times": {"min": -1}}], "integers from 0 to 10,000"),
        ([{"name": "a", "times": {"min": 10**9}}], "integers from 0 to 10,000"),
        ([{"name": "a", "times": {"max": 1.5}}], "integers from 0 to 10,000"),
        ([{"name": "a", "times": {"min": 3, "max": 2}}], "'max' is 2 and 'min' is 3"),
        ([{"name": "a", "times": 0}], "To forbid a call, use 'forbid'"),
        ([{"in_order": [{"nam": "a"}, 5]}], r"in_order\[0\]: a call needs a name"),
        ([{"name": "a", "arguments": {"$subset": {"x": 1}}}], "not all arguments"),
        (
            [{"name": "a", "arguments": {"q": {"$rgx": "x"}}}],
            r"expected\[0\].arguments.q: .*\$regex",
        ),
        ([Matcher("$any")], r"'\$any' can replace the value of an argument, not a call"),
        ([{"one_of": ["a", 5]}], r"expected\[0\].one_of\[1\]: expected a call such as"),
    ],
)
def test_an_invalid_expectation_is_refused_with_what_is_wrong(value: Any, said: str) -> None:
    with pytest.raises(InvalidCall, match=said):
        read(value)


def test_a_tool_may_be_called_like_a_group() -> None:
    value = {"name": "forbid", "arguments": {"optional": 1}}

    assert not has_groups([value])
    assert read([value]) == (ToolCall("forbid", {"optional": 1}),)


@pytest.mark.parametrize("wrap", [lambda call: [call], lambda call: [{"optional": call}]])
@pytest.mark.parametrize(
    "call",
    [
        {"type": "function", "function": {"name": "a", "arguments": {"q": {"$any": True}}}},
        {"type": "tool_use", "id": "1", "name": "a", "input": {"q": {"$any": True}}},
        {
            "type": "function_call",
            "call_id": "1",
            "name": "a",
            "arguments": '{"q": {"$any": true}}',
        },
    ],
)
def test_a_call_has_rules_in_whatever_shape_a_file_writes_it(wrap: Any, call: Any) -> None:
    (item,) = calls_in(read(wrap(call)))

    assert item.arguments == {"q": Matcher("$any")}


def test_a_call_that_was_made_in_python_is_literal_wherever_it_stands() -> None:
    made = ToolCall("a", {"q": {"$gt": 5}})

    assert read([made]) == (made,)
    assert read([{"optional": made}]) == (Group("optional", (made,)),)


def test_an_optional_pair_is_a_call() -> None:
    assert read([{"optional": ["b", {"x": 1}]}]) == (Group("optional", (B,)),)


def test_groups_nested_too_deeply_are_refused() -> None:
    value: Any = "a"
    for _ in range(10_000):
        value = {"optional": value}

    with pytest.raises(InvalidCall, match="groups are nested too deeply"):
        read([value])


def test_a_number_of_times_is_a_number_as_json_knows_it() -> None:
    assert read([{"name": "a", "times": 2.0}]) == (Times(A, 2, 2),)
    assert read([{"name": "a", "times": {"min": 1.0, "max": 3.0}}]) == (Times(A, 1, 3),)


def test_three_calls_are_more_than_may_be_optional_together() -> None:
    with pytest.raises(InvalidCall, match="optional: it takes one call or one group"):
        read([{"optional": ["a", "b", "c"]}])
