"""How single arguments are compared: the rules that the settings hold, and how people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from callscore.core.nearest import meant_by
from callscore.errors import InvalidSettings

__all__ = ["IGNORE", "ArgumentRule", "argument_rules"]

IGNORE: Final = "ignore"  # the one rule that is no comparator

_HOW = 'a mapping such as {"book_flight.date": "date", "*.query": {"text": {"similarity": 0.85}}}'


class ArgumentRule(Struct, frozen=True, gc=False):
    """How one argument is compared, wherever a case expects a plain value for it.

    Attributes:
        pattern: the tool and the argument, with `*` for anything: `book_flight.date`, `*.query`.
            What follows the last dot is the argument.
        rule: a comparator without its `$` (`date`, `text`), or `ignore`.
        options: what the comparator takes beside the value: `{"similarity": 0.85}`.
    """

    pattern: str
    rule: str
    options: dict[str, Any] = {}

    def __hash__(self) -> int:  # the options cannot be hashed, and need not be
        return hash((self.pattern, self.rule))


def argument_rules(value: Any) -> tuple[ArgumentRule, ...]:
    """The rules that somebody wrote, once they are checked.

    Args:
        value: a mapping of patterns to rules, where a rule is its name or its name with its
            options, `{"text": {"similarity": 0.85}}`; or rules.

    Raises:
        InvalidSettings: a pattern, a rule or an option is none.
    """
    if isinstance(value, Mapping):
        rules = [_read_rule(pattern, rule) for pattern, rule in value.items()]
    elif isinstance(value, list | tuple) and all(isinstance(rule, ArgumentRule) for rule in value):
        rules = list(value)
    else:
        raise InvalidSettings(f"arguments: {value!r} is not {_HOW}")
    for rule in rules:
        _require_pattern(rule.pattern)
        _require_rule(rule)
    return tuple(rules)


def _read_rule(pattern: Any, value: Any) -> ArgumentRule:
    if isinstance(value, str):
        return ArgumentRule(pattern, value)
    if isinstance(value, Mapping) and len(value) == 1:
        ((rule, options),) = value.items()
        if isinstance(rule, str) and isinstance(options, Mapping):
            return ArgumentRule(pattern, rule, dict(options))
    raise InvalidSettings(
        f"arguments: {pattern!r} has {value!r}, which is no rule. A rule is its name, or its name"
        ' with its options: {"text": {"similarity": 0.85}}'
    )


def _require_pattern(pattern: Any) -> None:
    if not isinstance(pattern, str) or not pattern:
        raise InvalidSettings(f"arguments: {pattern!r} is not like 'book_flight.date'")
    tool, dot, argument = pattern.rpartition(".")
    if not dot:
        hint = f"that argument of any tool is '*.{pattern}', all of that tool's are '{pattern}.*'"
        raise InvalidSettings(f"arguments: {pattern!r} does not say of which tool: {hint}")
    if not tool or not argument:
        lack = "tool" if not tool else "argument"
        raise InvalidSettings(f"arguments: {pattern!r} names no {lack}; '*' is any")


def _require_rule(rule: ArgumentRule) -> None:
    from callscore.core.comparator import rules  # few have rules, and need it

    known = rules()
    if rule.rule != IGNORE and rule.rule not in known:
        names = [*sorted(known), IGNORE]
        problem = f"{rule.rule!r} is not one of {', '.join(names)}"
        raise InvalidSettings(f"arguments: {rule.pattern!r}: {problem}{meant_by(rule.rule, names)}")
    allowed = () if rule.rule == IGNORE else known[rule.rule].options
    for option in rule.options:
        if option not in allowed:
            takes = f"takes {', '.join(allowed)}" if allowed else "takes no options"
            problem = f"{rule.rule} {takes}; got {option!r}{meant_by(option, allowed)}"
            raise InvalidSettings(f"arguments: {rule.pattern!r}: {problem}")
    if rule.options:
        _require_options(rule)


def _require_options(rule: ArgumentRule) -> None:
    """Refuse options with values that they cannot have, tried on a value that the rule is about."""
    from callscore.core.comparator import rules
    from callscore.core.matcher import Matcher

    comparator = rules()[rule.rule]
    key = f"${rule.rule}"
    spelled = next(example[0] for example in comparator.examples if key in example[0])
    problem = comparator.check(Matcher(key, spelled[key], rule.options))
    if problem is not None:
        raise InvalidSettings(f"arguments: {rule.pattern!r}: {problem}")
