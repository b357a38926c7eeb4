"""What a model sends, and what it is told where that is wrong."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.call import ToolCall
from callscore.core.expectation import Forbidden, Group, Times
from callscore.core.matcher import Matcher
from callscore.errors import CallscoreError, InvalidCall, InvalidSettings
from callscore.integrations.tool_input import read_check_input, read_score_input

CALL = {"tool": "search", "args": {"q": "x"}}
BOTH = {"expected": [CALL], "actual": [CALL]}
READ = ToolCall("search", {"q": "x"})


def text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def wrong(arguments: Any, read: Any = read_score_input) -> str:
    with pytest.raises(CallscoreError) as caught:
        read(arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        CALL,
        {"name": "search", "arguments": {"q": "x"}},
        {"toolName": "search", "input": {"q": "x"}},
        {"tool": "search", "args": '{"q": "x"}'},
        text(CALL),
        ["search", {"q": "x"}],
    ],
)
def test_a_call_may_be_spelled_in_many_ways(call: Any) -> None:
    given = read_score_input({"expected": [call], "actual": [call]})

    assert (given.expected, given.actual) == ((READ,), (READ,))


def test_a_whole_side_may_come_as_text() -> None:
    given = read_score_input({"expected": text([CALL]), "actual": text([text(CALL)])})

    assert (given.expected, given.actual) == ((READ,), (READ,))


def test_the_messages_of_a_provider_are_read() -> None:
    function = {"name": "search", "arguments": '{"q": "x"}'}
    message = {"role": "assistant", "tool_calls": [{"type": "function", "function": function}]}

    given = read_score_input({"expected": [CALL], "actual": [message]})

    assert [(call.name, call.arguments) for call in given.actual] == [("search", {"q": "x"})]


def test_keys_with_a_dollar_are_rules_where_something_is_expected_and_literal_elsewhere() -> None:
    call = {"tool": "f", "args": {"a": {"$gt": 5}}}

    given = read_score_input({"expected": [call], "actual": [call]})

    assert given.expected == (ToolCall("f", {"a": Matcher("$gt", 5)}),)
    assert given.actual == (ToolCall("f", {"a": {"$gt": 5}}),)


def test_groups_are_read_with_members_as_objects_or_as_text() -> None:
    members = [CALL, text(CALL), "get_user"]
    expected = [
        {"one_of": members},
        {"in_order": text([CALL, {"any_order": [CALL]}])},
        {"optional": text(CALL)},
        {"optional": "get_user"},
        {"forbid": "delete_*"},
        {"tool": "f", "times": 2},
    ]

    given = read_score_input({"expected": expected, "actual": []})

    assert given.expected == (
        Group("one_of", (READ, READ, ToolCall("get_user"))),
        Group("in_order", (READ, Group("any_order", (READ,)))),
        Group("optional", (READ,)),
        Group("optional", (ToolCall("get_user"),)),
        Forbidden("delete_*"),
        Times(ToolCall("f"), 2, 2),
    )


def test_an_argument_that_is_named_like_a_group_is_left_alone() -> None:
    call = {"tool": "f", "args": {}, "optional": "[1]"}

    problem = wrong({"expected": [call], "actual": []})

    assert "'optional'" in problem or "`optional`" in problem


@pytest.mark.parametrize("missing", [{}, {"mode": None, "threshold": None, "order": None}])
def test_without_options_the_settings_are_the_strict_ones(missing: dict[str, Any]) -> None:
    given = read_score_input({**BOTH, **missing})

    assert (given.settings.mode, given.settings.order) == ("strict", "any")
    assert given.tools is None


def test_options_become_settings() -> None:
    options = {"mode": "flexible", "threshold": 0.5, "order": "in_order"}

    settings = read_score_input({**BOTH, **options}).settings

    assert (settings.mode, settings.order) == ("flexible", "in_order")
    assert settings.argument_match_threshold == 0.5


def test_a_mode_may_be_any_preset() -> None:
    settings = read_score_input({**BOTH, "mode": "outcome"}).settings

    assert settings.count_calls == "writes"


@pytest.mark.parametrize(
    "definitions",
    [
        [{"name": "f", "parameters": {"type": "object"}}],
        ['{"name": "f", "parameters": {"type": "object"}}'],
        '[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]',
        ["f"],
    ],
)
def test_tools_may_be_defined_in_many_ways(definitions: Any) -> None:
    given = read_check_input({"actual": [], "tools": definitions})

    assert given.tools is not None
    assert list(given.tools) == ["f"]


def test_no_tools_is_not_the_same_as_an_empty_list_of_tools() -> None:
    assert read_check_input({"actual": []}).tools is None
    assert read_check_input({"actual": [], "tools": []}).tools == {}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (None, "the input is an object with `expected`, `actual`, `mode`, "),
        ([], "; got an empty list."),
        (
            {},
            'expected: give the calls that should be made: [{"tool": ..., "args": {...}}], or [] ',
        ),
        ({"expected": [], "actual": None}, "actual: give the calls that were made: "),
        ({"expected": None, "actual": []}, "expected: give the calls that should be made: "),
        ({**BOTH, "expcted": []}, "there is no field 'expcted'. Is 'expected' meant?"),
        ({**BOTH, "zzz": 1}, "there is no field 'zzz'. There are `expected`, `actual`, `mode`, "),
        (
            {**BOTH, "mode": "Flexible"},
            "mode: 'Flexible' is not one of strict, flexible, outcome. ",
        ),
        ({**BOTH, "mode": []}, "mode: an empty list is not one of strict, flexible, outcome."),
        ({**BOTH, "order": "sorted"}, "order: 'sorted' is not one of any, in_order, exact."),
        ({**BOTH, "threshold": 80}, "threshold: 80 is not a number from 0 to 1."),
        ({**BOTH, "threshold": True}, "threshold: true is not a number from 0 to 1."),
        ({**BOTH, "threshold": float("nan")}, "threshold: nan is not a number from 0 to 1."),
        ({**BOTH, "tools": [{"foo": 1}]}, "tools: there are no definitions of tools in it. Give ["),
        ({**BOTH, "tools": {"x": 1}}, "tools: there are no definitions of tools in it. Give ["),
        ({"expected": "search", "actual": []}, "expected: give [{"),
        ({"expected": ["{"], "actual": []}, "expected[0]: give JSON; got the text '{'."),
        ({"expected": [], "actual": [{"args": {}}]}, "actual[0]: a call needs a name, as in "),
        ({"expected": [{"foo": 1}], "actual": []}, "expected[0]: a call needs a name, as in "),
        ({"expected": [{"tool": "f", "arg": {}}], "actual": []}, "expected[0]: 'arg' is no field "),
        (
            {"expected": [{"tool": "f", "args": "{"}], "actual": []},
            "expected[0]: in the call of 'f' ",
        ),
        (
            {"expected": [{"tool": "f", "args": {"a": {"$gtt": 1}}}], "actual": []},
            "Is '$gt' meant?",
        ),
        ({"expected": 5, "actual": []}, "expected: expected a list of calls, got 5."),
        ({"expected": [], "actual": {"a": 1}}, "actual: a call needs a name, as in "),
    ],
)
def test_what_is_wrong_is_said_with_what_to_send(arguments: Any, told: str) -> None:
    problem = wrong(arguments)

    assert told in problem
    assert "callscore formats" not in problem  # which no model can run


def test_two_definitions_of_one_tool_that_differ_are_refused() -> None:
    two = [{"name": "f", "parameters": {}}, {"name": "f", "parameters": {"type": "object"}}]

    with pytest.raises(InvalidSettings, match=r"^tools: there are two tools 'f'"):
        read_check_input({"actual": [], "tools": two})


def test_a_check_knows_no_expectations() -> None:
    problem = wrong({"actual": [], "expected": []}, read_check_input)

    assert problem == "there is no field 'expected'. There are `actual`, `tools`."


@pytest.mark.parametrize("side", ["expected", "actual"])
@pytest.mark.parametrize(
    "calls",
    [["f"] * 1001, text(["f"] * 1001), [["f", {}]] * 1001],
    ids=["names", "text", "pairs"],
)
def test_too_many_calls_are_refused(side: str, calls: Any) -> None:
    arguments = {"expected": [], "actual": [], side: calls}

    assert wrong(arguments).startswith(f"{side}: there are 1,001 calls in it")


@pytest.mark.parametrize(
    "item",
    [
        {"tool": "f", "times": 2000},
        {"tool": "f", "times": {"min": 2000}},
        {"optional": {"tool": "f", "times": {"min": 1, "max": 2000}}},
    ],
)
def test_repeats_count_as_so_many_calls(item: Any) -> None:
    problem = wrong({"expected": [item, {"forbid": "g"}], "actual": []})

    assert problem.startswith("expected: there are 2,000 calls in it")


@pytest.mark.parametrize("side", ["expected", "actual"])
@pytest.mark.parametrize("levels", [150, 100_000])
def test_text_may_not_hide_what_is_too_deep(side: str, levels: int) -> None:
    arguments = {"expected": [], "actual": [], side: "[" * levels + "]" * levels}

    with pytest.raises(InvalidCall):
        read_score_input(arguments)


def test_text_that_is_no_text_is_no_json() -> None:
    assert wrong({"expected": '["\ud800"]', "actual": []}).startswith("expected: give [{")
