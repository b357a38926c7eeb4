"""What a comparator is, and all that there are: those in `comparators`, and those of other packages.

A comparator is a module that says what a rule in place of a value means. It has

- a docstring whose first line says that in a few words,
- `KEYS`, how case files spell it; the first names it,
- `SCHEMA`, the JSON Schema of the `value` and of each of the `options`,
- `EXAMPLES`, each a rule as a file spells it, a value that it accepts and one that it refuses,
- `check(matcher) -> str | None`, what is wrong with a rule, as a sentence; it never raises,
- `compare(matcher, actual, context) -> Verdict`, for rules that were checked; whatever the value
  is, it never raises;

and where it applies

- `OPTIONS`, the keys that may stand beside its own,
- `NESTS`, whether rules may stand inside its value,
- `MAY_BE_ABSENT`, whether it can be asked about a value that was not given; a function of the rule
  where that depends on what the rule holds,
- `RULE`, whether it compares two values and accepts a value that is equal to its own, so that
  settings can name it for an argument,
- `describe(matcher) -> str`, itself in a few words that need no translation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.matcher import Matcher
from callscore.core.nearest import meant_by
from callscore.core.text import ELLIPSIS, atom_text, clip, escape, render_value
from callscore.core.verdict import Context, Verdict
from callscore.errors import InvalidCall, InvalidSettings
from callscore.plugins import PluginKind

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "Comparator",
    "check",
    "comparator_from",
    "comparator_of",
    "comparators",
    "describe",
    "operand_problem",
    "option_problem",
    "rules",
]

_COMPARATORS = PluginKind(
    "comparator", "callscore.core.comparators", "callscore.comparators", InvalidSettings
)
_NEEDED = ("KEYS", "SCHEMA", "EXAMPLES", "check", "compare")
_LONGEST = 120  # columns of a description
_LONGEST_MENTION = 60  # columns of a value in a complaint


class Comparator(Struct, frozen=True):
    """A rule that can be asked.

    Attributes:
        name: what settings call it: `approx`.
        title: what it means, in a line.
        keys: how case files spell it, `$approx`; the first names it.
        options: the keys that may stand beside its own.
        schema: the JSON Schema of its `value` and of each of its `options`.
        examples: a rule as a file spells it, a value that it accepts and one that it refuses.
        nests: whether rules may stand inside its value.
        may_be_absent: whether a rule can be asked about a value that was not given.
        is_rule: whether settings can name it for an argument.
        check: what is wrong with a rule; None where nothing is.
        compare: how a value does by a rule.
        describe: a rule in a few words.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    options: tuple[str, ...]
    schema: dict[str, Any]
    examples: tuple[tuple[Any, Any, Any], ...]
    nests: bool
    may_be_absent: Callable[[Matcher], bool]
    is_rule: bool
    check: Callable[[Matcher], str | None]
    compare: Callable[[Matcher, Any, Context], Verdict]
    describe: Callable[[Matcher], str]


def comparator_from(name: str, module: ModuleType) -> Comparator:
    """The comparator that a module is.

    Raises:
        InvalidSettings: it lacks something that every comparator has.
    """
    missing = [part for part in _NEEDED if part not in vars(module)]
    if missing or not module.__doc__:
        lack = ", ".join(missing) or "a docstring"
        raise InvalidSettings(f"the comparator {name} ({module.__name__}) lacks {lack}.")
    keys = tuple(module.KEYS)
    if not keys or not all(isinstance(key, str) and key.startswith("$") for key in keys):
        problem = "has KEYS that do not begin with $"
        raise InvalidSettings(f"the comparator {name} ({module.__name__}) {problem}.")
    options = tuple(getattr(module, "OPTIONS", ()))
    return Comparator(
        name=keys[0].removeprefix("$"),
        title=module.__doc__.strip().partition("\n")[0].removesuffix("."),
        keys=keys,
        options=options,
        schema=module.SCHEMA,
        examples=module.EXAMPLES,
        nests=getattr(module, "NESTS", False),
        may_be_absent=_absence_of(module),
        is_rule=getattr(module, "RULE", False),
        check=_check_of(module, options),
        compare=module.compare,
        describe=getattr(module, "describe", _describe_plainly),
    )


def _check_of(module: ModuleType, options: tuple[str, ...]) -> Callable[[Matcher], str | None]:
    def check_all(matcher: Matcher) -> str | None:
        for option in matcher.options:
            if option not in options:
                return f"there is no option {option!r}{meant_by(option, options) or '.'}"
        problem: str | None = module.check(matcher)
        return problem

    return check_all


def _absence_of(module: ModuleType) -> Callable[[Matcher], bool]:
    answer: bool | Callable[[Matcher], bool] = getattr(module, "MAY_BE_ABSENT", False)
    return answer if callable(answer) else lambda _matcher: bool(answer)


@cache
def comparators() -> tuple[Comparator, ...]:
    """Every comparator, our own first.

    Raises:
        InvalidSettings: one of another package cannot be used.
    """
    return tuple([comparator_from(found.name, found.module) for found in _COMPARATORS.all()])


@cache
def _by_key() -> dict[str, Comparator]:
    found: dict[str, Comparator] = {}
    for comparator in comparators():
        for key in comparator.keys:
            if key in found:
                raise InvalidSettings(f"two comparators are spelled `{key}`; one has to go.")
            found[key] = comparator
    return found


def comparator_of(key: str) -> Comparator:
    """The comparator that is spelled so.

    Raises:
        InvalidCall: there is none.
    """
    known = _by_key()
    if key in known:
        return known[key]
    raise InvalidCall(f"there is no rule `{escape(key)}`{meant_by(key, known) or '.'}")


def rules() -> dict[str, Comparator]:
    """The comparators that settings can name for an argument, by name."""
    return {comparator.name: comparator for comparator in comparators() if comparator.is_rule}


def check(matcher: Matcher) -> str | None:
    """What is wrong with a rule, as a sentence; None where nothing is.

    Rules inside of it are not looked at.

    Raises:
        InvalidCall: there is no such rule.
    """
    return comparator_of(matcher.key).check(matcher)


def describe(value: Any, *, limit: int = _LONGEST) -> str:
    """A value, or a rule in place of one, on one line of at most `limit` columns."""
    try:
        if isinstance(value, Matcher):
            return clip(_describe_rule(value), limit)
        return render_value(value, limit=limit, write=lambda atom: _inner_text(atom, limit))
    except RecursionError:  # rules inside of rules inside of rules
        return ELLIPSIS


def _describe_rule(matcher: Matcher) -> str:
    known = _by_key().get(matcher.key)
    return _describe_plainly(matcher) if known is None else known.describe(matcher)


def _inner_text(value: object, limit: int) -> str:
    if not isinstance(value, Matcher):
        return atom_text(value, limit=limit)
    text = describe(value, limit=limit)
    # In brackets, lest its options look like the next item.
    return f"({text})" if ", " in text else text


def _describe_plainly(matcher: Matcher) -> str:
    options = [f", {escape(name)} {describe(value)}" for name, value in matcher.options.items()]
    return f"{escape(matcher.key)} {describe(matcher.value)}{''.join(options)}"


def operand_problem(matcher: Matcher, wanted: str) -> str:
    """The sentence about a rule whose value is not what it wants."""
    return f"{wanted} is wanted, not {describe(matcher.value, limit=_LONGEST_MENTION)}."


def option_problem(matcher: Matcher, option: str, wanted: str) -> str:
    """The sentence about a rule with an option that is not what it wants."""
    given = describe(matcher.options[option], limit=_LONGEST_MENTION)
    return f"`{option}`: {wanted} is wanted, not {given}."
