"""Text without what the reader does not mind: case, space, punctuation, width."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from unicodedata import category, combining, normalize

__all__ = ["FOLDS", "fold"]

# What may be ignored, in the order in which people name it.
FOLDS = ("case", "space", "punctuation", "width")
# Strokes that some alphabets count among the symbols.
_SLASHES = frozenset("/\\\u2044\u2215\u29f8\uff0f\uff3c")
_JOINING = frozenset({"Pd", "Pc"})
# To sort a run of marks takes time that grows with its square; no language needs so long a run.
_LONGEST_RUN = 100
_DECIMAL_POINT = re.compile(r"(?<=\d)\.(?=\d)")


def fold(text: str, ignore: tuple[str, ...] = FOLDS) -> str:
    """The text in the form in which two texts that differ only in what is ignored are equal.

    Letters with accents are always composed. `punctuation` makes dashes, slashes and underscores
    into spaces and drops all other marks but a point between two digits.
    """
    composed = _compose(text, ignore)
    if "case" in ignore:
        composed = _compose(composed.casefold(), ignore)
    if "punctuation" in ignore:
        composed = ".".join(map(_without_marks, _DECIMAL_POINT.split(composed)))
        composed = _compose(composed, ignore)  # an accent may have come next to its letter
    return " ".join(composed.split()) if "space" in ignore else composed


def _compose(text: str, ignore: tuple[str, ...]) -> str:
    if text.isascii() or _has_long_run(text):
        return text
    return normalize("NFKC" if "width" in ignore else "NFC", text)


def _has_long_run(text: str) -> bool:
    """Whether so many combining marks follow one another that composing them could take forever."""
    if len(text) <= _LONGEST_RUN:
        return False
    runs = groupby(text, key=_is_mark)
    return any(is_mark and sum(1 for _ in run) > _LONGEST_RUN for is_mark, run in runs)


def _is_mark(character: str) -> bool:
    return combining(character) != 0


def _without_marks(text: str) -> str:
    return "".join(map(_unmarked, text))


@lru_cache(maxsize=4096)
def _unmarked(character: str) -> str:
    if character in _SLASHES or category(character) in _JOINING:
        return " "
    return "" if category(character).startswith("P") else character
