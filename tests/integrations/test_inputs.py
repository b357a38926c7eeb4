"""What a model sends, and what it is told where that is wrong."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.rules import Matcher
from callscore.errors import CallscoreError, InvalidCall, InvalidSettings
from callscore.integrations.inputs import (
    DEEPEST,
    LARGEST,
    MOST_CALLS,
    read_check_input,
    read_score_input,
    require_bounded,
    require_few,
)

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


class Text(str):
    """A string of another library."""

    __slots__ = ()


def test_any_kind_of_text_may_be_a_side() -> None:
    given = read_score_input({"expected": Text(text([CALL])), "actual": [Text(text(CALL))]})

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


@pytest.mark.parametrize(
    "missing", [{}, {"mode": None, "argument_match_threshold": None, "order": None}]
)
def test_without_options_the_settings_are_the_strict_ones(missing: dict[str, Any]) -> None:
    given = read_score_input({**BOTH, **missing})

    assert (given.settings.mode, given.settings.order) == ("strict", "any")
    assert given.tools is None


def test_options_are_read_in_any_case_and_under_their_aliases() -> None:
    options = {"mode": "FLEXIBLE", "argumentMatchThreshold": 0.5, "order": "IN_ORDER"}

    settings = read_score_input({**BOTH, **options}).settings

    assert (settings.mode, settings.order) == ("flexible", "in_order")
    assert settings.argument_match_threshold == 0.5


def test_options_become_settings() -> None:
    options = {"mode": "flexible", "argument_match_threshold": 0.5, "order": "in_order"}

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
        (None, "expected an object with 'expected', 'actual', 'mode', "),
        ([], ", got an empty list."),
        (
            {},
            'expected: missing. Send the expected calls: [{"tool": ..., "args": {...}}], or [] ',
        ),
        ({"expected": [], "actual": None}, "actual: missing. Send the actual calls: "),
        ({"expected": None, "actual": []}, "expected: missing. Send the expected calls: "),
        ({**BOTH, "expcted": []}, "unknown field 'expcted'. Did you mean 'expected'?"),
        ({**BOTH, "zzz": 1}, "unknown field 'zzz'. Choose from: expected, actual, mode, "),
        (
            {**BOTH, "mode": "Flexibel"},
            "mode: unknown value 'Flexibel'. Did you mean 'flexible'?",
        ),
        (
            {**BOTH, "mode": []},
            "mode: unknown value an empty list. Choose from: strict, flexible, outcome, coverage.",
        ),
        (
            {**BOTH, "order": "sorted"},
            "order: unknown value 'sorted'. Choose from: any, in_order, exact, in_turns.",
        ),
        (
            {**BOTH, "argument_match_threshold": 80},
            "argument_match_threshold: expected a number from 0 to 1, got 80.",
        ),
        (
            {**BOTH, "argument_match_threshold": True},
            "argument_match_threshold: expected a number from 0 to 1, got true.",
        ),
        (
            {**BOTH, "argument_match_threshold": float("nan")},
            "argument_match_threshold: expected a number from 0 to 1, got nan.",
        ),
        ({**BOTH, "tools": [{"foo": 1}]}, "tools: no tool definitions found. Send ["),
        ({**BOTH, "tools": {"x": 1}}, "tools: no tool definitions found. Send ["),
        ({"expected": "search", "actual": []}, "expected: expected [{"),
        ({"expected": ["{"], "actual": []}, "expected[0]: expected JSON, got the text '{'."),
        (
            {"expected": [], "actual": [{"args": {}}]},
            'actual[0]: a call needs a tool, as in {"tool": ..., "args": {...}}; got ',
        ),
        ({"expected": [{"foo": 1}], "actual": []}, "expected[0]: a call needs a tool, as in "),
        (
            {"expected": [{"tool": "f", "arg": {}}], "actual": []},
            "expected[0]: unknown field 'arg' of a call. Put the arguments under 'args'.",
        ),
        ({"expected": [1], "actual": []}, 'a call such as {"tool": ..., "args": {...}}, got 1.'),
        (
            {"expected": [{"tool": "f", "args": {"$any": True}}], "actual": []},
            "To accept any arguments, leave out 'args'.",
        ),
        (
            {"expected": [{"tool": "f", "args": {"a": [{"$gt": "x"}]}}], "actual": []},
            "expected[0].args.a[0]: '$gt': ",
        ),
        (
            {"expected": {"tool": "f", "args": {"arguments": {"$gt": []}}}, "actual": []},
            "expected[0].args.arguments: '$gt': ",
        ),
        (
            {"expected": [{"one_of": [{"tool": "f", "args": {"a": {"$x": 1}}}]}], "actual": []},
            "expected[0].one_of[0].args.a: ",
        ),
        (
            {"expected": [{"tool": "f", "times": 1_000_000_000}], "actual": []},
            "expected[0].times: got 1000000000, the limit is 1,000 calls.",
        ),
        (
            {**BOTH, "tools": "x"},
            'tools: expected [{"name": ..., "parameters": {a JSON Schema}}], or ',
        ),
        (
            {**BOTH, "argument_match_threshold": 0.5},
            'argument_match_threshold: it has no effect in mode \'strict\'. Send "mode": "flexible" with it, or ',
        ),
        (
            {**BOTH, "argument_match_threshold": 0.5, "mode": "outcome"},
            "argument_match_threshold: it has no effect in mode 'outcome'",
        ),
        (
            {"expected": [{"tool": "f", "args": "{"}], "actual": []},
            "expected[0]: in the call of 'f' ",
        ),
        (
            {"expected": [{"tool": "f", "args": {"a": {"$gtt": 1}}}], "actual": []},
            "Did you mean '$gt'?",
        ),
        ({"expected": 5, "actual": []}, "expected: must be a list of calls; got 5."),
        ({"expected": [], "actual": {"a": 1}}, "actual: a call needs a tool, as in "),
    ],
)
def test_what_is_wrong_is_said_with_what_to_send(arguments: Any, told: str) -> None:
    problem = wrong(arguments)

    assert told in problem
    assert "callscore formats" not in problem  # which no model can run


def test_two_definitions_of_one_tool_that_differ_are_refused() -> None:
    two = [{"name": "f", "parameters": {}}, {"name": "f", "parameters": {"type": "object"}}]

    with pytest.raises(InvalidSettings, match=r"^tools: two definitions of the tool 'f'"):
        read_check_input({"actual": [], "tools": two})


def test_a_check_knows_no_expectations() -> None:
    problem = wrong({"actual": [], "expected": []}, read_check_input)

    assert problem == "unknown field 'expected'. Choose from: actual, tools."


@pytest.mark.parametrize("side", ["expected", "actual"])
@pytest.mark.parametrize(
    "calls",
    [["f"] * 1001, text(["f"] * 1001), [["f", {}]] * 1001],
    ids=["names", "text", "pairs"],
)
def test_too_many_calls_are_refused(side: str, calls: Any) -> None:
    arguments = {"expected": [], "actual": [], side: calls}

    assert wrong(arguments).startswith(f"{side}: got 1,001 items")


def test_too_many_calls_are_refused_before_anything_is_looked_at() -> None:
    arguments: Any = {"expected": [{1: set()}] * 1001, "actual": []}

    assert wrong(arguments).startswith("expected: got 1,001 items")


@pytest.mark.parametrize(
    "item",
    [
        {"tool": "f", "times": 600},
        {"tool": "f", "times": {"min": 600}},
        {"optional": {"tool": "f", "times": {"min": 1, "max": 600}}},
    ],
)
def test_repeats_count_as_so_many_calls(item: Any) -> None:
    problem = wrong({"expected": [item, item, {"forbid": "g"}], "actual": []})

    assert problem.startswith("expected: got 1,200 calls")


@pytest.mark.parametrize("question", [{"$judge": "polite?"}, {"$judge": "?", "at_least": 0.5}])
@pytest.mark.parametrize(
    ("item", "place"),
    [
        (lambda rule: {"tool": "f", "args": {"a": rule}}, ".args.a"),
        (lambda rule: {"tool": "f", "args": {"a": [1, rule]}, "times": 2}, ".args.a[1]"),
        (lambda rule: {"tool": "f", "args": {"a": {"$one_of": [1, rule]}}}, ".args.a.$one_of[1]"),
        (
            lambda rule: {"one_of": ["g", {"optional": {"tool": "f", "args": {"a": rule}}}]},
            ".one_of[1].optional.args.a",
        ),
    ],
)
def test_a_rule_that_asks_a_model_is_refused_whatever_was_called(
    question: Any, item: Any, place: str
) -> None:
    problem = wrong({"expected": [{"forbid": "x"}, item(question)], "actual": []})

    assert problem == (
        f"expected[1]{place}: '$judge' is not supported here, since no model is called."
        " Use $contains, $regex or $text."
    )


def test_what_only_looks_like_such_a_rule_is_read() -> None:
    call = {"tool": "f", "args": {"a": {"$literal": {"$judge": "polite?"}}}}

    given = read_score_input({"expected": [call], "actual": []})

    assert given.expected == (ToolCall("f", {"a": {"$judge": "polite?"}}),)


EMPTY: dict[str, Any] = {
    "times": None,
    "in_order": [],
    "any_order": None,
    "one_of": [],
    "forbid": "",
}


@pytest.mark.parametrize(
    "more",
    [
        {"times": None},
        {"forbid": None},
        {"optional": None},
        {"optional": {}},
        {"in_order": [], "one_of": []},
        {"forbid": "", "times": 1},
        EMPTY,
    ],
)
def test_fields_of_a_call_that_say_nothing_are_left_out(more: dict[str, Any]) -> None:
    given = read_score_input({"expected": [{**CALL, **more}], "actual": [{**CALL, **more}]})

    assert given.actual == (READ,)
    assert given.expected in ((READ,), (Times(READ, 1, 1),))


@pytest.mark.parametrize(
    ("item", "read"),
    [
        ({"tool": None, "args": None, "in_order": [CALL]}, Group("in_order", (READ,))),
        ({"tool": "", "args": {}, "times": 1, "one_of": [CALL]}, Group("one_of", (READ,))),
        ({**EMPTY, "any_order": [{**CALL, **EMPTY}]}, Group("any_order", (READ,))),
        ({**EMPTY, "tool": None, "optional": {**CALL, **EMPTY}}, Group("optional", (READ,))),
        ({**EMPTY, "tool": "", "args": "{}", "forbid": "x_*"}, Forbidden("x_*")),
    ],
)
def test_fields_beside_a_group_that_say_nothing_are_left_out(item: Any, read: Any) -> None:
    given = read_score_input({"expected": [item], "actual": []})

    assert given.expected == (read,)


@pytest.mark.parametrize(
    ("item", "told"),
    [
        ({"in_order": []}, "expected[0].in_order: the group is empty."),
        ({"tool": "f", "in_order": [CALL]}, "'in_order' is not a field of a call"),
        ({"in_order": [CALL], "one_of": [CALL]}, "'one_of' is not allowed beside 'in_order'"),
        ({"in_order": [CALL], "times": 2}, "'times' is not allowed beside 'in_order'"),
    ],
)
def test_fields_that_contradict_one_another_are_refused(item: Any, told: str) -> None:
    assert told in wrong({"expected": [item], "actual": []})


def test_an_actual_call_of_no_tool_is_one_all_the_same() -> None:
    given = read_score_input({"expected": [], "actual": [{"tool": None, "args": {}}]})

    assert [call.name for call in given.actual] == [""]


@pytest.mark.parametrize("side", ["expected", "actual"])
@pytest.mark.parametrize("levels", [150, 100_000])
def test_text_may_not_hide_what_is_too_deep(side: str, levels: int) -> None:
    arguments = {"expected": [], "actual": [], side: "[" * levels + "]" * levels}

    with pytest.raises(InvalidCall):
        read_score_input(arguments)


def test_text_that_is_no_text_is_no_json() -> None:
    assert wrong({"expected": '["\ud800"]', "actual": []}).startswith("expected: expected [{")


# How much a call of a tool may bring.


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1.5,
        10**50,
        "x" * (LARGEST - 1),
        {"a": [1, {"b": "c"}]},
        ("a", 1),
        nested(DEEPEST),
    ],
    ids=["null", "boolean", "float", "integer", "long", "object", "tuple", "deep"],
)
def test_what_is_not_too_much_passes(value: Any) -> None:
    require_bounded(value)


@pytest.mark.parametrize(
    "value",
    ["x" * LARGEST, [0] * LARGEST, {"x" * LARGEST: 1}, 1 << (3 * LARGEST), [["x" * 1000] * 1000]],
    ids=["text", "list", "key", "integer", "all together"],
)
def test_what_is_too_large_is_refused_with_what_to_do(value: Any) -> None:
    with pytest.raises(InvalidCall, match=r"too large: the limit is 1,000,000 .* Send fewer calls"):
        require_bounded(value)


@pytest.mark.parametrize("levels", [DEEPEST + 1, 100_000])
def test_what_is_too_deep_is_refused_with_what_to_do(levels: int) -> None:
    with pytest.raises(InvalidCall, match=r"nested too deeply: the limit is 100 levels\. Flatten"):
        require_bounded(nested(levels))


@pytest.mark.parametrize(
    ("value", "problem"),
    [({1: "a"}, "keys of objects must be strings"), ([{"a"}], "it contains a set")],
)
def test_what_is_no_json_is_refused(value: Any, problem: str) -> None:
    with pytest.raises(InvalidCall, match=problem):
        require_bounded(value)


def test_a_side_may_have_a_thousand_calls_and_no_more() -> None:
    require_few(MOST_CALLS, "actual")

    with pytest.raises(InvalidCall, match=r"^actual: got 1,001 calls.* Send them in parts"):
        require_few(MOST_CALLS + 1, "actual")


def test_a_list_may_have_as_many_items_whatever_they_are() -> None:
    require_few(MOST_CALLS, "actual", "items")

    with pytest.raises(InvalidCall, match=r"^actual: got 1,001 items, the limit is "):
        require_few(MOST_CALLS + 1, "actual", "items")
