"""The known word that is closest to a misspelled one, for hints in error messages."""

from __future__ import annotations

from collections.abc import Iterable

_MIN_SIMILARITY = 0.7
_MIN_LENGTH = 3  # shorter words are inside others by chance


def closest_word(word: str, words: Iterable[str]) -> str | None:
    """The word with the most similar spelling, or one that contains this word; None without one."""
    from difflib import get_close_matches  # only needed for errors

    known = {str(other).removeprefix("$"): str(other) for other in words}
    spelled = word.strip().lower().replace("-", "_").replace(" ", "_").removeprefix("$")
    found = get_close_matches(spelled, known, n=1, cutoff=_MIN_SIMILARITY)
    inside = [other for other in known if len(spelled) >= _MIN_LENGTH and spelled in other]
    return known[(found or inside)[0]] if found or inside else None


def did_you_mean(word: object, words: Iterable[str]) -> str:
    """The end of an error message that suggests the closest word; empty if none is close."""
    closest = closest_word(word, words) if isinstance(word, str) else None
    return "" if closest is None else f". Did you mean {closest!r}?"


def suggestion_or_choices(word: object, words: Iterable[str]) -> str:
    """The end of an error message: the closest word, or all of them if none is close."""
    known = [str(each) for each in words]
    return did_you_mean(word, known) or f". Choose from: {', '.join(known)}."
