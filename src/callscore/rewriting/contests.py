"""Expectations on which those who expect something at the same place do not agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.equality import equal
from callscore.core.text import escape
from callscore.rewriting import reasons
from callscore.rewriting.applying import Refused
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.spots import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.rewriting.change import Change

__all__ = ["Content", "Wish", "contested"]


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
        Refused(wish.change, str(problem), problem)
        for key, rivals in by_place.items()
        if (problem := _problem(rivals, right.get(key, []))) is not None
        for wish in rivals
    ]


def _problem(rivals: list[Wish], content: list[str | None]) -> CannotRewrite | None:
    """Why none of those who want another expectation gets it; None where all of them do."""
    variants = _variants(wish.variant for wish in rivals)
    if content:
        return _content(_variants(content), variants)
    first, *others = [_wanted(wish.change) for wish in rivals]
    if all(equal(first, other) for other in others):
        return None
    if len(variants) > 1:
        return CannotRewrite(reasons.DIFFER, variants=_named(variants))
    return CannotRewrite(reasons.DIFFERS)


def _content(right: list[str], variants: list[str]) -> CannotRewrite:
    if right and not set(right) & set(variants):
        return CannotRewrite(reasons.RIGHT_FOR, variants=_named(right))
    return CannotRewrite(reasons.RIGHT_AT_TIMES)


def _wanted(change: Change) -> list[Any]:
    """What is to be written, as plain data."""
    patches = [
        [list(each.call), list(each.path), each.value, each.is_gone] for each in change.patches
    ]
    return [list(change.items), patches]


def _variants(names: Iterable[str | None]) -> list[str]:
    return sorted({name for name in names if name is not None})


def _named(variants: list[str]) -> CannotRewrite:
    *first, last = map(escape, variants)
    if first:
        return CannotRewrite(reasons.THE_VARIANTS, first=", ".join(first), last=last)
    return CannotRewrite(reasons.THE_VARIANT, last=last)
