"""Rules in place of values: their form (`Matcher`), their result (`Verdict`), and all comparators.

A comparator is a module that implements a rule. Those of callscore are in `comparators`; other
packages add theirs by entry points. A comparator module has

- a docstring whose first line says in a few words what the rule means,
- `KEYS`, how case files spell it; the first is its name,
- `SCHEMA`, the JSON Schema of the `value` and of each of the `options`,
- `EXAMPLES`, each a rule as a file spells it, a value that it accepts and one that it rejects,
- `check(matcher) -> str | None`, what is wrong with a rule, as a sentence; it never raises,
- `compare(matcher, actual, context) -> Verdict`, for rules that were checked; it never raises,
  whatever the value is;

and optionally

- `OPTIONS`, the keys that are allowed beside its own,
- `NESTS`, whether its value may contain rules,
- `MAY_BE_ABSENT`, whether it can be applied to a value that was not given; a function of the rule
  if that depends on the rule's value,
- `RULE`, whether it compares two values and accepts equal ones, so that settings can name it for
  an argument,
- `describe(matcher) -> str`, the rule in a few words that need no translation,
- `accepts(matcher, actual, context) -> bool`, whether `compare` would match, if that is faster to
  say without a verdict. A pairing asks for nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

from callscore.core.budget import Budget
from callscore.core.rendering import ELLIPSIS, clip, escape, mention, render_value, scalar_text
from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidCall, InvalidSettings
from callscore.plugins import PluginKind

if TYPE_CHECKING:
    from types import ModuleType

    from callscore.core.phrases import Note

_SCALARS = frozenset({str, int, float, bool, type(None)})
_are_scalars = _SCALARS.issuperset
# The keys of all matchers created in this process: while it is empty, no value contains rules.
_used_keys: set[str] = set()


class _Absent:
    """The value of an argument that was not given; it is not a JSON value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


class Matcher(Struct, frozen=True):
    """A rule in place of a value.

    Attributes:
        key: the rule, as case files spell it: `$approx`.
        value: the value of that key; it may contain matchers if the comparator nests.
        options: the other keys and their values: `{"abs": 0.01}`.
    """

    key: str
    value: Any = True
    options: dict[str, Any] = {}

    def __post_init__(self) -> None:
        _used_keys.add(self.key)

    def __repr__(self) -> str:
        return describe_value(self)


def are_matchers_used() -> bool:
    """Whether any rule was made in this process; without one, no value has to be searched."""
    return bool(_used_keys)


def contains_matchers(value: Any) -> bool:
    """Whether a value contains a rule, at any depth; the search is not recursive."""
    if not _used_keys:
        return False
    pending = [value]
    while pending:
        item = pending.pop()
        if item.__class__ is Matcher:
            return True
        if isinstance(item, dict):
            item = item.values()
        elif not isinstance(item, list | tuple):
            continue
        # Most contain only scalars; this check runs in C.
        if not _are_scalars(map(type, item)):
            pending += [member for member in item if member.__class__ not in _SCALARS]
    return False


def unwrap_matchers(value: Any, *, keys: tuple[str, ...], depth: int) -> Any:
    """A value in which the operands of rules with these keys replace the rules, down to a depth."""
    if not depth or (isinstance(value, Matcher) and value.key not in keys):
        return value
    unwrap = partial(unwrap_matchers, keys=keys, depth=depth - 1)
    if isinstance(value, Matcher):
        return unwrap(value.value)
    if isinstance(value, dict):
        return {key: unwrap(member) for key, member in value.items()}
    return [unwrap(item) for item in value] if isinstance(value, list) else value


class FailedPart(NamedTuple):
    """A key or position inside a value where it fails, and both values there, or ABSENT."""

    step: str | int
    expected: Any
    actual: Any


class Verdict(NamedTuple):
    """The result of comparing a value by a rule.

    Attributes:
        matched: whether the value is accepted.
        value: how close it is, from 0 to 1; the rule has its own threshold.
        note: why it is not accepted, if that is not clear from the rule and the value.
        parts: the places inside at which it fails, if they are more precise than the whole.
    """

    matched: bool
    value: float = 1.0
    note: Note | None = None
    parts: tuple[FailedPart, ...] = ()


class Context(Struct, frozen=True):
    """What a rule may need beside the two values.

    Attributes:
        compare: compares any expected value, which may hold matchers, with an actual one.
        budget: the work that may still be done for the case.
        similarity: how similar two texts are, from 0 to 1; None for callscore's own measure.
        judge: answers a question about a value; None if no model is configured.
    """

    compare: Callable[[Any, Any], Verdict]
    budget: Budget
    similarity: Callable[[str, str], float] | None = None
    judge: Callable[[str, Any], Any] | None = None


_COMPARATORS = PluginKind(
    "comparator", "callscore.core.comparators", "callscore.comparators", InvalidSettings
)
_REQUIRED = ("KEYS", "SCHEMA", "EXAMPLES", "check", "compare")
_MAX_WIDTH = 120  # columns of a description
_MAX_MENTION_WIDTH = 60  # columns of a value in an error message


