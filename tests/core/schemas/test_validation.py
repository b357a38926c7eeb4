"""JSON Schema: which schemas can be used, and what a value lacks by one."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.schemas.validation import (
    DRAFTS,
    SchemaError,
    schema_problem,
    unchecked_error,
    validation_errors,
)
from callscore.errors import InvalidSettings

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
IDENTIFIERS = {
    "4": DRAFT_4,
    "6": "http://json-schema.org/draft-06/schema#",
    "7": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def _told(schema: Any, value: Any) -> list[tuple[str, str]]:
    return [(error.keyword, error.path) for error in validation_errors(schema, value)]


@pytest.mark.parametrize("draft", DRAFTS)
def test_every_draft_is_known_by_its_identifier(draft: str) -> None:
    schema = {"$schema": IDENTIFIERS[draft], "type": "integer"}

    assert schema_problem(schema) is None
    assert _told(schema, "x") == [("type", "$")]


def test_the_draft_decides_what_a_keyword_means() -> None:
    older = {"$schema": DRAFT_4, "minimum": 3, "exclusiveMinimum": True}

    assert _told(older, 3) == [("exclusiveMinimum", "$")]
    assert schema_problem({"minimum": 3, "exclusiveMinimum": True}) is not None


def test_a_schema_without_a_draft_is_of_the_latest() -> None:
    assert _told({"dependentRequired": {"a": ["b"]}}, {"a": 1}) == [("required", "$.b")]


@pytest.mark.parametrize(
    "reference", ["http://example.invalid/x.json", "file:///etc/passwd", "other.json"]
)
def test_a_reference_to_elsewhere_is_refused_and_named(reference: str) -> None:
    problem = schema_problem({"properties": {"a": {"$ref": reference}}})

    assert (
        problem
        == f"it refers to `{reference}`, which it does not contain. References are not fetched."
    )


def test_a_reference_inside_the_document_is_followed() -> None:
    schema = {
        "$defs": {"name": {"type": "string"}},
        "properties": {"a": {"$ref": "#/$defs/name"}},
    }

    assert _told(schema, {"a": 1}) == [("type", "$.a")]


def test_a_schema_that_refers_to_itself_ends() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["v"]}

    assert _told(tree, {"v": 1, "next": {"next": {"v": 2}}}) == [("required", "$.next.v")]
    assert _told({"allOf": [{"$ref": "#"}]}, 1) == []


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
def test_what_is_no_schema_is_refused_with_a_reason(schema: Any, problem: str) -> None:
    said = schema_problem(schema)

    assert said is not None
    assert said.startswith(problem)


@pytest.mark.parametrize("depth", [300, 100_000])
def test_a_schema_that_is_nested_too_deep_is_refused(depth: int) -> None:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"items": schema}

    assert schema_problem(schema) == "it is nested too deeply."


def test_checking_by_a_schema_that_cannot_be_used_is_an_error() -> None:
    with pytest.raises(InvalidSettings, match="invalid JSON Schema: it refers to"):
        validation_errors({"$ref": "http://example.invalid/x.json"}, 1)


def test_equal_schemas_are_prepared_once() -> None:
    from callscore.core.schemas.validation import _compile_text

    _compile_text.cache_clear()
    for _ in range(3):
        validation_errors({"type": "string"}, 1)

    assert _compile_text.cache_info().misses == 1


def test_a_schema_that_was_changed_is_another_schema() -> None:
    schema: dict[str, Any] = {"type": "string"}

    before = _told(schema, 1)
    schema["type"] = "integer"

    assert (before, _told(schema, 1)) == ([("type", "$")], [])


def test_a_format_is_checked_and_an_unknown_one_is_not() -> None:
    assert _told({"format": "date"}, "2024-13-01") == [("format", "$")]
    assert _told({"format": "colour"}, "x") == []


def test_a_pattern_that_backtracks_for_ever_gives_up() -> None:
    (error,) = validation_errors({"pattern": r"^(a|a)*(?=b)\1?$"}, "a" * 60 + "c")

    assert error.keyword == "unchecked"
    assert "backtracking" in error.message


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


def test_numbers_beyond_json_get_an_answer() -> None:
    assert _told({"type": "integer"}, 10**400) == []
    assert _told({"maximum": 5}, 10**400) == [("maximum", "$")]
    assert _told({"type": "number"}, float("nan")) == [("type", "$")]
    assert isinstance(validation_errors({"type": "integer"}, 10**5000), list)


def test_at_most_a_hundred_errors_are_given() -> None:
    assert len(validation_errors({"items": {"type": "integer"}}, ["x"] * 1000)) == 100


@given(json_values, json_values)
def test_nothing_breaks_it(schema: Any, value: Any) -> None:
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


def test_a_missing_member_is_told_at_its_own_place() -> None:
    error = _only({"properties": {"a": {"required": ["b"]}}}, {"a": {}})

    assert (error.keyword, error.path, error.required, error.value) == (
        "required",
        "$.a.b",
        "b",
        None,
    )


@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_each_member_too_many_is_an_error_of_its_own(keyword: str) -> None:
    errors = validation_errors({"properties": {"a": {}}, keyword: False}, {"a": 1, "b": 2, "c": 3})

    assert [(error.keyword, error.path, error.value) for error in errors] == [
        (keyword, "$.b", 2),
        (keyword, "$.c", 3),
    ]


def test_where_no_member_is_allowed_each_is_one_too_many() -> None:
    errors = validation_errors({"items": {"additionalProperties": False}}, [{"a": 1, "b": 2}])

    assert [(error.keyword, error.path) for error in errors] == [
        ("additionalProperties", "$[0].a"),
        ("additionalProperties", "$[0].b"),
    ]


def test_a_name_that_must_not_be_is_told_at_its_member() -> None:
    error = _only({"propertyNames": {"pattern": "^a"}}, {"b": 1})

    assert (error.keyword, error.path, error.value) == ("propertyNames", "$.b", 1)


@pytest.mark.parametrize(
    ("schema", "value", "required"),
    [
        ({"type": "integer"}, "x", "integer"),
        ({"type": ["null", "integer"]}, "x", ["null", "integer"]),
        ({"enum": [1, 2]}, 3, [1, 2]),
        ({"const": {"a": 1}}, 3, {"a": 1}),
        ({"minimum": 5}, 3, 5),
        ({"pattern": "^a"}, "b", "^a"),
        ({"format": "date"}, "b", "date"),
        ({"maxItems": 1}, [1, 2], 1),
        ({"uniqueItems": True}, [1, 1], None),
    ],
)
def test_an_error_has_what_was_required_and_what_was_given(
    schema: Any, value: Any, required: Any
) -> None:
    error = _only(schema, value)

    assert error.keyword == next(iter(schema))
    assert (error.required, error.value) == (required, value)
    assert error.message


def test_the_value_is_the_one_that_was_given_and_not_a_copy() -> None:
    inner = (1, "x")

    assert _only({"items": {"type": "string"}}, [inner]).value is inner


def test_alternatives_of_other_types_are_one_list_of_types() -> None:
    error = _only({"anyOf": [{"type": "string"}, {"type": ["null", "string"]}]}, 3)

    assert (error.keyword, error.required) == ("type", ["string", "null"])


def test_alternatives_of_single_values_are_one_list_of_values() -> None:
    error = _only({"oneOf": [{"const": [1]}, {"enum": [2, 5]}]}, 3)

    assert (error.keyword, error.required) == ("enum", [[1], 2, 5])


def test_of_alternatives_the_one_of_the_right_type_is_meant() -> None:
    schema = {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 1}]}

    assert _only(schema, 0).keyword == "minimum"


def test_of_alternatives_the_one_whose_kind_fits_is_meant() -> None:
    def shape(kind: str, needed: str) -> dict[str, Any]:
        return {"properties": {"kind": {"const": kind}}, "required": [needed]}

    schema = {"anyOf": [shape("circle", "radius"), shape("square", "side")]}

    assert _only(schema, {"kind": "square"}).path == "$.side"


def test_of_an_alternative_the_deepest_error_is_told() -> None:
    schema = {
        "anyOf": [
            {"type": "string"},
            {"required": ["z"], "properties": {"a": {"items": {"type": "integer"}}}},
        ]
    }

    assert _only(schema, {"a": [1, "x"]}).path == "$.a[1]"


def test_alternatives_inside_of_alternatives_are_looked_into() -> None:
    inner = {"anyOf": [{"type": "object", "required": ["b"]}, {"type": "null"}]}

    assert _only({"oneOf": [inner, {"type": "array"}]}, {}).path == "$.b"


def test_more_than_one_alternative_that_fits_is_said_so() -> None:
    error = _only({"oneOf": [{"minimum": 1}, {"minimum": 2}, {"type": "string"}]}, 5)

    assert (error.keyword, error.path, error.required) == ("oneOf", "$", None)


def test_the_same_error_by_two_ways_is_told_once() -> None:
    once = {"type": "string"}

    assert _only({"allOf": [once, once]}, 1).keyword == "type"


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


def test_a_property_whose_name_is_a_number_is_found() -> None:
    schema = {"additionalProperties": {"type": "integer"}}

    (error,) = validation_errors(schema, {"0": "x"})

    assert error.value == "x"


def test_an_error_has_the_first_of_many_choices() -> None:
    for schema in ({"enum": list(range(5000))}, {"anyOf": [{"const": n} for n in range(5000)]}):
        (error,) = validation_errors(schema, "x")

        assert error.keyword == "enum"
        assert error.required == [*range(100), "… 4,900 others"]


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
