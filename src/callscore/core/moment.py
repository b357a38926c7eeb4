"""Dates and instants, as texts and numbers spell them: ISO 8601, RFC 2822, and seconds since 1970.

Nothing is guessed: 01/02/2024 is no date here, for nobody knows which of two it is.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from callscore.core.quantity import is_number

__all__ = ["Moment", "is_compact", "moment_in"]

# A day alone, or a point in time with a time zone or without.
Moment = date | datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Seconds up to here, the year 5138, are seconds; more are milliseconds.
_MOST_SECONDS = 100_000_000_000
# Shorter digits are a day without its dashes; longer ones a day and its time without theirs.
_EPOCH_TEXT = re.compile(r"-?[0-9]{9,13}(?:\.[0-9]{1,9})?")
_COMPACT = re.compile(r"([0-9]{8})([0-9]{6})")
_DAY_DIGITS = 8
_OUR_TIME = range(1900, 2101)
_MINUTES = 12  # digits of a day, an hour and a minute
_DAY = r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}|[0-9]{4}-W[0-9]{2}-[0-9]|[0-9]{4}W[0-9]{3})"
_ISO_DAY = re.compile(_DAY)
_ISO_INSTANT = re.compile(rf"({_DAY})[T ]([0-9][0-9:.,]*) ?(Z|[+-][0-9:]+)?")
_MAIL = re.compile(
    r"(?:(?P<weekday>[A-Z]{3}), *)?(?P<day>[0-9]{1,2}) +(?P<month>[A-Z]{3}) +(?P<year>[0-9]{4})"
    r"(?: +(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?"
    r"(?: +(?P<zone>[+-][0-9]{4}|[A-Z]{1,3}))?(?: *\([^()]*\))?)?"
)
_WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
# The zones that RFC 2822 gives by name, in hours.
_ZONES = {"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5}
_ZONES |= {"MST": -7, "MDT": -6, "PST": -8, "PDT": -7}
_LONGEST = 100  # characters of a text that can be a date


def moment_in(value: Any) -> Moment | None:
    """The date or the instant that a value spells; None where it spells none, or more than one."""
    try:
        if is_number(value):
            return _since_epoch(value)
        return _read(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):  # the 30th of February, or a year beyond 9999
        return None


def is_compact(digits: str) -> bool:
    """Whether digits are a day of our time, with or without the time of day: `20240115`."""
    if not _COMPACT.fullmatch(digits if len(digits) > _DAY_DIGITS else digits + "000000"):
        return False
    moment = moment_in(digits)
    return moment is not None and moment.year in _OUR_TIME


def _since_epoch(seconds: float) -> datetime:
    is_milliseconds = abs(seconds) >= _MOST_SECONDS
    unit = timedelta(milliseconds=1) if is_milliseconds else timedelta(seconds=1)
    return _EPOCH + seconds * unit


def _read(text: str) -> Moment | None:
    text = text.strip()
    if len(text) > _LONGEST or _is_ambiguous(text):
        return None
    text = text.upper()
    if _EPOCH_TEXT.fullmatch(text):
        return _since_epoch(float(text) if "." in text else int(text))
    if _ISO_DAY.fullmatch(text):
        return date.fromisoformat(text)
    return _instant(text)


def _is_ambiguous(text: str) -> bool:
    """Whether digits may be a day and a time without seconds, as well as milliseconds since 1970."""
    return len(text) == _MINUTES and is_compact(text + "00")


def _instant(text: str) -> Moment | None:
    text = _COMPACT.sub(r"\1T\2", text) if _COMPACT.fullmatch(text) else text
    iso = _ISO_INSTANT.fullmatch(text)
    if iso is not None:
        day, time, zone = iso.groups(default="")
        return datetime.fromisoformat(f"{day}T{time}{zone}")
    mail = _MAIL.fullmatch(text)
    return None if mail is None else _from_mail(mail)


def _from_mail(found: re.Match[str]) -> Moment | None:
    if found["month"] not in _MONTHS:
        return None
    day = date(int(found["year"]), _MONTHS.index(found["month"]) + 1, int(found["day"]))
    if found["weekday"] not in {None, _WEEKDAYS[day.weekday()]}:
        return None  # it contradicts itself
    if found["hour"] is None:
        return day
    zone = _zone(found["zone"])
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    return datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=zone)


def _zone(text: str | None) -> timezone | None:
    """The time zone that a text names; None where there is no text.

    Raises:
        ValueError: it is a name that nobody here knows.
    """
    if text is None:
        return None
    if text in _ZONES:
        return timezone(timedelta(hours=_ZONES[text]))
    sign = -1 if text.startswith("-") else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[3:])))
