"""Text that a regular expression matches, anywhere in it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from callscore.core.rendering import clip, escape
from callscore.core.rules import Context, Matcher, Verdict, describe_value, operand_problem
from callscore.core.value_comparison import wrong_type

if TYPE_CHECKING:
    import regex


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

# The usual cost of a search, and of the characters that it searches.
_STEPS = 30
_CHARACTERS_PER_STEP = 10


def check(matcher: Matcher) -> str | None:
    """The value is a regular expression that compiles in little memory."""
    pattern = matcher.value
    if not isinstance(pattern, str):
        return operand_problem(matcher, "a regular expression")
    return pattern_problem(pattern)


def pattern_problem(pattern: str) -> str | None:
    """Why a regular expression cannot be used; None if it can."""
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
        compiled(pattern)
    except (re.error, regex.error, OverflowError) as error:
        return f"invalid regular expression: {clip(escape(str(error)), 200)}."
    except RecursionError:
        return "the regular expression is nested too deeply."
    return None


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> regex.Pattern[str]:
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
    """Whether the expression finds something.

    Raises:
        OverBudget: the searches of the case take too long.
    """
    if not isinstance(actual, str):
        return wrong_type(actual, "string")
    matched = accepts(matcher, actual, context)
    return Verdict(matched, float(matched))


def accepts(matcher: Matcher, actual: Any, context: Context) -> bool:
    """Whether the expression finds something; it searches the same text once.

    Raises:
        OverBudget: the searches of the case take too long.
    """
    if not isinstance(actual, str):
        return False
    pattern, budget = matcher.value, context.budget

    def search(seconds: float) -> bool:
        return compiled(pattern).search(actual, timeout=seconds) is not None

    steps = _STEPS + len(actual) // _CHARACTERS_PER_STEP
    key = KEYS[0], pattern, actual
    matched: bool = budget.once(key, lambda: budget.search(steps, KEYS[0], search))
    return matched


def describe(matcher: Matcher) -> str:
    """The expression as it is, without the quotes and doubled backslashes that JSON needs."""
    pattern = matcher.value
    text = escape(pattern[:_MAX_SHOWN]) if isinstance(pattern, str) else describe_value(pattern)
    return f"{matcher.key} {text}"
