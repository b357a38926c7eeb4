"""Names of tools, compared as the settings ask."""

from __future__ import annotations

from typing import Any

import pytest

import callscore
from callscore.core.call import ToolCall
from callscore.core.settings import Settings
from callscore.core.tool_names import comparable_name, with_compared_names


def compared(name: str, **values: Any) -> str:
    return comparable_name(name, Settings(**values))


@pytest.mark.parametrize(
    ("name", "patterns", "left"),
    [
        ("mcp__github__search", ("mcp__*__",), "search"),
        ("mcp__github__search__all", ("mcp__*__",), "search__all"),
        ("mcp__github__", ("mcp__*__",), "mcp__github__"),
        ("search", ("mcp__*__",), "search"),
        ("functions.search", ("functions.",), "search"),
        ("functionsXsearch", ("functions.",), "functionsXsearch"),
        ("a.b.search", ("a.", "a.b."), "b.search"),
        ("b.search", ("a.", "b."), "search"),
        ("search", (), "search"),
    ],
)
def test_a_prefix_is_taken_off_where_something_is_left(
    name: str, patterns: tuple[str, ...], left: str
) -> None:
    assert compared(name, strip_prefix=patterns) == left


@pytest.mark.parametrize(
    ("name", "parts", "left"),
    [
        ("functions.get_weather:0", ("namespace",), "get_weather"),
        ("mcp__weather__get_weather", ("namespace",), "get_weather"),
        ("github/search", ("namespace",), "search"),
        ("weather-get_weather", ("namespace",), "weather-get_weather"),
        ("ends_with.", ("namespace",), "ends_with."),
        ("geo.get_weather", ("dots",), "geo_get_weather"),
        ("weather-get/it:now", ("dots",), "weather_get_it_now"),
        ("getWeather", ("case",), "getweather"),
        ("Straße", ("case",), "strasse"),
        ("Geo.getWeather", ("namespace", "dots", "case"), "getweather"),
        ("Geo.getWeather", (), "Geo.getWeather"),
    ],
)
def test_parts_of_a_name_can_be_left_out_of_the_comparison(
    name: str, parts: tuple[str, ...], left: str
) -> None:
    assert compared(name, normalise_name=parts) == left


def test_only_calls_with_another_name_are_made_anew() -> None:
    calls = (ToolCall("f", {"a": 1}, id="1"), ToolCall("x.g", {}, id="2"))

    found = with_compared_names(calls, Settings(normalise_name=("namespace",)))

    assert found[0] is calls[0]
    assert found[1] == ToolCall("g", {}, id="2")


def test_a_score_compares_what_is_left_of_the_names() -> None:
    expected = [("search", {"q": "a"}), ("Send.Mail", {})]
    actual = [("mcp__web__search", {"q": "a"}), ("send_mail", {})]

    assert callscore.score(expected, actual).f1 == 0
    assert (
        callscore.score(
            expected, actual, strip_prefix="mcp__*__", normalise_name=("dots", "case")
        ).f1
        == 1
    )
