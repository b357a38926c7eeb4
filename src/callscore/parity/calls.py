"""The calls that the functions of `parity` take, and how they are read.

A call is a `ToolCall`, or an object with its name and its arguments under `name` and `arguments`,
or under `tool` and `args`. Calls in any other shape are read by `callscore.read_calls` first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callscore.core.call import ToolCall
from callscore.core.text import clip, escape, repr_text
from callscore.errors import InvalidCall, NotScorable

__all__ = ["Arguments", "Call", "Calls", "names_of", "pairs_of"]

Arguments = dict[str, Any] | None
Call = ToolCall | Mapping[str, Any]
Calls = Sequence[Call]

_LONGEST_MENTION = 60  # columns of a value in a complaint


def pairs_of(calls: Calls) -> list[tuple[str, Arguments]]:
    """The name and the arguments of each call; None for arguments that were not given.

    Raises:
        InvalidCall: something is no call.
        NotScorable: the arguments of a call are not an object; no tool is asked about those.
    """
    pairs: list[tuple[str, Arguments]] = []
    for call in calls:
        # What nearly every call is, first: a metric is asked about thousands of them.
        if call.__class__ is dict:
            name, arguments = call.get("name"), call.get("arguments")
            if name.__class__ is str and arguments.__class__ is dict:
                pairs.append((name, arguments))
                continue
        pairs.append(_read(call))
    return pairs


def names_of(calls: Calls) -> list[str]:
    """The name of each call.

    Raises:
        InvalidCall: something is no call.
    """
    try:
        names: list[str] = [call["name"] for call in calls]  # type: ignore[index]  # or it raises
        "".join(names)  # the quickest way to ask whether all are texts
    except (KeyError, TypeError):
        return [_name(call) for call in calls]
    return names


def _read(call: Call) -> tuple[str, Arguments]:
    arguments = call.arguments if isinstance(call, ToolCall) else _given(call)
    if isinstance(call, ToolCall) and call.error is not None:
        raise NotScorable(f"the arguments of {_named(call.name)} are no JSON object.")
    if arguments is not None and not isinstance(arguments, dict):
        raise NotScorable(f"the arguments of {_named(_name(call))} are no object.")
    return _name(call), arguments


def _given(call: object) -> Any:
    if not isinstance(call, Mapping):
        raise _no_call(call)
    return call.get("arguments", call.get("args"))


def _name(call: object) -> str:
    if isinstance(call, ToolCall):
        return call.name
    name = call.get("name", call.get("tool")) if isinstance(call, Mapping) else None
    if not isinstance(name, str):
        raise _no_call(call)
    return name


def _no_call(call: object) -> InvalidCall:
    shown = clip(escape(repr_text(call)), _LONGEST_MENTION)
    return InvalidCall(
        f"{shown} is no call: give `name` and `arguments`, or read it with callscore.read_calls."
    )


def _named(name: str) -> str:
    return clip(escape(name), _LONGEST_MENTION)
