"""Words that make up values."""

from __future__ import annotations

import pytest

from callscore.datasets.vocabulary import THINGS, usual_range, words_for, words_in


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
    assert words_in(name) == words


def test_the_last_word_that_is_known_tells() -> None:
    assert words_for("city_name") == words_for("name")
    assert words_for("cities_list") == THINGS
    assert words_for("emails") == words_for("email")


def test_what_is_usual_goes_by_the_name() -> None:
    assert usual_range("birth_year") == (1990, 2026)
    assert usual_range("x") == (1, 100)
