"""Text as a model wrote it."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import INVALID, NOT_AN_OBJECT, TOO_DEEP, TRUNCATED, Tool, ToolCall
from callscore.formats.families.model_text import (
    answer_texts,
    json_values,
    split_turns,
    starts_with_call,
    take_json,
    tools_in,
    typed_arguments,
    typed_value,
    without_thoughts,
)
from callscore.formats.transcript import Transcript

BAR = "\uff5c"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hello", [("assistant", "hello")]),
        ("", []),
        (
            "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nho<|im_end|>",
            [("user", "\nhi"), ("", "\n"), ("assistant", "\nho")],
        ),
        ("ho<|im_end|>", [("assistant", "ho")]),
        ("<|im_user|>user<|im_middle|>hi<|im_end|>", [("user", "hi")]),
        (
            "<|start_header_id|>ipython<|end_header_id|>\n\n18<|eot_id|>",
            [("ipython", "\n\n18")],
        ),
        ("<|header_start|>assistant<|header_end|>ho<|eot|>", [("assistant", "ho")]),
        ("<|user|>hi<|assistant|>ho", [("user", "hi"), ("assistant", "ho")]),
        (
            f"<{BAR}User{BAR}>hi<{BAR}Assistant{BAR}>ho<{BAR}end▁of▁sentence{BAR}>",
            [("user", "hi"), ("assistant", "ho")],
        ),
    ],
)
def test_a_text_is_cut_into_turns(text: str, found: list[tuple[str, str]]) -> None:
    assert list(split_turns(text)) == found


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a", "a"),
        ("<think>x</think>\na", "a"),
        ("<think>x</think> <think>y</think>a", "a"),
        ("[THINK]x[/THINK]a", "a"),
        ("x</think>a", "a"),
        ("<think>x", ""),
        ("a <think>x</think>", "a <think>x</think>"),
    ],
)
def test_the_thoughts_before_an_answer_are_no_part_of_it(text: str, rest: str) -> None:
    assert without_thoughts(text) == rest


def test_the_answers_are_what_the_model_said() -> None:
    text = "<|user|>hi<|assistant|><think>x</think>one<|user|>go on<|assistant|>two"

    assert list(answer_texts(text)) == ["one", "two"]


def test_tools_are_defined_in_a_prompt() -> None:
    text = 'within <tools></tools> tags:\n<tools>\n{"name": "f"}\n[{"name": "g"}]\n</tools>'

    assert [tool.name for tool in tools_in(text)] == ["f", "g"]
    assert tools_in("no tools") == []
    assert tools_in(5) == []


# Calls that a model wrote as JSON.

F = '{"name": "f", "arguments": {"a": 1}}'


def calls_of(text: str, *, is_closed: bool = True) -> list[ToolCall]:
    transcript = Transcript()
    take_json(text, transcript, is_closed=is_closed)
    return list(transcript.calls())


@pytest.mark.parametrize(
    "text",
    [
        F,
        f" {F} \n",
        f"[{F}]",
        '{"arguments": {"a": 1}, "name": "f"}',
        '{"name": "f", "parameters": {"a": 1}}',
        '{"type": "function", "name": "f", "parameters": {"a": 1}}',
        '{"function": {"name": "f", "arguments": "{\\"a\\": 1}"}}',
        '{"function": "f", "args": {"a": 1}}',
        '{"tool_name": "f", "tool_input": {"a": 1}}',
    ],
)
def test_a_call_is_spelled_in_many_ways(text: str) -> None:
    assert calls_of(text) == [ToolCall("f", {"a": 1})]


@pytest.mark.parametrize("between", ["\n", "; ", ", ", " ", ""])
def test_several_objects_are_several_calls(between: str) -> None:
    assert calls_of(F + between + F) == [ToolCall("f", {"a": 1})] * 2


def test_an_id_is_kept() -> None:
    assert calls_of('[{"name": "f", "arguments": {}, "id": "c1"}]') == [ToolCall("f", {}, id="c1")]


def test_a_key_that_is_there_twice_and_text_in_a_text_are_noted() -> None:
    twice = calls_of('{"name": "f", "arguments": {"a": 1, "a": 2}}')
    double = calls_of('{"name": "f", "arguments": "{\\"a\\": 1}"}')

    assert twice == [ToolCall("f", {"a": 2}, warning="duplicate_keys")]
    assert double == [ToolCall("f", {"a": 1}, warning="double_encoded")]


@pytest.mark.parametrize(
    ("text", "name", "raw", "error"),
    [
        ('{"name": "f", "arguments": {"a": "b', "f", '{"a": "b', TRUNCATED),
        ('{"name": "f", "arguments": ', "f", "", TRUNCATED),
        ('{"name": "f"', "f", '{"name": "f"', TRUNCATED),
        ('{"name": "f', "", '{"name": "f', TRUNCATED),
        ("{'name': 'f', 'arguments': {'a': 1}}", "f", "{'a': 1}", INVALID),
        ('{"name": "f", "arguments": {"a": NaN}}', "f", '{"a": NaN}', INVALID),
        ('{"name": "f", "arguments": {"a": 1},}', "f", '{"a": 1},', INVALID),
        ('{"name": "f", "arguments": {"a": 1}} done', "f", '{"a": 1}} done', INVALID),
        ('[{"name": "f", "arguments": {"a": 1},}]', "f", '{"a": 1},}]', INVALID),
        ("please", "", "please", INVALID),
        ("", "", "", INVALID),
        ("5", "", "5", NOT_AN_OBJECT),
        ('"text"', "", "text", NOT_AN_OBJECT),
        ("[[1]]", "", "[1]", NOT_AN_OBJECT),
        ("null", "", "", NOT_AN_OBJECT),
    ],
)
def test_what_cannot_be_read_is_a_malformed_call_with_the_name_that_can_be_seen(
    text: str, name: str, raw: str, error: str
) -> None:
    assert calls_of(text) == [ToolCall(name, raw=raw, error=error)]


def test_arguments_that_are_right_in_a_call_that_is_not_are_malformed() -> None:
    (call,) = calls_of('{"name": "f", "arguments": {"a": 1}')

    assert call == ToolCall("f", raw='{"a": 1}', error=TRUNCATED)


def test_arguments_that_are_nested_too_deeply_are_malformed() -> None:
    (call,) = calls_of('{"name": "f", "arguments": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}")

    assert (call.name, call.error) == ("f", TOO_DEEP)


def test_nothing_where_the_end_is_not_marked_is_a_call_that_breaks_off() -> None:
    assert calls_of("", is_closed=False) == [ToolCall("", raw="", error=TRUNCATED)]


def test_words_after_calls_are_no_part_of_them_where_the_end_is_not_marked() -> None:
    assert calls_of(F + "\nThat should do.", is_closed=False) == [ToolCall("f", {"a": 1})]


@pytest.mark.parametrize("text", [f'[{F}, {{"name": "g", "argum', f'{F}; {{"name": "g", "argum'])
def test_the_calls_before_one_that_breaks_off_are_read(text: str) -> None:
    first, second = calls_of(text)

    assert first == ToolCall("f", {"a": 1})
    assert second == ToolCall("g", raw='{"name": "g", "argum', error=TRUNCATED)


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        ('{"name": "f", "arguments": ', True),
        ('{"name": "f", "parameters": {}}', True),
        ('{"type": "function", "name": "f", "parameters"  : 1', True),
        ('{"name": "f"}', False),
        ('{"name": "f", "age": 5}', False),
        ("[1]", False),
        ("", False),
    ],
)
def test_a_beginning_tells_a_call(text: str, is_it: bool) -> None:
    assert starts_with_call(text) is is_it


@pytest.mark.parametrize(
    ("text", "values", "rest"),
    [
        ("[1]", [[1]], ""),
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}], ""),
        ('{"a": 1} x', [{"a": 1}], "x"),
        ("x", [], "x"),
        ("", [], ""),
    ],
)
def test_values_stand_one_after_another(text: str, values: list[Any], rest: str) -> None:
    assert json_values(text) == (values, rest)


# Values that stand in a text without a type.


def typed(text: str, schema: Any) -> Any:
    return typed_value(
        text, {"properties": {"x": schema}, "$defs": {"n": {"type": "integer"}}}, "x"
    )


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "integer"}, "3", 3),
        ({"type": "integer"}, " 3 ", 3),
        ({"type": "integer"}, "3.5", "3.5"),
        ({"type": "integer"}, "three", "three"),
        ({"type": "integer"}, "true", "true"),
        ({"type": "number"}, "3", 3),
        ({"type": "number"}, "-2.5e3", -2500.0),
        ({"type": "boolean"}, "True", True),
        ({"type": "boolean"}, "false", False),
        ({"type": "boolean"}, "yes", "yes"),
        ({"type": "array"}, "[1, 2]", [1, 2]),
        ({"type": "array"}, "{}", "{}"),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"type": "object"}, "{'a': 1}", "{'a': 1}"),
        ({"type": "null"}, "null", None),
        ({"type": ["integer", "null"]}, "None", None),
        ({"type": ["integer", "null"]}, "4", 4),
        ({"type": ["string", "integer"]}, "4", "4"),
        ({"type": ["string", "null"]}, "null", None),
        ({"type": "string"}, "4", "4"),
        ({"type": 5}, "4", "4"),
        ({"type": [5]}, "4", "4"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "4", 4),
        ({"oneOf": [{"type": "boolean"}]}, "true", True),
        ({"$ref": "#/$defs/n"}, "4", 4),
        ({"$ref": "#/$defs/none"}, "4", "4"),
        ({"$ref": "elsewhere"}, "4", "4"),
        ({}, "4", "4"),
        (None, "4", "4"),
    ],
)
def test_a_text_is_what_the_schema_says_or_else_text(schema: Any, text: str, value: Any) -> None:
    found = typed(text, schema)

    assert (found, type(found)) == (value, type(value))


def test_arguments_without_a_schema_stay_text() -> None:
    pairs = [("a", "1"), ("b", "x")]

    assert typed_arguments(pairs, None) == {"a": "1", "b": "x"}
    assert typed_arguments(pairs, Tool("f")) == {"a": "1", "b": "x"}


def test_arguments_are_typed_one_by_one() -> None:
    tool = Tool("f", parameters={"properties": {"a": {"type": "integer"}}})

    assert typed_arguments([("a", "1"), ("b", "1")], tool) == {"a": 1, "b": "1"}
