"""Text that is equal or similar, apart from case, space, punctuation and width."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from math import floor
from typing import Any
from unicodedata import category, combining, normalize

from callscore.core.equality import is_fraction
from callscore.core.phrases import Note, Phrase
from callscore.core.rules import Context, Matcher, Verdict, operand_problem, option_problem
from callscore.core.value_comparison import call_user_function, require_fraction, wrong_type

IGNORABLE = ("case", "space", "punctuation", "width")
# Punctuation by Unicode that changes the meaning: 10% is not 10, and C# is not C.
_KEPT_MARKS = frozenset(
    "%\u066a\u2030\u2031\ufe6a\uff05#\ufe5f\uff03@\ufe6b\uff20&\ufe60\uff06*\ufe61\uff0a"
)
# Strokes, and the minus sign, which is a symbol by Unicode.
_STROKES = frozenset("/\\\u2044\u2215\u2212\u29f8\uff0f\uff3c")
_JOINING_CATEGORIES = frozenset({"Pd", "Pc"})
# Marks that are part of a number: between two digits (3.14, 3,14, 12:30, 1/2), and before them,
# where a number can begin (-5, -$5, .5).
_BETWEEN = r".,:/\u066b\u066c\u2044\u2215\uff0c\uff0e\uff0f\uff1a"
_DASH = r"\-\u2010-\u2013\u2212\ufe63\uff0d"
_CURRENCY = r"$\u00a2-\u00a5\u20a0-\u20cf\ufe69\uff04\uffe0\uffe1\uffe5\uffe6"
_OPENING = rf"\s(\[{{<>=~+|,;:!?\"'`\u00ab\u2018\u201c\u201e\u2039{_CURRENCY}"
_IN_NUMBERS = re.compile(
    rf"(?<=\d)([{_BETWEEN}])(?=\d)"
    rf"|(?<![^{_OPENING}])([{_DASH}]?[.\uff0e](?=\d)|[{_DASH}](?=[{_CURRENCY}]?\d))"
)
_NORMALIZED = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u2044\u2215\uff0f"), "/"),
}
# Sorting a run of marks takes quadratic time; no language needs a longer run.
_MAX_RUN = 100


def fold(text: str, ignore: tuple[str, ...] = IGNORABLE) -> str:
    """Normalize a text, so that texts that differ only in what is ignored become equal.

    Letters with accents are always composed. `punctuation` turns dashes, slashes and underscores
    into spaces and drops all other marks, except those that are part of a number or a name. A text
    that has only marks keeps them, so that it does not equal an empty one.
    """
    composed = _compose(text, ignore)
    if "case" in ignore:
        composed = _compose(composed.casefold(), ignore)
    if "punctuation" in ignore:
        unmarked = _remove_punctuation(composed)
        if unmarked and not unmarked.isspace():
            composed = _compose(unmarked, ignore)  # an accent may have come next to its letter
    return " ".join(composed.split()) if "space" in ignore else composed


def _compose(text: str, ignore: tuple[str, ...]) -> str:
    if text.isascii() or _has_long_run(text):
        return text
    return normalize("NFKC" if "width" in ignore else "NFC", text)


def _has_long_run(text: str) -> bool:
    """Whether a run of combining marks is too long to compose in reasonable time."""
    if len(text) <= _MAX_RUN:
        return False
    runs = groupby(text, key=lambda character: combining(character) != 0)
    return any(is_mark and sum(1 for _ in run) > _MAX_RUN for is_mark, run in runs)


def _remove_punctuation(text: str) -> str:
    first, *rest = _IN_NUMBERS.split(text)
    parts = [_replace_marks(first)]
    for between, before, words in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        last = parts[-1][-1:]
        if before and last and not last.isspace():
            parts.append(" ")  # the mark between it and the last word may be gone
        parts += [(between or before).translate(_NORMALIZED), _replace_marks(words)]
    return "".join(parts)


def _replace_marks(text: str) -> str:
    return "".join(map(_replace_mark, text))


@lru_cache(maxsize=4096)
def _replace_mark(character: str) -> str:
    if character in _STROKES or category(character) in _JOINING_CATEGORIES:
        return " "
    is_mark = category(character).startswith("P") and character not in _KEPT_MARKS
    return "" if is_mark else character


KEYS = ("$text",)
OPTIONS = ("ignore", "similarity")
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {"description": "The expected text.", "type": "string"},
    "options": {
        "ignore": {
            "description": "Differences to ignore; all four by default.",
            "type": "array",
            "items": {"enum": list(IGNORABLE)},
        },
        "similarity": {
            "description": "The smallest similarity that matches, from 0 to 1. Without it the texts"
            " must be equal, apart from what is ignored.",
            "type": "number",
            "minimum": 0,
            "maximum": 1,
        },
    },
}
EXAMPLES = (
    ({"$text": "New York"}, "new-york ", "newyork"),
    ({"$text": "New York", "ignore": ["case"]}, "NEW YORK", "New  York"),
    ({"$text": "New York", "similarity": 0.9}, "New Yorkk", "New Jersey"),
)

NOT_ALIKE = Phrase("similarity {given} < {least}", "сходство {given} < {least}")
TOO_LONG = Phrase("the texts are too long to compare", "тексты слишком длинные для сравнения")

# Products of the two lengths. Above the first limit, measuring stops once the texts cannot be
# similar enough; the second takes about a fifth of a second.
_MAX_FULLY_MEASURED = 100_000_000
_MAX_COMPARED = 10_000_000_000
_STEPS_PER_CHARACTER = 3
_STEPS_PER_SIMILARITY = 10
_CELLS_PER_STEP = 5_000  # the library compares 64 characters at once


def check(matcher: Matcher) -> str | None:
    """The value is text, and the options have valid values."""
    if not isinstance(matcher.value, str):
        return operand_problem(matcher, "text")
    options = matcher.options
    ignore = options.get("ignore", ())
    if not isinstance(ignore, list | tuple) or any(item not in IGNORABLE for item in ignore):
        return option_problem(matcher, "ignore", f"a list of {', '.join(IGNORABLE)}")
    if "similarity" in options and not is_fraction(options["similarity"]):
        return option_problem(matcher, "similarity", "a number from 0 to 1")
    return None


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether the normalized texts are equal, or similar enough."""
    if not isinstance(actual, str):
        return wrong_type(actual, "string")
    ignore = tuple(matcher.options.get("ignore", IGNORABLE))
    expected, given = _folded(matcher.value, ignore, context), _folded(actual, ignore, context)
    if expected == given:
        return Verdict(matched=True)
    least = matcher.options.get("similarity")
    if least is None:
        return Verdict(matched=False, value=0.0)
    return _judge_similarity(_similarity(expected, given, least, context), least)


