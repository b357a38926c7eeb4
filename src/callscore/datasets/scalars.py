"""Texts and numbers for a JSON Schema: by format, pattern, bounds, or the argument's name."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING, Any
from uuid import UUID

from callscore.core.schemas.validation import validation_errors
from callscore.datasets.patterns import UnknownPatternError, text_matching
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from random import Random

# Values by a word in the name of an argument; the last word of the name comes first.
_CITIES = ("Paris", "Berlin", "Tokyo", "Lisbon", "Oslo", "Toronto", "Nairobi", "Lima", "Prague")
_NAMES = ("Alice Martin", "Boris Novak", "Chen Wei", "Dana Silva", "Emre Kaya", "Fatima Haddad")
_TOPICS = (
    "electric bicycles",
    "the history of tea",
    "solar panels for a small roof",
    "trains to the coast",
    "how bread rises",
    "quiet places to work",
)
_TEXTS = (
    "The meeting moves to Thursday.",
    "Please call me back in the afternoon.",
    "The parcel arrived this morning.",
    "We need two more chairs.",
    "The report is ready for review.",
)
_CODES = ("K7Q2", "M4X9", "R8T1", "B3N6", "Z5H0", "W2D7")
_PATHS = ("notes/plan.txt", "reports/march.csv", "photos/harbour.png", "src/main.py")
_EMAILS = ("alice@example.com", "boris@example.org", "chen@example.net")
_URLS = ("https://example.com/a", "https://example.org/docs", "https://example.net/news")
_VALUES_BY_WORD: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("city", "location", "place", "town", "destination", "origin"), _CITIES),
    **dict.fromkeys(("name", "user", "customer", "person", "author", "owner", "contact"), _NAMES),
    **dict.fromkeys(("username", "login", "account"), ("amartin", "bnovak", "cwei", "dsilva")),
    **dict.fromkeys(("query", "question", "topic", "search", "prompt", "subject"), _TOPICS),
    **dict.fromkeys(("text", "message", "body", "content", "note", "comment", "summary"), _TEXTS),
    **dict.fromkeys(("id", "code", "key", "token", "reference", "number", "sku"), _CODES),
    **dict.fromkeys(("path", "file", "filename", "folder"), _PATHS),
    **dict.fromkeys(("email", "mail"), _EMAILS),
    **dict.fromkeys(("url", "uri"), _URLS),
    **dict.fromkeys(("color", "colour"), ("green", "dark blue", "ochre")),
    **dict.fromkeys(("product", "item"), ("desk lamp", "water bottle", "headphones")),
    "first": ("Alice", "Boris", "Chen", "Dana"),
    "last": ("Martin", "Novak", "Wei", "Silva"),
    "country": ("France", "Japan", "Kenya", "Peru", "Norway"),
    "language": ("English", "French", "Japanese", "Portuguese"),
    "lang": ("en", "fr", "ja", "pt"),
    "currency": ("EUR", "USD", "JPY", "NOK"),
    "symbol": ("ACME", "GLOBX", "INTK", "UMBR"),
    "unit": ("celsius", "fahrenheit", "kelvin"),
    "units": ("metric", "imperial"),
    "phone": ("+44 20 7946 0958", "+33 1 99 00 12 34", "+49 30 901820"),
    "address": ("12 Mill Lane", "7 Harbour Street", "40 Station Road"),
    "street": ("Mill Lane", "Harbour Street", "Station Road"),
    "zip": ("10115", "75001", "94105"),
    "date": ("2025-03-14", "2025-07-02", "2025-11-20", "2026-01-09"),
    "day": ("Monday", "Wednesday", "Friday", "Sunday"),
    "time": ("09:30", "13:15", "18:45"),
    "title": ("A quiet harbour", "The long way home", "Notes on bread"),
    "reason": ("it arrived too late", "ordered by mistake", "no longer needed"),
    "category": ("books", "kitchen", "garden", "music"),
    "model": ("small", "medium", "large"),
    "status": ("open", "waiting", "done"),
    "expression": ("12 * 7", "(3 + 4) / 2", "9 - 5 + 1"),
    "operation": ("add", "subtract", "multiply"),
    "genre": ("jazz", "crime", "documentary"),
    "cuisine": ("Italian", "Thai", "Ethiopian"),
    "airport": ("CDG", "BER", "HND", "LIS"),
    "timezone": ("Europe/Paris", "Asia/Tokyo", "UTC"),
}
GENERIC_WORDS = ("amber", "birch", "copper", "delta", "ember", "fern", "granite", "harbour", "iris")
_RANGES: dict[str, tuple[int, int]] = {
    "age": (18, 80),
    "year": (1990, 2026),
    "month": (1, 12),
    "day": (1, 28),
    "days": (1, 14),
    "hour": (0, 23),
    "minute": (0, 59),
    **dict.fromkeys(("latitude", "lat"), (-60, 60)),
    **dict.fromkeys(("longitude", "lon", "lng"), (-170, 170)),
    **dict.fromkeys(("page", "count", "quantity"), (1, 10)),
    "limit": (1, 50),
    **dict.fromkeys(("guests", "passengers"), (1, 6)),
    "rating": (1, 5),
    "percent": (0, 100),
    **dict.fromkeys(("price", "amount"), (5, 500)),
    "temperature": (-10, 40),
}
_DEFAULT_RANGE = (1, 100)
_WORD_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+")


@lru_cache(maxsize=1024)
def split_words(name: str) -> tuple[str, ...]:
    """The words of a name in any style: `getWeather`, `get_weather`, `get-weather`."""
    return tuple(word.lower() for word in _WORD_PARTS.findall(name))


def example_values(name: str) -> tuple[str, ...]:
    """Values that an argument of such a name may have; generic words if the name is unknown."""
    for word in reversed(split_words(name)):
        found = _VALUES_BY_WORD.get(word) or _VALUES_BY_WORD.get(word.removesuffix("s"))
        if found is not None:
            return found
    return GENERIC_WORDS


def usual_range(name: str) -> tuple[int, int]:
    """The usual range of a number with such a name."""
    for word in reversed(split_words(name)):
        if word in _RANGES:
            return _RANGES[word]
    return _DEFAULT_RANGE


_FIRST_DATE = datetime(2025, 1, 1, tzinfo=UTC)
_DATE_RANGE_DAYS = 720
_MAX_TEXT_LENGTH = 100_000
_MAX_TRIES = 20
_SPLICE_TRIES = 100
# What descriptions say: "in three letters, such as 'JFK'", "e.g. `2024-01-15`".
_EXAMPLE = re.compile(
    r"(?:such as|e\.g\.,?|for example,?|for instance,?|like|example:)\s*"
    r"[\"'`\u2018\u201c]([^\"'`\u2019\u201d]{1,80})[\"'`\u2019\u201d]",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def make_text(schema: dict[str, Any], rng: Random, name: str) -> str:
    """A text for a schema without alternatives; one that does not fit, if there is none.

    The name of the argument suggests a subject.
    """
    matching, formatted = _by_pattern(schema, rng), _by_format(schema, rng)
    if matching is not None and formatted is not None:
        return _spliced(schema, rng) or rng.choice((matching, formatted))
    if matching is not None or formatted is not None:
        return matching or formatted or ""
    return _with_length(
        _by_description(schema, rng) or rng.choice(example_values(name)), schema, rng
    )


def _by_pattern(schema: dict[str, Any], rng: Random) -> str | None:
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return None
    least, most = _length(schema, "minLength") or 0, _length(schema, "maxLength")
    if least > _MAX_TEXT_LENGTH:
        return None
    aim, text = least, ""
    for _ in range(_MAX_TRIES):
        try:
            text = text_matching(pattern, rng, minimum=aim)
        except UnknownPatternError:
            return None
        over = 0 if most is None else max(0, len(text) - most)
        if not over and len(text) >= least:
            break
        # Several parts may be repeated, each to that length: so change it by half.
        aim = max(0, aim - (over + 1) // 2 if over else aim + (least - len(text) + 1) // 2)
    return text


def _spliced(schema: dict[str, Any], rng: Random) -> str | None:
    """A text of a format that also matches a pattern: parts of one are put into the other.

    So `^2024` replaces the year in a date, and `@example[.]org$` a domain.
    """
    asked = {word: schema[word] for word in ("format", "pattern")}
    for _ in range(_SPLICE_TRIES):
        part, whole = _by_pattern(schema, rng) or "", _by_format(schema, rng) or ""
        cut = rng.randint(0, len(whole))
        for text in (whole, part, part + whole[len(part) :], whole[:cut] + part):
            if accepts_text(asked, text):
                return text
    return None


def accepts_text(schema: dict[str, Any], text: str) -> bool:
    """Whether a schema accepts a text; not if the schema cannot be used."""
    try:
        return not validation_errors(schema, text)
    except InvalidSettings:
        return False


def _by_format(schema: dict[str, Any], rng: Random) -> str | None:
    return _FORMATS.get(schema.get("format", ""), lambda _: None)(rng)


def _by_description(schema: dict[str, Any], rng: Random) -> str | None:
    """A text like the example in the description, with other digits."""
    description = schema.get("description")
    found = _EXAMPLE.search(description) if isinstance(description, str) else None
    if found is None:
        return None
    example = found[1]
    if _DATE.fullmatch(example):
        return _date(rng)
    return re.sub(r"\d", lambda _: str(rng.randint(1, 9)), example)


def _with_length(text: str, schema: dict[str, Any], rng: Random) -> str:
    """The text with the length that the schema demands."""
    least, most = _length(schema, "minLength") or 0, _length(schema, "maxLength")
    while len(text) < least <= _MAX_TEXT_LENGTH:
        text = f"{text} {rng.choice(GENERIC_WORDS)}"
    if most is None or len(text) <= most:
        return text
    cut = text[:most]
    return cut.strip() if least <= len(cut.strip()) else cut


def _length(schema: dict[str, Any], word: str) -> int | None:
    value: Any = schema.get(word)
    return int(value) if isinstance(value, int | float) else None


def _datetime(rng: Random) -> datetime:
    return _FIRST_DATE + timedelta(
        days=rng.randrange(_DATE_RANGE_DAYS), minutes=15 * rng.randrange(96)
    )


def _date(rng: Random) -> str:
    return _datetime(rng).date().isoformat()


def _word(rng: Random) -> str:
    return rng.choice(GENERIC_WORDS)


_FORMATS: dict[str, Callable[[Random], str]] = {
    "date": _date,
    "date-time": lambda rng: _datetime(rng).strftime("%Y-%m-%dT%H:%M:%SZ"),
    "time": lambda rng: _datetime(rng).strftime("%H:%M:%SZ"),
    "duration": lambda rng: f"PT{rng.randint(1, 90)}M",
    **dict.fromkeys(("email", "idn-email"), lambda rng: f"{_word(rng)}@example.com"),
    **dict.fromkeys(("hostname", "idn-hostname"), lambda rng: f"{_word(rng)}.example.com"),
    "ipv4": lambda rng: ".".join(str(rng.randint(1, 254)) for _ in range(4)),
    "ipv6": lambda rng: f"2001:db8::{rng.randint(1, 0xFFFF):x}",
    **dict.fromkeys(("uri", "url", "iri"), lambda rng: f"https://example.com/{_word(rng)}"),
    "uri-reference": lambda rng: f"/{_word(rng)}/{_word(rng)}",
    "iri-reference": lambda rng: f"/{_word(rng)}",
    "uri-template": lambda rng: f"https://example.com/{{{_word(rng)}}}",
    "uuid": lambda rng: str(UUID(int=rng.getrandbits(128), version=4)),
    "json-pointer": lambda rng: f"/{_word(rng)}",
    "relative-json-pointer": lambda rng: f"{rng.randint(0, 3)}/{_word(rng)}",
    "regex": lambda rng: f"^{_word(rng)}$",
}


_CENT = Fraction(1, 100)
_DEFAULT_STEPS = 100  # if only one bound is given


def exact_fraction(value: Any) -> Fraction | None:
    """The exact value of a number as written (0.1 is one tenth); None for other values."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Fraction(Decimal(str(value))) if is_number else None


