"""Text that a regular expression matches, anywhere in it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from callscore.core.equality import digest
from callscore.core.phrases import Note, Phrase
from callscore.core.rendering import clip, escape
from callscore.core.rules import Verdict, describe_value, operand_problem
from callscore.core.value_comparison import wrong_type

if TYPE_CHECKING:
    import regex

    from callscore.core.rules import Context, Matcher, Timeouts

__all__ = ["EXAMPLES", "KEYS", "SCHEMA", "check", "compare", "describe"]

KEYS = ("$regex",)
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "A Python regular expression. It may match anywhere in the text; use ^ and $"
        " to match all of it.",
        "type": "string",
    },
    "options": {},
}
EXAMPLES = (
    ({"$regex": "^UA\\d+$"}, "UA123", "LH123"),
    ({"$regex": "(?i)paris"}, "Hotels in PARIS", "Hotels in Rome"),
)

TIMED_OUT = Phrase(
    "the expression is too slow: stopped after {seconds} s",
    "выражение слишком медленное: поиск прерван через {seconds} с",
)

_SECONDS = 1.0
_MAX_SHOWN = 200  # characters; reports cut it further
# The library expands repeats: a{1000} takes as much memory as 1000 letters.
_MAX_PATTERN = 5_000
_MAX_SIZE = 100_000
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|[()]|\{([0-9]{1,9})|.", re.DOTALL)
# Sets and braces may have to be escaped; what only looks like one is matched first.
_PART = re.compile(
    r"\(\?#[^)]*\)|\\N\{[^}]*\}|\\.|\{[0-9]*,?[0-9]*\}(?<!\{\})|\[\^?\]?(?:\\.|[^\]\\])*+\]|\{",
    re.DOTALL,
)
_VERBOSE = re.compile(r"\(\?[a-zA-Z]*x")
_IN_SET = re.compile(r"\\N\{[^}]*\}|\\.|\[", re.DOTALL)

# After every 10 timeouts in a case, the time limit falls to a tenth, so that they cannot stop a
# run. Cases do not affect each other.
_TRIES = 10
_MIN_SECONDS = 0.01
_MAX_REMEMBERED = 2**14
# The searches that timed out when they were last scored, so that explaining a score agrees with it
# and does not search again. Scoring does not read it.
_timed_out: Timeouts = {}


def check(matcher: Matcher) -> str | None:
    """The value is a regular expression that compiles in little memory."""
    pattern = matcher.value
    if not isinstance(pattern, str):
        return operand_problem(matcher, "a regular expression")
    if len(pattern) > _MAX_PATTERN:
        return f"the regular expression is longer than {_MAX_PATTERN} characters."
    if _size(pattern) > _MAX_SIZE:
        return f"the regular expression expands to more than {_MAX_SIZE} characters."
    return _syntax_problem(pattern)


def _size(pattern: str) -> int:
    """The size of the expression with its repeats written out."""
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
    # A comment may contain anything, such as what looks like the beginning of a set.
    if "#" in pattern and _VERBOSE.search(pattern):
        return "a regular expression with (?x) cannot contain '#'."
    import regex

    try:
        _compiled(pattern)
    except (re.error, regex.error, OverflowError) as error:
        return f"invalid regular expression: {clip(escape(str(error)), 200)}."
    except RecursionError:
        return "the regular expression is nested too deeply."
    return None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> regex.Pattern[str]:
    """An expression that is valid in Python, compiled by a library that has timeouts.

    The library has more syntax, so that some plain text has to be escaped.
    """
    import warnings

    import regex

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # syntax that may change its meaning
        re.compile(pattern)
        return regex.compile(_PART.sub(_translated, pattern))


def _translated(part: re.Match[str]) -> str:
    """Escape a `[` inside a set, and a brace that is not a repeat count."""
    text = part[0]
    if text.startswith("["):
        return "[" + _IN_SET.sub(lambda part: "\\[" if part[0] == "[" else part[0], text[1:])
    return "\\{" if text == "{" else text


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether the expression finds something before the timeout."""
    if not isinstance(actual, str):
        return wrong_type(actual, "string")
    timeouts = _timed_out if context.slow is None else context.slow
    seconds = timeouts.get((matcher.value, digest(actual))) if timeouts else None
    if seconds is None:
        step = len(context.slow or ()) // _TRIES
        seconds = max(_SECONDS * 0.1**step, _MIN_SECONDS)
        try:
            matched = _compiled(matcher.value).search(actual, timeout=seconds) is not None
        except (TimeoutError, MemoryError):
            for remembered in (timeouts, _timed_out):
                remembered[matcher.value, digest(actual)] = seconds
                if len(remembered) > _MAX_REMEMBERED:
                    del remembered[next(iter(remembered))]
        else:
            if _timed_out:
                _timed_out.pop((matcher.value, digest(actual)), None)
            return Verdict(matched, float(matched))
    return Verdict(matched=False, value=0.0, note=Note(TIMED_OUT, {"seconds": f"{seconds:g}"}))


def describe(matcher: Matcher) -> str:
    """The expression as it is, without the quotes and doubled backslashes that JSON needs."""
    pattern = matcher.value
    text = escape(pattern[:_MAX_SHOWN]) if isinstance(pattern, str) else describe_value(pattern)
    return f"{matcher.key} {text}"