def _folded(text: str, ignore: tuple[str, ...], context: Context) -> str:
    """The normalized text; that is computed once for each text of a case."""

    def compute() -> str:
        context.budget.spend(_STEPS_PER_CHARACTER * len(text), KEYS[0])
        return fold(text, ignore)

    found: str = context.budget.once(("fold", text, ignore), compute)
    return found


def _judge_similarity(similarity: float | None, least: float) -> Verdict:
    if similarity is None:
        return Verdict(matched=False, value=0.0, note=Note(TOO_LONG))
    if similarity >= least:
        return Verdict(matched=True, value=similarity)
    shown = floor(similarity * 100) / 100  # never rounded up to the threshold
    note = Note(NOT_ALIKE, {"given": f"{shown:g}", "least": f"{least:g}"})
    return Verdict(matched=False, value=similarity, note=note)


def _similarity(expected: str, actual: str, least: float, context: Context) -> float | None:
    """How similar two texts are; None if that would take too long to compute."""
    if context.similarity is not None:
        return require_fraction(
            "similarity", call_user_function("similarity", context.similarity, expected, actual)
        )
    work = len(expected) * len(actual)
    if work > _MAX_COMPARED:
        return None
    context.budget.spend(_STEPS_PER_SIMILARITY + work // _CELLS_PER_STEP, KEYS[0])
    from rapidfuzz.distance import Indel

    cutoff = least if work > _MAX_FULLY_MEASURED else 0
    return Indel.normalized_similarity(expected, actual, score_cutoff=cutoff)
