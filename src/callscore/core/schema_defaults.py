"""Arguments with the default of a tool's schema: they may be given or left out.

This is decided for each pair: of an argument that has its default on one side and is absent on the other,
nothing is compared. So no pair depends on another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.arguments import ArgumentsWithDefaults
from callscore.core.case import Expected, with_calls
from callscore.core.equality import equal
from callscore.core.rules import contains_matchers
from callscore.core.tool_names import changes_names, comparable_name

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.core.settings import Settings


def with_schema_defaults(
    expected: tuple[Expected, ...],
    actual: Sequence[ToolCall],
    settings: Settings,
    tools: Mapping[str, Tool],
) -> tuple[Expected, ...]:
    """The expectation with the defaults of its tools, as far as it expects nothing else.

    If the names of several tools are compared as one, an argument has a default that is that of each tool
    in question: the expected one and those that were called.
    """

    def compared(name: str) -> str:
        return comparable_name(name, settings) if changes_names(settings) else name

    known = _Definitions(tools, settings)
    made: dict[str, list[str]] = {}
    for call in actual:
        made.setdefault(compared(call.name), []).append(call.name)

    def change(call: ToolCall) -> ToolCall:
        name, arguments = compared(call.name), call.arguments
        written = made.get(name)
        if arguments is None or not written:
            return call
        found = known.defaults([call.name, *written] if call.name in tools else written, name)
        defaults = {
            key: value
            for key, value in found.items()
            if key not in arguments or _is_same(arguments[key], value)
        }
        if not defaults:
            return call
        return structs.replace(call, arguments=ArgumentsWithDefaults(arguments, defaults))

    return tuple([with_calls(item, change) for item in expected])


def _is_same(value: Any, default: Any) -> bool:
    return not contains_matchers(value) and equal(value, default)


class _Definitions:
    """The definitions of tools, by name as written, and by the name that is compared."""

    def __init__(self, tools: Mapping[str, Tool], settings: Settings) -> None:
        self._tools = tools
        self._alike: dict[str, list[Tool]] = {}
        for name, tool in tools.items() if changes_names(settings) else ():
            self._alike.setdefault(comparable_name(name, settings), []).append(tool)

    def defaults(self, written: Iterable[str], compared: str) -> dict[str, Any]:
        """The defaults that are the same in all tools that these names can be of."""
        tools: dict[int, Tool] = {}
        for name in dict.fromkeys(written):
            exact = self._tools.get(name)
            for tool in self._alike.get(compared, ()) if exact is None else (exact,):
                tools[id(tool)] = tool
        first, *others = [_defaults(tool) for tool in tools.values()] or [{}]
        return {
            name: value
            for name, value in first.items()
            if all(name in other and equal(other[name], value) for other in others)
        }


def _defaults(tool: Tool) -> dict[str, Any]:
    """The default of each argument that has one."""
    properties = (tool.parameters or {}).get("properties")
    if not isinstance(properties, dict):
        return {}
    return {
        name: schema["default"]
        for name, schema in properties.items()
        if isinstance(schema, dict) and "default" in schema
    }
