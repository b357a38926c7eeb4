"""What an expression comes to, where that is written out."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from callscore import ToolCall, expect
from callscore.rewriting.python_cases import NOT_LITERAL, literal_value, names_at, says_expected

PROGRAM = "import os\nfrom callscore import ToolCall, expect\nLIMIT = -3\nLOOP = [LOOP]\n"


def _value(expression: str) -> Any:
    return literal_value(ast.parse(expression, mode="eval").body, names_at(ast.parse(PROGRAM), 9))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[1, -2.5, None, True, ('a', {'b': 'c' 'd'}), 'e' + 'f']", [1, -2.5, None, True, ("a", {"b": "cd"}), "ef"]),
        ("expect.call('f', x=expect.gt(LIMIT))", expect.call("f", x=expect.gt(-3))),
        ("expect.one_of(expect.call('f'), expect.call('g'))", expect.one_of(expect.call("f"), expect.call("g"))),
        ("ToolCall('f', {'x': 1})", ToolCall("f", {"x": 1})),
    ],
)  # fmt: skip
def test_what_is_written_out_is_its_value(expression: str, value: Any) -> None:
    assert _value(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "unknown",
        "[*LIMIT]",
        "{**LIMIT}",
        "-'a'",
        "1 + 2",
        "os.getcwd()",
        "expect.nothing('f')",
        "expect.call(*['f'])",
        "expect.call('f', **{'x': 1})",
        "expect.call(17)",
        "expect.call()",
        "{[]: 1}",
        "LOOP",
    ],
)
def test_nothing_else_is_run(expression: str) -> None:
    assert _value(expression) is NOT_LITERAL


def test_a_value_says_what_is_expected_or_something_else() -> None:
    rule = [{"name": "f", "arguments": {"x": {"$gt": 0}}}]

    assert says_expected(rule, rule, is_spelled=True)
    assert not says_expected(rule, rule, is_spelled=False)
    assert not says_expected([17], rule, is_spelled=True)
