"""Calls of tools with arguments that their schemas accept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import ToolCall
from callscore.core.equality import equal
from callscore.datasets.values import arguments_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from callscore.core.tool import Tool

__all__ = ["drawn_call", "other_arguments", "two_calls"]

_TRIES = 20


def drawn_call(tool: Tool, rng: Random) -> ToolCall:
    """A call of a tool that its schema accepts.

    Raises:
        InvalidSettings: no value is found for a part of the schema.
    """
    return ToolCall(tool.name, arguments_for(tool, rng))


def other_arguments(tool: Tool, given: dict[str, Any], rng: Random) -> dict[str, Any] | None:
    """The arguments with another value in one place; None where there is no other.

    What comes of it is mostly valid, but not surely: other places may depend on that one.
    """
    for _ in range(_TRIES):
        others = arguments_for(tool, rng)
        changed = [
            name for name in given if name in others and not equal(given[name], others[name])
        ]
        if changed:
            name = rng.choice(changed)
            return {**given, name: others[name]}
    return None


def two_calls(tools: Sequence[Tool], rng: Random) -> tuple[ToolCall, ToolCall] | None:
    """A call of the first tool and a different one: of the second, if there is any.

    Returns:
        the two; None where there is only one call that can be made.
    """
    first = drawn_call(tools[0], rng)
    if tools[1:]:
        return first, drawn_call(rng.choice(tools[1:]), rng)
    for _ in range(_TRIES):
        second = drawn_call(tools[0], rng)
        if not equal(first.arguments, second.arguments):
            return first, second
    return None
