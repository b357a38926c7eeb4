"""Calls as Python writes them."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from callscore import expect
from callscore.rewriting.python_cases import names_at
from callscore.rewriting.python_file import (
    CallStyle,
    call_style_of,
    literal_text,
    python_call_text,
)


def _elements(text: str) -> list[ast.expr]:
    expression = ast.parse(text, mode="eval").body
    return expression.elts if isinstance(expression, ast.List) else []


@pytest.mark.parametrize(
    ("program", "elements", "spelling"),
    [
        ("from callscore import expect", '[expect.call("f")]', CallStyle("expect.call")),
        ("from callscore.testing import call as C", '[C("f")]', CallStyle("C")),
        ("from callscore import testing", '[testing.call("f")]', CallStyle("testing.call")),
        (
            "from callscore import expect",
            '[{"tool": "f"}, expect.call("f")]',
            CallStyle("expect.call"),
        ),
        ("from elsewhere import call", '[call("f")]', CallStyle()),
        ("", '[make("f"), {"tool": "f", "args": {}}]', CallStyle("", "tool", "args")),
        ("from callscore import expect", '[{"forbid": "f"}]', CallStyle("expect.call")),
        ("", "[{}]", CallStyle()),
        ("", "[]", CallStyle()),
        ("from callscore.testing import assert_calls, call", "[]", CallStyle("call")),
        ("from callscore.expect import call as wanted", "[]", CallStyle("wanted")),
        ("from callscore import expect", "[]", CallStyle("expect.call")),
        ("import callscore as cs", '["f"]', CallStyle("cs.expect.call")),
        ("import os", "[]", CallStyle()),
    ],
)
def test_calls_are_spelled_like_their_neighbours_or_as_the_imports_allow(
    program: str, elements: str, spelling: CallStyle
) -> None:
    names = names_at(ast.parse(program), 2)

    assert call_style_of(_elements(elements), names) == spelling


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"a": 1, "name": "x"},
        {"class": 1},
        {"__debug__": 1},
        {"__private": 1},
        {"a b": 1},
        {"args": {"x": 1}},
        {"arguments": {}},
        {"args": 1, "b": None},
        {"naïve": True},
        {"text": 'a"b\\c\nd\u2028\U000e0001', "deep": [[{"x": [1.5, False]}]]},
        {"long": "x" * 90, "longer": ["y" * 60, "z" * 60]},
    ],
)
@pytest.mark.parametrize("spelling", [CallStyle("expect.call"), CallStyle("", "tool", "args")])
def test_what_is_written_is_the_call(arguments: dict[str, Any], spelling: CallStyle) -> None:
    text = python_call_text({"name": "f", "arguments": arguments}, spelling, "        ")

    found = eval(text, {"expect": expect})  # noqa: S307  (our own text)
    wanted = {"tool": "f", "args": arguments}
    assert found == (wanted if not spelling.function else expect.call("f", arguments))


def test_a_call_that_is_too_long_for_a_line_has_a_line_for_each_argument() -> None:
    arguments = {"first": "x" * 60, "second": "y" * 60}

    text = python_call_text({"name": "f", "arguments": arguments}, CallStyle("call"), "  ")

    assert text == (
        f'call(\n      "f",\n      first="{"x" * 60}",\n      second="{"y" * 60}",\n  )'
    )


def test_texts_are_in_double_quotes_and_hide_nothing() -> None:
    assert literal_text("it's \u202e", "") == '"it\'s \\u202e"'


def test_numbers_stand_on_as_few_lines_as_they_fit(subtests: pytest.Subtests) -> None:
    for numbers, lines in (([1] * 20, 1), ([-1.5] * 100, 9), ([True, 2], 1)):
        with subtests.test(numbers=numbers[:1]):
            text = literal_text(numbers, "    ")

            assert ast.literal_eval(text) == numbers
            assert len(text.splitlines()) == lines
            assert max(map(len, text.splitlines())) < 100
