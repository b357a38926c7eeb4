"""What `-k` means: words, `and`, `or`, `not` and brackets, as pytest has them; and quoted words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Fits", "keyword_filter"]

# Whether the names that something goes by are such as are asked for.
Fits = Callable[["Sequence[str]"], bool]

# In quotes a word may have blanks and brackets in it, or be one of the operators.
_TOKEN = re.compile(r"""\"[^\"]+\"(?![^\s()])|'[^']+'(?![^\s()])|[()]|[^\s()]+""")
_QUOTES = ('"', "'")
_OPERATORS = frozenset({"and", "or", "not", "(", ")"})
_DEEPEST = 100


def keyword_filter(expression: str) -> Fits:
    """What tells the names that an expression asks for; a word fits where a name has it inside.

    Args:
        expression: `weather and not (paris or "new york")`; the letters' case does not matter.

    Raises:
        InvalidSettings: it is no such expression.
    """
    tokens = _TOKEN.findall(expression.lower())
    if not tokens:
        return _everything
    parser = _Parser(expression, tokens)
    fits = parser.either(0)
    parser.require_end()
    return fits


def _everything(_: Sequence[str]) -> bool:
    return True


class _Parser:
    def __init__(self, expression: str, tokens: list[str]) -> None:
        self.expression = expression
        self.tokens = tokens
        self.at = 0

    def next_is(self, *words: str) -> bool:
        """Whether one of these comes next; if so it is taken."""
        is_next = self.at < len(self.tokens) and self.tokens[self.at] in words
        self.at += is_next
        return is_next

    def either(self, depth: int) -> Fits:
        fits = self.both(depth)
        while self.next_is("or"):
            fits = _or(fits, self.both(depth))
        return fits

    def both(self, depth: int) -> Fits:
        fits = self.one(depth)
        while self.next_is("and"):
            fits = _and(fits, self.one(depth))
        return fits

    def one(self, depth: int) -> Fits:
        if depth > _DEEPEST:
            raise InvalidSettings(f"-k {self.expression!r}: is nested too deeply")
        if self.next_is("not"):
            return _not(self.one(depth + 1))
        if self.next_is("("):
            fits = self.either(depth + 1)
            if not self.next_is(")"):
                raise self.wrong("a bracket is not closed")
            return fits
        if self.at == len(self.tokens):
            raise self.wrong("a word is missing at the end")
        word = self.tokens[self.at]
        if word in _OPERATORS:
            raise self.wrong(f"a word is missing before {word!r}")
        self.at += 1
        return _has(_unquoted(word))

    def require_end(self) -> None:
        if self.at < len(self.tokens):
            what = f"`and` or `or` is missing before {self.tokens[self.at]!r}"
            raise self.wrong(what if self.tokens[self.at] != ")" else "a bracket is not opened")

    def wrong(self, problem: str) -> InvalidSettings:
        return InvalidSettings(f"-k {self.expression!r}: {problem}")


def _unquoted(word: str) -> str:
    is_quoted = len(word) > 1 and word[0] == word[-1] and word[0] in _QUOTES
    return word[1:-1] if is_quoted else word


def _has(word: str) -> Fits:
    return lambda names: any(word in name.lower() for name in names)


def _not(fits: Fits) -> Fits:
    return lambda names: not fits(names)


def _and(left: Fits, right: Fits) -> Fits:
    return lambda names: left(names) and right(names)


def _or(left: Fits, right: Fits) -> Fits:
    return lambda names: left(names) or right(names)
