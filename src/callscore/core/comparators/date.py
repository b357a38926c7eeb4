"""The same date or instant, however it is written."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING, Any

from callscore.core.comparator import describe as describe_value
from callscore.core.comparator import operand_problem
from callscore.core.moment import is_compact, moment_in
from callscore.core.phrase import Note, Phrase
from callscore.core.quantity import is_number
from callscore.core.verdict import Verdict

if TYPE_CHECKING:
    from callscore.core.matcher import Matcher
    from callscore.core.moment import Moment
    from callscore.core.verdict import Context

__all__ = ["EXAMPLES", "KEYS", "NOT_MIDNIGHT", "NO_DATE", "RULE", "SCHEMA", "ZONE_UNKNOWN"]
__all__ += ["check", "compare"]

KEYS = ("$date",)
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "A date or an instant: ISO 8601, RFC 2822, or seconds since 1970.",
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
    "no date as in ISO 8601, RFC 2822 or seconds since 1970",
    "это не дата по ISO 8601, RFC 2822 или в секундах с 1970 года",
)
NOT_MIDNIGHT = Phrase(
    "one is a day, the other a time of day that is not midnight",
    "одно из двух день, а другое время суток, и не полночь",
)
ZONE_UNKNOWN = Phrase(
    "only one of the two has a time zone", "часовой пояс указан только у одного из двух"
)

_MIDNIGHT = time()


def check(matcher: Matcher) -> str | None:
    """The value is a date or an instant."""
    digits = describe_value(matcher.value)
    if is_number(matcher.value) and is_compact(digits):
        problem = f"as a number, {digits} is the time since 1970"
        return f'{problem}; if a date is meant, write it in quotes: "{digits}".'
    if moment_in(matcher.value) is not None:
        return None
    return operand_problem(matcher, "a date as in ISO 8601, RFC 2822 or seconds since 1970")


def compare(matcher: Matcher, actual: Any, _: Context) -> Verdict:
    """Whether both are the same day, or the same point in time."""
    wanted, given = moment_in(matcher.value), moment_in(actual)
    if wanted is None or given is None:
        return Verdict(matched=False, value=0.0, note=Note(NO_DATE))
    if isinstance(wanted, datetime) and isinstance(given, datetime):
        if (wanted.tzinfo is None) != (given.tzinfo is None):
            return Verdict(matched=False, value=0.0, note=Note(ZONE_UNKNOWN))
        matched = wanted == given
        return Verdict(matched, float(matched))
    return _same_day(_day(wanted), _day(given))


def _same_day(wanted: Moment, given: Moment) -> Verdict:
    if wanted == given:
        return Verdict(matched=True)
    are_days = not isinstance(wanted, datetime) and not isinstance(given, datetime)
    return Verdict(matched=False, value=0.0, note=None if are_days else Note(NOT_MIDNIGHT))


def _day(moment: Moment) -> Moment:
    """The day that begins at an instant, or the instant itself where none does."""
    if isinstance(moment, datetime) and moment.time() == _MIDNIGHT:
        return moment.date()
    return moment
