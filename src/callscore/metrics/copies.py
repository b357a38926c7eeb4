"""Copies of calls, for functions that may change what they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.expectation import with_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.call import ToolCall
    from callscore.core.expectation import Expected

__all__ = ["copied"]


def copied(calls: Sequence[Expected]) -> tuple[Any, ...]:
    """The calls, with objects and arrays of their own at every depth."""
    return tuple([with_calls(call, _copied_call) for call in calls])


def _copied_call(call: ToolCall) -> ToolCall:
    arguments, result = _copied_value(call.arguments), _copied_value(call.result)
    return structs.replace(call, arguments=arguments, result=result)


def _copied_value(value: Any) -> Any:
    """Objects and arrays are copied, as JSON has them; what else there is stays as it is.

    Walks with a stack of its own, so that no depth of nesting can exhaust the interpreter's.
    """
    outermost = [value]
    pending: list[Any] = [outermost]
    while pending:
        container = pending.pop()
        places = container.items() if isinstance(container, dict) else enumerate(container)
        for place, member in places:
            if isinstance(member, dict | list):
                container[place] = member.copy()
                pending.append(container[place])
    return outermost[0]
