"""Names of tools, compared as the settings ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import callscore
from callscore.core.call import ToolCall
from callscore.core.settings import Settings
from callscore.core.tool_names import (
    comparable_name,
    count_same_names,
    matches_pattern,
    with_compared_name,
)

if TYPE_CHECKING:
    from callscore.core.settings import Order


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
    assert compared(name, normalize_name=parts) == left


def test_only_calls_with_another_name_are_made_anew() -> None:
    calls = (ToolCall("f", {"a": 1}, id="1"), ToolCall("x.g", {}, id="2"))

    settings = Settings(normalize_name=("namespace",))
    found = [with_compared_name(call, settings) for call in calls]

    assert found[0] is calls[0]
    assert found[1] == ToolCall("g", {}, id="2")


def test_a_score_compares_what_is_left_of_the_names() -> None:
    expected = [("search", {"q": "a"}), ("Send.Mail", {})]
    actual = [("mcp__web__search", {"q": "a"}), ("send_mail", {})]

    assert callscore.score(expected, actual).f1 == 0
    assert (
        callscore.score(
            expected, actual, strip_prefix="mcp__*__", normalize_name=("dots", "case")
        ).f1
        == 1
    )


NAMES = st.text("abc", max_size=12)


def longest_common_subsequence(left: str, right: str) -> int:
    """The textbook table."""
    above = [0] * (len(right) + 1)
    for name in left:
        row = [0]
        for column, other in enumerate(right):
            row.append(above[column] + 1 if name == other else max(row[-1], above[column + 1]))
        above = row
    return above[-1]


@pytest.mark.parametrize(
    ("expected", "actual", "any_order", "in_order", "exact"),
    [
        ("", "", 0, 0, 0),
        ("a", "", 0, 0, 0),
        ("", "a", 0, 0, 0),
        ("abc", "abc", 3, 3, 3),
        ("abc", "cba", 3, 1, 1),
        ("ab", "xaxb", 2, 2, 0),
        ("aab", "ab", 2, 2, 1),
        ("ab", "aab", 2, 2, 1),
        ("abcd", "bcda", 4, 3, 0),
    ],
)
def test_names_are_counted_as_the_order_allows(
    expected: str, actual: str, any_order: int, in_order: int, exact: int
) -> None:
    assert count_same_names(expected, actual, "any") == any_order
    assert count_same_names(expected, actual, "in_order") == in_order
    assert count_same_names(expected, actual, "exact") == exact


@given(NAMES, NAMES)
def test_the_longest_sequence_is_that_of_the_textbook(expected: str, actual: str) -> None:
    assert count_same_names(expected, actual, "in_order") == longest_common_subsequence(
        expected, actual
    )


@given(NAMES, NAMES)
def test_a_stricter_order_never_counts_more(expected: str, actual: str) -> None:
    orders: list[Order] = ["exact", "in_order", "any"]
    counts = [count_same_names(expected, actual, order) for order in orders]

    assert counts == sorted(counts)
    assert counts[-1] <= min(len(expected), len(actual))


def test_names_are_compared_as_they_are_spelled() -> None:
    assert count_same_names(["Search", "поиск"], ["search", "поиск"], "any") == 1


# Patterns for names.


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("delete_*", "delete_user"),
        ("delete_*", "delete_"),
        ("*", ""),
        ("*", "two\nlines"),
        ("delete_?", "delete_1"),
        ("get[A-Z]*", "getWeather"),
        ("a.b", "a.b"),
        ("[", "["),
    ],
)
def test_a_pattern_fits_a_whole_name(pattern: str, name: str) -> None:
    assert matches_pattern(pattern, name)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("delete_*", "delete"),
        ("delete_*", "undelete_user"),
        ("delete_*", "Delete_user"),
        ("delete_?", "delete_12"),
        ("get[A-Z]*", "getaway"),
        ("a.b", "a_b"),
        ("think", "think\n"),
    ],
)
def test_a_pattern_does_not_fit_a_part_or_another_case(pattern: str, name: str) -> None:
    assert not matches_pattern(pattern, name)


def test_many_stars_against_a_long_name_come_to_an_end() -> None:
    assert not matches_pattern("*a" * 30 + "b", "a" * 5_000)
