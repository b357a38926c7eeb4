"""Tests that do not agree on what is to be expected at the same place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.rewriting.contests import Content, Wish, contested

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.rewriting.applying import Refused
    from callscore.testing.told import Told

__all__ = ["refusals"]


def refusals(told: Iterable[Told]) -> list[Refused]:
    """The changes that would make right what one test says, and wrong what another one does."""
    wishes: list[Wish] = []
    content: list[Content] = []
    for each in told:
        variant = None if each.about is None else each.about.variant
        wishes += [Wish(change, variant) for change in each.changes]
        content += [Content(key, variant) for key in each.confirmed]
    return contested(wishes, content)