class Comparator(Struct, frozen=True):
    """The contents of a comparator module; the module docstring describes them.

    Attributes:
        name: its name in settings: `approx`.
        title: the first line of its docstring.
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
    accepts: Callable[[Matcher, Any, Context], bool] | None
    describe: Callable[[Matcher], str]


def comparator_from_module(name: str, module: ModuleType) -> Comparator:
    """The comparator of a module.

    Raises:
        InvalidSettings: the module lacks something that every comparator has.
    """
    missing = [part for part in _REQUIRED if part not in vars(module)]
    if missing or not module.__doc__:
        missing_text = ", ".join(missing) or "docstring"
        raise InvalidSettings(f"the comparator {name} ({module.__name__}) has no {missing_text}.")
    keys = tuple(module.KEYS)
    if not keys or not all(isinstance(key, str) and key.startswith("$") for key in keys):
        problem = "has KEYS that do not begin with $"
        raise InvalidSettings(f"the comparator {name} ({module.__name__}) {problem}.")
    options = tuple(getattr(module, "OPTIONS", ()))
    absent: bool | Callable[[Matcher], bool] = getattr(module, "MAY_BE_ABSENT", False)
    return Comparator(
        name=keys[0].removeprefix("$"),
        title=module.__doc__.strip().partition("\n")[0].removesuffix("."),
        keys=keys,
        options=options,
        schema=module.SCHEMA,
        examples=module.EXAMPLES,
        nests=getattr(module, "NESTS", False),
        may_be_absent=absent if callable(absent) else lambda _matcher: bool(absent),
        is_rule=getattr(module, "RULE", False),
        check=_check_of(module, options),
        compare=module.compare,
        accepts=getattr(module, "accepts", None),
        describe=getattr(module, "describe", _describe_default),
    )


def _check_of(module: ModuleType, options: tuple[str, ...]) -> Callable[[Matcher], str | None]:
    def check_all(matcher: Matcher) -> str | None:
        for option in matcher.options:
            if option not in options:
                return f"unknown option {mention(option)}{did_you_mean(option, options) or '.'}"
        problem: str | None = module.check(matcher)
        return problem

    return check_all


@cache
def comparators() -> tuple[Comparator, ...]:
    """Every comparator, built-in ones first.

    Raises:
        InvalidSettings: one of another package cannot be used.
    """
    return tuple([comparator_from_module(found.name, found.module) for found in _COMPARATORS.all()])


@cache
def _by_key() -> dict[str, Comparator]:
    found: dict[str, Comparator] = {}
    for comparator in comparators():
        for key in comparator.keys:
            if key in found:
                raise InvalidSettings(f"two comparators have the key '{key}'. Remove one of them.")
            found[key] = comparator
    return found


def comparator_for(key: str) -> Comparator:
    """The comparator with this key.

    Raises:
        InvalidCall: there is none.
    """
    known = _by_key()
    if key in known:
        return known[key]
    raise InvalidCall(f"unknown matcher '{escape(key)}'{did_you_mean(key, known) or '.'}")


def rules_by_name() -> dict[str, Comparator]:
    """The comparators that settings can name for an argument, by name."""
    return {comparator.name: comparator for comparator in comparators() if comparator.is_rule}


def check_matcher(matcher: Matcher) -> str | None:
    """What is wrong with a rule, as a sentence, or None; rules inside it are not checked.

    Raises:
        InvalidCall: there is no such rule.
    """
    return comparator_for(matcher.key).check(matcher)


def describe_value(value: Any, *, limit: int = _MAX_WIDTH) -> str:
    """A value, or a rule in place of one, on one line of at most `limit` columns."""
    try:
        if isinstance(value, Matcher):
            known = _by_key().get(value.key)
            describe = _describe_default if known is None else known.describe
            return clip(describe(value), limit)
        return render_value(value, limit=limit, write=lambda atom: _inner_text(atom, limit))
    except RecursionError:  # rules inside of rules inside of rules
        return ELLIPSIS


def _inner_text(value: object, limit: int) -> str:
    if not isinstance(value, Matcher):
        return scalar_text(value, limit=limit)
    text = describe_value(value, limit=limit)
    # Parentheses keep its options from looking like the next item.
    return f"({text})" if ", " in text else text


def _describe_default(matcher: Matcher) -> str:
    options = [
        f", {escape(name)} {describe_value(value)}" for name, value in matcher.options.items()
    ]
    return f"{escape(matcher.key)} {describe_value(matcher.value)}{''.join(options)}"


def operand_problem(matcher: Matcher, required: str) -> str:
    """The error sentence for a matcher with an invalid value."""
    return f"expected {required}, got {describe_value(matcher.value, limit=_MAX_MENTION_WIDTH)}."


def option_problem(matcher: Matcher, option: str, required: str) -> str:
    """The error sentence for a matcher with an invalid option."""
    given = describe_value(matcher.options[option], limit=_MAX_MENTION_WIDTH)
    return f"'{option}': expected {required}, got {given}."
