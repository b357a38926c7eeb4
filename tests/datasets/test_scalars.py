"""Texts for a schema."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from callscore.datasets.scalars import make_text


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
