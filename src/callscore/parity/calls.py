"""The calls that the functions of `parity` take, and how they are read.

A call is a `ToolCall`; an object with its name and its arguments under `name` and `arguments`, `tool`
and `args`, or `toolName` and `input`; a pair `("name", {...})`; or a bare name. Calls in any other shape
are read by `callscore.read_calls` first. Nothing in them is a rule: other tools know none, and compare
`{"$contains": "x"}` as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callscore.core.call import ToolCall
from callscore.core.expectation import Forbidden, Group, Times
from callscore.core.matcher import holds_matchers
from callscore.core.text import clip, escape, repr_text
from callscore.errors import InvalidCall, NotScorable

__all__ = ["Arguments", "Call", "Calls", "names_of", "pairs_of"]

Arguments = dict[str, Any] | None
Call = ToolCall | Mapping[str, Any] | tuple[str, Arguments] | str
Calls = Sequence[Call]

_SPELLINGS = (("name", "arguments"), ("tool", "args"), ("toolName", "input"))
_LONGEST_MENTION = 60  # columns of a value in a complaint


def pairs_of(calls: Calls) -> list[tuple[str, Arguments]]:
    """The name and the arguments of each call; None for arguments that were not given.

    Raises:
        InvalidCall: something is no call, or no list of calls.
        NotScorable: the arguments of a call are not an object, or hold rules of ours.
    """
    pairs: list[tuple[str, Arguments]] = []
    for call in calls if calls.__class__ is list else _listed(calls):
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
        InvalidCall: something is no call, or no list of calls.
    """
    try:
        names: list[str] = [call["name"] for call in calls]  # type: ignore[index,call-overload,misc]  # or it raises
        "".join(names)  # the quickest way to ask whether all are texts
    except (KeyError, TypeError):
        return [_parts(call)[0] for call in _listed(calls)]
    return names


def _listed(calls: object) -> Calls:
    if not isinstance(calls, list | tuple):
        shown = clip(escape(repr_text(calls)), _LONGEST_MENTION)
        raise InvalidCall(f"give a list of calls, or [] where there are none; got {shown}.")
    return calls


def _read(call: Call) -> tuple[str, Arguments]:
    name, arguments = _parts(call)
    if isinstance(call, ToolCall) and call.error is not None:
        raise NotScorable(f"the arguments of {_named(name)} are no JSON object.")
    if arguments is not None and not isinstance(arguments, dict):
        raise NotScorable(f"the arguments of {_named(name)} are no object.")
    if holds_matchers(arguments):
        raise NotScorable("the expectation has rules, which other tools do not know.")
    return name, arguments


def _parts(call: object) -> tuple[str, Any]:
    """The name and what stands for the arguments."""
    if isinstance(call, ToolCall):
        return call.name, call.arguments
    if isinstance(call, Group | Times | Forbidden):
        raise NotScorable("the expectation has groups, which other tools do not know.")
    name, arguments = _spelled(call)
    if not isinstance(name, str):
        shown = clip(escape(repr_text(call)), _LONGEST_MENTION)
        raise InvalidCall(
            f"{shown} is no call: give `name` and `arguments`, or read it with callscore.read_calls."
        )
    return name, arguments


def _spelled(call: object) -> tuple[object, Any]:
    if isinstance(call, Mapping):
        found = next((words for words in _SPELLINGS if words[0] in call), _SPELLINGS[0])
        return call.get(found[0]), call.get(found[1])
    if isinstance(call, tuple) and len(call) == len(("name", "arguments")):
        return call
    return call, None


def _named(name: str) -> str:
    return clip(escape(name), _LONGEST_MENTION)
