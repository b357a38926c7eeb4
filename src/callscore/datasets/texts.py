"""Texts for a schema: of a format, after a pattern, like an example, or in words that fit a name."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from callscore.core.json_schema import errors_in
from callscore.datasets.patterns import UnknownPatternError, text_matching
from callscore.datasets.vocabulary import THINGS, words_for
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["text_for"]

_FIRST = datetime(2025, 1, 1, tzinfo=UTC)
_DAYS = 720
_LONGEST = 100_000
_TRIES = 20
_SPLICES = 100
# What descriptions say: "in three letters, such as 'JFK'", "e.g. `2024-01-15`".
_EXAMPLE = re.compile(
    r"(?:such as|e\.g\.,?|for example,?|for instance,?|like|example:)\s*"
    r"[\"'`\u2018\u201c]([^\"'`\u2019\u201d]{1,80})[\"'`\u2019\u201d]",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def text_for(schema: dict[str, Any], rng: Random, name: str) -> str:
    """A text for a schema without alternatives; where there is none, one that will not fit.

    Args:
        schema: its `format`, `pattern`, lengths and description.
        rng: what chooses.
        name: of the argument, which tells what it is about.
    """
    matching, formatted = _by_pattern(schema, rng), _by_format(schema, rng)
    if matching is not None and formatted is not None:
        return _spliced(schema, rng) or rng.choice((matching, formatted))
    if matching is not None or formatted is not None:
        return matching or formatted or ""
    return _fitted(_by_description(schema, rng) or rng.choice(words_for(name)), schema, rng)


def _by_pattern(schema: dict[str, Any], rng: Random) -> str | None:
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return None
    least, most = _length(schema, "minLength") or 0, _length(schema, "maxLength")
    if least > _LONGEST:
        return None
    aim, text = least, ""
    for _ in range(_TRIES):
        try:
            text = text_matching(pattern, rng, least=aim)
        except UnknownPatternError:
            return None
        over = 0 if most is None else max(0, len(text) - most)
        if not over and len(text) >= least:
            break
        # Several parts may be repeated, and each of them is that long: half of the way, then.
        aim = max(0, aim - (over + 1) // 2 if over else aim + (least - len(text) + 1) // 2)
    return text


def _spliced(schema: dict[str, Any], rng: Random) -> str | None:
    """A text of a format that follows a pattern: what the pattern asks for stands in its place.

    So `^2024` takes the place of the year in a date, and `@example[.]org$` that of a domain.
    """
    asked = {word: schema[word] for word in ("format", "pattern")}
    for _ in range(_SPLICES):
        part, whole = _by_pattern(schema, rng) or "", _by_format(schema, rng) or ""
        cut = rng.randint(0, len(whole))
        for text in (whole, part, part + whole[len(part) :], whole[:cut] + part):
            if _is_valid(asked, text):
                return text
    return None


def _is_valid(schema: dict[str, Any], text: str) -> bool:
    try:
        return not errors_in(schema, text)
    except InvalidSettings:
        return False


def _by_format(schema: dict[str, Any], rng: Random) -> str | None:
    make = _FORMATS.get(schema.get("format", ""))
    return None if make is None else make(rng)


def _by_description(schema: dict[str, Any], rng: Random) -> str | None:
    """A text like the example that the description gives, with other digits."""
    description = schema.get("description")
    found = _EXAMPLE.search(description) if isinstance(description, str) else None
    if found is None:
        return None
    example = found[1]
    if _DATE.fullmatch(example):
        return _date(rng)
    return re.sub(r"\d", lambda _: str(rng.randint(1, 9)), example)


def _fitted(text: str, schema: dict[str, Any], rng: Random) -> str:
    """The text with the length that it should have."""
    least, most = _length(schema, "minLength") or 0, _length(schema, "maxLength")
    while len(text) < least <= _LONGEST:
        text = f"{text} {rng.choice(THINGS)}"
    if most is None or len(text) <= most:
        return text
    cut = text[:most]
    return cut.strip() if least <= len(cut.strip()) else cut


def _length(schema: dict[str, Any], word: str) -> int | None:
    value: Any = schema.get(word)
    return int(value) if isinstance(value, int | float) else None


def _moment(rng: Random) -> datetime:
    return _FIRST + timedelta(days=rng.randrange(_DAYS), minutes=15 * rng.randrange(96))


def _date(rng: Random) -> str:
    return _moment(rng).date().isoformat()


def _time(rng: Random) -> str:
    return _moment(rng).strftime("%H:%M:%SZ")


def _word(rng: Random) -> str:
    return rng.choice(THINGS)


def _uuid(rng: Random) -> str:
    return str(UUID(int=rng.getrandbits(128), version=4))


def _address(rng: Random) -> str:
    return ".".join(str(rng.randint(1, 254)) for _ in range(4))


_FORMATS: dict[str, Callable[[Random], str]] = {
    "date": _date,
    "date-time": lambda rng: _moment(rng).strftime("%Y-%m-%dT%H:%M:%SZ"),
    "time": _time,
    "duration": lambda rng: f"PT{rng.randint(1, 90)}M",
    "email": lambda rng: f"{_word(rng)}@example.com",
    "idn-email": lambda rng: f"{_word(rng)}@example.com",
    "hostname": lambda rng: f"{_word(rng)}.example.com",
    "idn-hostname": lambda rng: f"{_word(rng)}.example.com",
    "ipv4": _address,
    "ipv6": lambda rng: f"2001:db8::{rng.randint(1, 0xFFFF):x}",
    "uri": lambda rng: f"https://example.com/{_word(rng)}",
    "url": lambda rng: f"https://example.com/{_word(rng)}",
    "uri-reference": lambda rng: f"/{_word(rng)}/{_word(rng)}",
    "iri": lambda rng: f"https://example.com/{_word(rng)}",
    "iri-reference": lambda rng: f"/{_word(rng)}",
    "uri-template": lambda rng: f"https://example.com/{{{_word(rng)}}}",
    "uuid": _uuid,
    "json-pointer": lambda rng: f"/{_word(rng)}",
    "relative-json-pointer": lambda rng: f"{rng.randint(0, 3)}/{_word(rng)}",
    "regex": lambda rng: f"^{_word(rng)}$",
}
