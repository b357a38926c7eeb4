"""Rules of settings that match nothing, because a name in them is misspelled or out of date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.case import Expected, calls_in
from callscore.core.suggestions import closest_word
from callscore.core.tool_names import (
    comparable_name,
    is_for_all,
    matches_pattern,
    strips_prefix,
    without_namespace,
)

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.core.settings import Settings

_MOST_NAMES = 10_000  # beyond, names are data, and nothing is said about rules
_MOST_COMPARED = 1_000  # with a name that is not there


class UnusedRule(NamedTuple):
    """A rule that matches nothing, by its setting and its pattern; `nearest` would have matched."""

    setting: str
    pattern: str
    nearest: str | None


class NamesSeen:
    """The tools and arguments of some cases, if the settings have rules for them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._has_rules = any(True for _ in self.rules())
        self._names: dict[tuple[str, str | None], None] = {}  # a tool, and its argument or None
        self._tools: Mapping[str, Tool] | None = None  # of the case before

    def rules(self) -> Iterator[tuple[str, str]]:
        """The rules by name that can change a score: the setting, and the pattern."""
        settings = self._settings
        yield from [("arguments", rule.pattern) for rule in settings.arguments]
        if settings.uses_effects:
            yield from [("effects", pattern) for pattern, _ in settings.effects]
        yield from [("strip_prefix", prefix) for prefix in settings.strip_prefix]

    def take(
        self,
        expected: Iterable[Expected] | None,
        actual: Iterable[ToolCall] | None,
        tools: Mapping[str, Tool] | None,
    ) -> None:
        """Note the names in a case, and in the definitions of its tools."""
        if not self._has_rules or self._is_full:
            return
        for call in (*calls_in(expected or ()), *(actual or ())):
            self._add(call.name, call.arguments or ())
        if tools is not None and tools is not self._tools:
            self._tools = tools
            for tool in tools.values():
                properties = (tool.parameters or {}).get("properties")
                self._add(tool.name, properties if isinstance(properties, dict) else ())

    @property
    def _is_full(self) -> bool:
        return len(self._names) > _MOST_NAMES

    def _add(self, tool: str, arguments: Iterable[str]) -> None:
        self._names[tool, None] = None
        for argument in arguments:
            self._names[tool, str(argument)] = None

    def merge(self, other: NamesSeen) -> None:
        """Add the names of other cases."""
        self._names |= other._names

    def matches(self, setting: str, pattern: str) -> bool:
        """Whether a rule matches one of the names; also if there are none, or too many to know."""
        if not self._names or self._is_full:
            return True
        if setting == "strip_prefix":
            return any(strips_prefix(pattern, tool) for tool, _ in self._names)
        if setting == "effects":
            return any(matches_pattern(pattern, tool) for tool in self._tool_names())
        of_tool, _, of_argument = pattern.rpartition(".")
        return any(
            matches_pattern(of_tool, tool)
            # A rule for all arguments of a tool needs no argument.
            and (is_for_all(of_argument) if name is None else matches_pattern(of_argument, name))
            for tool, name in self._compared()
        )

    def nearest(self, setting: str, pattern: str) -> str | None:
        """The pattern closest to one that matches nothing; None if none is close."""
        if setting == "strip_prefix":
            names = [tool.removesuffix(without_namespace(tool)) for tool, _ in self._names]
        else:
            is_tool = setting == "effects"
            names = self._tool_names() if is_tool else self._argument_patterns(pattern)
        known = dict.fromkeys(filter(None, names))
        return closest_word(pattern, islice(known, _MOST_COMPARED))

    def _argument_patterns(self, pattern: str) -> list[str]:
        """The patterns that match: first those for arguments of the same tools."""
        of_tool, _, of_argument = pattern.rpartition(".")
        if is_for_all(of_argument):
            return [f"{tool}.{of_argument}" for tool, _ in self._compared()]
        known = [each for each in self._compared() if each[1] is not None]
        of_same = [f"{of_tool}.{name}" for tool, name in known if matches_pattern(of_tool, tool)]
        return of_same + [f"{tool}.{name}" for tool, name in known]

    def _compared(self) -> list[tuple[str, str | None]]:
        return [(comparable_name(tool, self._settings), argument) for tool, argument in self._names]

    def _tool_names(self) -> list[str]:
        """The tools, as written and as compared."""
        return [tool for tool, _ in (*self._names, *self._compared())]


def unused_rules(*seen: NamesSeen) -> list[UnusedRule]:
    """The rules that match nothing in any of the evaluations that have them."""
    found: dict[tuple[str, str], list[NamesSeen]] = {}
    for names in seen:
        for rule in names.rules():
            found.setdefault(rule, []).append(names)
    return [
        UnusedRule(*rule, next(filter(None, [names.nearest(*rule) for names in having]), None))
        for rule, having in found.items()
        if not any(names.matches(*rule) for names in having)
    ]
