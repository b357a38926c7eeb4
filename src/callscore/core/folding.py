"""Text without what the reader does not mind: case, space, punctuation, width."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from unicodedata import category, combining, normalize

__all__ = ["FOLDS", "fold"]

# What may be ignored, in the order in which people name it.
FOLDS = ("case", "space", "punctuation", "width")
# What Unicode counts as punctuation, and readers do not: 10% is not 10, and C# is not C.
_MEANT = frozenset(
    "%\u066a\u2030\u2031\ufe6a\uff05#\ufe5f\uff03@\ufe6b\uff20&\ufe60\uff06*\ufe61\uff0a"
)
# Strokes, and the minus sign, which it counts among the symbols.
_STROKES = frozenset("/\\\u2044\u2215\u2212\u29f8\uff0f\uff3c")
_JOINING = frozenset({"Pd", "Pc"})
# What makes another number of digits: between two of them (3.14, 3,14, 12:30, 1/2), and before
# them, where a number can begin (-5, -$5, .5).
_BETWEEN = r".,:/\u066b\u066c\u2044\u2215\uff0c\uff0e\uff0f\uff1a"
_DASH = r"\-\u2010-\u2013\u2212\ufe63\uff0d"
_CURRENCY = r"$\u00a2-\u00a5\u20a0-\u20cf\ufe69\uff04\uffe0\uffe1\uffe5\uffe6"
_OPENING = rf"\s(\[{{<>=~+|,;:!?\"'`\u00ab\u2018\u201c\u201e\u2039{_CURRENCY}"
_IN_NUMBERS = re.compile(
    rf"(?<=\d)([{_BETWEEN}])(?=\d)"
    rf"|(?<![^{_OPENING}])([{_DASH}]?[.\uff0e](?=\d)|[{_DASH}](?=[{_CURRENCY}]?\d))"
)
_SPELLED = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u2044\u2215\uff0f"), "/"),
}
# To sort a run of marks takes time that grows with its square; no language needs so long a run.
_LONGEST_RUN = 100


def fold(text: str, ignore: tuple[str, ...] = FOLDS) -> str:
    """The text in the form in which two texts that differ only in what is ignored are equal.

    Letters with accents are always composed. `punctuation` makes dashes, slashes and underscores
    into spaces and drops all other marks, but for those that make another number or another name
    of what they stand with. A text of nothing but marks keeps them, lest it equal an empty one.
    """
    composed = _compose(text, ignore)
    if "case" in ignore:
        composed = _compose(composed.casefold(), ignore)
    if "punctuation" in ignore:
        unmarked = _without_marks(composed)
        if unmarked and not unmarked.isspace():
            composed = _compose(unmarked, ignore)  # an accent may have come next to its letter
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
    first, *rest = _IN_NUMBERS.split(text)
    parts = [_words(first)]
    for between, before, words in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        last = parts[-1][-1:]
        if before and last and not last.isspace():
            parts.append(" ")  # what stood between it and the last word may be gone
        parts += [(between or before).translate(_SPELLED), _words(words)]
    return "".join(parts)


def _words(text: str) -> str:
    return "".join(map(_unmarked, text))


@lru_cache(maxsize=4096)
def _unmarked(character: str) -> str:
    if character in _STROKES or category(character) in _JOINING:
        return " "
    is_mark = category(character).startswith("P") and character not in _MEANT
    return "" if is_mark else character
