"""Which arguments BFCL accepts, and what it calls the errors in the others."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.parity.bfcl import _argument_problem

INTEGERS = {"type": "array", "items": {"type": "integer"}}
STRINGS = {"type": "array", "items": {"type": "string"}}
OBJECTS = {"type": "array", "items": {"type": "dict"}}
OBJECT = {"type": "dict"}


@pytest.mark.parametrize("text", ["april 1 2024", "April-1,2024", "APRIL/1.2024", "A_p*r^il 12024"])
def test_texts_are_compared_without_case_spaces_and_some_characters(text: str) -> None:
    assert _argument_problem(text, ["April 1, 2024"], {"type": "string"}) is None
    assert _argument_problem([text], [["April 1, 2024"]], STRINGS) is None
    assert _argument_problem({"day": text}, [{"day": ["April 1, 2024"]}], OBJECT) is None


def test_one_kind_of_quotes_is_as_good_as_the_other() -> None:
    assert _argument_problem("it's", ['it"s'], {"type": "string"}) is None
    assert _argument_problem("its", ['it"s', 1], {"type": "string"}) == "value_error:string"


@pytest.mark.parametrize(
    ("value", "answers", "word", "problem"),
    [
        (1, [1], "integer", None),
        (1, [1.0], "float", None),
        (1, [1], "float", None),
        (1.0, [1], "integer", "type_error:simple"),
        (True, [1], "integer", "type_error:simple"),
        (True, [True], "boolean", None),
        (False, [True], "boolean", "value_error:others"),
        (2.5, [1.0, 2.5], "float", None),
        (2, [1], "integer", "value_error:others"),
        ("x", [""], "string", "value_error:string"),
        ("", [""], "string", None),
        (1, [], "integer", "value_error:others"),
        (1, [], "string", "type_error:simple"),
        (1, [""], "string", "type_error:simple"),
    ],
)
def test_an_argument_has_the_type_of_its_document(
    value: Any, answers: list[Any], word: str, problem: str | None
) -> None:
    assert _argument_problem(value, answers, {"type": word}) == problem


def test_answers_of_another_type_are_compared_as_they_are() -> None:
    assert _argument_problem("x", ["x"], {"type": "integer"}) is None
    assert _argument_problem("X", ["x"], {"type": "integer"}) == "value_error:others"
    assert _argument_problem(None, [None], {"type": "any"}) is None
    assert _argument_problem(1, [True, 1], {"type": "integer"}) is None
    assert _argument_problem({"a": 1}, [[1]], OBJECT) == "value_error:others"


def test_the_items_of_an_array_have_the_type_of_the_document_or_of_the_first_answer() -> None:
    assert _argument_problem([1, 2], [[1, 2]], INTEGERS) is None
    assert _argument_problem(["x"], [["x"]], INTEGERS) is None
    assert _argument_problem([1.0], [[1]], INTEGERS) == "type_error:nested"
    assert _argument_problem([1.0], [[2], [1.0]], INTEGERS) is None
    assert _argument_problem([1], [], INTEGERS) == "type_error:simple"
    assert _argument_problem([2, 1], [[1, 2]], INTEGERS) == "value_error:list/tuple"


def test_what_may_be_left_out_may_have_items_of_any_type() -> None:
    assert _argument_problem([1.0], [[1], ""], INTEGERS) is None
    assert _argument_problem([], [""], INTEGERS) is None


def test_a_tuple_is_a_list_where_the_document_says_tuple() -> None:
    document = {"type": "tuple", "items": {"type": "integer"}}

    assert _argument_problem((1, 2), [[1, 2]], document) is None
    assert _argument_problem((1, 2), [[1, 2]], INTEGERS) == "type_error:simple"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"a": 1}, None),
        ({"a": 2, "b": "X"}, None),
        ({"a": 3}, "value_error:dict_value"),
        ({"a": 1, "c": 1}, "value_error:dict_key"),
        ({}, "value_error:dict_key"),
        ({"b": "y"}, "value_error:dict_key"),
    ],
)
def test_the_members_of_an_object_have_answers_of_their_own(
    value: Any, problem: str | None
) -> None:
    assert _argument_problem(value, ["", {"a": [1, 2], "b": ["x", ""]}], OBJECT) == problem


def test_one_possible_object_of_several_is_enough() -> None:
    answers = [{"a": [1]}, {"b": [2]}]

    assert _argument_problem({"a": 1}, answers, OBJECT) is None
    assert _argument_problem({"b": 2}, answers, OBJECT) is None
    assert _argument_problem({"b": 1}, answers, OBJECT) == "value_error:dict_value"
    assert _argument_problem({"b": 1}, [""], OBJECT) == "dict_checker:unclear"


def test_what_is_nested_deeper_has_to_be_equal_as_it_is() -> None:
    answers = [{"a": [{"b": "x"}]}]

    assert _argument_problem({"a": {"b": "x"}}, answers, OBJECT) is None
    assert _argument_problem({"a": {"b": "X"}}, answers, OBJECT) == "value_error:dict_value"


def test_an_array_of_objects_has_them_in_order() -> None:
    answers = [[{"a": [1]}, {"a": [2]}]]

    assert _argument_problem([{"a": 1}, {"a": 2}], answers, OBJECTS) is None
    assert _argument_problem([{"a": 2}, {"a": 1}], answers, OBJECTS) == "value_error:dict_value"
    assert _argument_problem([{"a": 1}], answers, OBJECTS) == "value_error:list_dict_count"
    assert _argument_problem([{"a": 1}], [*answers, [{"a": [1]}]], OBJECTS) is None
