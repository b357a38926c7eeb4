"""Values that are valid under a schema: of every keyword, of real tools, and of made-up schemas."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]  # it has no types
import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from callscore import InvalidSettings, Tool, read_tools
from callscore.core.schemas.validation import schema_problem, validation_errors
from callscore.datasets.flattening import NoValueError, TooManyTriesError
from callscore.datasets.schema_values import (
    ValueBuilder,
    ValuePosition,
    changed_arguments,
    is_valid,
    make_arguments,
    make_array,
    make_object,
    make_value,
    random_call,
    two_different_calls,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests/samples"
TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "left": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["name", "left"],
        }
    },
}
FILLABLE: list[Any] = [
    True,
    {},
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "null"},
    {"type": "array"},
    {"type": "object"},
    {"type": ["null", "integer"]},
    {"const": {"a": [1]}},
    {"enum": [1, "a", None]},
    {"enum": ["a", 5], "type": "integer"},
    {"type": "integer", "minimum": 5, "maximum": 5},
    {"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 7},
    {"type": "integer", "minimum": -10, "maximum": -3, "multipleOf": 4},
    {"type": "number", "minimum": 0, "exclusiveMinimum": True, "$schema": "http://json-schema.org/draft-04/schema#"},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.001},
    {"type": "number", "multipleOf": 0.01, "minimum": 1, "maximum": 2},
    {"type": "integer", "multipleOf": 1.5},
    {"type": "string", "minLength": 30},
    {"type": "string", "maxLength": 2},
    {"type": "string", "minLength": 3, "maxLength": 3},
    {"type": "string", "pattern": "^[A-Z]{3}-\\d{2,4}$"},
    {"type": "string", "pattern": "^(?=.*\\d)[a-z\\d]{6,}$"},
    {"type": "string", "pattern": "^\\+?[1-9]\\d*$", "minLength": 8},
    {"type": "string", "pattern": "^x", "minLength": 4, "maxLength": 4},
    {"type": "string", "pattern": "x$", "minLength": 4, "maxLength": 4},
    {"type": "string", "pattern": "^x[a-z]+$", "minLength": 50, "maxLength": 50},
    {"type": "string", "pattern": "^[a-z]+-[a-z]+$", "minLength": 12, "maxLength": 14},
    {"type": "string", "pattern": "^2024", "format": "date"},
    {"type": "string", "pattern": "^2031-0[1-6]-", "format": "date"},
    {"type": "string", "pattern": "@corp\\.example$", "format": "email"},
    {"type": "string", "pattern": "\\.pdf$", "format": "uri"},
    {"type": "string", "pattern": "^https://api\\.", "format": "uri"},
    {"type": "string", "pattern": "^(a|b)\\1$", "examples": ["aa"]},
    {"type": "string", "pattern": "^(a|b)\\1$", "default": "bb"},
    *({"type": "string", "format": name} for name in ("date", "date-time", "time", "duration")),
    *({"type": "string", "format": name} for name in ("email", "idn-email", "hostname", "uuid")),
    *({"type": "string", "format": name} for name in ("ipv4", "ipv6", "uri", "uri-reference")),
    *({"type": "string", "format": name} for name in ("iri", "iri-reference", "uri-template")),
    *({"type": "string", "format": name} for name in ("json-pointer", "regex", "unheard-of")),
    {"type": "string", "format": "relative-json-pointer"},
    {"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": True},
    {"type": "array", "items": {"enum": ["red", "green"]}, "uniqueItems": True, "minItems": 1},
    {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True, "minItems": 3},
    {"type": "array", "items": {"enum": list(range(40))}, "uniqueItems": True, "minItems": 40},
    {"type": "array", "items": {"$ref": "#/$defs/a"}, "uniqueItems": True, "minItems": 2, "$defs": {"a": {"enum": ["x", "y"]}}},
    {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True},
    {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 2}, "uniqueItems": True},
    {"type": "array", "items": {"enum": []}},
    {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
    {"type": "array", "items": [{"type": "string"}], "additionalItems": False, "$schema": "http://json-schema.org/draft-07/schema#"},
    {"type": "array", "contains": {"const": 7}, "minContains": 2},
    {"type": "array", "maxItems": 0},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a", "b"]},
    {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2},
    {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": False, "minProperties": 1},
    {"type": "object", "patternProperties": {"^x_": {"type": "integer"}}, "additionalProperties": False, "minProperties": 3},
    {"type": "object", "propertyNames": {"pattern": "^[a-z]{4}$"}, "minProperties": 2},
    {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "maxProperties": 1},
    {"type": "object", "properties": {"a": False, "b": {"type": "string"}}},
    {"type": "object", "properties": {"a": {}}, "required": ["a"], "dependentRequired": {"a": ["b"]}},
    {
        "type": "object",
        "required": ["card"],
        "dependentSchemas": {"card": {"required": ["address"], "properties": {"address": {"type": "string"}}}},
    },
    {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 3}]},
    {"anyOf": [False, {"type": "null"}]},
    {"oneOf": [{"type": "integer", "multipleOf": 3}, {"type": "integer", "multipleOf": 5}]},
    {"allOf": [{"type": "number", "minimum": 2}, {"type": "integer", "maximum": 3}]},
    {"allOf": [{"multipleOf": 4}, {"multipleOf": 6, "type": "integer"}]},
    {"allOf": [{"enum": [1, 2, 3]}, {"enum": [3, 4]}]},
    {"allOf": [{"properties": {"a": {"minimum": 3}}}, {"type": "object", "properties": {"a": {"type": "integer", "maximum": 3}}, "required": ["a"]}]},
    {"allOf": [{"prefixItems": [{"minimum": 3}]}, {"type": "array", "prefixItems": [{"maximum": 4, "type": "integer"}, {"type": "string"}]}]},
    {"allOf": [{"propertyNames": {"maxLength": 4}}, {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "minProperties": 1}]},
    {"not": {"type": "string"}},
    {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind"], "if": {"properties": {"kind": {"const": "a"}}}, "then": {"required": ["x"]}, "else": {"required": ["y"]}},
    {"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"type": "integer"}}},
    {"$ref": "#thing", "$defs": {"a": {"$anchor": "thing", "type": "boolean"}}},
    {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}, "required": ["b"]},
    TREE,
]  # fmt: skip


def _schemas_in(value: Any) -> list[Any]:
    """The schemas of objects that stand anywhere in a document."""
    found: list[Any] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            if isinstance(item.get("properties"), dict) and schema_problem(item) is None:
                found.append(item)
            pending += item.values()
        elif isinstance(item, list):
            pending += item
    return found


def _real_tools() -> list[Tool]:
    files = [ROOT / "examples/assistant/tools.json"]
    files += sorted(SAMPLES.glob("formats/tool_definitions/*.json"))
    return [tool for file in files for tool in read_tools(file) if tool.parameters]


def _require_valid(schema: Any, value: Any) -> None:
    assert validation_errors(schema, value) == []
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    kind(schema, format_checker=kind.FORMAT_CHECKER).validate(value)


@pytest.mark.parametrize("schema", FILLABLE, ids=str)
def test_a_value_is_found_that_both_validators_accept(schema: Any) -> None:
    for seed in range(10):
        _require_valid(schema, make_value(schema, Random(seed)))


def test_arguments_are_found_for_every_schema_that_real_traces_and_tools_have() -> None:
    schemas = [
        schema
        for file in sorted(SAMPLES.rglob("*.json"))
        for schema in _schemas_in(msgspec.json.decode(file.read_bytes()))
    ]

    assert len(schemas) > 50
    for schema in schemas:
        _require_valid(schema, make_value(schema, Random(1)))


@pytest.mark.parametrize("tool", _real_tools(), ids=lambda tool: tool.name)
def test_the_arguments_of_a_tool_are_an_object_and_valid(tool: Tool) -> None:
    for seed in range(5):
        arguments = make_arguments(tool, Random(seed))

        assert isinstance(arguments, dict)
        assert validation_errors(tool.parameters, arguments) == []


def test_the_same_seed_gives_the_same_value_and_another_another() -> None:
    values = [make_value({"type": "string", "format": "uuid"}, Random(seed)) for seed in (1, 1, 2)]

    assert values[0] == values[1] != values[2]


def test_a_tool_without_a_schema_takes_no_arguments() -> None:
    assert make_arguments(Tool("f"), Random(0)) == {}


def test_the_arguments_are_an_object_where_the_schema_names_no_type() -> None:
    tool = Tool("f", None, {"required": ["a"]})

    assert list(make_arguments(tool, Random(0))) == ["a"]


def test_examples_are_used() -> None:
    schema = {"type": "string", "examples": ["one", "two"]}

    assert {"one", "two"} & {make_value(schema, Random(seed)) for seed in range(10)}


@pytest.mark.parametrize(
    ("schema", "place", "problem"),
    [
        (False, "$.a", "the schema allows no value"),
        ({"type": "integer", "minimum": 5, "maximum": 3}, "$.a", "accepts none of the values tried"),
        ({"type": "string", "pattern": "^(a|b)\\1$"}, "$.a", "accepts none of the values tried"),
        ({"allOf": [{"enum": [1]}, {"enum": [2]}]}, "$.a", "its enums have no value in common"),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, "$.a", "its types have none in common"),
        ({"type": "array", "items": False, "minItems": 1}, "$.a[0]", "the schema allows no value"),
        ({"type": "array", "items": {"const": 1}, "minItems": 2, "uniqueItems": True}, "$.a[1]", "too few distinct items"),
        ({"type": "object", "required": ["b"], "properties": {"b": False}}, "$.a.b", "the schema allows no value"),
    ],
    ids=str,
)  # fmt: skip
def test_where_there_is_no_value_the_place_and_the_tool_are_named(
    schema: Any, place: str, problem: str
) -> None:
    tool = Tool("f", None, {"type": "object", "properties": {"a": schema}, "required": ["a"]})

    with pytest.raises(InvalidSettings) as raised:
        make_arguments(tool, Random(0))

    message = str(raised.value)
    assert message.startswith(f"tool 'f': no value found for {place}: ")
    assert problem in message
    assert message.endswith("Add 'examples' or a 'default' there.")


def test_a_schema_that_takes_too_many_tries_is_called_too_large() -> None:
    numbers = {"type": "array", "items": {"type": "integer"}, "minItems": 10_000}
    tool = Tool("f", None, {"type": "object", "properties": {"a": numbers}, "required": ["a"]})

    with pytest.raises(InvalidSettings) as raised:
        make_arguments(tool, Random(0))

    message = "the schema of the tool 'f' is too large; stopped after 20,000 tries"
    assert str(raised.value) == f"{message}. Add 'examples' or a 'default' to it."


def test_a_schema_without_an_end_is_given_up() -> None:
    endless = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/a"}}}}}  # fmt: skip

    with pytest.raises(NoValueError, match="infinitely deep"):
        make_value(endless, Random(0))


def test_what_need_not_be_given_is_left_out_where_it_has_no_value() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "enum": []}, "b": {"const": 1}}, "required": ["b"]}  # fmt: skip

    assert make_value(schema, Random(0)) == {"b": 1}


def test_a_part_whose_references_cannot_be_followed_by_itself_accepts_anything() -> None:
    assert is_valid({"$ref": "#/properties/a"}, 5, {"properties": {"a": {"type": "string"}}})


_names = st.sampled_from(["city", "a", "b", "count", "x y", "Ω"])
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-50, 50),
    st.floats(-100, 100).map(lambda number: round(number, 3)),
    st.text("abcXYZ019 -é", max_size=8),
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def _schemas_for(draw: st.DrawFn, value: Any, depth: int = 0) -> Any:
    """Schemas that accept a value."""
    how = draw(st.sampled_from(["plain"] * 4 + ["enum", "anyOf", "allOf", "not", "if"]))
    if depth > 2 or how == "plain":
        return draw(_plain_schemas_for(value, depth))
    same = _schemas_for(value, depth + 1)
    other = _schemas_for(draw(_values), depth + 1)
    ways: dict[str, Callable[[], Any]] = {
        "enum": lambda: {"enum": [*draw(st.lists(_values, max_size=2)), value]},
        "anyOf": lambda: {"anyOf": [draw(other), draw(same)]},
        "allOf": lambda: {"allOf": [draw(same), draw(same)]},
        "not": lambda: {"not": {"const": "zz"}, "allOf": [draw(same)]},
        "if": lambda: {"if": {"const": value}, "then": draw(same), "else": draw(other)},
    }
    return ways[how]()


@st.composite
def _plain_schemas_for(draw: st.DrawFn, value: Any, depth: int) -> Any:
    def perhaps(**keywords: Any) -> dict[str, Any]:
        return keywords if draw(st.booleans()) else {}

    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = draw(st.integers(0, 5)), draw(st.integers(0, 5))
        return {"type": "number", **perhaps(minimum=value - low), **perhaps(maximum=value + high)}
    if isinstance(value, str):
        return {"type": "string", **perhaps(minLength=len(value)), **perhaps(maxLength=len(value))}
    if isinstance(value, list | dict):
        return draw(_container_schemas_for(value, depth))
    return {"enum": [value]}


@st.composite
def _container_schemas_for(draw: st.DrawFn, value: Any, depth: int) -> Any:
    def perhaps(**keywords: Any) -> dict[str, Any]:
        return keywords if draw(st.booleans()) else {}

    inner = value if isinstance(value, list) else list(value.values())
    schemas = [draw(_schemas_for(item, depth + 1)) for item in inner]
    either: Any = {"anyOf": schemas} if schemas else {}
    if isinstance(value, list):
        return {"type": "array", **perhaps(minItems=len(value)), **perhaps(items=either)}
    named = dict(zip(value, schemas, strict=True))
    return {
        "type": "object",
        **perhaps(properties=named),
        **perhaps(required=list(value)),
        **perhaps(additionalProperties=either),
        **perhaps(maxProperties=len(value)),
    }


@given(st.data(), _values, st.integers(0, 5))
def test_whatever_is_made_is_valid(data: st.DataObject, value: Any, seed: int) -> None:
    schema = data.draw(_schemas_for(value))
    assume(schema_problem(schema) is None)
    try:
        made = make_value(schema, Random(seed))
    except NoValueError:
        assume(False)

    _require_valid(schema, made)


# Objects and arrays.


class _MarkedValues(ValueBuilder):
    """Returns what was asked for in place of a value."""

    def make(self, schema: Any, position: ValuePosition) -> Any:
        if schema is False:
            raise NoValueError(position.steps, "no")
        return schema if isinstance(schema, str) else position.name


def _object(flat: dict[str, Any], attempt: int = 0, *, seed: int = 0) -> dict[str, Any]:
    return make_object(_MarkedValues(flat, Random(seed)), flat, ValuePosition(), attempt)


def _array(flat: dict[str, Any], *, seed: int = 0, depth: int = 0) -> list[Any]:
    task = ValuePosition("a", ("a",) * depth)
    return make_array(_MarkedValues(flat, Random(seed)), flat, task)


def test_tries_differ_in_how_much_they_give() -> None:
    flat = {"properties": {name: {} for name in "abcdefgh"}, "required": ["c"]}

    assert list(_object(flat, 2)) == ["c"]
    assert list(_object(flat, 3)) == list("abcdefgh")


def test_there_are_never_more_members_than_may_be() -> None:
    flat = {"properties": {name: {} for name in "abcdefgh"}, "required": ["c"], "maxProperties": 3}

    assert len(_object(flat, 3)) == 3
    assert "c" in _object(flat, 3)


def test_what_is_required_without_being_described_may_be_anything() -> None:
    assert _object({"required": ["b"], "additionalProperties": "others"}, 2) == {"b": "others"}


def test_a_member_is_described_by_its_name_and_by_patterns() -> None:
    flat = {"properties": {"x-a": "named"}, "patternProperties": {"^x-": "matched", "^y": "other", "(": "bad"}, "required": ["x-b", "x-a"]}  # fmt: skip

    assert _object(flat, 2) == {"x-a": "x-a", "x-b": "matched"}


@pytest.mark.parametrize("word", ["dependentRequired", "dependencies"])
def test_what_must_be_given_together_is(word: str) -> None:
    flat = {"required": ["a"], word: {"a": ["b"], "b": ["a", "c"]}}

    assert set(_object(flat, 2)) == {"a", "b", "c"}


def test_new_names_are_made_up_where_there_are_too_few() -> None:
    flat = {"minProperties": 12}

    assert len(_object(flat, 2)) == 12


def test_a_pattern_for_names_that_is_not_understood_is_told() -> None:
    flat = {"minProperties": 1, "patternProperties": {"(a)\\1": {}}, "additionalProperties": False}

    with pytest.raises(NoValueError, match="no name found for the pattern"):
        _object(flat, 2)


def test_names_that_a_pattern_allows_are_told_apart() -> None:
    flat = {"minProperties": 5, "patternProperties": {"^x_": {}}, "additionalProperties": False}

    names = list(_object(flat, 2))

    assert len(names) == 5
    assert all(name.startswith("x_") for name in names)


def test_where_no_further_name_is_allowed_there_are_fewer() -> None:
    flat = {"properties": {"a": {}}, "minProperties": 3, "additionalProperties": False}

    assert list(_object(flat, 2)) == ["a"]


def test_items_have_their_own_schemas_first() -> None:
    flat = {"prefixItems": ["first", "second"], "items": "others", "minItems": 4, "maxItems": 4}

    assert _array(flat) == ["first", "second", "others", "others"]


def test_the_older_spelling_of_first_items_is_known() -> None:
    flat = {"items": ["first"], "additionalItems": "others", "minItems": 2, "maxItems": 2}

    assert _array(flat) == ["first", "others"]


def test_an_array_holds_what_it_must_contain() -> None:
    flat = {"contains": "this", "minContains": 2, "maxItems": 2}

    assert _array(flat) == ["a", "a"]  # both are asked for at once, which is no mere mark


def test_deep_down_there_is_only_what_must_be() -> None:
    assert _array({"items": {}}, depth=6) == []
    assert len(_array({"items": {}})) >= 1


@pytest.mark.parametrize("items", ["same", {"const": 1}])
def test_too_few_different_items_are_an_error(items: Any) -> None:
    with pytest.raises(NoValueError, match="too few distinct items"):
        _array({"items": items, "minItems": 2, "uniqueItems": True})


@pytest.mark.parametrize("seed", range(5))
def test_there_are_no_more_items_than_there_are_different_ones(seed: int) -> None:
    assert _array({"items": "same", "minItems": 1, "uniqueItems": True}, seed=seed) == ["same"]
    assert set(_array({"items": {"type": "boolean"}, "minItems": 2, "uniqueItems": True})) == {False, True}  # fmt: skip


def test_items_that_have_no_value_are_left_out_where_they_need_not_be() -> None:
    assert _array({"items": False, "prefixItems": [False]}) == []


# Calls that tools' schemas accept.

FREE = Tool("f", None, {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"const": 1}}, "required": ["a", "b"]})  # fmt: skip
FIXED = Tool("g", None, {"type": "object", "properties": {"b": {"const": 1}}, "required": ["b"]})


def test_a_call_has_the_name_of_the_tool() -> None:
    call = random_call(FREE, Random(0))

    assert call.name == "f"
    assert set(call.arguments or {}) == {"a", "b"}


def test_other_arguments_differ_in_one_place() -> None:
    given = {"a": 1, "b": 1}

    others = changed_arguments(FREE, given, Random(0))

    assert others is not None
    assert others["a"] != 1
    assert others["b"] == 1


def test_where_every_argument_is_fixed_there_are_no_others() -> None:
    assert changed_arguments(FIXED, {"b": 1}, Random(0)) is None


def test_two_calls_are_of_two_tools_or_differ() -> None:
    both = two_different_calls([FREE, FIXED], Random(0))
    alone = two_different_calls([FREE], Random(0))

    assert both is not None
    assert alone is not None
    assert [call.name for call in both] == ["f", "g"]
    assert alone[0].arguments != alone[1].arguments


def test_a_tool_that_can_be_called_in_one_way_gives_no_two_calls() -> None:
    assert two_different_calls([FIXED], Random(0)) is None


# What everything that makes values shares.


def test_a_task_knows_where_it_stands() -> None:
    task = ValuePosition().member("passengers").item(2).member("name")

    assert task.steps == ("passengers", 2, "name")
    assert task.depth == 3
    assert task.name == "name"


def test_an_item_has_the_name_of_the_whole() -> None:
    assert ValuePosition().member("cities").item(0).name == "cities"


def test_tries_are_counted_and_come_to_an_end() -> None:
    making = ValueBuilder({}, Random(0))

    for _ in range(20_000):
        making.spend()

    with pytest.raises(TooManyTriesError) as raised:
        making.spend()
    assert raised.value.tries == 20_000


def test_optional_members_are_not_empty() -> None:
    empty = {"type": "object", "properties": {}}
    schema = {
        "type": "object",
        "properties": {"options": empty, "needed": empty},
        "required": ["needed"],
    }
    tool = Tool("f", parameters=schema)

    assert all(make_arguments(tool, Random(seed)) == {"needed": {}} for seed in range(20))
