"""Scores and checks with what is known of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore import InvalidSettings, Tool, check_calls, read_tools, score

if TYPE_CHECKING:
    from pathlib import Path

LOOK: dict[str, Any] = {
    "name": "get_seat",
    "parameters": {"type": "object", "properties": {"row": {"type": "integer"}}},
}
BOOK: dict[str, Any] = {
    "name": "book",
    "parameters": {"type": "object", "properties": {"seat": {"type": "integer"}}},
}
TOOLS = [LOOK, BOOK]


def found(faults: Any) -> list[tuple[str, str, int]]:
    return [(fault.kind, fault.tool, fault.index) for fault in faults]


@pytest.mark.parametrize("options", [{"count_calls": "writes"}, {"preset": "outcome"}, {}])
def test_calls_that_do_not_count_are_checked_all_the_same(options: dict[str, Any]) -> None:
    actual = [("get_seat", {"row": "A"}), ("book", {"seat": 1}), ("book", {"seat": "1A"})]

    made = score([("book", {"seat": 1})], actual, tools=TOOLS, **options)

    assert found(made.faults) == [("wrong_type", "get_seat", 0), ("wrong_type", "book", 2)]
    assert made.parameters_valid == 1 / 3


def test_expected_calls_that_do_not_count_were_expected() -> None:
    expected = [("get_seat", {"row": 1})]

    assert score(expected, [], tools=TOOLS, count_calls="writes").parameters_valid == 0.0
    assert score([], [], tools=TOOLS, count_calls="writes").parameters_valid == 1.0


def test_the_answer_that_counts_is_the_one_that_is_checked() -> None:
    def choice(text: str) -> dict[str, Any]:
        function = {"name": "book", "arguments": text}
        call = {"id": "1", "type": "function", "function": function}
        return {"index": 0, "message": {"role": "assistant", "tool_calls": [call]}}

    response = {
        "object": "chat.completion",
        "choices": [choice('{"seat": "1"}'), choice('{"seat": 1}')],
    }

    assert found(score([("book", {"seat": 1})], response, tools=TOOLS).faults) == [
        ("wrong_type", "book", 0)
    ]
    assert score([("book", {"seat": 1})], response, tools=TOOLS, top_k=2).faults == ()


def test_no_argument_fits_a_tool_that_takes_none() -> None:
    tools = [{"name": "now", "parameters": {"type": "object", "properties": {}}}]

    assert found(check_calls([("now", {"x": 1})], tools=tools)) == [("unknown_argument", "now", 0)]
    assert check_calls([("now", {})], tools=tools) == ()


@pytest.mark.parametrize(
    "tools", [["look"], ("look",), [Tool("look")], (Tool("look", effect="read"),)]
)
def test_names_and_values_tell_which_tools_there_are(tools: Any) -> None:
    assert found(check_calls(["book"], tools=tools)) == [("unknown_tool", "book", 0)]
    assert found(score([], ["book", "look"], tools=tools).faults) == [("unknown_tool", "book", 0)]


@pytest.mark.parametrize("tools", [[], (), {}])
def test_where_no_tool_is_offered_every_call_is_of_an_unknown_one(tools: Any) -> None:
    assert found(score([], ["f"], tools=tools).faults) == [("unknown_tool", "f", 0)]
    assert found(check_calls(["f"], tools=tools)) == [("unknown_tool", "f", 0)]


@pytest.mark.parametrize("tools", [TOOLS, [{**BOOK, "effect": "read"}], [{"name": "f"}, BOOK]])
def test_what_is_read_can_be_handed_back(tools: Any) -> None:
    read = read_tools(tools)

    assert read
    assert check_calls([("book", {"seat": "A"})], tools=read) == check_calls(
        [("book", {"seat": "A"})], tools=tools
    )


OTHER = {**BOOK, "parameters": {"type": "object", "properties": {"row": {"type": "string"}}}}


def test_tasks_of_the_leaderboard_may_define_a_tool_in_different_ways(tmp_path: Path) -> None:
    def task(kind: str) -> dict[str, Any]:
        schema = {"type": "dict", "properties": {"a": {"type": kind}}, "required": ["a"]}
        function = [{"name": "f", "parameters": schema}]
        return {"id": f"simple_{kind}", "question": [[]], "function": function}

    tasks = [task("integer"), task("string")]
    file = tmp_path / "BFCL_v4_simple_python.json"
    file.write_bytes(b"\n".join(map(msgspec.json.encode, tasks)))

    for tools in (file, tasks):
        found = [
            check_calls([{"name": "f", "arguments": {"a": value}}], tools=tools)
            for value in (1, "x", None)
        ]
        assert [len(problems) for problems in found] == [0, 0, 1]


def test_two_definitions_of_a_tool_that_differ_are_refused_everywhere() -> None:
    tools = [BOOK, {**BOOK, "description": "x"}, OTHER]

    for use in (lambda: score([], [], tools=tools), lambda: check_calls([], tools=tools)):
        with pytest.raises(
            InvalidSettings, match="two definitions of the tool 'book' have different schemas"
        ):
            use()
    assert check_calls([("book", {})], tools=tools[:2]) == ()


def test_a_call_is_held_against_the_tool_that_it_names() -> None:
    tools = [{**BOOK, "name": "a__book"}, {**OTHER, "name": "b__book"}]
    actual = [("b__book", {"row": "1"}), ("a__book", {"seat": 1}), ("b__book", {"row": 1})]

    made = score([], actual, tools=tools, strip_prefix="*__")

    assert found(made.faults) == [("wrong_type", "book", 2)]
    with pytest.raises(InvalidSettings, match="'a__book' and 'b__book'"):
        score([], ["book"], tools=tools, strip_prefix="*__")


def test_an_effect_that_there_is_not_is_refused_with_the_one_that_is_meant() -> None:
    with pytest.raises(InvalidSettings, match=r"'book' has an unknown effect 'reads'.*'read'"):
        score([], [], tools=[{**BOOK, "effect": "reads"}])
