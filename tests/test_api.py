"""`score`, as people call it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from callscore import (
    InvalidCall,
    InvalidSettings,
    Mode,
    Settings,
    ToolCall,
    UnknownFormat,
    check_calls,
    expect,
    read_calls,
    read_tools,
    score,
)
from callscore.api import score_case, tools_by_name
from callscore.core.settings import DEFAULT

F = ToolCall("f", {"a": 1})


@pytest.mark.parametrize(
    "call",
    [
        {"name": "f", "arguments": {"a": 1}},
        {"tool": "f", "args": {"a": 1}},
        {"toolName": "f", "input": {"a": 1}},
        ("f", {"a": 1}),
        F,
        {"name": "f", "arguments": '{"a": 1}'},
    ],
)
def test_a_call_may_be_spelled_in_many_ways(call: Any) -> None:
    assert score([call], [F]).is_exact
    assert score([F], [call]).is_exact


def test_an_expected_name_alone_accepts_any_arguments() -> None:
    assert score(["f"], [F]).f1 == 1.0
    assert score([F], ["f"]).f1 == 0.0


def test_no_expected_calls_may_be_written_as_none() -> None:
    assert score(None, []).f1 == 1.0
    assert score(None, [F]).f1 == 0.0


@pytest.mark.parametrize("options", [{}, {"tools": ["f"]}, {"top_k": 2}])
def test_an_answer_of_none_is_an_error_of_the_caller(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidCall, match=r"^actual: .*got None\. Pass \[\] if no tool was called"):
        score([F], None, **options)
    with pytest.raises(InvalidCall, match="got None"):
        check_calls(None)


def test_the_worked_example_of_the_published_tool() -> None:
    result = score(
        expected=[
            {"tool": "searchWeb", "args": {"query": "AI news"}},
            {"tool": "summarize", "args": {"text": "long article..."}},
        ],
        actual=[
            {"tool": "searchWeb", "args": {"query": "AI news"}},
            {"tool": "summarize", "args": {"text": "different text"}},
            {"tool": "translateText", "args": {"text": "hello", "to": "es"}},
        ],
    )

    assert (result.score, result.precision, result.recall) == (0.4, 1 / 3, 0.5)
    assert result.summary == (
        "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1"
    )


def test_options_and_settings_mean_the_same() -> None:
    expected, actual = [("f", {"a": 1, "b": 2})], [("f", {"a": 1})]
    settings = Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0.5)

    by_options = score(expected, actual, mode="flexible", argument_match_threshold=0.5)

    assert by_options.f1 == score(expected, actual, settings=settings).f1 == 1.0
    assert by_options.settings == settings


def test_order_and_extra_arguments_reach_the_score() -> None:
    swapped = score(["f", "g"], ["g", "f"], order="in_order")
    counted = score([("f", {})], [("f", {"a": 1})], mode="flexible", extra_arguments="count")

    assert swapped.f1 == 0.5
    assert counted.incorrect[0].overlap == 0.0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mode": "loose"}, "mode: unknown value 'loose'. Choose from: strict, flexible"),
        ({"order": "random"}, "order: unknown value 'random'. Choose from: any, in_order, exact"),
        ({"argument_match_threshold": 1.5}, "expected a number from 0 to 1, got 1.5"),
        ({"pass_mark": True}, "expected a number from 0 to 1, got True"),
        ({"mode": []}, r"mode: unknown value \[\]. Choose from"),
        ({"ordr": "any"}, r"unknown setting 'ordr'\. Did you mean 'order'\?"),
        ({"preset": "outcomes"}, r"preset: unknown value 'outcomes'\. Did you mean 'outcome'\?"),
        ({"top_k": 0}, "top_k: expected an integer ≥ 1, got 0"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidSettings, match=said):
        score([], [], **options)


@pytest.mark.parametrize("options", [{"mode": "strict"}, {"preset": "strict"}])
def test_settings_do_not_mix_with_single_options_or_a_preset(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings, match="cannot be combined"):
        score([], [], settings=Settings(), **options)


def test_without_options_the_default_is_in_force() -> None:
    assert score([], []).settings is DEFAULT


def test_a_preset_is_a_base_that_options_override() -> None:
    expected = [("book", {"seats": [1, 2]})]
    actual = [("get_seats", {}), ("book", {"seats": [2, 1]})]

    assert score(expected, actual).f1 == 0.0
    assert score(expected, actual, preset="outcome").f1 == 1.0
    assert score(expected, actual, preset="outcome", arrays="ordered").f1 == 0.0
    assert score(expected, actual, preset="outcome", count_calls="all").f1 == 2 / 3


def test_arguments_can_have_rules_of_their_own() -> None:
    expected = [("book", {"date": "2024-01-15", "to": "New York", "trace": 1})]
    actual = [("book", {"date": "2024-01-15T00:00:00", "to": "new york", "trace": 2})]
    rules = {"book.date": "date", "*.to": {"text": {"ignore": ["case"]}}, "*.trace": "ignore"}

    assert score(expected, actual).f1 == 0.0
    assert score(expected, actual, arguments=rules).f1 == 1.0


def test_effects_can_be_said() -> None:
    expected, actual = ["book"], ["look_up", "book"]

    counted = score(expected, actual, count_calls="writes", effects={"look_*": "read"})

    assert counted.f1 == 1.0
    assert [(ignored.call.name, ignored.why) for ignored in counted.ignored] == [
        ("look_up", "read")
    ]


TOOLS = [
    {
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {"seat": {"type": "integer"}},
            "required": ["seat"],
        },
    },
    {"name": "look", "parameters": {"type": "object"}, "annotations": {"readOnlyHint": True}},
]


def test_without_tools_nothing_is_known_of_faults() -> None:
    assert score([], [("book", {})]).faults is None


def test_the_schemas_of_tools_tell_what_is_wrong_with_calls() -> None:
    made = score([], [("book", {"seat": "1A"}), ("bok", {}), ("book", {"seat": 1})], tools=TOOLS)

    assert made.faults is not None
    assert [(fault.kind, fault.index) for fault in made.faults] == [
        ("wrong_type", 0),
        ("unknown_tool", 1),
    ]


def test_tools_tell_what_changes_something() -> None:
    expected, actual = [("book", {"seat": 1})], [("look", {}), ("book", {"seat": 1})]

    assert score(expected, actual, tools=TOOLS, count_calls="writes").f1 == 1.0
    assert score(expected, actual, count_calls="writes").f1 == 2 / 3


def test_tools_are_known_by_the_names_that_are_compared() -> None:
    made = score([], [("mcp__a__book", {"seat": 1})], tools=TOOLS, strip_prefix="mcp__*__")

    assert made.faults == ()


def test_tools_may_be_values_that_were_read_before() -> None:
    tools = read_tools(TOOLS)

    assert score([], [("book", {})], tools=tools).faults
    assert tools_by_name({tool.name: tool for tool in tools}) == tools_by_name(TOOLS)


def test_tools_that_look_like_calls_are_tools() -> None:
    assert read_tools([{"name": "f", "parameters": {}}]) == []
    assert list(tools_by_name([{"name": "f", "parameters": {}}])) == ["f"]


def test_tools_that_are_none_are_refused() -> None:
    with pytest.raises(UnknownFormat):
        score([], [], tools=[{"x": 1}])


def completion(*answers: list[str]) -> dict[str, Any]:
    """A response with several choices, each of which calls some tools."""
    choices = [
        {"index": at, "message": {"role": "assistant", "tool_calls": [*map(_entry, names)]}}
        for at, names in enumerate(answers)
    ]
    return {"object": "chat.completion", "choices": choices}


def _entry(name: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}


@pytest.mark.parametrize(
    ("answers", "top_k", "counted"),
    [
        ([["g"], ["f"]], 1, ["g"]),
        ([["g"], ["f"]], 2, ["f"]),
        ([["g"], ["g"], ["f"]], 2, ["g"]),
        ([["g"], ["g", "f"], ["f"]], 9, ["f"]),
        ([["f"], ["f"]], 2, ["f"]),
        ([[], ["g"]], 2, []),
    ],
)
def test_the_best_of_the_first_answers_counts(
    answers: list[list[str]], top_k: int, counted: list[str]
) -> None:
    made = score([("f", {})], completion(*answers), top_k=top_k)

    assert [call.name for call in made.actual] == counted


def test_of_answers_with_the_same_f1_the_one_with_more_correct_calls_counts() -> None:
    expected = (ToolCall("a"), ToolCall("b"))
    one, two = (ToolCall("a"),), (ToolCall("a"), ToolCall("b"), *[ToolCall("x")] * 2)

    made = score_case(expected, one, Settings(top_k=2), others=(two,))

    assert made.f1 == 2 / 3
    assert made.actual == two


def test_plain_calls_have_one_answer_whatever_is_asked_for() -> None:
    calls = iter([F])

    assert score([F], calls, top_k=3).is_exact


def test_tools_tell_the_types_in_what_a_model_wrote() -> None:
    text = (
        "<tool_call>\n<function=book>\n<parameter=seat>\n7\n</parameter>\n</function>\n</tool_call>"
    )

    assert score([("book", {"seat": 7})], text, tools=TOOLS).is_exact


def test_a_string_is_not_a_list_of_calls() -> None:
    with pytest.raises(InvalidCall, match="inside a list"):
        score("search", [])


def test_the_arguments_given_are_not_changed() -> None:
    expected = [{"name": "f", "arguments": {"b": [1, {"c": 2}]}}]
    actual = [{"name": "f", "arguments": '{"b": [1]}'}]

    score(expected, actual, mode="flexible")

    assert expected == [{"name": "f", "arguments": {"b": [1, {"c": 2}]}}]
    assert actual == [{"name": "f", "arguments": '{"b": [1]}'}]


def test_calls_are_checked_without_a_reference() -> None:
    tools = [
        {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}
    ]

    faults = check_calls([("f", {"a": 1}), "g"], tools=tools)

    assert [(fault.kind, fault.index) for fault in faults] == [
        ("wrong_type", 0),
        ("unknown_tool", 1),
    ]
    assert "a" in faults[0].reason


def test_without_definitions_only_what_shows_by_itself_is_found() -> None:
    assert [fault.kind for fault in check_calls(["f", "f"])] == ["repeat"]
    assert check_calls([]) == ()


def test_settings_are_settings_and_no_dictionary() -> None:
    with pytest.raises(InvalidSettings, match=r"expected a callscore.Settings"):
        score([], [], settings={"mode": "flexible"})  # type: ignore[arg-type]  # on purpose


def test_keys_with_a_dollar_are_rules_in_text_and_literal_in_python() -> None:
    expected = [{"name": "f", "arguments": {"a": {"$any": True}}}]

    assert score(msgspec.json.encode(expected), [("f", {"a": 1})]).passed
    assert not score(expected, [("f", {"a": 1})]).passed
    assert score(expected, [("f", {"a": {"$any": True}})]).passed


def test_a_file_is_read_for_a_score_as_it_is_read_for_its_calls() -> None:
    folder = Path(__file__).parent / "samples" / "recorded" / "anthropic_managed_agents"
    files = sorted(folder.glob("*.jsonl"))

    assert files
    for path in files:
        assert list(score([], path).actual) == read_calls(path)


def test_a_file_of_calls_in_our_own_words_is_read(tmp_path: Path) -> None:
    path = tmp_path / "calls.json"
    path.write_text('[["f", {"a": 1}], "g"]')

    assert score([("f", {"a": 1}), "g"], path).passed


def test_groups_of_a_case_that_is_handed_over_whole_are_kept() -> None:
    case = {"expected": [{"optional": "f"}], "actual": []}

    assert score(case, []).passed


ONE_MESSAGE = [
    {"role": "user", "content": "q"},
    {
        "role": "assistant",
        "tool_calls": [
            {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
            for name in ("a", "b")
        ],
    },
]


def test_one_message_of_the_user_is_one_of_the_expected_turns() -> None:
    expected = [expect.turn("a"), expect.turn("b")]

    more: list[dict[str, Any]] = [{}, {"tools": ["a", "b"]}, {"expected_state": 1}]
    for options in more:
        assert score(expected, ONE_MESSAGE, **options).first_wrong_turn == 1
    assert score(expected, ONE_MESSAGE[1:]).turns == ()
    assert [call.turn for call in score(["a", "b"], ONE_MESSAGE).actual] == [None, None]


def test_whose_calls_count_is_the_same_for_both_sides() -> None:
    made: list[Any] = ["a", {"name": "b", "caller": "user"}]
    wanted: list[Any] = ["a", ToolCall("b", caller="user")]

    assert score(["a"], made).f1 == 1
    assert score(["a"], made, callers=["agent", "user"]).f1 == pytest.approx(2 / 3)
    assert score(["a", "b"], made, callers=["agent", "user"]).f1 == 1
    assert score(wanted, made).f1 == 1
    assert score(wanted, ["a"], callers="agent").f1 == 1  # type: ignore[arg-type]  # one is enough
    assert score(wanted, ["a", "b"]).f1 == pytest.approx(1 / 2)
    with pytest.raises(InvalidSettings, match=r"callers: unknown value 'me'"):
        score(["a"], made, callers=["me"])  # type: ignore[list-item]


def test_callers_and_a_state_are_read_together() -> None:
    made = [{"name": "b", "caller": "user"}]
    states: dict[str, Any] = {"expected_state": {"x": 1}, "actual_state": {"x": 1}}

    assert len(score([], made, **states).actual) == 1
    assert len(score([], made, callers=["user"], **states).actual) == 2
