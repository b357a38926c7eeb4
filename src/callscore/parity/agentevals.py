"""agentevals: whether the calls of two conversations match, by one of four modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import eq
from typing import Any, Literal

from callscore.core.call import ToolCall
from callscore.errors import InvalidSettings, NotScorable
from callscore.parity.parameters import Calls, option_value, pairs_of
from callscore.parity.value_comparison import has_members, json_round_trip

__all__ = ["METRICS", "TITLE", "VERSION", "Override", "trajectory_match"]

TITLE = "agentevals"
VERSION = "0.0.9"

Mode = Literal["strict", "unordered", "subset", "superset"]
ArgumentsMode = Literal["exact", "ignore", "subset", "superset"]
_Object = dict[str, Any]
# Whether the arguments of a call fit those of a wanted one.
_Rule = Callable[[_Object, _Object], bool]
Override = ArgumentsMode | list[str] | _Rule | None
_Pairs = list[tuple[str, _Object]]
_Rules = tuple[dict[str, _Rule], _Rule]  # those of single tools, and the one of all others

_PLAIN = frozenset({str, bool, type(None)})
_MAX_INTEGER = 10**4300  # Python's own decoder refuses to read longer numbers


def trajectory_match(  # noqa: PLR0913  (the tool's own options, and one for what has no messages)
    expected: Calls,
    actual: Calls,
    *,
    trajectory_match_mode: Mode = "strict",
    tool_args_match_mode: ArgumentsMode = "exact",
    tool_args_match_overrides: Mapping[str, Override] | None = None,
    one_message: bool = True,
) -> bool:
    """Whether the actual calls match the expected ones.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        trajectory_match_mode: `superset` where every expected call finds a call of its own,
            `subset` where every actual call does, `unordered` for both, `strict` for the same calls
            in every message.
        tool_args_match_mode: which arguments match: `exact` the same, `ignore` any, `subset` where
            each of the actual ones is expected, `superset` where each of the expected ones is given.
        tool_args_match_overrides: the same for one tool: such a word, a function of the actual and
            the expected arguments, or a list of paths (`options.unit`) at which both must hold the
            same.
        one_message: whether calls of which no step is known are calls of one message; else each
            is a message. Added by callscore: the tool is given messages.

    Defects:
        The first call that fits is taken, so that a match can be missed: with `superset` for both,
        the expected f() takes the actual f(a=1), and the expected f(a=1) is left with f().
        In mode `subset` the sides are swapped, for the arguments too: `subset` of the arguments
        then means that the actual ones contain the expected ones, and `superset` the reverse; a
        function is given the expected ones first. In mode `unordered` both must hold, so that
        `subset` and `superset` of the arguments are nearly `exact`.
        In mode `strict` the order within a message does not matter. An override without a path is
        no override, an unknown mode accepts everything, and a path that neither side has
        is the same on both. NaN differs from NaN where it is a whole value that is compared, but
        not inside of one.

    Raises:
        NotScorable: a call has no arguments, or has some that JSON does not have.
        InvalidSettings: the mode is unknown, or an override is none of these.
    """
    matches = option_value("trajectory_match_mode", trajectory_match_mode, _MODES)
    usual = option_value("tool_args_match_mode", tool_args_match_mode, _RULES)
    overrides = tool_args_match_overrides or {}
    rules = {name: _rule_for(own, usual) for name, own in overrides.items()}, usual
    try:
        wanted, given = _read(expected), _read(actual)
        if matches is not None:
            return matches(wanted, given, rules)
        messages = _messages(expected, wanted, one_message=one_message)
        others = _messages(actual, given, one_message=one_message)
        return len(messages) == len(others) and all(
            len(these) == len(those) and _contains_all(those, these, rules)
            for these, those in zip(messages, others, strict=True)
        )
    except RecursionError as error:
        raise NotScorable("the arguments are nested too deeply to be compared.") from error


def _read(calls: Calls) -> _Pairs:
    """The names and the arguments as agentevals sees them: it reads arguments from JSON text."""
    pairs: _Pairs = []
    for name, arguments in pairs_of(calls):
        if arguments is None:
            raise NotScorable("agentevals does not read a call without arguments.")
        for value in arguments.values():
            if value.__class__ not in _PLAIN and not _survives_json(value):
                arguments = json_round_trip(arguments)  # noqa: PLW2901  (what the tool has in its place)
                break
        pairs.append((name, arguments))
    return pairs


def _survives_json(value: Any) -> bool:
    """Whether a value that is written as JSON and read again is the same value.

    All NaN become one object, and a long integer cannot be read.
    """
    left = [value]
    while left:
        item = left.pop()
        kind = item.__class__
        if kind is list:
            left += item
        elif kind is dict:
            left += item.values()
        elif kind is float:
            if item != item:  # noqa: PLR0124  (true of NaN alone)
                return False
        elif kind not in _PLAIN and (kind is not int or not -_MAX_INTEGER < item < _MAX_INTEGER):
            return False
    return True


def _messages(calls: Calls, pairs: _Pairs, *, one_message: bool) -> list[_Pairs]:
    """The calls of each message: those that follow each other and have the same step."""
    messages: list[_Pairs] = []
    last = None
    for call, pair in zip(calls, pairs, strict=True):
        step = call.step if isinstance(call, ToolCall) else None
        if messages and step == last and (one_message or step is not None):
            messages[-1].append(pair)
        else:
            messages.append([pair])
        last = step
    return messages


def _contains_all(available: _Pairs, required: _Pairs, rules: _Rules) -> bool:
    """Whether every required call has its own available call; each takes the first that fits."""
    own, usual = rules
    unused: dict[str, list[_Object]] = {}
    for name, arguments in available:
        unused.setdefault(name, []).append(arguments)
    return all(
        name in unused and _take_match(unused[name], arguments, own.get(name, usual))
        for name, arguments in required
    )


def _take_match(candidates: list[_Object], arguments: _Object, fits: _Rule) -> bool:
    if fits is eq:  # a list does this itself, and faster
        if arguments in candidates:
            candidates.remove(arguments)
            return True
        return False
    for place, candidate in enumerate(candidates):
        if fits(candidate, arguments):
            del candidates[place]
            return True
    return False


# None: messages are compared, not calls.
_MODES: dict[str, Callable[[_Pairs, _Pairs, _Rules], bool] | None] = {
    "strict": None,
    "unordered": lambda expected, actual, rules: (
        _contains_all(actual, expected, rules) and _contains_all(expected, actual, rules)
    ),
    "subset": _contains_all,
    "superset": lambda expected, actual, rules: _contains_all(actual, expected, rules),
}


def _always_matches(_actual: _Object, _expected: _Object) -> bool:
    return True


_RULES: dict[str, _Rule] = {
    "exact": eq,
    "ignore": _always_matches,
    "subset": lambda actual, expected: has_members(expected, actual),
    "superset": has_members,
}


def _rule_for(override: Any, usual: _Rule) -> _Rule:
    if not override:
        return usual
    if isinstance(override, str):
        return _RULES.get(override, _always_matches)
    if isinstance(override, list):
        return lambda actual, expected: all(
            _value_at(actual, path) == _value_at(expected, path) for path in override
        )
    if not callable(override):
        raise InvalidSettings(f"{override!r} is not a mode, a function or a list.")
    rule: _Rule = override
    return rule


def _value_at(arguments: _Object, path: str) -> Any:
    """The value at a path; None if there is none."""
    value: Any = arguments
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


METRICS = (trajectory_match,)
