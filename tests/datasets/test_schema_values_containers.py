"""Objects and arrays."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from callscore.datasets.flattening import NoValueError
from callscore.datasets.schema_values import ValueBuilder, ValuePosition, make_array, make_object


def _marked(_: ValueBuilder, schema: Any, task: ValuePosition) -> Any:
    """In place of values: what was asked for, so that it can be seen."""
    if schema is False:
        raise NoValueError(task.steps, "no")
    return schema if isinstance(schema, str) else task.name


def _object(flat: dict[str, Any], attempt: int = 0, *, seed: int = 0) -> dict[str, Any]:
    return make_object(ValueBuilder(flat, Random(seed), _marked), flat, ValuePosition(), attempt)


def _array(flat: dict[str, Any], *, seed: int = 0, depth: int = 0) -> list[Any]:
    task = ValuePosition("a", ("a",) * depth)
    return make_array(ValueBuilder(flat, Random(seed), _marked), flat, task)


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

    with pytest.raises(NoValueError, match="a name for the pattern"):
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
    with pytest.raises(NoValueError, match="too few different items"):
        _array({"items": items, "minItems": 2, "uniqueItems": True})


@pytest.mark.parametrize("seed", range(5))
def test_there_are_no_more_items_than_there_are_different_ones(seed: int) -> None:
    assert _array({"items": "same", "minItems": 1, "uniqueItems": True}, seed=seed) == ["same"]
    assert set(_array({"items": {"type": "boolean"}, "minItems": 2, "uniqueItems": True})) == {False, True}  # fmt: skip


def test_items_that_have_no_value_are_left_out_where_they_need_not_be() -> None:
    assert _array({"items": False, "prefixItems": [False]}) == []
