"""Texts for a schema."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from callscore.datasets.texts import text_for


def _texts(schema: dict[str, Any], name: str = "") -> set[str]:
    return {text_for(schema, Random(seed), name) for seed in range(30)}


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


def test_a_pattern_and_a_format_are_both_tried() -> None:
    texts = _texts({"pattern": "^2", "format": "date"})

    assert {"2"} < texts
