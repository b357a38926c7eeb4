"""`$type`: the JSON types, and what is an integer."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from callscore.core.budget import Budget
from callscore.core.rules import Matcher, check_matcher, describe_value
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))
NAMES = ("string", "number", "integer", "boolean", "null", "object", "array")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("a", {"string"}),
        (1, {"number", "integer"}),
        (1.0, {"number", "integer"}),
        (1.5, {"number"}),
        (nan, {"number"}),
        (inf, {"number"}),
        (True, {"boolean"}),
        (None, {"null"}),
        ({}, {"object"}),
        ([], {"array"}),
        ((), {"array"}),
        (1j, set()),
    ],
)
def test_a_value_has_these_types_and_no_others(given: Any, names: set[str]) -> None:
    found = {
        name for name in NAMES if compare_value(Matcher("$type", name), given, CONTEXT).matched
    }

    assert found == names


@pytest.mark.parametrize("value", ["text", "String", [], ["string", 5], 5, None, {}, [["string"]]])
def test_anything_else_is_no_type(value: Any) -> None:
    problem = check_matcher(Matcher("$type", value))

    assert problem is not None
    assert problem.startswith(
        "expected one of string, number, integer, boolean, null, object, array, or"
    )


def test_types_are_described_without_quotes() -> None:
    assert describe_value(Matcher("$type", ["string", "null"])) == "$type string, null"
