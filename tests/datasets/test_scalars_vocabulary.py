"""Words that make up values."""

from __future__ import annotations

import pytest

from callscore.datasets.scalars import GENERIC_WORDS, example_values, split_words, usual_range


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
