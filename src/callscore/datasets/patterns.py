r"""Texts that a regular expression matches.

Lookahead and lookbehind are ignored: the caller checks each text, and asks for another.

Written by hand because rstr, exrex and sre_yield read only Python's syntax, not the `\p{L}` and
`(?<name>...)` of JSON Schema, and cannot make texts of a minimum length.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

__all__ = ["UnknownPatternError", "text_matching"]

_LONGEST_PATTERN = 2_000
_LONGEST_TEXT = 10_000
_DEEPEST = 50
_MORE = 3  # repeats beyond the minimum
_ENDLESS = 1 << 30
_PRINTABLE = string.ascii_letters + string.digits + "-_.,:;!@#%&+=()[]{} '\"/\\*?^$|~`<>"
_WORD = string.ascii_letters + string.digits + "_"
_CLASSES = {"d": string.digits, "w": _WORD, "s": " "}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_PROPERTIES = {
    "L": string.ascii_letters,
    "Letter": string.ascii_letters,
    "Lu": string.ascii_uppercase,
    "Ll": string.ascii_lowercase,
    "N": string.digits,
    "Nd": string.digits,
    "P": ".,;:!?",
    "Z": " ",
    "Zs": " ",
}
_EMPTY = frozenset("bBAZzG")  # positions, which match no letter
_QUANTIFIERS = {"*": (0, _ENDLESS), "+": (1, _ENDLESS), "?": (0, 1)}


class UnknownPatternError(Exception):
    """An expression that is not supported here, or invalid."""


class _Letter(NamedTuple):
    """One letter of some ranges, each from its first to its last."""

    ranges: tuple[tuple[str, str], ...]


class _Row(NamedTuple):
    """Several parts in a row."""

    parts: tuple[_Node, ...]


class _Either(NamedTuple):
    """One of several."""

    options: tuple[_Node, ...]


class _Repeat(NamedTuple):
    """A repetition of one element."""

    part: _Node
    least: int
    most: int


_Node = _Letter | _Row | _Either | _Repeat


def text_matching(pattern: str, rng: Random, *, minimum: int = 0) -> str:
    """A text in which a regular expression matches; a short text matches as a whole.

    The expression is in the syntax that JSON Schema and Python share. For a minimum length, unlimited
    repetitions are made as long, and letters are added at an end that the expression leaves open.

    Raises:
        UnknownPatternError: the expression is not supported.
    """
    if len(pattern) > _LONGEST_PATTERN:
        raise UnknownPatternError("it is too long")
    node = _Reader(pattern).read()
    pieces: list[str] = []
    _write(node, rng, minimum, pieces)
    text = "".join(pieces)
    added = min(minimum, _LONGEST_TEXT) - len(text)
    has_start, has_end = pattern.startswith("^"), pattern.endswith("$")
    if added <= 0 or (has_start and has_end):
        return text
    letters = "".join(rng.choices(string.ascii_lowercase, k=added))
    return letters + text if has_end else text + letters


def _write(node: _Node, rng: Random, minimum: int, pieces: list[str]) -> None:
    if len(pieces) > _LONGEST_TEXT:
        raise UnknownPatternError("it asks for too much")
    if isinstance(node, _Letter):
        first, last = rng.choice(node.ranges)
        pieces.append(chr(rng.randint(ord(first), ord(last))))
    elif isinstance(node, _Row):
        for part in node.parts:
            _write(part, rng, minimum, pieces)
    elif isinstance(node, _Either):
        _write(rng.choice(node.options), rng, minimum, pieces)
    else:
        low = min(max(node.least, minimum), node.most)
        for _ in range(rng.randint(low, min(node.most, low + _MORE))):
            _write(node.part, rng, 0, pieces)


class _Reader:
    """Reads an expression from its first letter to its last."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._depth = 0

    def read(self) -> _Node:
        found = self._either()
        if self._at < len(self._text):
            raise UnknownPatternError("a ) is not opened")
        return found

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        letter = self._peek()
        if not letter:
            raise UnknownPatternError("it ends too early")
        self._at += 1
        return letter

    def _skip(self, text: str) -> bool:
        is_there = self._text.startswith(text, self._at)
        self._at += len(text) if is_there else 0
        return is_there

    def _either(self) -> _Node:
        options = [self._row()]
        while self._skip("|"):
            options.append(self._row())
        return options[0] if len(options) == 1 else _Either(tuple(options))

    def _row(self) -> _Node:
        parts: list[_Node] = []
        while self._peek() not in ("", "|", ")"):
            part = self._atom()
            parts.append(self._repeated(part))
        return _Row(tuple(parts))

    def _repeated(self, part: _Node) -> _Node:
        bounds = self._bounds()
        if bounds is None:
            return part
        if self._peek() in ("?", "+"):  # lazy or possessive: the same texts
            self._take()
        return _Repeat(part, *bounds)

    def _bounds(self) -> tuple[int, int] | None:
        if self._peek() in _QUANTIFIERS:
            return _QUANTIFIERS[self._take()]
        if self._peek() != "{":
            return None
        end = self._text.find("}", self._at)
        low, comma, high = self._text[self._at + 1 : end].partition(",")
        is_count = end > 0 and (low.isdecimal() or (comma and not low))
        if not is_count or (high and not high.isdecimal()):
            return None
        self._at = end + 1
        least = int(low or 0)
        return least, int(high) if high else (_ENDLESS if comma else least)

    def _atom(self) -> _Node:
        letter = self._take()
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._set()
        if letter in "^$":
            return _Row(())
        return self._single(letter)

    def _single(self, character: str) -> _Node:
        if character == ".":
            return _of(string.ascii_letters + string.digits)
        if character != "\\":
            return _of(character)
        following = self._take()
        if following in _EMPTY:
            return _Row(())
        return _Letter(_plainest(self._escaped(following)))

    def _group(self) -> _Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnknownPatternError("it is nested too deep")
        is_seen = not self._is_looking()
        found = self._either()
        if not self._skip(")"):
            raise UnknownPatternError("a ( is not closed")
        self._depth -= 1
        return found if is_seen else _Row(())

    def _is_looking(self) -> bool:
        """Whether the group only looks around, or sets a mode; its head is skipped."""
        if not self._skip("?"):
            return False
        if any(self._skip(head) for head in ("=", "!", "<=", "<!")):
            return True
        if self._skip("P<") or self._skip("<"):
            self._at = self._text.find(">", self._at) + 1
            return False
        while self._peek().isalpha() or self._peek() == "-":
            self._take()
        return not self._skip(":")

    def _set(self) -> _Node:
        is_other = self._skip("^")
        ranges: list[tuple[str, str]] = []
        while self._peek() != "]" or not ranges:
            ranges += self._member()
        self._take()
        return _Letter(_plainest(_others(ranges)) if is_other else tuple(ranges))

    def _member(self) -> Sequence[tuple[str, str]]:
        letter = self._take()
        found = self._escaped(self._take()) if letter == "\\" else ((letter, letter),)
        is_range = self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("", "]")
        if len(found) > 1 or not is_range:
            return found
        self._take()
        letter = self._take()
        last = self._escaped(self._take())[0][1] if letter == "\\" else letter
        if last < found[0][0]:
            raise UnknownPatternError("a range ends before it begins")
        return ((found[0][0], last),)

    def _escaped(self, character: str) -> tuple[tuple[str, str], ...]:
        """The letters of an escape: a class, a control character, a number, or itself."""
        if character.lower() in _CLASSES:
            found = _of(_CLASSES[character.lower()]).ranges
            return found if character.islower() else _others(found)
        if character in ("p", "P"):
            return self._property(is_other=character == "P")
        return _of(self._code(character) if character in ("x", "u") else _control(character)).ranges

    def _property(self, *, is_other: bool) -> tuple[tuple[str, str], ...]:
        end = self._text.find("}", self._at)
        name = self._text[self._at : end].lstrip("{")
        if end < 0 or name not in _PROPERTIES:
            raise UnknownPatternError(f"\\p{{{name}}} is not known")
        self._at = end + 1
        found = _of(_PROPERTIES[name]).ranges
        return _others(found) if is_other else found

    def _code(self, character: str) -> str:
        length = 2 if character == "x" else 4
        if self._skip("{"):
            end = self._text.find("}", self._at)
            digits, self._at = self._text[self._at : end], end + 1
        else:
            digits, self._at = self._text[self._at : self._at + length], self._at + length
        try:
            return chr(int(digits, 16))
        except (ValueError, OverflowError) as error:
            raise UnknownPatternError(f"\\{character}{digits} is no letter") from error


def _control(character: str) -> str:
    """A control character, or a character that stands for itself."""
    if character.isalnum() and character not in _CONTROLS:
        raise UnknownPatternError(f"\\{character} is not known")
    return _CONTROLS.get(character, character)


def _of(letters: str) -> _Letter:
    return _Letter(tuple((letter, letter) for letter in letters))


def _others(ranges: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The printable letters that are in none of the ranges."""
    found = [
        letter for letter in _PRINTABLE if not any(low <= letter <= high for low, high in ranges)
    ]
    if not found:
        raise UnknownPatternError("a set allows nothing that can be printed")
    return tuple((letter, letter) for letter in found)


def _plainest(ranges: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Only letters and digits, if there are any."""
    return tuple(item for item in ranges if item[0].isalnum()) or ranges
