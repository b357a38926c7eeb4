"""Where the arguments of calls stand in Python."""

from __future__ import annotations

import ast

import pytest

from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.python_cases import Names
from callscore.rewriting.python_file import find_call_arguments

NAMES = Names({"expect": "callscore.expect", "ToolCall": "callscore.ToolCall"}, {})


def _span(node: ast.expr | ast.keyword) -> tuple[int, int]:
    return node.col_offset, node.end_col_offset or 0


@pytest.mark.parametrize(
    ("text", "way", "arguments"),
    [
        ('expect.call("f", x=1, y=2)', [], ["x", "y"]),
        ('expect.call("f", {"x": 1})', [], ["x"]),
        ('ToolCall("f", {"x": {"y": [1]}})', [], ["x"]),
        ('("f", {"x": 1})', [], ["x"]),
        ('{"name": "f", "args": {"x": 1}}', [], ["x"]),
        ('expect.times(expect.call("f", x=1), 2)', [], ["x"]),
        ('expect.any_order("g", expect.call("f", x=1))', [1], ["x"]),
        ('{"one_of": ["g", {"name": "f", "arguments": {"x": 1}}]}', [1], ["x"]),
        ('{"optional": {"name": "f", "arguments": {"x": 1}}}', [0], ["x"]),
    ],
)
def test_arguments_are_found(text: str, way: list[int], arguments: list[str]) -> None:
    given = find_call_arguments(ast.parse(text, mode="eval").body, way, NAMES, _span)

    assert list(given.node.members or ()) == arguments
    assert given.has_keywords == ("x=1" in text)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("CALL", []),
        ('expect.call("f", **more)', []),
        ('expect.call("f", MORE)', []),
        ('expect.call("f", {"x": 1}, y=2)', []),
        ("expect.any_order(*CALLS)", [0]),
        ("make(1)", [0]),
    ],
)
def test_what_is_not_written_out_is_refused(text: str, way: list[int]) -> None:
    with pytest.raises(CannotRewrite):
        find_call_arguments(ast.parse(text, mode="eval").body, way, NAMES, _span)
