"""Expectations on which those who expect something at the same place do not agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.equality import equal
from callscore.core.text import escape
from callscore.rewriting.applying import Refused
from callscore.rewriting.spots import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.rewriting.change import Change

__all__ = ["Content", "Wish", "contested"]

_DIFFERS = "what is called there differs from time to time"


class Wish(NamedTuple):
    """A change, and under which variant of an evaluation it is wanted, if there are any."""

    change: Change
    variant: str | None = None


class Content(NamedTuple):
    """A place at which what is expected is right, and under which variant of an evaluation."""

    key: str
    variant: str | None = None


def contested(wishes: Iterable[Wish], content: Iterable[Content]) -> list[Refused]:
    """The changes that would make right what one says, and wrong what another one does.

    Args:
        wishes: the changes that are wanted.
        content: where nothing should be changed.
    """
    by_place: dict[str, list[Wish]] = {}
    for wish in wishes:
        by_place.setdefault(key_of(wish.change), []).append(wish)
    right: dict[str, list[str | None]] = {}
    for key, variant in content:
        right.setdefault(key, []).append(variant)
    return [
        Refused(wish.change, problem)
        for key, rivals in by_place.items()
        if (problem := _problem(rivals, right.get(key, [])))
        for wish in rivals
    ]


def _problem(rivals: list[Wish], content: list[str | None]) -> str:
    """Why none of those who want another expectation gets it; empty where all of them do."""
    variants = _variants(wish.variant for wish in rivals)
    if content:
        right = _variants(content)
        is_apart = bool(right) and not set(right) & set(variants)
        when = f"for {_named(right)}" if is_apart else "at other times"
        return f"what is expected there is right {when}."
    first, *others = [list(wish.change.items) for wish in rivals]
    if all(equal(first, other) for other in others):
        return ""
    who = f"{_named(variants)} differ" if len(variants) > 1 else _DIFFERS
    return f"{who}."


def _variants(names: Iterable[str | None]) -> list[str]:
    return sorted({name for name in names if name is not None})


def _named(variants: list[str]) -> str:
    *first, last = map(escape, variants)
    return f"the variants {', '.join(first)} and {last}" if first else f"the variant {last}"
