"""Which dialect a document is written in."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.errors import UnknownFormat
from callscore.formats.describing import describe
from callscore.formats.registry import dialects

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.formats.dialect import Dialect
    from callscore.formats.trace import Wanted

__all__ = [
    "Recogniser",
    "find_dialect",
    "inner_finder",
    "recognise",
    "refusal",
    "remembering",
]

_DEEPEST = 5
_MOST_NAMED = 3
_MOST_RECENT = 4  # of the kinds of documents in one file, say requests and answers


def find_dialect(document: Any, among: frozenset[str] | None = None) -> Dialect | None:
    """The first dialect, in their order, that recognises a document.

    Args:
        document: a JSON value, or text that a model wrote.
        among: the names of those that are asked; None for all.
    """
    for dialect in dialects():
        if (among is None or dialect.name in among) and dialect.recognises(document):
            return dialect
    return None


def recognise(document: Any) -> Dialect:
    """As `find_dialect`, where there must be one.

    Raises:
        UnknownFormat: no dialect recognises it; the message names the nearest.
    """
    found = find_dialect(document)
    if found is None:
        raise UnknownFormat(refusal(document))
    return found


class Recogniser:
    """Recognises the documents of one file: the first is looked up, the others only checked."""

    def __init__(self) -> None:
        self._recent: list[Dialect] = []

    def find(self, document: Any, among: frozenset[str] | None = None) -> Dialect | None:
        """As `find_dialect`, but a dialect that was found before is asked first."""
        for dialect in self._recent:
            if (among is None or dialect.name in among) and dialect.recognises(document):
                return dialect
        found = find_dialect(document, among)
        if found is not None:
            self._recent = [found, *self._recent[: _MOST_RECENT - 1]]
        return found

    def recognise(self, document: Any) -> Dialect:
        """As `recognise`."""
        return self.find(document) or recognise(document)


def inner_finder(wanted: Wanted) -> Callable[..., Dialect | None]:
    """What finds the dialects of documents that stand in others: answers in a recording, say."""
    return wanted.inner or Recogniser().find


def remembering(wanted: Wanted) -> Wanted:
    """The same wish, for one file whose documents hold others: these are looked up only once."""
    return structs.replace(wanted, inner=Recogniser().find)


def refusal(document: Any) -> str:
    """Why a document is not read, and what it looks most like."""
    near = _nearest(document)
    problem = f"no format recognises {describe(document)}."
    hint = f" The nearest are {', '.join(near)}." if near else ""
    return f"{problem}{hint} `callscore formats` shows an example of each."


def _nearest(document: Any) -> list[str]:
    """The dialects whose examples have most keys in common with a document."""
    keys = _keys(document)
    likeness = [
        (-len(keys & others) / len(keys | others), order, name)
        for others, order, name in _keys_of_examples()
        if keys & others
    ]
    return [name for _, _, name in sorted(likeness)[:_MOST_NAMED]]


@cache
def _keys_of_examples() -> list[tuple[set[str], int, str]]:
    return [(_keys(dialect.example), dialect.order, dialect.name) for dialect in dialects()]


def _keys(value: Any, depth: int = 0) -> set[str]:
    found: set[str] = set()
    if depth > _DEEPEST:
        return found
    if isinstance(value, dict):
        found = {str(key) for key in list(value)[:100]}
        inner = list(value.values())[:100]
    else:
        inner = value[:3] if isinstance(value, list) else []
    for item in inner:
        found |= _keys(item, depth + 1)
    return found
