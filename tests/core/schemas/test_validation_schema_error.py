"""Where a value is wrong by a schema, and which of several errors is told."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.schemas.validation import (
    SchemaError,
    json_path,
    unchecked_error,
    validation_errors,
)


def _only(schema: Any, value: Any) -> SchemaError:
    (error,) = validation_errors(schema, value)
    return error


@pytest.mark.parametrize(
    ("steps", "path"),
    [((), "$"), (("a", 0, "b"), "$.a[0].b"), (("first name",), "$['first name']")],
)
def test_a_path_is_spelled_as_everywhere(steps: tuple[str | int, ...], path: str) -> None:
    assert json_path(steps) == path


def test_a_missing_member_is_told_at_its_own_place() -> None:
    error = _only({"properties": {"a": {"required": ["b"]}}}, {"a": {}})

    assert (error.keyword, error.path, error.wanted, error.value) == (
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
    ("schema", "value", "wanted"),
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
def test_an_error_has_what_was_wanted_and_what_was_given(
    schema: Any, value: Any, wanted: Any
) -> None:
    error = _only(schema, value)

    assert error.keyword == next(iter(schema))
    assert (error.wanted, error.value) == (wanted, value)
    assert error.message


def test_the_value_is_the_one_that_was_given_and_not_a_copy() -> None:
    inner = (1, "x")

    assert _only({"items": {"type": "string"}}, [inner]).value is inner


def test_alternatives_of_other_types_are_one_list_of_types() -> None:
    error = _only({"anyOf": [{"type": "string"}, {"type": ["null", "string"]}]}, 3)

    assert (error.keyword, error.wanted) == ("type", ["string", "null"])


def test_alternatives_of_single_values_are_one_list_of_values() -> None:
    error = _only({"oneOf": [{"const": [1]}, {"enum": [2, 5]}]}, 3)

    assert (error.keyword, error.wanted) == ("enum", [[1], 2, 5])


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

    assert (error.keyword, error.path, error.wanted) == ("oneOf", "$", None)


def test_the_same_error_by_two_ways_is_told_once() -> None:
    once = {"type": "string"}

    assert _only({"allOf": [once, once]}, 1).keyword == "type"


def test_a_message_is_short_and_has_no_control_characters() -> None:
    error = _only({"type": "integer"}, "\x1b[31m" + "x" * 10_000)

    assert len(error.message) <= 300
    assert error.message.isprintable()


def test_why_something_could_not_be_checked_is_an_error_too() -> None:
    assert unchecked_error("why", 1) == SchemaError("unchecked", (), None, 1, "why")
