"""Expectations on which those who expect something at the same place do not agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.equality import equal
from callscore.core.text import escape
from callscore.rewriting.applying import Refused
from callscore.testing.updating import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.rewriting.change import Change
    from callscore.testing.told import Result, Told

__all__ = ["refusals"]

_DIFFERS = "what is called there differs from time to time"


class _Wish(NamedTuple):
    """A change, and of which question it comes, if it comes of one."""

    change: Change
    result: Result | None


def refusals(told: Iterable[Told]) -> list[Refused]:
    """The changes that would make right what one says, and wrong what another one does."""
    wishes: dict[str, list[_Wish]] = {}
    content: dict[str, list[Result | None]] = {}
    for each in told:
        for change in each.changes:
            wishes.setdefault(key_of(change), []).append(_Wish(change, each.result))
        for key in each.confirmed:
            content.setdefault(key, []).append(each.result)
    return [
        Refused(wish.change, problem)
        for key, rivals in wishes.items()
        if (problem := _problem(rivals, content.get(key, [])))
        for wish in rivals
    ]


def _problem(rivals: list[_Wish], content: list[Result | None]) -> str:
    """Why none of those who want another expectation gets it; empty where all of them do."""
    variants = _variants([wish.result for wish in rivals])
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


def _variants(results: Iterable[Result | None]) -> list[str]:
    names = [each.about.variant for each in results if each is not None]
    return sorted({name for name in names if name is not None})


def _named(variants: list[str]) -> str:
    *first, last = map(escape, variants)
    return f"the variants {', '.join(first)} and {last}" if first else f"the variant {last}"
