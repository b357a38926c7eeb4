"""`$date`: the same day or instant, and why it is not."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import format_datetime
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.comparators.date import (
    NO_DATE,
    NOT_MIDNIGHT,
    ZONE_UNKNOWN,
    Moment,
    is_compact_date,
    parse_moment,
)
from callscore.core.large_number import decode_json
from callscore.core.rules import Matcher, Verdict, check_matcher
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))


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
    "given",
    [
        *("01/02/2024", "15 March 2025", "soon", None, ["2024-01-15"], True),
        decode_json("1e10000"),
        decode_json("-1e1000000000000000000"),
    ],
)
def test_what_is_no_date_is_told_so(given: Any) -> None:
    note = verdict("2024-01-15", given).note

    assert note is not None
    assert note.phrase is NO_DATE


@pytest.mark.parametrize("value", ["01/02/2024", "", None, True, {}])
def test_nothing_but_a_date_can_be_expected(value: Any) -> None:
    problem = check_matcher(Matcher("$date", value))

    assert problem is not None
    assert problem.startswith("expected a date in ISO 8601, RFC 2822 or seconds since 1970")


@pytest.mark.parametrize("value", [20250315, 19000101, 21001231, 20240115103000])
def test_a_date_without_quotes_is_told_to_have_them(value: int) -> None:
    problem = check_matcher(Matcher("$date", value))

    assert problem is not None
    assert problem.endswith(f'For a date, write it in quotes: "{value}".')
    assert check_matcher(Matcher("$date", str(value))) is None


@pytest.mark.parametrize("value", [20251345, 18991231, 21010101, 1705276800, 0, -20250315])
def test_seconds_that_are_no_date_need_none(value: int) -> None:
    assert check_matcher(Matcher("$date", value)) is None


# Dates and instants: every spelling that means one, and those that could mean two.

NOON = datetime(2024, 1, 15, 12, tzinfo=UTC)
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
FIRST, LAST = datetime(1, 1, 2), datetime(9999, 12, 30)  # noqa: DTZ001  (the zone is drawn)
INSTANTS = st.datetimes(FIRST, LAST, timezones=OFFSETS)


@pytest.mark.parametrize("text", ["2024-01-15", "20240115", "2024-W03-1", "2024W031"])
def test_a_day_by_iso_8601(text: str) -> None:
    assert parse_moment(text) == date(2024, 1, 15)


@pytest.mark.parametrize("text", ["15 Jan 2024", "Mon, 15 Jan 2024", " mon, 15  JAN 2024 "])
def test_a_day_by_rfc_2822(text: str) -> None:
    assert parse_moment(text) == date(2024, 1, 15)


@pytest.mark.parametrize(
    "value",
    [
        "2024-01-15T12:00:00Z",
        "2024-01-15t12:00z",
        "2024-01-15 15:00:00.000 +03:00",
        "20240115T070000-0500",
        "Mon, 15 Jan 2024 12:00:00 +0000",
        "15 Jan 2024 12:00 GMT",
        "Mon, 15 Jan 2024 07:00:00 EST",
        "Mon, 15 Jan 2024 15:00:00 +0300 (MSK)",
        "15 Jan 2024 12:00:00 -0000",
        1705320000,
        1705320000.0,
        1705320000000,
        "1705320000",
        "1705320000000",
        "1705320000.0",
    ],
)
def test_an_instant_with_a_time_zone(value: Any) -> None:
    found = parse_moment(value)

    assert isinstance(found, datetime)
    assert found == NOON


@pytest.mark.parametrize(
    "text", ["2024-01-15T12:00:00", "2024-01-15 12", "15 Jan 2024 12:00", "20240115120000"]
)
def test_an_instant_without_one(text: str) -> None:
    assert parse_moment(text) == datetime(2024, 1, 15, 12)  # noqa: DTZ001  (that is the point)


@pytest.mark.parametrize(
    "value",
    [
        "01/02/2024",
        "1.2.2024",
        "15-01-2024",
        "Jan 15, 2024",
        "15 Jan 24",
        "Tue, 15 Jan 2024",
        "15 Foo 2024",
        "15 Jan 2024 12:00 XYZ",
        "15 Jan 2024 25:00 GMT",
        "2024-02-30",
        "2024-01-15T25:00",
        "2024-01-15x12:00",
        "2024-01-15T12:00+99:00",
        "2024-01",
        "2024",
        "2024-W03",
        "\u0662\u0660\u0662\u0664-\u0660\u0661-\u0661\u0665",
        "tomorrow",
        "",
        "9" * 14,
        "9" * 16,
        "20240230120000",
        "202401151030",  # 10:30, or milliseconds of 1976
        "1" * 100_000,
        "2024-01-15" + " " * 200 + "x",
        10**20,
        -(10**20),
        1e300,
        nan,
        inf,
        True,
        None,
        ["2024-01-15"],
        {},
    ],
)
def test_nothing_is_guessed(value: Any) -> None:
    assert parse_moment(value) is None


def test_seconds_become_milliseconds_from_the_year_5138_on() -> None:
    assert parse_moment(99_999_999_999) == datetime(5138, 11, 16, 9, 46, 39, tzinfo=UTC)
    assert parse_moment(100_000_000_000) == datetime(1973, 3, 3, 9, 46, 40, tzinfo=UTC)
    assert parse_moment(-1) == datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)


@given(INSTANTS)
def test_an_instant_comes_back_from_every_spelling(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)

    assert parse_moment(moment.isoformat()) == moment
    assert parse_moment(moment.isoformat(" ")) == moment
    assert parse_moment(format_datetime(whole)) == whole


@given(INSTANTS.filter(lambda moment: 1980 < moment.year < 5000))
def test_an_instant_comes_back_from_its_seconds(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    seconds = int(whole.timestamp())

    assert (
        parse_moment(seconds) == parse_moment(str(seconds)) == parse_moment(seconds * 1000) == whole
    )


@given(st.text() | st.from_regex(r"[0-9TZ:+W. -]{1,30}", fullmatch=True))
def test_no_text_is_too_odd(text: str) -> None:
    found: Moment | None = parse_moment(text)

    assert found is None or isinstance(found, date)


def test_twelve_digits_that_are_no_day_of_our_time_are_milliseconds() -> None:
    assert parse_moment("946684800000") == datetime(2000, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("digits", ["20240115", "20240115103000", "19000101", "21001231"])
def test_digits_can_be_a_day_of_our_time(digits: str) -> None:
    assert is_compact_date(digits)


@pytest.mark.parametrize("digits", ["20241301", "18991231", "21010101", "2024-01-15", "1", ""])
def test_most_digits_are_none(digits: str) -> None:
    assert not is_compact_date(digits)
