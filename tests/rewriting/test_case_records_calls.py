"""Where the arguments of calls stand in what a file expects."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.rewriting.case_records import apply_patches, arguments_path, group_by_call, node_at
from callscore.rewriting.change import CannotRewrite, Patch
from callscore.rewriting.edits import TextNode

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
    with pytest.raises(CannotRewrite, match="single arguments cannot be changed"):
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
