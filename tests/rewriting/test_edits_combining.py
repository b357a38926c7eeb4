"""Edits that are put together, and whole calls in place of patches."""

from __future__ import annotations

from typing import Any

from callscore.rewriting.case_records import patched_expectation, with_whole_calls
from callscore.rewriting.change import Change, Edit, FoundExpectation, Patch
from callscore.rewriting.edits import apply_edits, combine_edits, diff_lines, loses_comments

CALL = {"name": "f", "arguments": {"x": 1, "y": {"z": 2}}}
PATCH = Patch(call=(0,), path=("x",), value=5)


def _change(*patches: Patch, expected: Any) -> Change:
    items = tuple(range(len(expected or ())))
    return Change(label="x", files=("a",), expected=expected, items=items, patches=patches)


def test_two_steps_are_one() -> None:
    text = "keep [a, b] keep"
    first = FoundExpectation((Edit(6, 7, "AA"),), ("p",), None, "id")
    between = apply_edits(text, first.edits)
    second = FoundExpectation((Edit(8, 11, ""), Edit(5, 6, "(")), ("p",), "value")

    both = combine_edits(text, between, (first, second))

    assert apply_edits(text, both.edits) == apply_edits(between, second.edits) == "keep (AA] keep"
    assert (both.path, both.value, both.id) == (("p",), "value", "id")


def test_whole_calls_take_the_place_of_patches_where_no_rule_is_lost() -> None:
    whole = with_whole_calls(_change(PATCH, expected=[CALL]))

    assert whole is not None
    assert whole.items == ({"name": "f", "arguments": {"x": 5, "y": {"z": 2}}},)
    assert not whole.patches
    rule = {"name": "f", "arguments": {"x": 1, "y": {"$any": True}}}
    for expected in ([rule], [{**CALL, "times": {"min": 1}}], [{"any_order": [CALL]}], None):
        assert with_whole_calls(_change(PATCH, expected=expected)) is None


def test_what_is_expected_is_spelled_with_the_patches() -> None:
    literal = Patch(call=(0,), path=("y", "z"), value={"$a": 1})

    spelled = patched_expectation(_change(PATCH, literal, expected=[CALL]))

    assert spelled == [{"name": "f", "arguments": {"x": 5, "y": {"z": {"$literal": {"$a": 1}}}}}]
    assert patched_expectation(_change(PATCH, expected=None)) is None


def test_comments_that_would_go_are_noticed() -> None:
    text = "a  # one\nb"

    assert loses_comments(text, FoundExpectation((Edit(0, 8, "c"),), (), None))
    assert not loses_comments(text, FoundExpectation((Edit(0, 1, "c"),), (), None))


def test_the_lines_that_change_are_shown() -> None:
    text = "a\nb: 1\nc\n"

    assert diff_lines(text, [Edit(5, 6, "2")]) == ("- b: 1", "+ b: 2")
    assert diff_lines(text, [Edit(6, 6, "\nnew")]) == ("+ new",)


def test_of_a_long_line_only_what_is_around_the_change_is_shown() -> None:
    text = "x" * 200 + "OLD" + "y" * 200

    before, after = diff_lines(text, [Edit(200, 203, "NEWER")])

    assert before == "- …" + "x" * 40 + "OLD" + "y" * 40 + "…"
    assert after == "+ …" + "x" * 40 + "NEWER" + "y" * 40 + "…"
