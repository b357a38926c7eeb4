"""`$schema`: valid or not, and why."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.budget import Budget
from callscore.core.rules import Matcher, check_matcher
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))


def test_the_first_error_is_told_with_its_place() -> None:
    schema = {"properties": {"age": {"type": "integer", "minimum": 0}}}

    verdict = compare_value(Matcher("$schema", schema), {"age": -1}, CONTEXT)

    assert (verdict.matched, verdict.value) == (False, 0.0)
    assert verdict.note is not None
    assert verdict.note.text("en") == "$.age: must be at least 0, got -1"
    assert verdict.note.text("ru") == "$.age: нужно не меньше 0, получено -1"


def test_a_boolean_is_a_schema() -> None:
    assert compare_value(Matcher("$schema", value=True), 1, CONTEXT).matched
    assert not compare_value(Matcher("$schema", value=False), 1, CONTEXT).matched


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "strin"}, "invalid JSON Schema: "),
        ("string", "invalid JSON Schema: expected an object, got a value of type string"),
        ({"$ref": "https://example.com/schema"}, "invalid JSON Schema: it refers to "),
        ({"const": Matcher("$any")}, "a JSON Schema cannot contain matchers."),
    ],
)
def test_what_is_no_schema_is_refused(schema: Any, problem: str) -> None:
    found = check_matcher(Matcher("$schema", schema))

    assert found is not None
    assert found.startswith(problem)
