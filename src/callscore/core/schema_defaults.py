"""Arguments with the default of a tool's schema: they may be given or left out.

An expected argument that equals the default becomes optional, and one that only the agent gives
with the default becomes an optional argument of the expected call. The actual calls stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.arguments import rule_for, with_rule
from callscore.core.case import with_calls
from callscore.core.equality import equal
from callscore.core.rules import Matcher, contains_matchers
from callscore.core.settings import IGNORE
from callscore.core.tool_names import changes_names, comparable_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from callscore.core.call import Tool, ToolCall
    from callscore.core.case import Expected
    from callscore.core.settings import ArgumentRule, Settings

__all__ = ["with_schema_defaults"]

_OPTIONAL = "$optional"


def with_schema_defaults(
    expected: tuple[Expected, ...],
    actual: Sequence[ToolCall],
    settings: Settings,
    tools: Mapping[str, Tool],
) -> tuple[Expected, ...]:
    """The expectation in which arguments with their defaults are optional.

    Only arguments are changed in which an actual call of the tool and the expectation can differ. If
    the names of several tools are compared as one, an argument has a default that is that of each tool
    in question: the expected one and those that were called.
    """

    def compared(call: ToolCall) -> str:
        return comparable_name(call.name, settings) if changes_names(settings) else call.name

    known = _Definitions(tools, settings)
    # Then arguments that are not expected cost nothing, and must not add to those that match.
    ignores_others = settings.mode == "flexible" and settings.extra_arguments == "ignore"
    made: dict[str, list[ToolCall]] = {}
    for call in actual:
        if call.arguments is not None:
            made.setdefault(compared(call), []).append(call)

    def change(call: ToolCall) -> ToolCall:
        name = compared(call)
        others = made.get(name)
        if not others or call.arguments is None:
            return call
        written = [other.name for other in others]
        defaults = known.defaults([call.name, *written] if call.name in tools else written, name)
        if ignores_others and call.arguments:
            defaults = {key: defaults[key] for key in call.arguments if key in defaults}
        rules = {key: rule_for(name, key, settings.arguments) for key in defaults}
        given = [other.arguments or {} for other in others]
        arguments = _with_optional(call.arguments, defaults, given, rules)
        return call if arguments is None else structs.replace(call, arguments=arguments)

    return tuple([with_calls(item, change) for item in expected])


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


def _with_optional(
    arguments: dict[str, Any],
    defaults: dict[str, Any],
    others: Iterable[dict[str, Any]],
    rules: Mapping[str, ArgumentRule | None],
) -> dict[str, Any] | None:
    """The expected arguments with those optional that have their default; None if nothing changes."""
    changed = {}
    for name, default in defaults.items():
        rule = rules[name]
        if rule is not None and rule.rule == IGNORE:
            continue  # an optional argument would be compared
        value = default
        if name in arguments:
            if contains_matchers(arguments[name]) or not equal(arguments[name], default):
                continue
            is_optional = any(name not in given for given in others)
            value = default if rule is None else with_rule(default, rule)
        else:
            is_optional = any(name in given and equal(given[name], default) for given in others)
        if is_optional:
            changed[name] = Matcher(_OPTIONAL, value)
    return {**arguments, **changed} if changed else None
