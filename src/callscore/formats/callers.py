"""Whose calls count: those of the agent, a user, sub-agents, or code that the model wrote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar, cast, get_args

from msgspec import structs

from callscore.core.call import AGENT
from callscore.core.case import NO_CALLS, Expected, Forbidden, Group, Times, is_state
from callscore.core.rendering import mention
from callscore.errors import InvalidSettings

Caller = Literal["agent", "user", "subagent", "code"]
USER: Caller = "user"
_CALLERS: tuple[str, ...] = get_args(Caller)
_CHOICES = f"Choose from: {', '.join(_CALLERS)}."
_Item = TypeVar("_Item", bound="Expected")


def read_callers(value: Any) -> tuple[Caller, ...]:
    """The callers that a user lists: one, or several.

    Raises:
        InvalidSettings: there is none, or one is unknown.
    """
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, Iterable) or isinstance(listed, dict | bytes):
        raise InvalidSettings(
            f"callers: expected a list of texts, got {mention(value)}. {_CHOICES}"
        )
    found = list(listed)
    for caller in found:
        if not isinstance(caller, str) or caller not in _CALLERS:
            raise InvalidSettings(f"callers: unknown value {mention(caller)}. {_CHOICES}")
    if not found:
        raise InvalidSettings(f"callers: the list is empty. {_CHOICES}")
    return cast("tuple[Caller, ...]", tuple(dict.fromkeys(found)))


def caller_named(value: Any) -> str | None:
    """The caller that an expected call names; None if it names none.

    Raises:
        InvalidSettings: it is unknown: no call would ever be its own.
    """
    if value is None:
        return None
    if not isinstance(value, str) or value not in _CALLERS:
        raise InvalidSettings(f"unknown caller {mention(value)}. {_CHOICES}")
    return value


def calls_of(items: Iterable[_Item], callers: Iterable[str]) -> tuple[_Item, ...]:
    """The calls of these callers, also in groups; and all other items."""
    kept = [_part_of(item, frozenset(callers)) for item in items]
    return tuple([item for item in kept if item is not None])


def expected_of(expected: Sequence[Expected], callers: Iterable[str]) -> tuple[Expected, ...]:
    """What is expected of these callers; beside a state also that they make no calls.

    A state with nothing but forbidden calls beside it says nothing about calls.
    """
    kept = calls_of(expected, callers)
    if not kept or not is_state(kept[-1]) or not _says_calls(expected) or _says_calls(kept):
        return kept
    return (*NO_CALLS, *kept)


def _says_calls(expected: Sequence[Expected]) -> bool:
    return not all(isinstance(item, Forbidden) or is_state(item) for item in expected)


def _part_of(item: _Item, callers: frozenset[str]) -> _Item | None:
    """What counts of an item; None if nothing does."""
    if isinstance(item, Group):
        return cast("_Item | None", _part_of_group(item, callers))
    if isinstance(item, Forbidden) or is_state(item):
        return item
    call = item.call if isinstance(item, Times) else item
    return item if (call.caller or AGENT) in callers else None


def _part_of_group(group: Group, callers: frozenset[str]) -> Group | None:
    """What counts of a group; a turn stays, and an alternative without calls demands nothing."""
    found = [_part_of(member, callers) for member in group.members]
    members = tuple([member for member in found if member is not None])
    if group.kind == "one_of" and len(members) < len(found):
        return None
    is_kept = bool(members) or group.kind == "turn"
    return structs.replace(group, members=members) if is_kept else None
