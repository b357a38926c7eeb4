"""Finds secrets in texts, however they are encoded there.

A text is searched as it is and as it reads after decoding: JSON escapes, several levels deep, and percent-encoding.
Base64 and hexadecimal copies are searched as they are. Each step is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Found", "SecretMatcher", "matcher_for"]

_MAX_LEVELS = 5  # of encodings inside each other
_MAX_VIEWS = 16  # of one text
_MIN_ENCODED = 8  # characters of a base64 copy

# Escapes of JSON, and those of Python and JavaScript.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|.)",
    re.DOTALL,
)
# An escape by code, or a line break after a line of base64.
_CODED_ESCAPE = re.compile(r"\\[uUx][0-9a-fA-F{]|(?<=[A-Za-z0-9+/_-]{40})\\+[rn]")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "0": "\0"}
_SURROGATES = range(0xD800, 0xE000)
_MAX_CODE_POINT = 0x10FFFF
_H = "[0-9a-fA-F]"
_C = "%[89abAB]" + _H  # a further byte of a character
_PERCENT = re.compile(
    f"%[0-7]{_H}|%[cCdD]{_H}{_C}|%[eE]{_H}{_C}{_C}|%[fF][0-7]{_C}{_C}{_C}", re.ASCII
)
_LINE_BREAK = re.compile(r"[\r\n]+[ \t]*")
_PLAIN = re.compile(r"[A-Za-z0-9]+")
_MIN_PLAIN = 3
_CUT = "…"  # where a text was shortened
_MIN_CUT = 4  # characters of a secret beside it


class Found(NamedTuple):
    """A secret in a text: where, and which; the first one if several overlap there."""

    start: int
    end: int
    secret: str


class _Secret(NamedTuple):
    """A secret, and what to search for.

    Attributes:
        copies: the secret, and its copies in base64 and in hexadecimal.
        wrapped: the copies that may be broken into lines.
        plain: the longest part that only an escape by code changes; empty if there is none.
        is_plain: whether all of it is such a part.
    """

    text: str
    copies: tuple[str, ...]
    wrapped: tuple[str, ...]
    plain: str
    is_plain: bool


_Decode = tuple[re.Pattern[str], "Callable[[str], str]"]
_View = tuple[str, tuple[_Decode, ...]]


class SecretMatcher:
    """Searches texts for a set of secrets."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = [_prepared(secret) for secret in secrets]
        self._copies = tuple(dict.fromkeys(copy for each in self._secrets for copy in each.copies))
        self._wrapped = tuple(
            dict.fromkeys(copy for each in self._secrets for copy in each.wrapped)
        )
        self._has_special = [each for each in self._secrets if not each.is_plain]
        self.numbers = tuple(each for each in secrets if each.isascii() and each.isdigit())

    def occurs_in(self, text: str) -> bool:
        """Whether a secret is in the text."""
        return any(self._is_in_view(view) for view in self._views(text))

    def find(self, text: str) -> list[Found]:
        """The secrets in the text, in order and without overlaps."""
        found: list[Found] = []
        for view in self._views(text):
            if self._is_in_view(view):
                found += self._find_in_view(view, text)
        return _without_overlaps(found)

    def _is_in_view(self, view: _View) -> bool:
        text, steps = view
        copies = self._wrapped if steps and steps[-1] is _UNWRAP else self._copies
        if any(copy in text for copy in copies):
            return True
        return _CUT in text and any(next(_cut_places(text, copy), None) for copy in copies)

    def _find_in_view(self, view: _View, source: str) -> Iterator[Found]:
        text, steps = view
        places = _places(source, steps)
        is_unwrapped = bool(steps) and steps[-1] is _UNWRAP
        for secret in self._secrets:
            for copy in secret.wrapped if is_unwrapped else secret.copies:
                at = text.find(copy)
                while at >= 0:
                    yield Found(places(at), places(at + len(copy)), secret.text)
                    at = text.find(copy, at + len(copy))
                for start, end in _cut_places(text, copy) if _CUT in text else ():
                    yield Found(places(start), places(end), secret.text)

    def _views(self, text: str) -> Iterator[_View]:
        """The text as it is, and after each way of decoding that may reveal a secret."""
        seen = {text}
        level: list[_View] = [(text, ())]
        for _ in range(_MAX_LEVELS):
            following: list[_View] = []
            for view in level:
                yield view
                for step in self._steps(view[0]):
                    decoded = step[0].sub(lambda match, step=step: step[1](match[0]), view[0])  # type: ignore[misc]  # a default binds the step
                    if decoded not in seen and len(seen) < _MAX_VIEWS:
                        seen.add(decoded)
                        following.append((decoded, (*view[1], step)))
            level = following
        yield from level

    def _steps(self, text: str) -> Iterator[_Decode]:
        if "\\" in text and self._may_be_escaped(text):
            yield _UNESCAPE
        if "%" in text and _PERCENT.search(text):
            yield _UNQUOTE
        if "\n" in text:
            yield _UNWRAP

    def _may_be_escaped(self, text: str) -> bool:
        """Whether escapes may hide a secret; most texts with escapes contain no part of one."""
        if any(not each.plain or each.plain in text for each in self._has_special):
            return True
        return _CODED_ESCAPE.search(text) is not None


