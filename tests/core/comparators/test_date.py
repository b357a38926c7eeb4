"""`$date`: the same day or instant, and why it is not."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.comparators.date import NO_DATE, NOT_MIDNIGHT, ZONE_UNKNOWN
from callscore.core.rules import Matcher, Verdict, check_matcher
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings())


def verdict(wanted: Any, given: Any) -> Verdict:
    return compare_value(Matcher("$date", wanted), given, CONTEXT)


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("2024-01-15", "20240115"),
        ("2024-01-15", "2024-01-15T00:00:00+03:00"),
        ("2024-01-15", 1705276800),
        ("2024-01-15T00:00:00Z", "2024-01-15"),
        ("2024-01-15T12:00:00Z", "Mon, 15 Jan 2024 07:00:00 -0500"),
        ("2024-01-15T12:00:00", "2024-01-15 12:00"),
        (1705276800, "1705276800000"),
    ],
)
def test_two_spellings_of_one_moment_are_the_same(wanted: Any, given: Any) -> None:
    assert verdict(wanted, given).matched
    assert verdict(given, wanted).matched


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("2024-01-15", "2024-01-16"),
        ("2024-01-15T12:00:00Z", "2024-01-15T12:00:00+03:00"),
        ("2024-01-15T12:00:00", "2024-01-15T12:00:01"),
    ],
)
def test_two_moments_are_not(wanted: Any, given: Any) -> None:
    assert verdict(wanted, given) == Verdict(matched=False, value=0.0)
    assert not verdict(given, wanted).matched


def test_a_day_is_no_time_of_day_but_midnight_and_a_note_says_so() -> None:
    for found in (verdict("2024-01-15", "2024-01-15T00:00:01"), verdict(1705276801, "2024-01-15")):
        assert (found.matched, found.value) == (False, 0)
        assert found.note is not None
        assert found.note.phrase is NOT_MIDNIGHT


def test_with_and_without_a_time_zone_cannot_be_compared() -> None:
    note = verdict("2024-01-15T12:00:00Z", "2024-01-15T12:00:00").note

    assert note is not None
    assert note.phrase is ZONE_UNKNOWN


@pytest.mark.parametrize(
    "given", ["01/02/2024", "15 March 2025", "soon", None, ["2024-01-15"], True]
)
def test_what_is_no_date_is_told_so(given: Any) -> None:
    note = verdict("2024-01-15", given).note

    assert note is not None
    assert note.phrase is NO_DATE


@pytest.mark.parametrize("value", ["01/02/2024", "", None, True, {}])
def test_nothing_but_a_date_can_be_expected(value: Any) -> None:
    problem = check_matcher(Matcher("$date", value))

    assert problem is not None
    assert problem.startswith("a date as in ISO 8601, RFC 2822 or seconds since 1970 is wanted")


@pytest.mark.parametrize("value", [20250315, 19000101, 21001231, 20240115103000])
def test_a_date_without_quotes_is_told_to_have_them(value: int) -> None:
    problem = check_matcher(Matcher("$date", value))

    assert problem is not None
    assert problem.endswith(f'if a date is meant, write it in quotes: "{value}".')
    assert check_matcher(Matcher("$date", str(value))) is None


@pytest.mark.parametrize("value", [20251345, 18991231, 21010101, 1705276800, 0, -20250315])
def test_seconds_that_are_no_date_need_none(value: int) -> None:
    assert check_matcher(Matcher("$date", value)) is None
