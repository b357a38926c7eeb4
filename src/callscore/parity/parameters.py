"""The parameters of `parity` functions: calls in several notations, and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.rendering import clip, escape, mention, safe_repr
from callscore.core.rules import contains_matchers
from callscore.errors import InvalidCall, InvalidSettings, NotScorable

__all__ = ["Arguments", "Call", "Calls", "names_of", "option_value", "pairs_of"]

Arguments = dict[str, Any] | None
Call = ToolCall | Mapping[str, Any] | tuple[str, Arguments] | str
Calls = Sequence[Call]

_KEY_PAIRS = (("name", "arguments"), ("tool", "args"), ("toolName", "input"))
_MAX_SHOWN_WIDTH = 60  # columns of a value in an error message


def pairs_of(calls: Calls, *, with_rules: bool = False) -> list[tuple[str, Arguments]]:
    """The name and the arguments of each call; None for arguments that were not given.

    With `with_rules`, rules stay in place of values.

    Raises:
        InvalidCall: an item is not a call, or the value is not a list.
        NotScorable: the arguments of a call are not an object, or contain rules.
    """
    pairs: list[tuple[str, Arguments]] = []
    for call in calls if calls.__class__ is list else _listed(calls):
        # Nearly every call has this form, and there may be thousands.
        if call.__class__ is dict:
            name, arguments = call.get("name"), call.get("arguments")
            if name.__class__ is str and arguments.__class__ is dict:
                pairs.append((name, arguments))
                continue
        pairs.append(_read_call(call, with_rules=with_rules))
    return pairs


def names_of(calls: Calls) -> list[str]:
    """The name of each call.

    Raises:
        InvalidCall: an item is not a call, or the value is not a list.
    """
    try:
        names: list[str] = [call["name"] for call in calls]  # type: ignore[index,call-overload,misc]  # or it raises
        "".join(names)  # the fastest check that all are strings
    except (KeyError, TypeError):
        return [_parts(call)[0] for call in _listed(calls)]
    return names


def _listed(calls: object) -> Calls:
    if not isinstance(calls, list | tuple):
        shown = _shown(safe_repr(calls))
        raise InvalidCall(f"expected a list of calls, or [] for no calls, got {shown}.")
    return calls


def _read_call(call: Call, *, with_rules: bool) -> tuple[str, Arguments]:
    name, arguments = _parts(call)
    if isinstance(call, ToolCall) and call.error is not None:
        raise NotScorable(f"the arguments of {_shown(name)} are not a JSON object.")
    if arguments is not None and not isinstance(arguments, dict):
        raise NotScorable(f"the arguments of {_shown(name)} are not an object.")
    if not with_rules and contains_matchers(arguments):
        raise NotScorable("the expectation contains matchers, which other tools do not support.")
    return name, arguments


def _parts(call: object) -> tuple[str, Any]:
    """The name and the arguments of any type."""
    if isinstance(call, ToolCall):
        return call.name, call.arguments
    if isinstance(call, Group | Times | Forbidden):
        raise NotScorable("the expectation contains groups, which other tools do not support.")
    name: object = call
    arguments = None
    if isinstance(call, Mapping):
        keys = next((keys for keys in _KEY_PAIRS if keys[0] in call), _KEY_PAIRS[0])
        name, arguments = call.get(keys[0]), call.get(keys[1])
    elif isinstance(call, tuple) and len(call) == len(("name", "arguments")):
        name, arguments = call
    if not isinstance(name, str):
        raise InvalidCall(
            f"{_shown(safe_repr(call))} is not a call. Pass 'name' and 'arguments', or read it with"
            " callscore.read_calls."
        )
    return name, arguments


def _shown(text: str) -> str:
    return clip(escape(text), _MAX_SHOWN_WIDTH)


Meaning = TypeVar("Meaning")


def option_value(option: str, word: str, meanings: Mapping[str, Meaning]) -> Meaning:
    """The meaning of a word as the value of an option.

    Raises:
        InvalidSettings: the option has no such value.
    """
    try:
        return meanings[word]
    except (KeyError, TypeError):
        words = ", ".join(meanings)
        raise InvalidSettings(
            f"{option}: unknown value {mention(word)}. Choose from: {words}."
        ) from None
