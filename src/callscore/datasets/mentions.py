"""Whether a question says what the calls need to know."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from callscore.core.schema_parts import ANYWHERE, schemas_in
from callscore.core.text import clip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["enumerated", "unmentioned"]

_LONGEST = 60
_GAPS = re.compile(r"[\s_\-]+")
_THOUSANDS = re.compile(r"(?<=\d)[,'\u00a0\u202f](?=\d{3})")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T.*)?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZEROS = re.compile(r"(\.\d*?)0+\b")


def enumerated(schema: Any) -> set[str]:
    """The texts that a schema allows by name: `basic_economy`, which nobody says so."""
    found: set[str] = set()
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            values = [*part.get("enum", ()), part.get("const")]
            found |= {value for value in values if isinstance(value, str)}
            pending += schemas_in(part, ANYWHERE)
    return found


def unmentioned(text: str, values: Iterable[Any], known: set[str]) -> list[str]:
    """The texts and numbers in some values that a question does not say in any way.

    Args:
        text: the question.
        values: the values, with whatever is in them.
        known: texts that need not be said, because they are one of a few.
    """
    folded = _folded(text)
    missing = [
        str(value)
        for value in _leaves(values)
        if value not in known and not _is_said(str(value), folded)
    ]
    return [clip(value, _LONGEST) for value in missing]


def _leaves(values: Iterable[Any]) -> Iterator[str | int | float]:
    for value in values:
        if isinstance(value, dict):
            yield from _leaves(value.values())
        elif isinstance(value, list):
            yield from _leaves(value)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield value


def _folded(text: str) -> str:
    return _GAPS.sub(" ", _THOUSANDS.sub("", text).casefold())


def _is_said(value: str, folded: str) -> bool:
    wanted = _folded(value).strip()
    if wanted in folded or _without_zeros(wanted) in folded:
        return True
    written = _DATE.fullmatch(value)
    return written is not None and _is_date_said(written, folded)


def _without_zeros(text: str) -> str:
    """A number as people write it: 5 for 5.0."""
    return _ZEROS.sub(r"\1", text).removesuffix(".") if text[:1].isdecimal() else text


def _is_date_said(written: re.Match[str], folded: str) -> bool:
    """Whether the year, the month and the day are there in words: 14 March 2025."""
    try:
        day = date(int(written[1]), int(written[2]), int(written[3]))
    except ValueError:
        return False
    month = _MONTHS[day.month - 1]
    return (
        written[1] in folded
        and month in folded
        and re.search(rf"(?<!\d)0?{day.day}(?!\d)", folded) is not None
    )
