"""Which single values change in a call, and what is expected then."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import expect, score
from callscore.rewriting.change import CannotRewrite, Patch, patched_expected, patches_for

WANTED = expect.call("f", a={"b": 1, "c": expect.any()}, d=[1, 2])
GIVEN = {"a": {"b": 2, "c": 3}, "d": [1]}


def test_deep_inside_only_what_is_wrong_changes() -> None:
    (pair,) = score([WANTED], [("f", GIVEN)]).incorrect

    found = patches_for((0,), pair, GIVEN, is_deep=True)

    assert [(patch.path, patch.value) for patch in found] == [(("a", "b"), 2), (("d",), [1])]


def test_a_whole_argument_is_not_replaced_if_a_rule_would_go() -> None:
    (pair,) = score([WANTED], [("f", GIVEN)]).incorrect

    with pytest.raises(CannotRewrite, match="the argument a contains matchers"):
        patches_for((0,), pair, GIVEN, is_deep=False)


def test_patches_go_into_groups_and_repeats() -> None:
    call = expect.call("f", x=1)
    expected: list[Any] = [expect.any_order(expect.call("g"), expect.times(call, 2)), call]
    patches = [
        Patch(call=(0, 1), path=("x",), value=2),
        Patch(call=(1,), path=("x",), is_gone=True),
    ]

    assert patched_expected(expected, patches) == [
        expect.any_order(expect.call("g"), expect.times(expect.call("f", x=2), 2)),
        expect.call("f", {}),
    ]
    assert call.arguments == {"x": 1}


def test_what_is_forbidden_has_no_arguments() -> None:
    with pytest.raises(CannotRewrite):
        patched_expected([expect.forbid("f")], [Patch(call=(0,), path=("x",), value=1)])
