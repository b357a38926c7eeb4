"""The same date or point in time, in any notation.

Dates and instants are read from ISO 8601, RFC 2822 and seconds since 1970. Nothing is guessed:
01/02/2024 is not a date here, because it could be either of two.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

from callscore.core.equality import is_number
from callscore.core.large_number import LargeNumber
from callscore.core.phrases import Note, Phrase
from callscore.core.rules import Context, Matcher, Verdict, describe_value, operand_problem

# A day alone, or a point in time with a time zone or without.
Moment = date | datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Seconds up to here, the year 5138, are seconds; more are milliseconds.
_MAX_SECONDS = 100_000_000_000
# Shorter digits are a day without its dashes; longer ones a day and its time without theirs.
_EPOCH_TEXT = re.compile(r"-?[0-9]{9,13}(?:\.[0-9]{1,9})?")
_COMPACT = re.compile(r"([0-9]{8})([0-9]{6})")
_DAY_DIGITS = 8
_PLAUSIBLE_YEARS = range(1900, 2101)
_MINUTE_DIGITS = 12  # digits of a day, an hour and a minute
_DAY = r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}|[0-9]{4}-W[0-9]{2}-[0-9]|[0-9]{4}W[0-9]{3})"
_ISO_DAY = re.compile(_DAY)
_ISO_INSTANT = re.compile(rf"({_DAY})[T ]([0-9][0-9:.,]*) ?(Z|[+-][0-9:]+)?")
_RFC_2822 = re.compile(
    r"(?:(?P<weekday>[A-Z]{3}), *)?(?P<day>[0-9]{1,2}) +(?P<month>[A-Z]{3}) +(?P<year>[0-9]{4})"
    r"(?: +(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?"
    r"(?: +(?P<zone>[+-][0-9]{4}|[A-Z]{1,3}))?(?: *\([^()]*\))?)?"
)
_WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
# The zones that RFC 2822 gives by name, in hours.
_ZONES = {"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5}
_ZONES |= {"MST": -7, "MDT": -6, "PST": -8, "PDT": -7}
_MAX_LENGTH = 100  # characters of a text that can be a date


def parse_moment(value: Any) -> Moment | None:
    """The date or the instant that a value spells; None if it is not a date, or is ambiguous."""
    if isinstance(value, LargeNumber):
        return None
    try:
        if is_number(value):
            return _since_epoch(value)
        return _parse_text(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):  # the 30th of February, or a year beyond 9999
        return None


def is_compact_date(digits: str) -> bool:
    """Whether digits are a day of 1900 to 2100, with or without the time of day: `20240115`."""
    if not _COMPACT.fullmatch(digits if len(digits) > _DAY_DIGITS else digits + "000000"):
        return False
    moment = parse_moment(digits)
    return moment is not None and moment.year in _PLAUSIBLE_YEARS


def _since_epoch(seconds: float) -> datetime:
    is_milliseconds = abs(seconds) >= _MAX_SECONDS
    unit = timedelta(milliseconds=1) if is_milliseconds else timedelta(seconds=1)
    return _EPOCH + seconds * unit


def _parse_text(text: str) -> Moment | None:
    text = text.strip()
    # These digits may be a day and a time without seconds, as well as milliseconds since 1970.
    is_ambiguous = len(text) == _MINUTE_DIGITS and is_compact_date(text + "00")
    if len(text) > _MAX_LENGTH or is_ambiguous:
        return None
    text = text.upper()
    if _EPOCH_TEXT.fullmatch(text):
        return _since_epoch(float(text) if "." in text else int(text))
    if _ISO_DAY.fullmatch(text):
        return date.fromisoformat(text)
    return _parse_instant(text)


def _parse_instant(text: str) -> Moment | None:
    text = _COMPACT.sub(r"\1T\2", text) if _COMPACT.fullmatch(text) else text
    iso = _ISO_INSTANT.fullmatch(text)
    if iso is not None:
        day, time, zone = iso.groups(default="")
        return datetime.fromisoformat(f"{day}T{time}{zone}")
    mail = _RFC_2822.fullmatch(text)
    return None if mail is None else _from_rfc_2822(mail)


def _from_rfc_2822(found: re.Match[str]) -> Moment | None:
    if found["month"] not in _MONTHS:
        return None
    day = date(int(found["year"]), _MONTHS.index(found["month"]) + 1, int(found["day"]))
    if found["weekday"] not in {None, _WEEKDAYS[day.weekday()]}:
        return None  # it contradicts itself
    if found["hour"] is None:
        return day
    zone = found["zone"]
    tzinfo = None
    if zone in _ZONES:
        tzinfo = timezone(timedelta(hours=_ZONES[zone]))
    elif zone is not None:  # an offset; a name that is not known raises ValueError
        sign = -1 if zone.startswith("-") else 1
        tzinfo = timezone(sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[3:])))
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    return datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=tzinfo)


KEYS = ("$date",)
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "A date or a point in time: ISO 8601, RFC 2822, or seconds since 1970.",
        "type": ["string", "number"],
    },
    "options": {},
}
EXAMPLES = (
    ({"$date": "2024-01-15"}, "15 Jan 2024", "01/15/2024"),
    ({"$date": "2024-01-15"}, "2024-01-15T00:00:00", "2024-01-15T10:00:00"),
    ({"$date": "2024-01-15T10:00:00Z"}, "2024-01-15T13:00:00+03:00", "2024-01-15T10:00:00"),
    ({"$date": "Mon, 15 Jan 2024 10:00:00 +0000"}, 1705312800, 1705312801),
)

NO_DATE = Phrase(
    "not a date in ISO 8601, RFC 2822 or seconds since 1970",
    "не дата в ISO 8601, RFC 2822 или в секундах с 1970 года",
)
NOT_MIDNIGHT = Phrase(
    "one is a day, the other a time other than midnight",
    "одно значение — день, другое — время, причём не полночь",
)
ZONE_UNKNOWN = Phrase(
    "only one of the two has a time zone", "часовой пояс указан только у одного из двух"
)

_MIDNIGHT = time()
_STEPS = 50  # to parse a text


def check(matcher: Matcher) -> str | None:
    """The value is a date or a point in time."""
    digits = describe_value(matcher.value)
    if is_number(matcher.value) and is_compact_date(digits):
        problem = f"the number {digits} is a time since 1970"
        return f'{problem}. For a date, write it in quotes: "{digits}".'
    if parse_moment(matcher.value) is not None:
        return None
    return operand_problem(matcher, "a date in ISO 8601, RFC 2822 or seconds since 1970")


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether both are the same day, or the same point in time."""
    expected, given = _moment(matcher.value, context), _moment(actual, context)
    if expected is None or given is None:
        return Verdict(matched=False, value=0.0, note=Note(NO_DATE))
    note = None
    if isinstance(expected, datetime) and isinstance(given, datetime):
        matched = expected == given
        if (expected.tzinfo is None) != (given.tzinfo is None):
            note = Note(ZONE_UNKNOWN)
    else:
        days = _day(expected), _day(given)
        matched = days[0] == days[1]
        if not matched and any(isinstance(day, datetime) for day in days):
            note = Note(NOT_MIDNIGHT)
    return Verdict(matched, float(matched), note)


def _moment(value: Any, context: Context) -> Moment | None:
    """The date or the instant that a value spells; each value of a case is parsed once."""
    if not isinstance(value, str):
        return parse_moment(value)

    def compute() -> Moment | None:
        context.budget.spend(_STEPS, KEYS[0])
        return parse_moment(value)

    found: Moment | None = context.budget.once((KEYS[0], value), compute)
    return found


def _day(moment: Moment) -> Moment:
    """The day that begins at this instant; the instant itself if it is not midnight."""
    if isinstance(moment, datetime) and moment.time() == _MIDNIGHT:
        return moment.date()
    return moment