def make_number(schema: dict[str, Any], rng: Random, *, name: str, is_whole: bool) -> int | float:
    """A number for a schema without alternatives; one that does not fit, if there is none.

    The name of the argument may suggest a range: an age, a year.
    """
    multiple = exact_fraction(schema.get("multipleOf")) or None
    if multiple is not None:
        # Of the multiples of 3/2 the whole ones are those of 3.
        step = Fraction(abs(multiple.numerator)) if is_whole else abs(multiple)
    else:
        is_round = rng.random() < 0.5  # noqa: PLR2004  (one half; people mostly use whole numbers)
        step = Fraction(1) if is_whole or is_round else _CENT
    low, high = _bounds(schema, step, name)
    if multiple is None and not is_whole and high - low < 10 * step:
        step = (high - low) / 10 or step
    least, most = ceil(low / step), floor(high / step)
    if _is_bound(schema, "exclusiveMinimum", least * step):
        least += 1
    if _is_bound(schema, "exclusiveMaximum", most * step):
        most -= 1
    return _choose_multiple(least, max(least, most), step, rng)


def _is_bound(schema: dict[str, Any], word: str, value: Fraction) -> bool:
    return exact_fraction(schema.get(word)) == value


def _bounds(schema: dict[str, Any], step: Fraction, name: str) -> tuple[Fraction, Fraction]:
    lows = [exact_fraction(schema.get(word)) for word in ("minimum", "exclusiveMinimum")]
    highs = [exact_fraction(schema.get(word)) for word in ("maximum", "exclusiveMaximum")]
    low = max((bound for bound in lows if bound is not None), default=None)
    high = min((bound for bound in highs if bound is not None), default=None)
    usual = tuple(map(Fraction, usual_range(name)))
    width = _DEFAULT_STEPS * max(step, Fraction(1))
    if low is None:
        if high is None:
            return usual[0], max(usual[1], usual[0] + step)
        return (usual[0], high) if usual[0] < high - step else (high - width, high)
    if high is None:
        return (low, usual[1]) if usual[1] > low + step else (low, low + width)
    # The usual range within the allowed one, if that leaves a choice.
    inner = max(low, usual[0]), min(high, usual[1])
    return inner if inner[1] - inner[0] >= 2 * step else (low, high)


def _choose_multiple(minimum: int, maximum: int, step: Fraction, rng: Random) -> int | float:
    """One of the multiples; those that a float cannot represent exactly are avoided."""
    value: int | float = _number(minimum * step)
    for _ in range(_MAX_TRIES):
        value = _number(rng.randint(minimum, maximum) * step)
        if isinstance(value, int) or (value / float(step)).is_integer():
            return value
    return value


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
