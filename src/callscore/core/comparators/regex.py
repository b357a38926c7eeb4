"""Text in which a regular expression finds something."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from callscore.core.comparator import operand_problem
from callscore.core.phrase import Note, Phrase
from callscore.core.text import clip, escape
from callscore.core.verdict import Verdict

if TYPE_CHECKING:
    import regex

    from callscore.core.matcher import Matcher
    from callscore.core.verdict import Context

__all__ = ["EXAMPLES", "GAVE_UP", "KEYS", "SCHEMA", "check", "compare"]

KEYS = ("$regex",)
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "A regular expression as Python writes them; it may match anywhere in the"
        " text, so that ^ and $ are needed for all of it.",
        "type": "string",
    },
    "options": {},
}
EXAMPLES = (
    ({"$regex": "^UA\\d+$"}, "UA123", "LH123"),
    ({"$regex": "(?i)paris"}, "Hotels in PARIS", "Hotels in Rome"),
)

GAVE_UP = Phrase(
    "the expression is too slow: gave up after {seconds} s",
    "выражение слишком медленное: поиск прерван через {seconds} с",
)

_SECONDS = 1.0
# The library writes out what is repeated: a{1000} takes the room of 1000 letters. And what calls
# itself can take all the room there is, before the time is up.
_LONGEST_PATTERN = 5_000
_LARGEST = 100_000
_CALLS_ITSELF = re.compile(r"\(\?(?:R|&|P>|[+-]?[0-9])")
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|[()]|\{([0-9]{1,9})|.", re.DOTALL)

# Expressions that ran out of time once; they would again.
_slow: set[str] = set()


def check(matcher: Matcher) -> str | None:
    """The value is a regular expression that can be compiled in little room."""
    pattern = matcher.value
    if not isinstance(pattern, str):
        return operand_problem(matcher, "a regular expression")
    return _size_problem(pattern) or _syntax_problem(pattern)


def _size_problem(pattern: str) -> str | None:
    if len(pattern) > _LONGEST_PATTERN:
        return f"the regular expression is longer than {_LONGEST_PATTERN} characters."
    if _CALLS_ITSELF.search(pattern):
        return "a regular expression that calls itself cannot be used."
    if _size(pattern) > _LARGEST:
        return f"the regular expression repeats itself to more than {_LARGEST} characters."
    return None


def _size(pattern: str) -> int:
    """How large the expression is once its repeats are written out; groups are counted by hand."""
    sizes = [0]
    last = 0
    for token in _TOKEN.finditer(pattern):
        if token[1]:
            sizes[-1] += last * (int(token[1]) - 1)
            last *= int(token[1])
        elif token[0] == "(":
            sizes.append(0)
        else:
            last = sizes.pop() if token[0] == ")" and len(sizes) > 1 else 1
            sizes[-1] += last
    return sum(sizes)


def _syntax_problem(pattern: str) -> str | None:
    import regex

    try:
        _compiled(pattern)
    except regex.error as error:
        return f"not a regular expression: {clip(escape(str(error)), 200)}."
    except RecursionError:
        return "the regular expression is nested too deep."
    return None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex

    return regex.compile(pattern)


def compare(matcher: Matcher, actual: Any, _: Context) -> Verdict:
    """Whether the expression finds something, in the time that it has."""
    if not isinstance(actual, str):
        return Verdict(matched=False, value=0.0)
    if matcher.value not in _slow:
        try:
            matched = _compiled(matcher.value).search(actual, timeout=_SECONDS) is not None
            return Verdict(matched, float(matched))
        except (TimeoutError, MemoryError):
            _slow.add(matcher.value)
    return Verdict(matched=False, value=0.0, note=Note(GAVE_UP, {"seconds": f"{_SECONDS:g}"}))
