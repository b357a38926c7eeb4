"""How much a call of a tool may bring."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.errors import InvalidCall
from callscore.integrations.inputs import (
    DEEPEST,
    LARGEST,
    MOST_CALLS,
    require_bounded,
    require_few,
    require_few_items,
)


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1.5,
        10**50,
        "x" * (LARGEST - 1),
        {"a": [1, {"b": "c"}]},
        ("a", 1),
        nested(DEEPEST),
    ],
    ids=["null", "boolean", "float", "integer", "long", "object", "tuple", "deep"],
)
def test_what_is_not_too_much_passes(value: Any) -> None:
    require_bounded(value)


@pytest.mark.parametrize(
    "value",
    ["x" * LARGEST, [0] * LARGEST, {"x" * LARGEST: 1}, 1 << (3 * LARGEST), [["x" * 1000] * 1000]],
    ids=["text", "list", "key", "integer", "all together"],
)
def test_what_is_too_large_is_refused_with_what_to_do(value: Any) -> None:
    with pytest.raises(InvalidCall, match=r"too large: it may have 1,000,000 .* Send fewer calls"):
        require_bounded(value)


@pytest.mark.parametrize("levels", [DEEPEST + 1, 100_000])
def test_what_is_too_deep_is_refused_with_what_to_do(levels: int) -> None:
    with pytest.raises(InvalidCall, match=r"nested too deeply: it may have 100 levels\. Flatten"):
        require_bounded(nested(levels))


@pytest.mark.parametrize(
    ("value", "problem"),
    [({1: "a"}, "keys of its objects must be text"), ([{"a"}], "a set stands in it")],
)
def test_what_is_no_json_is_refused(value: Any, problem: str) -> None:
    with pytest.raises(InvalidCall, match=problem):
        require_bounded(value)


def test_a_side_may_have_a_thousand_calls_and_no_more() -> None:
    require_few(MOST_CALLS, "actual")

    with pytest.raises(InvalidCall, match=r"^actual: there are 1,001 calls .* Send them in parts"):
        require_few(MOST_CALLS + 1, "actual")


def test_a_list_may_have_as_many_items_whatever_they_are() -> None:
    require_few_items(MOST_CALLS, "actual")

    with pytest.raises(InvalidCall, match=r"^actual: there are 1,001 items in it, and at most "):
        require_few_items(MOST_CALLS + 1, "actual")
