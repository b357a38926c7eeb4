"""Calls that a model wrote as JSON."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import INVALID, NOT_AN_OBJECT, TOO_DEEP, TRUNCATED, ToolCall
from callscore.formats.families.model_text import json_values, starts_with_call, take_json
from callscore.formats.transcript import Transcript

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
        ('{"name": "f', "?", '{"name": "f', TRUNCATED),
        ("{'name': 'f', 'arguments': {'a': 1}}", "f", "{'a': 1}", INVALID),
        ('{"name": "f", "arguments": {"a": NaN}}', "f", '{"a": NaN}', INVALID),
        ('{"name": "f", "arguments": {"a": 1e999}}', "f", '{"a": 1e999}', INVALID),
        ('{"name": "f", "arguments": {"a": 1},}', "f", '{"a": 1},', INVALID),
        ('{"name": "f", "arguments": {"a": 1}} done', "f", '{"a": 1}} done', INVALID),
        ('[{"name": "f", "arguments": {"a": 1},}]', "f", '{"a": 1},}]', INVALID),
        ("please", "?", "please", INVALID),
        ("", "?", "", INVALID),
        ("5", "?", "5", NOT_AN_OBJECT),
        ('"text"', "?", "text", NOT_AN_OBJECT),
        ("[[1]]", "?", "[1]", NOT_AN_OBJECT),
        ("null", "?", "", NOT_AN_OBJECT),
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
    assert calls_of("", is_closed=False) == [ToolCall("?", raw="", error=TRUNCATED)]


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
