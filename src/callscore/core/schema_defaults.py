"""Arguments with the default of a tool's schema: they may be given or left out.

An expected argument that equals the default becomes optional, and one that only the agent gives
with the default becomes an optional argument of the expected call. The actual calls stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.case import with_calls
from callscore.core.equality import equal
from callscore.core.rules import Matcher, contains_matchers
from callscore.core.tool_names import changes_names, comparable_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from callscore.core.call import Tool, ToolCall
    from callscore.core.case import Expected
    from callscore.core.settings import Settings

__all__ = ["with_schema_defaults"]

_OPTIONAL = "$optional"


def with_schema_defaults(
    expected: tuple[Expected, ...],
    actual: Sequence[ToolCall],
    settings: Settings,
    tools: Mapping[str, Tool],
) -> tuple[Expected, ...]:
    """The expectation in which arguments with their defaults are optional.

    The tools are by name, as written or as compared. Only arguments are changed in which an actual
    call of the tool and the expectation can differ.
    """

    def compared(call: ToolCall) -> str:
        return comparable_name(call.name, settings) if changes_names(settings) else call.name

    # Then arguments that are not expected cost nothing, and must not add to those that match.
    ignores_others = settings.mode == "flexible" and settings.extra_arguments == "ignore"
    made: dict[str, list[dict[str, Any]]] = {}
    for call in actual:
        if call.arguments is not None:
            made.setdefault(compared(call), []).append(call.arguments)

    def change(call: ToolCall) -> ToolCall:
        name = compared(call)
        tool = tools.get(call.name) or tools.get(name)
        others = made.get(name)
        if tool is None or not others or call.arguments is None:
            return call
        defaults = _defaults(tool)
        if ignores_others and call.arguments:
            defaults = {key: defaults[key] for key in call.arguments if key in defaults}
        arguments = _with_optional(call.arguments, defaults, others)
        return call if arguments is None else structs.replace(call, arguments=arguments)

    return tuple([with_calls(item, change) for item in expected])


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


def _with_optional(
    arguments: dict[str, Any], defaults: dict[str, Any], others: Iterable[dict[str, Any]]
) -> dict[str, Any] | None:
    """The expected arguments with those optional that have their default; None if nothing changes."""
    changed = {}
    for name, default in defaults.items():
        if name in arguments:
            value = arguments[name]
            if contains_matchers(value) or not equal(value, default):
                continue
            is_optional = any(name not in given for given in others)
        else:
            is_optional = any(name in given and equal(given[name], default) for given in others)
        if is_optional:
            changed[name] = Matcher(_OPTIONAL, default)
    return {**arguments, **changed} if changed else None
