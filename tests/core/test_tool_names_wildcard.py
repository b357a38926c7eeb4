"""Patterns for names."""

from __future__ import annotations

import pytest

from callscore.core.tool_names import matches_pattern


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
