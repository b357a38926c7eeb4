"""Texts for a schema."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from callscore.core.schemas.validation import validation_errors
from callscore.datasets.scalars import (
    GENERIC_WORDS,
    exact_fraction,
    example_values,
    make_number,
    make_text,
    split_words,
    usual_range,
)


def _texts(schema: dict[str, Any], name: str = "") -> set[str]:
    return {make_text(schema, Random(seed), name) for seed in range(30)}


def test_a_name_tells_what_a_text_is_about() -> None:
    assert "Paris" in _texts({}, "departure_city")
    assert _texts({}, "city").isdisjoint(_texts({}, "query"))


def test_a_description_gives_an_example_to_go_by() -> None:
    described = {"description": "The order id, such as '#W0000000'. Be careful."}

    assert all(text.startswith("#W") and len(text) == 9 for text in _texts(described))
    assert len(_texts(described)) > 10


def test_a_date_in_a_description_is_a_date() -> None:
    texts = _texts({"description": "In the format YYYY-MM-DD, e.g. `2024-02-30`."})

    assert all(text[:2] == "20" and len(text) == 10 for text in texts)
    assert "2024-02-30" not in texts


@pytest.mark.parametrize(
    "schema", [{"minLength": 50}, {"maxLength": 3}, {"minLength": 4, "maxLength": 4}]
)
def test_a_text_has_the_length_that_it_should_have(schema: dict[str, Any]) -> None:
    for text in _texts(schema, "city"):
        assert schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", 1_000)


def test_a_pattern_that_is_not_understood_is_left_to_whoever_checks() -> None:
    assert _texts({"pattern": "(a)\\1"}, "city") == _texts({}, "city")


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"pattern": "^2024", "format": "date"}, r"2024-\d\d-\d\d"),
        ({"pattern": "@corp\\.example$", "format": "email"}, r"\w+@corp\.example"),
        ({"pattern": "^[0-9-]+$", "format": "date"}, r"20\d\d-\d\d-\d\d"),
    ],
    ids=str,
)
def test_a_text_follows_a_pattern_and_a_format_at_once(schema: dict[str, Any], found: str) -> None:
    for text in _texts(schema):
        assert re.fullmatch(found, text)


def test_where_a_pattern_and_a_format_exclude_each_other_either_is_tried() -> None:
    texts = _texts({"pattern": "^none$", "format": "date"})

    assert {"none"} < texts


def test_a_pattern_that_the_checks_do_not_know_is_no_pattern_of_a_format() -> None:
    assert "xy" in _texts({"pattern": "(?P<a>x)(?P<a>y)", "format": "date"})


def test_a_length_that_no_text_has_is_not_tried() -> None:
    assert "Paris" in _texts({"pattern": "^P", "minLength": 10**12}, "city")


@pytest.mark.parametrize("pattern", ["^x", "x$", "^x[a-z]*$", "^[a-z]*x[a-z]*$"])
def test_a_pattern_and_a_length_go_together(pattern: str) -> None:
    for text in _texts({"pattern": pattern, "minLength": 9, "maxLength": 10}):
        assert 9 <= len(text) <= 10
        assert re.search(pattern, text)


# Numbers within bounds.


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"minimum": 3},
        {"minimum": 3_000},
        {"maximum": 3},
        {"maximum": -3_000},
        {"minimum": 1, "maximum": 2},
        {"minimum": 10**20, "maximum": 10**20 + 3},
        {"exclusiveMinimum": 0, "exclusiveMaximum": 3},
        {"multipleOf": 7},
        {"multipleOf": 2.5, "minimum": 10, "maximum": 100},
        {"minimum": -5, "maximum": -1},
    ],
    ids=str,
)
@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "any"])
def test_a_number_fits_the_schema(schema: dict[str, Any], *, is_whole: bool) -> None:
    kind = {"type": "integer" if is_whole else "number"}

    for seed in range(30):
        number = make_number(schema, Random(seed), name="", is_whole=is_whole)
        assert validation_errors({**schema, **kind}, number) == []


def test_small_ranges_have_numbers_in_them() -> None:
    schema = {"exclusiveMinimum": 0, "exclusiveMaximum": 0.001}

    found = {make_number(schema, Random(seed), name="", is_whole=False) for seed in range(20)}

    assert all(0 < number < 0.001 for number in found)


def test_a_name_tells_what_is_usual() -> None:
    ages = [
        make_number({}, Random(seed), name="passenger_age", is_whole=True) for seed in range(50)
    ]

    assert all(18 <= age <= 80 for age in ages)
    assert len(set(ages)) > 10


def test_where_no_multiple_is_exact_for_a_machine_one_is_given_all_the_same() -> None:
    schema = {"multipleOf": 0.1, "minimum": 0.3, "maximum": 0.3}

    assert make_number(schema, Random(0), name="", is_whole=False) == 0.3


@pytest.mark.parametrize(("value", "found"), [(0.1, Fraction(1, 10)), (3, Fraction(3)), (True, None), ("1", None)])  # fmt: skip
def test_numbers_are_what_is_written(value: Any, found: Fraction | None) -> None:
    assert exact_fraction(value) == found


# Words that make up values.


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("getWeather", ("get", "weather")),
        ("get_weather", ("get", "weather")),
        ("get-weather.now", ("get", "weather", "now")),
        ("HTTPServer2", ("http", "server", "2")),
        ("город", ("город",)),
        ("", ()),
    ],
)
def test_a_name_has_words(name: str, words: tuple[str, ...]) -> None:
    assert split_words(name) == words


def test_the_last_word_that_is_known_tells() -> None:
    assert example_values("city_name") == example_values("name")
    assert example_values("cities_list") == GENERIC_WORDS
    assert example_values("emails") == example_values("email")


def test_what_is_usual_goes_by_the_name() -> None:
    assert usual_range("birth_year") == (1990, 2026)
    assert usual_range("x") == (1, 100)
