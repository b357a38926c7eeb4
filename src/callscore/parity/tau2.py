"""tau2-bench: its check that each expected action was taken.

The check is one part of the benchmark's reward, and only of some tasks. The other parts depend on the
database and on what was said, which cannot be computed from calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.rules import Matcher, contains_matchers
from callscore.errors import NotScorable
from callscore.parity.parameters import Arguments, Call, Calls, pairs_of

__all__ = [
    "KNOWS_RULES",
    "METRICS",
    "TITLE",
    "VERSION",
    "action_checks",
    "action_reward",
    "partial_action_reward",
]

TITLE = "tau2-bench"
VERSION = "0.2.0"
KNOWS_RULES = True  # those for arguments that are not compared

_AGENT = "assistant"  # the default requestor of calls and actions


def action_checks(
    expected: Calls, actual: Calls, *, same_requestor: bool = False
) -> tuple[bool, ...]:
    """For each expected action, whether any call meets it.

    A call meets an action by its name and by those arguments that `compare_args` of the action
    names: by the name alone if the list is empty, and by all arguments of the call if it is null.

    Args:
        expected: the actions; objects may have `compare_args` and `requestor` beside the name and
            the arguments. Actions that are read from files have `$optional` in place of each argument
            that is not compared, and no arguments if none is; a list of all arguments is then null.
        actual: the calls; objects may have a `requestor`.
        same_requestor: whether an action of the user is met by calls of the user alone, and one of
            the assistant by calls of the assistant. Added by callscore: the evaluator itself
            compares names and arguments only.

    Defects:
        A call without arguments meets every action of its name that does not say what to compare,
        and an empty `compare_args` is met by any call of that name. One call may meet several
        actions. Extra calls cost nothing. `==` of Python compares: `true` is 1.

    Raises:
        NotScorable: `compare_args` is not a list of names, or a value is nested too deeply.
    """
    made = list(zip(pairs_of(actual), map(_requestor, actual), strict=True))
    checks = []
    try:
        for item in expected:
            action, keys = _action(item)
            requestor = _requestor(item)
            checks.append(
                any(
                    (by == requestor or not same_requestor) and _meets(call, action, keys)
                    for call, by in made
                )
            )
    except RecursionError as error:
        raise NotScorable("tau2-bench cannot compare values that are nested so deeply.") from error
    return tuple(checks)


def action_reward(expected: Calls, actual: Calls, *, same_requestor: bool = False) -> float:
    """1 if every expected action was taken, else 0; and 1 if none is expected.

    Args:
        expected: the actions.
        actual: the calls.
        same_requestor: whether an action of the user is met by calls of the user alone, and one of
            the assistant by calls of the assistant. Added by callscore, see `action_checks`.

    Defects:
        A call without arguments meets every action of its name that does not say what to compare.
        One call may meet several actions. Extra calls cost nothing. `true` is 1.

    Raises:
        NotScorable: `compare_args` is not a list of names, or a value is nested too deeply.
    """
    return float(all(action_checks(expected, actual, same_requestor=same_requestor)))


def partial_action_reward(
    expected: Calls, actual: Calls, *, same_requestor: bool = False
) -> float | None:
    """The share of the expected actions that were taken; None if none is expected.

    Args:
        expected: the actions.
        actual: the calls.
        same_requestor: whether an action of the user is met by calls of the user alone, and one of
            the assistant by calls of the assistant. Added by callscore, see `action_checks`.

    Defects:
        A call without arguments meets every action of its name that does not say what to compare.
        One call may meet several actions. Extra calls cost nothing. `true` is 1.

    Raises:
        NotScorable: `compare_args` is not a list of names, or a value is nested too deeply.
    """
    checks = action_checks(expected, actual, same_requestor=same_requestor)
    return sum(checks) / len(checks) if checks else None


def _requestor(call: Call) -> Any:
    if isinstance(call, ToolCall):
        return call.caller or _AGENT
    requestor = call.get("requestor") if isinstance(call, Mapping) else None
    return _AGENT if requestor is None else requestor


def _action(item: Call) -> tuple[tuple[str, Arguments], Sequence[Any] | None]:
    """The name and arguments of an action, and the names of those that are compared."""
    if isinstance(item, ToolCall) and item.error == NOT_CAPTURED:
        item = (item.name, None)
    ((name, arguments),) = pairs_of([item], with_rules=True)
    keys = _compare_args(item)
    if arguments is None and not isinstance(item, Mapping):
        keys = []  # any arguments are accepted
    if arguments is None or not contains_matchers(arguments):
        return (name, arguments), keys
    kept = {key: value for key, value in arguments.items() if not _is_free(value)}
    compared = {key: value for key, value in kept.items() if not _is_refused(value)}
    if contains_matchers(compared):
        raise NotScorable("the expectation contains matchers, which tau2-bench does not have.")
    return (name, compared), list(kept)


def _is_free(value: Any) -> bool:
    """Whether a rule in place of a value says that it is not compared."""
    return (
        isinstance(value, Matcher)
        and value.key == "$optional"
        and isinstance(value.value, Matcher)
        and value.value.key == "$any"
    )


def _is_refused(value: Any) -> bool:
    """Whether a rule in place of a value says that it is compared with nothing."""
    return isinstance(value, Matcher) and value.key == "$absent"


def _compare_args(action: Call) -> Sequence[Any] | None:
    keys = action.get("compare_args") if isinstance(action, Mapping) else None
    if keys is not None and not isinstance(keys, list | tuple):
        raise NotScorable("'compare_args' of an action must be null or a list of argument names.")
    return keys


def _meets(
    call: tuple[str, Arguments], action: tuple[str, Arguments], compared: Sequence[Any] | None
) -> bool:
    (name, arguments), (wanted_name, wanted_arguments) = call, action
    if name != wanted_name:
        return False
    actual, expected = arguments or {}, wanted_arguments or {}
    keys = actual if compared is None else compared
    return not keys or _part(actual, keys) == _part(expected, keys)


def _part(arguments: dict[str, Any], keys: Any) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key in keys}


METRICS = (action_reward, partial_action_reward)
