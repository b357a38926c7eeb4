"""Arguments in every spelling, and in none."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from callscore.core.call import FaultyObject, Malformed
from callscore.formats.calls import ParsedArguments, raw_text, read_arguments


@pytest.mark.parametrize("given", [None, "", " \n\t", "null", '"null"', '""', "{}", {}])
def test_no_arguments_are_an_empty_object(given: Any) -> None:
    assert read_arguments(given).value == {}
    assert read_arguments(given).error is None


def test_an_object_is_taken_as_it_is() -> None:
    given = {"a": 1}

    assert read_arguments(given).value is given
    assert read_arguments(MappingProxyType(given)) == ParsedArguments({"a": 1})


def test_text_is_parsed_strictly_and_exactly() -> None:
    text = '{"id": 9007199254740993, "x": 2.50, "s": "é\\u00e9"}'

    assert read_arguments(text).value == {"id": 9007199254740993, "x": 2.5, "s": "éé"}


def test_text_within_text_was_encoded_twice() -> None:
    assert read_arguments('"{\\"a\\": 1}"') == ParsedArguments({"a": 1}, warning="double_encoded")


@pytest.mark.parametrize(
    ("given", "raw", "error"),
    [
        ('["Paris"]', '["Paris"]', "not_an_object"),
        ("5", "5", "not_an_object"),
        ([1], "[1]", "not_an_object"),
        (5, "5", "not_an_object"),
        ('{"a": NaN}', '{"a": NaN}', "invalid_json"),
        ("{'a': True}", "{'a': True}", "invalid_json"),
        ('{"a": 1} thanks', '{"a": 1} thanks', "invalid_json"),
        ('{"a": 1}[2]', '{"a": 1}[2]', "invalid_json"),
        ('{"a": 1}[{}]', '{"a": 1}[{}]', "invalid_json"),
        ('{"a": "Par', '{"a": "Par', "truncated_json"),
        ('{"é": -', '{"é": -', "truncated_json"),
        ('{"a": 1.5e+', '{"a": 1.5e+', "truncated_json"),
        ('{"a": 1.}', '{"a": 1.}', "invalid_json"),
        (r'{"a": "\ud800"}', r'{"a": "\ud800"}', "invalid_json"),
        (r'{"a": "\ud83d', r'{"a": "\ud83d', "truncated_json"),
        ('{"a": 1}{"b": 2}', '{"a": 1}{"b": 2}', "concatenated_json"),
        ('{"a": 1}\n{"b": 2}\n', '{"a": 1}\n{"b": 2}\n', "concatenated_json"),
        ('"{oops"', '"{oops"', "invalid_json"),
        ("[" * 5000, ("[" * 2000) + "…", "nested_too_deeply"),
    ],
)
def test_what_is_no_object_is_kept_with_a_word_for_what_is_wrong(
    given: Any, raw: str, error: str
) -> None:
    assert read_arguments(given) == ParsedArguments(None, raw, error)


def test_an_object_with_a_fault_inside_keeps_its_text() -> None:
    faulty = FaultyObject({"a": None}, Malformed('{"a": NaN}', "NaN is not JSON"))

    assert read_arguments(faulty) == ParsedArguments(None, '{"a": NaN}', "NaN is not JSON")


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ('{"a": 1, "a": 2}', "duplicate_keys"),
        ('{"a": {"b": 1, "b": 2}}', "duplicate_keys"),
        ('{"a": [{"b": 1, "b": 2}]}', "duplicate_keys"),
        ('{"a" : 1, "a":2}', "duplicate_keys"),
        ('{"a": {"a": 1}, "b": [{"a": 2}]}', None),
        ('{"url": "https://example.com:80"}', None),
        ('{"url": "https://example.com:80", "a": 1, "a": 2}', "duplicate_keys"),
        (r'{"said": "\"yes\": no", "a": {"b": 1}}', None),
    ],
)
def test_a_key_that_stands_twice_in_one_object_is_noted(text: str, warning: str | None) -> None:
    assert read_arguments(text).warning == warning


def test_large_numbers_and_many_objects_are_no_trouble() -> None:
    digits = "9" * 5000

    assert read_arguments('{"a": {"b": ' + digits + "}}").warning is None
    assert read_arguments('{"a": ' + digits + '}{"a": 1}').error == "concatenated_json"
    assert read_arguments("{} " * 100_000).error == "concatenated_json"


def test_of_a_key_that_stands_twice_the_last_value_counts() -> None:
    assert read_arguments('{"a": 1, "a": 2}').value == {"a": 2}


@pytest.mark.parametrize(
    ("given", "text"),
    [(None, None), ("x", "x"), ({"a": [1]}, '{"a":[1]}'), (object, "\"<class 'object'>\"")],
)
def test_anything_has_a_text(given: Any, text: str | None) -> None:
    assert raw_text(given) == text


def test_what_cannot_be_encoded_is_described() -> None:
    endless: list[Any] = []
    endless.append(endless)

    assert raw_text(endless) == "a list of 1"
