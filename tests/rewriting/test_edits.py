"""A list in brackets with other items in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from callscore.rewriting.edits import (
    ListStyle,
    TextNode,
    assign_slots,
    indent_at,
    line_number_at,
    quote,
    replace_items,
)

if TYPE_CHECKING:
    from callscore.rewriting.change import Item

A: Item = {"name": "A"}
B: Item = {"name": "B"}


def _node(text: str) -> TextNode:
    """Where a list of numbers stands."""
    start = text.index("[")
    items = [TextNode(found.start(), found.end()) for found in re.finditer(r"\d+", text)]
    return TextNode(start, text.index("]") + 1, tuple(items))


@pytest.mark.parametrize(
    ("before", "items", "after"),
    [
        ("[1, 2]", [0, 1], "[1, 2]"),
        ("[1, 2]", [1, 0], "[2, 1]"),
        ("[1, 2]", [0, A], "[1, A]"),
        ("[1, 2]", [A, B, 1], "[A, B, 2]"),
        ("[ 1, 2 ]", [1], "[ 2 ]"),
        ("[1, 2]", [], "[]"),
        ("[]", [A, B], "[A, B]"),
        ("[\n  1, # one\n  2, # two\n]", [0, 1, A], "[\n  1, # one\n  2, # two\n  A,\n]"),
        ("[\n  1, # one\n  2\n]", [0, 1, A], "[\n  1, # one\n  2,\n  A\n]"),
        ("[\n  1, # one\n  2, # two\n]", [1], "[\n  2, # two\n]"),
        ("[\n  1, # one\n  2, # two\n]", [0], "[\n  1, # one\n]"),
        ("[\n  1, # one\n  2, # two\n]", [A, 1], "[\n  A, # one\n  2, # two\n]"),
        ("[\n  1, # one\n  2  # two\n]", [0], "[\n  1 # one\n]"),
        ("[\n  1, # one\n  2  # two\n]", [0, 1, A], "[\n  1, # one\n  2,  # two\n  A\n]"),
        ("[\n  # one\n  1,\n  # two\n  2,\n  # end\n]", [1], "[\n  # two\n  2,\n  # end\n]"),
        ("[\n  1\n  , 2 # a, b\n]", [0, 1], "[\n  1\n  , 2 # a, b\n]"),
        ("[\n  1 # a, b\n  , 2\n]", [1, 0], "[\n  2,\n  1 # a, b\n]"),
        ("[1, # one\n 2]", [0], "[1 # one\n]"),
        ("[ # none\n]", [A, B], "[ # none\n    A,\n    B,\n]"),
        ("[ # all\n  1, # one\n  # end\n]", [], "[ # all\n  # end\n]"),
        ("[ # all\n  1]", [], "[ # all\n]"),
        ("[\n  1, # one\n]", [], "[]"),
        ("[1,\n 2]", [0, 1, A], "[1,\n 2,\n    A]"),
        ("[1, # one\n]", [0, A], "[1, # one\n    A,\n]"),
    ],
)
def test_what_stays_stays_as_it_is_written(before: str, items: list[Item], after: str) -> None:
    writing = ListStyle(lambda call, _: str(call["name"]))

    assert replace_items(before, _node(before), items, writing) == after


def test_a_list_that_does_not_fit_a_line_has_one_for_each_item() -> None:
    writing = ListStyle(
        lambda call, indent: f"{call['name']}({len(indent)})", width=10, trailing=""
    )

    new = replace_items("  x = [];", TextNode(6, 8, ()), [A, B], writing)

    assert new == "[\n      A(6),\n      B(6)\n  ]"


def test_new_items_take_the_places_that_are_free() -> None:
    assert assign_slots([A, 2, B, 0, A], 4) == [1, 2, 3, 0, None]


def test_a_position_has_a_line_and_an_indent() -> None:
    assert line_number_at("a\nb\nc", 4) == 3
    assert indent_at("a\n  b = 1", 8) == "  "


def test_a_text_in_quotes_hides_nothing() -> None:
    assert quote('a"\\\n\u200b') == '"a\\"\\\\\\n\\u200b"'
