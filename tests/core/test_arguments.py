from __future__ import annotations

from datetime import date
from math import nan
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.arguments import (
    Difference,
    count_matched_arguments,
    differences,
    overlap_ratio,
)
from callscore.core.equality import differing_keys, equal, json_type

if TYPE_CHECKING:
    from callscore.core.settings import ExtraArguments

VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 1.0, "1", "", nan]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "c d"]), VALUES)


def overlap(
    expected: dict[str, Any], actual: dict[str, Any], extra_arguments: ExtraArguments = "ignore"
) -> tuple[int, int]:
    return overlap_ratio(
        count_matched_arguments(expected, actual),
        wanted=len(expected),
        given=len(actual),
        shared=len(expected.keys() & actual.keys()),
        extra_arguments=extra_arguments,
    )


@pytest.mark.parametrize(
    ("expected", "actual", "ignoring", "counting"),
    [
        ({}, {}, (1, 1), (1, 1)),
        ({}, {"a": 1}, (1, 2), (0, 1)),
        ({"a": 1}, {}, (0, 1), (0, 1)),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, (1, 2), (1, 2)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, (2, 2), (2, 2)),
        ({"a": 1}, {"a": 1, "rm": "-rf /"}, (1, 1), (1, 2)),
        ({"a": 1, "b": 2}, {"a": 1, "c": 3}, (1, 2), (1, 3)),
        ({"a": None}, {"a": None}, (1, 1), (1, 1)),
        ({"a": None}, {}, (0, 1), (0, 1)),
        ({"a": 1}, {"a": "1"}, (0, 1), (0, 1)),
    ],
)
def test_the_overlap_is_the_share_of_the_expected_arguments(
    expected: dict[str, Any],
    actual: dict[str, Any],
    ignoring: tuple[int, int],
    counting: tuple[int, int],
) -> None:
    assert overlap(expected, actual) == ignoring
    assert overlap(expected, actual, "count") == counting


def test_a_key_that_is_absent_does_not_match_an_expected_null() -> None:
    assert count_matched_arguments({"a": None, "b": None}, {"b": None}) == 1


@pytest.mark.parametrize(
    ("expected", "actual", "difference"),
    [
        ({"a": 1}, {}, Difference("$.a", "missing", 1, None, "a")),
        ({"a": None}, {}, Difference("$.a", "missing", None, None, "a")),
        ({}, {"rm": "-rf /"}, Difference("$.rm", "unexpected", None, "-rf /", "rm")),
        ({"a": 1}, {"a": 2}, Difference("$.a", "value", 1, 2, "a")),
        ({"a": 1}, {"a": "1"}, Difference("$.a", "type", 1, "1", "a")),
        ({"a": 1}, {"a": True}, Difference("$.a", "type", 1, True, "a")),
        ({"a": None}, {"a": "None"}, Difference("$.a", "type", None, "None", "a")),
        ({"a": {}}, {"a": []}, Difference("$.a", "type", {}, [], "a")),
        ({"a": [1, 2]}, {"a": [1, 3]}, Difference("$.a[1]", "value", 2, 3, "a")),
        ({"a": [1]}, {"a": [1, 2]}, Difference("$.a[1]", "unexpected", None, 2, "a")),
        ({"a": [1, 2]}, {"a": (1,)}, Difference("$.a[1]", "missing", 2, None, "a")),
        (
            {"people": [{"name": "Ann"}]},
            {"people": [{"name": "Bob"}]},
            Difference("$.people[0].name", "value", "Ann", "Bob", "people"),
        ),
        ({"a b": 1}, {"a b": 2}, Difference("$['a b']", "value", 1, 2, "a b")),
        ({"город": 1}, {"город": 2}, Difference("$.город", "value", 1, 2, "город")),
    ],
)
def test_a_difference_has_its_path_its_kind_and_both_values(
    expected: dict[str, Any], actual: dict[str, Any], difference: Difference
) -> None:
    assert differences(expected, actual) == (difference,)


def test_differences_come_in_the_order_of_the_expected_object_and_then_the_unexpected() -> None:
    expected = {"z": 1, "list": [1, {"deep": 2}, 3], "a": 1}
    actual = {"new": 0, "a": 2, "list": [0, {"deep": 0}], "z": 2}

    assert [found.path for found in differences(expected, actual)] == [
        *("$.z", "$.list[0]", "$.list[1].deep", "$.list[2]", "$.a", "$.new"),
    ]


def test_key_order_and_the_spelling_of_numbers_are_no_difference() -> None:
    assert differences({"a": 1, "b": {"x": 1, "y": nan}}, {"b": {"y": nan, "x": 1.0}, "a": 1}) == ()


def test_a_difference_can_say_what_is_wrong() -> None:
    (difference,) = differences({"city": "Paris"}, {"city": "London"})

    assert "Paris" in difference.reason
    assert "London" in difference.reason


def test_differences_of_a_hundred_thousand_nested_arrays_are_found() -> None:
    left: Any = 1
    right: Any = 2
    for _ in range(100_000):
        left, right = [left], [right]

    (difference,) = differences({"a": left}, {"a": right})

    assert difference.path == "$.a" + "[0]" * 100_000
    assert (difference.kind, difference.expected, difference.actual) == ("value", 1, 2)


@given(OBJECTS, OBJECTS)
def test_there_are_differences_exactly_where_the_objects_differ(
    expected: dict[str, Any], actual: dict[str, Any]
) -> None:
    found = differences(expected, actual)

    assert (not found) is equal(expected, actual)
    assert list(dict.fromkeys(difference.argument for difference in found)) == differing_keys(
        expected, actual
    )


@given(OBJECTS, OBJECTS)
def test_an_overlap_is_a_fraction_and_whole_for_equal_objects(
    expected: dict[str, Any], actual: dict[str, Any]
) -> None:
    ignoring, counting = overlap(expected, actual), overlap(expected, actual, "count")

    assert 0 <= counting[0] / counting[1] <= ignoring[0] / ignoring[1] <= 1
    assert overlap(expected, expected)[0] == overlap(expected, expected)[1]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        *[(True, "boolean"), (1, "number"), (1.5, "number"), ("", "string"), (None, "null")],
        *[({}, "object"), ([], "array"), ((), "array"), (date(2024, 1, 15), "date")],
    ],
)
def test_a_value_has_the_name_of_its_json_type(value: object, name: str) -> None:
    assert json_type(value) == name


def test_in_python_a_key_may_be_anything() -> None:
    found = differences({"a": {None: 1, 2.5: 1, "b c": 1}}, {"a": {None: 2, 2.5: 2, "b c": 2}})

    assert [difference.path for difference in found] == ["$.a[None]", "$.a[2.5]", "$.a['b c']"]
