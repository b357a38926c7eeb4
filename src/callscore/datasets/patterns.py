r"""Texts that a regular expression matches.

Lookahead and lookbehind are ignored: the caller checks each text, and asks for another.

Written by hand because rstr, exrex and sre_yield read only Python's syntax, not the `\p{L}` and
`(?<name>...)` of JSON Schema, and cannot make texts of a minimum length.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from random import Random

_MAX_PATTERN_LENGTH = 2_000
_MAX_TEXT_LENGTH = 10_000
_MAX_DEPTH = 50
_MAX_EXTRA_REPEATS = 3  # repeats beyond the minimum
_UNLIMITED = 1 << 30
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
_POSITIONS = frozenset("bBAZzG")  # they match no character
_QUANTIFIERS = {"*": (0, _UNLIMITED), "+": (1, _UNLIMITED), "?": (0, 1)}


class UnknownPatternError(Exception):
    """An expression that is not supported here, or invalid."""


_Ranges = tuple[tuple[str, str], ...]


class _Character(NamedTuple):
    """One character of some ranges, each from its first to its last."""

    ranges: _Ranges


class _Sequence(NamedTuple):
    """Parts that follow one another."""

    parts: tuple[_Node, ...]


class _Alternatives(NamedTuple):
    """One of several options."""

    options: tuple[_Node, ...]


class _Repeat(NamedTuple):
    """A repetition of one element."""

    part: _Node
    least: int
    most: int


_Node = _Character | _Sequence | _Alternatives | _Repeat


def text_matching(pattern: str, rng: Random, *, minimum: int = 0) -> str:
    """A text in which a regular expression matches; a short text matches as a whole.

    The expression is in the syntax that JSON Schema and Python share. For a minimum length, unlimited
    repetitions are extended, and letters are added at an end that the expression leaves open.

    Raises:
        UnknownPatternError: the expression is not supported.
    """
    if len(pattern) > _MAX_PATTERN_LENGTH:
        raise UnknownPatternError("it is too long")
    node = _Parser(pattern).parse()
    pieces: list[str] = []
    _write(node, rng, minimum, pieces)
    text = "".join(pieces)
    added = min(minimum, _MAX_TEXT_LENGTH) - len(text)
    has_start, has_end = pattern.startswith("^"), pattern.endswith("$")
    if added <= 0 or (has_start and has_end):
        return text
    letters = "".join(rng.choices(string.ascii_lowercase, k=added))
    return letters + text if has_end else text + letters


def _write(node: _Node, rng: Random, minimum: int, pieces: list[str]) -> None:
    if len(pieces) > _MAX_TEXT_LENGTH:
        raise UnknownPatternError("it repeats too often")
    if isinstance(node, _Character):
        first, last = rng.choice(node.ranges)
        pieces.append(chr(rng.randint(ord(first), ord(last))))
    elif isinstance(node, _Sequence):
        for part in node.parts:
            _write(part, rng, minimum, pieces)
    elif isinstance(node, _Alternatives):
        _write(rng.choice(node.options), rng, minimum, pieces)
    else:
        low = min(max(node.least, minimum), node.most)
        for _ in range(rng.randint(low, min(node.most, low + _MAX_EXTRA_REPEATS))):
            _write(node.part, rng, 0, pieces)


class _Parser:
    """Parses an expression from left to right."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._depth = 0

    def parse(self) -> _Node:
        found = self._alternatives()
        if self._at < len(self._text):
            raise UnknownPatternError("unmatched )")
        return found

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            raise UnknownPatternError("unexpected end")
        self._at += 1
        return character

    def _skip(self, text: str) -> bool:
        is_there = self._text.startswith(text, self._at)
        self._at += len(text) if is_there else 0
        return is_there

    def _alternatives(self) -> _Node:
        options = [self._sequence()]
        while self._skip("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else _Alternatives(tuple(options))

    def _sequence(self) -> _Node:
        parts: list[_Node] = []
        while self._peek() not in ("", "|", ")"):
            part = self._atom()
            parts.append(self._repeated(part))
        return _Sequence(tuple(parts))

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
        return least, int(high) if high else (_UNLIMITED if comma else least)

    def _atom(self) -> _Node:
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return self._set()
        if character in "^$":
            return _Sequence(())
        return self._single(character)

    def _single(self, character: str) -> _Node:
        if character == ".":
            return _Character(_ranges_of(string.ascii_letters + string.digits))
        if character != "\\":
            return _Character(_ranges_of(character))
        following = self._take()
        if following in _POSITIONS:
            return _Sequence(())
        return _Character(_alphanumeric(self._escaped(following)))

    def _group(self) -> _Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise UnknownPatternError("it is nested too deeply")
        is_empty = self._skip_group_head()
        found = self._alternatives()
        if not self._skip(")"):
            raise UnknownPatternError("unclosed (")
        self._depth -= 1
        return _Sequence(()) if is_empty else found

    def _skip_group_head(self) -> bool:
        """Skip the head of a group; returns whether the group matches no text: a lookaround, a flag."""
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
        is_negated = self._skip("^")
        ranges: list[tuple[str, str]] = []
        while self._peek() != "]" or not ranges:
            ranges += self._member()
        self._take()
        return _Character(_alphanumeric(_complement(ranges)) if is_negated else tuple(ranges))

    def _member(self) -> Sequence[tuple[str, str]]:
        character = self._take()
        found = self._escaped(self._take()) if character == "\\" else ((character, character),)
        is_range = self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("", "]")
        if len(found) > 1 or not is_range:
            return found
        self._take()
        character = self._take()
        last = self._escaped(self._take())[0][1] if character == "\\" else character
        if last < found[0][0]:
            raise UnknownPatternError("a range is reversed")
        return ((found[0][0], last),)

    def _escaped(self, character: str) -> _Ranges:
        """The characters of an escape: a class, a control character, a number, or itself."""
        if character.lower() in _CLASSES:
            found = _ranges_of(_CLASSES[character.lower()])
            return found if character.islower() else _complement(found)
        if character in ("p", "P"):
            return self._property(is_negated=character == "P")
        if character in ("x", "u"):
            return _ranges_of(self._code(character))
        if character.isalnum() and character not in _CONTROLS:
            raise UnknownPatternError(f"\\{character} is not supported")
        return _ranges_of(_CONTROLS.get(character, character))

    def _property(self, *, is_negated: bool) -> _Ranges:
        end = self._text.find("}", self._at)
        name = self._text[self._at : end].lstrip("{")
        if end < 0 or name not in _PROPERTIES:
            raise UnknownPatternError(f"\\p{{{name}}} is not supported")
        self._at = end + 1
        found = _ranges_of(_PROPERTIES[name])
        return _complement(found) if is_negated else found

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
            raise UnknownPatternError(f"\\{character}{digits} is not a character") from error


def _ranges_of(characters: str) -> _Ranges:
    """One range per character."""
    return tuple(zip(characters, characters, strict=True))


def _complement(ranges: Sequence[tuple[str, str]]) -> _Ranges:
    """The printable characters that are in none of the ranges."""
    found = [each for each in _PRINTABLE if not any(low <= each <= high for low, high in ranges)]
    if not found:
        raise UnknownPatternError("a set has no printable character")
    return _ranges_of("".join(found))


def _alphanumeric(ranges: _Ranges) -> _Ranges:
    """Only letters and digits, if there are any."""
    return tuple(item for item in ranges if item[0].isalnum()) or ranges
