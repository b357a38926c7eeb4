"""`$date`: the same day or instant, and why it is not."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from email.utils import format_datetime

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.comparators.date import (
    Moment,
    parse_moment,
)

# Dates and instants: every spelling that means one, and those that could mean two.

OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
FIRST, LAST = datetime(1, 1, 2), datetime(9999, 12, 30)  # noqa: DTZ001  (the zone is drawn)
INSTANTS = st.datetimes(FIRST, LAST, timezones=OFFSETS)


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
