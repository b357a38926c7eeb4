"""An option that is one of a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["chosen"]

Meaning = TypeVar("Meaning")


def chosen(option: str, word: str, meanings: Mapping[str, Meaning]) -> Meaning:
    """What a word means as the value of an option.

    Raises:
        InvalidSettings: it is none of the words.
    """
    try:
        return meanings[word]
    except (KeyError, TypeError):
        words = ", ".join(meanings)
        raise InvalidSettings(f"{option} is {word!r}; it can be {words}.") from None
