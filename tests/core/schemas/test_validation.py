"""JSON Schema: which schemas can be used, and what a value lacks by one."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore import expect, score
from callscore.core.schemas.validation import (
    SchemaError,
    schema_problem,
    unchecked_error,
    validation_errors,
)
from callscore.errors import InvalidSettings

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def _told(schema: Any, value: Any) -> list[tuple[str, str]]:
    return [(error.keyword, error.path) for error in validation_errors(schema, value)]


@pytest.mark.parametrize(
    "reference", ["http://example.invalid/x.json", "file:///etc/passwd", "other.json"]
)
def test_a_reference_to_elsewhere_is_refused_and_named(reference: str) -> None:
    problem = schema_problem({"properties": {"a": {"$ref": reference}}})

    assert (
        problem
        == f"it refers to `{reference}`, which it does not contain. References are not fetched."
    )


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (3, "expected an object, got a value of type number."),
        ({"$ref": "#/$defs/none"}, "a reference cannot be resolved: "),
        ({"pattern": "("}, "$.pattern is not a regular expression: `(`."),
        (
            {"patternProperties": {"(": {}}},
            "$.patternProperties['('] is not a regular expression: `(`.",
        ),
        ({"properties": {"a": {"type": "strin"}}}, "$.properties.a.type: "),
        (
            {"$schema": "http://my.example/draft"},
            "unknown $schema `http://my.example/draft`. Supported drafts: 4, 6, 7, 2019-09, ",
        ),
        ({"default": object()}, "it is not JSON: "),
        ({"const": "\ud800"}, "it is not JSON: "),
        ({"default": 10**5000}, "it is not JSON: "),
    ],
)
def test_an_invalid_schema_is_refused_with_a_reason(schema: Any, problem: str) -> None:
    said = schema_problem(schema)

    assert said is not None
    assert said.startswith(problem)


@pytest.mark.parametrize("depth", [300, 100_000])
def test_a_schema_that_is_nested_too_deep_is_refused(depth: int) -> None:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"items": schema}

    assert schema_problem(schema) == "it is nested too deeply."


def test_a_pattern_without_lookaround_is_linear_in_the_text() -> None:
    assert _told({"pattern": "^(a+)+$"}, "a" * 100_000 + "b") == [("pattern", "$")]


def test_schemas_that_multiply_are_refused() -> None:
    steps = {
        f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}, {"$ref": f"#/$defs/a{i + 1}"}]}
        for i in range(40)
    }

    problem = schema_problem({"$defs": {**steps, "a40": {}}, "$ref": "#/$defs/a0"})

    assert problem == "its references expand to more than 10000 schemas for one value."


@pytest.mark.parametrize("value", [{1, 2}, object(), {1: 2}])
def test_a_value_that_json_does_not_know_has_one_error(value: Any) -> None:
    (error,) = validation_errors({"type": "string"}, value)

    assert error.keyword == "unchecked"
    assert error.message.startswith("not JSON: ")


@pytest.mark.parametrize("depth", [300, 100_000])
@pytest.mark.parametrize("core", [1, "\ud800"])
def test_a_value_that_is_nested_too_deep_has_one_error(depth: int, core: Any) -> None:
    value: list[Any] = []
    for _ in range(depth):
        value = [core, value]

    (error,) = validation_errors({"type": "string"}, value)

    assert (error.keyword, error.message) == ("unchecked", "it is nested too deeply.")


def test_a_value_that_holds_itself_has_one_error() -> None:
    value: list[Any] = []
    value.append(value)

    assert _told({"type": "string"}, value) == [("unchecked", "$")]


def test_half_a_surrogate_pair_is_a_character_like_any_other() -> None:
    assert _told({"type": "string", "maxLength": 1}, "\ud800") == []
    assert _told({"required": ["b"]}, {"a": ["\ud83d\ude00 \udc00"]}) == [("required", "$.b")]
    assert _told({"const": 1}, ["\ud800", {1}]) == [("unchecked", "$")]
    assert _told({"const": 1}, {("a", 1): "\ud800"}) == [("unchecked", "$")]


def test_at_most_a_hundred_errors_are_given() -> None:
    assert len(validation_errors({"items": {"type": "integer"}}, ["x"] * 1000)) == 100


@given(json_values, json_values)
def test_any_json_schema_and_value_are_checked_without_an_exception(
    schema: Any, value: Any
) -> None:
    for usable in ({"const": schema}, {"default": schema, "enum": [schema]}, schema):
        if schema_problem(usable) is None:
            assert isinstance(validation_errors(usable, value), list)


def test_the_library_is_loaded_only_when_a_schema_is_used() -> None:
    import subprocess

    code = (
        "import sys, callscore.core.schemas.validation, callscore.checks.check;"
        "print('jsonschema_rs' in sys.modules)"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "False"


# Where a value is wrong by a schema, and which of several errors is told.


def _only(schema: Any, value: Any) -> SchemaError:
    (error,) = validation_errors(schema, value)
    return error


def test_a_message_is_short_and_has_no_control_characters() -> None:
    error = _only({"type": "integer"}, "\x1b[31m" + "x" * 10_000)

    assert len(error.message) <= 300
    assert error.message.isprintable()


def test_why_something_could_not_be_checked_is_an_error_too() -> None:
    assert unchecked_error("why", 1) == SchemaError("unchecked", (), None, 1, "why")


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": r"\w" * 1000},
        {"properties": {"a": {"anyOf": [{"pattern": r"^\d{3}x" * 100}, {"pattern": r"\s" * 450}]}}},
        {"patternProperties": {r"\S" * 1000: True}},
    ],
)
def test_patterns_that_take_long_to_compile_are_refused(schema: dict[str, Any]) -> None:
    problem = schema_problem(schema)

    assert problem == "its regular expressions take too long to compile. Make them shorter."


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": r"\w" * 100},
        {"pattern": "[a-z]" * 2000},
        {"pattern": 7, "patternProperties": 3},
        {"properties": {"pattern": {"type": "string"}}, "required": ["pattern"]},
    ],
)
def test_other_patterns_are_not_too_long(schema: dict[str, Any]) -> None:
    assert "too long" not in (schema_problem(schema) or "")


def test_an_error_has_the_first_of_many_choices() -> None:
    for schema in ({"enum": list(range(5000))}, {"anyOf": [{"const": n} for n in range(5000)]}):
        (error,) = validation_errors(schema, "x")

        assert error.keyword == "enum"
        assert error.required == [*range(100), "… 4,900 others"]


def test_a_schema_that_was_changed_is_another_schema() -> None:
    schema: dict[str, Any] = {"type": "string"}

    before = _told(schema, 1)
    schema["type"] = "integer"

    assert (before, _told(schema, 1)) == ([("type", "$")], [])


def test_a_pattern_that_backtracks_for_ever_gives_up() -> None:
    (error,) = validation_errors({"pattern": r"^(a|a)*(?=b)\1?$"}, "a" * 60 + "c")

    assert error.keyword == "unchecked"
    assert "backtracking" in error.message


def test_numbers_beyond_json_get_an_answer() -> None:
    assert _told({"type": "integer"}, 10**400) == []
    assert _told({"maximum": 5}, 10**400) == [("maximum", "$")]
    assert _told({"type": "number"}, float("nan")) == [("type", "$")]
    assert isinstance(validation_errors({"type": "integer"}, 10**5000), list)


@pytest.mark.parametrize(
    "schema",
    [
        {"additionalProperties": {"enum": list(range(5000))}},
        {"additionalProperties": {"anyOf": [{"const": n} for n in range(100)]}},
        {"additionalProperties": {"const": list(range(5000))}},
    ],
)
def test_errors_that_would_take_too_much_memory_are_not_listed(schema: Any) -> None:
    (error,) = validation_errors(schema, {f"a{n}": "x" for n in range(500)})

    assert error.keyword == "invalid"
    assert error.message.endswith("the schema and the value are too large together.")
    assert validation_errors(schema, {}) == []
    assert len(validation_errors(schema, {"a": "x", "b": "y"})) == 2


def test_checking_by_a_schema_that_cannot_be_used_is_an_error() -> None:
    with pytest.raises(InvalidSettings, match="invalid JSON Schema: it refers to"):
        validation_errors({"$ref": "http://example.invalid/x.json"}, 1)


def test_a_rule_of_a_schema_accepts_no_value_that_json_does_not_know() -> None:
    for value in ({1, 2}, {"a": object()}):
        assert (
            score([expect.call("f", x=expect.schema({"type": "string"}))], [("f", {"x": value})]).f1
            == 0
        )
