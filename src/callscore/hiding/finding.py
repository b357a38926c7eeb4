"""Finds secrets in texts: as they are, JSON-escaped, percent-encoded, in base64 and in hexadecimal.

One regular expression finds all copies of all secrets. It is compiled, and searched, only where a text has
a part of a secret that these ways of writing leave alone, or characters that are written by their codes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

OPENING = "[hidden "  # of every marker, and of nothing else: in an agent's text it is escaped

_MIN_ENCODED = 8  # characters of a base64 copy
_MIN_RUN = 3
_LONG = 128  # characters of a secret
_LINE = 60  # characters of base64 that are on two lines at most
_MIN_CUT = 4  # characters of a secret beside a cut
_CUT = "…"  # where a text was shortened
_RUN = re.compile("[A-Za-z0-9]+")
_UNESCAPED_RUN = re.compile(r"[^\s\"'\\/]+")
# A letter or a digit that is written by its code, and any character that is.
_CODED_LETTER = re.compile(
    r"(?:(?:\\|5[cC])(?:u00|x|u\{0*|U000000)|%(?:25)*)(?:3\d|[46][1-9a-fA-F]|[57][\daA])"
)
_CODED = re.compile(r"\\[uUx]|%[\da-fA-F]{2}")
# Escapes may be escaped again, and percent-encoded.
_BACKSLASH = r"(?:\\|%(?:25)*5[Cc])"
_ESCAPE = _BACKSLASH + "{1,32}"
_MAY_ESCAPE = _BACKSLASH + "{0,32}"
_START = r"(?<!\\)(?<!%5[cC])"  # a row of backslashes is tried once
_PERCENT = "%(?:25)*"
_BREAK = re.compile(r"[\r\n]+[ \t]*|\\{1,32}[rn]")  # in a copy that is broken into lines
_CONTROLS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_BASE64_SIGNS = {
    "+": rf"(?:[+\-]|{_PERCENT}2[bBdD])",
    "/": rf"(?:{_MAY_ESCAPE}/|_|{_PERCENT}(?:2[fF]|5[fF]))",
}


def marker(name: str) -> str:
    """What is shown and saved in place of a value: `[hidden OPENAI_API_KEY]`."""
    return f"{OPENING}{name.translate(_NO_BRACKETS)}]"


_NO_BRACKETS = str.maketrans("[]\n", "() ")


class _Found(NamedTuple):
    """A secret in a text: where, and the name of its variable."""

    start: int
    end: int
    name: str


class SecretFinder:
    """Searches texts for secrets, given with the names of their variables, the longest first."""

    def __init__(self, secrets: Sequence[tuple[str, str]]) -> None:
        self._secrets = secrets
        self.has_numbers = any(text.isascii() and text.isdigit() for _, text in secrets)
        self._coded = _CODED_LETTER
        self._parts: dict[str, None] = {}
        self._hexadecimal: dict[str, None] = {}
        for _, secret in secrets:
            run = max(_RUN.findall(secret), key=len, default="")
            if len(run) < _MIN_RUN:
                run = max(_UNESCAPED_RUN.findall(secret), key=len, default="")
                self._coded = _CODED
            raw = _bytes_of(secret)
            self._parts[run] = None
            self._hexadecimal[raw.hex()[:16]] = None
            for copy in _base64_copies(raw):
                half = min(len(copy), _LINE) // 2
                for part in (copy[:half], copy[half : 2 * half]):
                    self._parts |= dict.fromkeys((part, part.translate(_URL_SAFE)))

    def __bool__(self) -> bool:
        return bool(self._secrets)

    def occurs_in(self, text: str) -> bool:
        """Whether a secret may be in the text; a quick check, which may be wrong to say yes."""
        if not self._secrets:
            return False
        if any(part in text for part in self._parts) or self._coded.search(text):
            return True
        lowered = text.lower()
        if any(part in lowered for part in self._hexadecimal):
            return True
        return _CUT in text and any(_cut_places(text, secret) for _, secret in self._secrets)

    def hide(self, text: str) -> str:
        """The text with markers in place of secrets."""
        parts, end = [], 0
        for place in self._find(text):
            parts += [text[end : place.start], marker(place.name)]
            end = place.end
        return "".join([*parts, text[end:]])

    def _find(self, text: str) -> list[_Found]:
        """The secrets in the text, in order; those that overlap are one, with the name of the first."""
        found = self._found_in(text)
        breaks = [found.span() for found in _BREAK.finditer(text)]
        if breaks:  # a copy in base64 may be broken into lines
            lengths = [0, *accumulate([end - start for start, end in breaks])]
            starts = [start - before for (start, _), before in zip(breaks, lengths, strict=False)]
            for each in self._found_in(_BREAK.sub("", text)):
                start = each.start + lengths[bisect_right(starts, each.start)]
                end = each.end + lengths[bisect_left(starts, each.end)]
                found.append(_Found(start, end, each.name))
        return _merged(found)

    def _found_in(self, text: str) -> list[_Found]:
        found: list[_Found] = []
        if not self.occurs_in(text):
            return found
        match = self._expression.search(text)
        while match is not None:
            found.append(_Found(*match.span(), self._secrets[(match.lastindex or 1) - 1][0]))
            match = self._expression.search(text, match.start() + 1)
        if _CUT in text:
            for name, secret in self._secrets:
                found += [_Found(*place, name) for place in _cut_places(text, secret)]
        return found

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        return re.compile("|".join(f"({_copies_of(secret)})" for _, secret in self._secrets))


@lru_cache(maxsize=16)
def finder_for(secrets: tuple[tuple[str, str], ...]) -> SecretFinder:
    """The finder of these secrets."""
    return SecretFinder(secrets)


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _copies_of(secret: str) -> str:
    """An expression for all ways in which a secret is written."""
    raw = _bytes_of(secret)
    parts = [part[0] for part in re.finditer(r"\\+|\r?\n|.", secret, re.DOTALL)]
    is_long = len(secret) > _LONG  # only what encodings change may be encoded in it
    as_text = [
        part if is_long and part.isascii() and part.isalnum() else _written(part) for part in parts
    ]
    as_text[0] = _written(parts[0], _START + _ESCAPE, "")
    copies = [
        "".join([_BASE64_SIGNS.get(one, one) for one in copy]) for copy in _base64_copies(raw)
    ]
    return "|".join(["".join(as_text), *copies, f"(?i:{raw.hex()})"])


def _written(part: str, escape: str = _ESCAPE, may_escape: str = _MAY_ESCAPE) -> str:
    """An expression for the ways in which a character, or a row of backslashes, is written."""
    if part[0] == "\\":
        count = len(part)
        return f"{escape.removesuffix(_ESCAPE)}(?:{_BACKSLASH}|{_ESCAPE}(?:u00|x)5[cC]){{{count},{32 * count}}}"
    if part[-1] == "\n":
        coded = rf"{escape}(?:n|u000[aA]|x0[aA])|{_PERCENT}0[aA]"
        return rf"(?:\r|{escape}(?:r|u000[dD]|x0[dD])|{_PERCENT}0[dD])?(?:\n|{coded})"
    code = ord(part)
    units = part.encode("utf-16-be", "surrogatepass").hex()
    coded = _ESCAPE.join([f"u{units[at : at + 4]}" for at in range(0, len(units), 4)])
    coded += rf"|[uUx]\{{?0*{code:x}\}}?"
    percent = "".join([f"{_PERCENT}{byte:02x}" for byte in _bytes_of(part)])
    ways = [re.escape(part), f"(?i:{escape}(?:{coded})|{percent})"]
    if part in "\"'/`":
        ways = [f"{may_escape}(?:{part}|(?i:{_PERCENT}{code:02x}))", ways[1]]
    elif part in _CONTROLS:
        ways.append(escape + _CONTROLS[part])
    elif part == " ":
        ways.append(r"\+")
    return f"(?:{'|'.join(ways)})"


def _base64_copies(raw: bytes) -> Iterator[str]:
    """The characters of base64 that a secret decides, at each of the three places it may begin."""
    from base64 import b64encode  # mostly there is no secret to hide

    for before in range(3):
        encoded = b64encode(b"\0" * before + raw).decode()
        # The first characters, and the last one, also depend on the neighbors.
        copy = encoded[(0, 2, 3)[before] : (before + len(raw)) * 8 // 6]
        if len(copy) >= _MIN_ENCODED:
            yield copy


_URL_SAFE = str.maketrans("+/", "-_")


def _cut_places(text: str, secret: str) -> list[tuple[int, int]]:
    """What is left of a secret where a text was shortened: its first or its last characters."""
    found = []
    at = text.find(_CUT)
    while at >= 0:
        sizes = range(len(secret) - 1, _MIN_CUT - 1, -1)
        if at >= _MIN_CUT and text[at - _MIN_CUT : at] in secret:
            found += [(at - size, at) for size in sizes if text.endswith(secret[:size], 0, at)][:1]
        if text[at + 1 : at + 1 + _MIN_CUT] in secret:
            after = [size for size in sizes if text.startswith(secret[-size:], at + 1)]
            found += [(at + 1, at + 1 + size) for size in after[:1]]
        at = text.find(_CUT, at + 1)
    return found


def _merged(found: list[_Found]) -> list[_Found]:
    merged: list[_Found] = []
    for each in sorted(found, key=lambda place: (place.start, -place.end)):
        if not merged or each.start >= merged[-1].end:
            merged.append(each)
        elif each.end > merged[-1].end:
            merged[-1] = merged[-1]._replace(end=each.end)
    return merged
