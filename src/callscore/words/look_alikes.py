"""Texts that differ but look the same: where they differ, in code points."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import category, normalize

from callscore.core.phrases import Language, Phrase, say
from callscore.core.rendering import common_prefix, escape

# Letters of other scripts that look like Latin ones, and signs that look like several characters.
_LETTERS = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕЅІЈКМНОРСТУХҮԌαορνυικΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡ",
    "aeopcyxijshdqwABESIJKMHOPCTYXYGaopvuikABEZHIKMNOPTYXig",
)
_SIGNS = str.maketrans({"\u00b5": "\u03bc", "…": "...", "\ufb01": "fi", "\ufb02": "fl"})
# Latin letters, digits and signs that many fonts draw alike.
_ALIKE = str.maketrans("I1|0", "lllO")
_QUOTES = str.maketrans("‘’‚‛ʼʹ′`´“”„‟″«»", "'''''''''" + '"""""""')
_ALIKE_IN_ASCII = {
    **{code: None for code in (*range(32), 127) if not chr(code).isspace()},
    **{code: sign for code, sign in {**_ALIKE, **_QUOTES}.items() if code < 128},  # noqa: PLR2004  (ASCII)
}
# Visible characters of which no two look the same.
_DISTINCT = frozenset([chr(code) for code in range(33, 127) if chr(code) not in "Il1|0O'`\""])
_LONGEST = 1000  # characters that differ; comparing more of them takes long
_MOST_PLACES = 3
_MOST_POINTS = 4
_LONGEST_NAME = 200
_MOST_LINES = 5

DIFFERS = Phrase("looks the same, differs at {places}", "выглядит так же, отличается {places}")
PLACE = Phrase("character {number}: {points}", "символ {number}: {points}")
NOTHING = Phrase("none", "нет")
# For texts in which the difference is visible, since the characters are escaped.
DIFFERS_VISIBLY = Phrase("differs at {places}", "отличается {places}")


def looks_same(expected: str, actual: str) -> bool:
    """Whether two different texts look the same to a person.

    They may differ in their Unicode form, in letters that look alike, in invisible characters, and in
    the kinds of blanks, dashes and quotes.
    """
    if expected == actual:
        return False
    start = common_prefix(expected, actual)
    both = {expected[start : start + 1], actual[start : start + 1]}
    if both <= _DISTINCT and expected.isascii() and actual.isascii():
        return (
            False  # as in most cases: in these texts, no other character changes what it looks like
        )
    start, end = _common_ends(expected, actual)
    # One more character on each side shows whether blanks are at an end, or beside other blanks.
    start, end = max(start - 1, 0), max(end - 1, 0)
    parts = expected[start : len(expected) - end], actual[start : len(actual) - end]
    return max(map(len, parts)) <= _LONGEST and _appearance(parts[0]) == _appearance(parts[1])


def _common_ends(expected: str, actual: str) -> tuple[int, int]:
    """How many characters at the start, and at the end, are the same."""
    start = common_prefix(expected, actual)
    rest = min(len(expected), len(actual)) - start
    tails = [text[max(len(text) - rest, start) :][::-1] for text in (expected, actual)]
    return start, common_prefix(*tails)


def _appearance(text: str) -> str:
    """What two texts that look the same have in common."""
    if text.isascii():  # the same, with all that applies to these characters in one table
        return " ".join(text.translate(_ALIKE_IN_ASCII).split())
    plain = normalize("NFC", text)
    for table in (_LETTERS, _SIGNS, _ALIKE, _QUOTES):
        plain = plain.translate(table)
    visible = ["-" if _is_dash(each) else each for each in plain if not _is_invisible(each)]
    return " ".join("".join(visible).split())


def _is_dash(character: str) -> bool:
    return character == "\N{MINUS SIGN}" or category(character) == "Pd"


def _is_invisible(character: str) -> bool:
    is_control = category(character) in {"Cc", "Cf"} and not character.isspace()
    return is_control or "\ufe00" <= character <= "\ufe0f" or character == "\u034f"


def code_points_text(expected: object, actual: object, lang: Language) -> str | None:
    """Where two texts that look the same differ, in code points; None for any other values."""
    if not (isinstance(expected, str) and isinstance(actual, str) and looks_same(expected, actual)):
        return None
    from difflib import SequenceMatcher

    first, last = _common_ends(expected, actual)
    left, right = expected[first : len(expected) - last], actual[first : len(actual) - last]
    found = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    places = [
        say(
            PLACE,
            lang,
            number=first + start + 1,
            points=_points(left[start:end], right[low:high], lang),
        )
        for kind, start, end, low, high in found
        if kind != "equal"
    ]
    more = ["…"] if len(places) > _MOST_PLACES else []
    phrase = DIFFERS if (left + right).isprintable() else DIFFERS_VISIBLY
    return say(phrase, lang, places="; ".join([*places[:_MOST_PLACES], *more]))


def _points(expected: str, actual: str, lang: Language) -> str:
    return f"{_code_points(expected, lang)} / {_code_points(actual, lang)}"


def _code_points(text: str, lang: Language) -> str:
    points = [f"U+{ord(character):04X}" for character in text[:_MOST_POINTS]]
    more = ["…"] if len(text) > _MOST_POINTS else []
    return " ".join([*points, *more]) or say(NOTHING, lang)


def look_alike_lines(names: Iterable[str], lang: Language) -> list[str]:
    """One line per name that looks the same as another one: both, and where they differ."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        if len(name) <= _LONGEST_NAME:
            groups.setdefault(_appearance(name), []).append(name)
    lines = []
    for first, *others in groups.values():
        for other in others:
            text = code_points_text(first, other, lang)
            lines += [] if text is None else [f"{escape(first)} / {escape(other)}: {text}"]
    return lines[:_MOST_LINES]