@lru_cache(maxsize=16)
def matcher_for(secrets: tuple[str, ...]) -> SecretMatcher:
    """The matcher of these secrets."""
    return SecretMatcher(secrets)


def _prepared(secret: str) -> _Secret:
    raw = secret.encode("utf-8", "surrogatepass")
    coded = [*_base64_copies(raw), raw.hex(), raw.hex().upper()]
    copies = [secret, secret.replace(" ", "+"), secret.replace("\n", "\r\n"), *coded]
    plain = max(_PLAIN.findall(secret), key=len, default="")
    return _Secret(
        secret,
        tuple(dict.fromkeys(copies)),
        tuple(dict.fromkeys(coded)),
        plain if len(plain) >= _MIN_PLAIN else "",
        plain == secret,
    )


def _base64_copies(raw: bytes) -> Iterator[str]:
    """The characters of base64 that a secret decides, at each of the three places it may begin."""
    from base64 import b64encode  # mostly there is no secret to hide

    for before in range(3):
        encoded = b64encode(b"\0" * before + raw).decode()
        # The first characters, and the last one, also depend on the neighbors.
        copy = encoded[(0, 2, 3)[before] : (before + len(raw)) * 8 // 6]
        if len(copy) >= _MIN_ENCODED:
            yield copy
            yield copy.translate(_URL_SAFE)


_URL_SAFE = str.maketrans("+/", "-_")


def _unescaped(escape: str) -> str:
    kind = escape[1]
    if len(escape) == 2:  # noqa: PLR2004  (a backslash and a character)
        return _CONTROLS.get(kind, kind)
    if escape.count("\\") > 1:  # a character of two code units
        high, low = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)
    code = int(escape[2:].strip("{}"), 16)
    return chr(code) if code <= _MAX_CODE_POINT and code not in _SURROGATES else escape


def _unquoted(escape: str) -> str:
    try:
        return bytes.fromhex(escape.replace("%", "")).decode()
    except UnicodeDecodeError:
        return escape


_UNESCAPE: _Decode = (_ESCAPE, _unescaped)
_UNQUOTE: _Decode = (_PERCENT, _unquoted)
_UNWRAP: _Decode = (_LINE_BREAK, lambda _: "")


def _places(source: str, steps: Sequence[_Decode]) -> Callable[[int], int]:
    """A function from the places in a decoded text to those in its source."""
    maps: list[tuple[list[int], list[int]]] = []
    for pattern, decode in steps:
        decoded, starts, sources = [], [0], [0]
        end = length = 0
        for match in pattern.finditer(source):
            text = decode(match[0])
            length += match.start() - end
            starts += [length, length + len(text)]
            sources += [match.start(), match.end()]
            decoded += [source[end : match.start()], text]
            length, end = length + len(text), match.end()
        maps.append((starts, sources))
        source = "".join([*decoded, source[end:]])

    def place(at: int) -> int:
        for starts, sources in reversed(maps):
            index = bisect_right(starts, at) - 1
            at = sources[index] + at - starts[index]
        return at

    return place


def _cut_places(text: str, copy: str) -> Iterator[tuple[int, int]]:
    """Where a shortened text ends in the first part of a secret, or begins with the last part."""
    for part, is_start in ((copy[:_MIN_CUT], True), (copy[-_MIN_CUT:], False)):
        at = text.find(part)
        while at >= 0:
            if is_start:
                start, end = at, text.find(_CUT, at, at + len(copy))
            else:
                end = at + len(part)
                start = text.rfind(_CUT, max(0, end - len(copy)), at) + 1 or -1
            if 0 <= start < end and (copy.startswith if is_start else copy.endswith)(
                text[start:end]
            ):
                yield start, end
            at = text.find(part, at + 1)


def _without_overlaps(found: list[Found]) -> list[Found]:
    """The places in order; what overlaps becomes one place."""
    merged: list[Found] = []
    for each in sorted(found, key=lambda place: (place.start, -place.end)):
        if not merged or each.start >= merged[-1].end:
            merged.append(each)
        elif each.end > merged[-1].end:
            merged[-1] = merged[-1]._replace(end=each.end)
    return merged
