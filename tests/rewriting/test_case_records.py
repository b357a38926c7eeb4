"""Which record is the case that is meant, and how it spells calls."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.rewriting.case_records import (
    apply_patches,
    arguments_path,
    call_in_style_of,
    find_places,
    group_by_call,
    may_have_name,
    new_expected_value,
    node_at,
    records_of,
)
from callscore.rewriting.change import CannotRewrite, Change, Patch
from callscore.rewriting.edits import TextNode

CHANGE = Change(
    label="x",
    files=(),
    case="a",
    input="hi",
    expected=[{"name": "f", "arguments": {"x": 1}}],
    items=({"name": "g", "arguments": {"$y": 1}},),
)


@pytest.mark.parametrize(
    ("document", "paths"),
    [
        ({"cases": [1, 2], "tools": []}, [("cases", 0), ("cases", 1)]),
        ([1, 2], [(0,), (1,)]),
        ({"id": "a"}, [()]),
        ({"cases": "cases.jsonl"}, [()]),
    ],
)
def test_a_document_is_its_records_or_a_record_itself(document: Any, paths: list[Any]) -> None:
    assert [path for path, _ in records_of(document)] == paths


@pytest.mark.parametrize(
    ("record", "is_meant"),
    [
        ({"id": "a", "input": "hi", "expected": [["f", {"x": 1}]]}, True),
        ({"input": "hi", "expected": [{"tool": "f", "args": {"x": 1.0}}]}, True),
        ({"input": "hi", "expected": {"tool": "f", "args": {"x": 1}}}, True),
        ({"id": "b", "input": "hi", "expected": [["f", {"x": 1}]]}, False),
        ({"id": "a", "input": "ho", "expected": [["f", {"x": 1}]]}, False),
        ({"id": "a", "input": "hi", "expected": [["f", {"x": 2}]]}, False),
        ({"id": "a", "input": "hi", "expected": [["f", {"x": {"$approx": 1}}]]}, False),
        ({"id": "a", "input": "hi", "expected": [17]}, False),
        ({"id": "a", "input": "hi"}, False),
        ("hi", False),
    ],
)
def test_a_record_is_meant_if_it_asks_and_expects_the_same(record: Any, is_meant: bool) -> None:
    assert bool(find_places(CHANGE, [((), record)], lambda _path, _record, _change: ())) == is_meant


def test_the_name_of_a_tool_may_stand_for_a_call() -> None:
    change = Change(label="x", files=(), case="a", expected=[{"name": "f"}])

    with pytest.raises(CannotRewrite, match="can contain only a tool name"):
        find_places(
            change, [((), {"id": "a", "expectedTool": "f"})], lambda _path, _record, _change: ()
        )


@pytest.mark.parametrize(
    ("own", "name", "may_be"),
    [
        (None, "anything", True),
        ("a", "a", True),
        ("a", "a-2", True),
        ("a", "ab", False),
        ("a", "a-b", False),
        (7, "7", True),
        ("b", "a", False),
    ],
)
def test_an_id_may_have_a_number_behind_it(own: Any, name: str, may_be: bool) -> None:
    assert may_have_name(own, name) == may_be


@pytest.mark.parametrize(
    ("others", "keys"),
    [
        ([{"tool": "f", "args": {}}], ["tool", "args"]),
        (["f", {"toolName": "f"}], ["toolName", "arguments"]),
        ([{"function": {"name": "f", "arguments": "{}"}}], ["name", "arguments"]),
        ([], ["name", "arguments"]),
        (None, ["name", "arguments"]),
    ],
)
def test_a_call_is_spelled_like_its_neighbours(others: Any, keys: list[str]) -> None:
    assert list(call_in_style_of(others, {"name": "g", "arguments": {}})) == keys


def test_new_calls_are_literal() -> None:
    assert new_expected_value([], CHANGE) == [{"name": "g", "arguments": {"$literal": {"$y": 1}}}]


def test_what_is_to_stay_has_to_be_there() -> None:
    change = Change(label="x", files=(), items=(1,))

    with pytest.raises(CannotRewrite):
        new_expected_value(["f"], change)


# Where the arguments of calls stand in what a file expects.

CALL = {"name": "f", "arguments": {"x": 1}}


@pytest.mark.parametrize(
    ("value", "call", "path"),
    [
        ([CALL], (0,), (0, "arguments")),
        ([{"tool": "f", "args": {}}], (0,), (0, "args")),
        ([["f", {"x": 1}]], (0,), (0, 1)),
        ([{"function": {"name": "f", "arguments": {}}}], (0,), (0, "function", "arguments")),
        ([{"any_order": ["g", CALL]}], (0, 1), (0, "any_order", 1, "arguments")),
        ([{"optional": CALL}], (0, 0), (0, "optional", "arguments")),
    ],
)
def test_arguments_are_found(
    value: list[Any], call: tuple[int, ...], path: tuple[Any, ...]
) -> None:
    assert arguments_path(value, call) == path


@pytest.mark.parametrize(
    ("value", "call"),
    [
        (CALL, (0,)),
        (["f"], (0,)),
        ([{"name": "f", "arguments": "{}"}], (0,)),
        ([{"name": "f", "arguments": {}, "args": {}}], (0,)),
        ([CALL], (0, 0)),
    ],
)
def test_arguments_that_are_no_object_are_not(value: Any, call: tuple[int, ...]) -> None:
    with pytest.raises(CannotRewrite, match="a single argument of this call cannot be updated"):
        arguments_path(value, call)


def test_patches_are_made_in_data() -> None:
    patches = [
        Patch(call=(0,), path=("y",), value={"$z": 1}),
        Patch(call=(0,), path=("x",), is_gone=True),
    ]

    new = apply_patches([{"name": "f", "arguments": {"x": 1}}], patches)

    assert new == [{"name": "f", "arguments": {"y": {"$literal": {"$z": 1}}}}]
    assert [(call, len(group)) for call, group in group_by_call(patches)] == [((0,), 2)]


@pytest.mark.parametrize("path", [("$x",), ("gone", "deep"), ("x", "deep")])
def test_patches_that_would_mean_something_else_are_refused(path: tuple[str, ...]) -> None:
    with pytest.raises(CannotRewrite):
        apply_patches(
            [{"name": "f", "arguments": {"x": 1}}], [Patch(call=(0,), path=path, value=1)]
        )


def test_a_path_leads_to_a_value_that_is_written_out() -> None:
    inner = TextNode(3, 4)
    tree = TextNode(0, 9, (TextNode(1, 8, members={"a": inner, "alias": TextNode(-1, -1)}),))

    assert node_at(tree, (0, "a")) is inner
    for path in ((1,), (0, "b"), (0, "alias"), (0, "a", 0)):
        with pytest.raises(CannotRewrite):
            node_at(tree, path)
