"""The definitions of tools, of a run or of each case, read once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from callscore.api import tools_by_name
from callscore.core.call import Tool
from callscore.errors import InvalidCall, InvalidSettings, UnreadableInput

_MAX_REMEMBERED = 256

_Tools = dict[str, Tool]


class ToolDefinitions:
    """Tool definitions of a run, in any form that `read_tools` takes; or of each case, read once.

    Raises:
        InvalidCall: they cannot be read.
        InvalidSettings: one of them has an unusable schema.
        UnreadableInput: they are a file that cannot be read.
    """

    def __init__(self, given: Any = None) -> None:
        self.of_run: Mapping[str, Tool] | None = None if given is None else _usable_tools(given)
        self._known: dict[tuple[bool, bytes] | None, _Tools] = {}
        self._latest: tuple[Any, _Tools] = (None, {})  # a case is asked for more than once

    def of(self, tools: Any, place: str) -> Mapping[str, Tool] | None:
        """The tools of a case by name, given its field `tools`; None if unknown.

        Tools of a trace may have unusable schemas: their arguments are not checked. The field of a
        case must be valid.

        Raises:
            UnreadableInput: these are not definitions of tools.
        """
        if self.of_run is not None or tools is None:
            return self.of_run
        if tools is not self._latest[0]:
            self._latest = tools, self._remembered(tools, place)
        return self._latest[1]

    def _remembered(self, tools: Any, place: str) -> _Tools:
        is_list = isinstance(tools, list) and bool(tools)
        is_from_trace = is_list and all(isinstance(each, Tool) for each in tools)
        try:
            key = is_from_trace, msgspec.json.encode(tools)
        except (TypeError, ValueError, RecursionError):  # for instance SDK objects
            key = None
        if key in self._known:
            return self._known[key]
        from callscore.checks.tool_schema import usable_tools  # most cases have no tools

        found = usable_tools(tools)[0] if is_from_trace else _read_tools(tools, place)
        if key is not None:
            if len(self._known) == _MAX_REMEMBERED:
                self._known.clear()
            self._known[key] = found
        return found


def _usable_tools(given: Any) -> _Tools:
    """The tools by name; an unusable schema is refused."""
    from callscore.checks.tool_schema import require_usable_schema

    tools = tools_by_name(given)
    for tool in tools.values():
        require_usable_schema(tool)
    return tools


def _read_tools(tools: Any, place: str) -> _Tools:
    try:
        return _usable_tools(tools)
    except InvalidCall as error:
        raise UnreadableInput(place, f"'tools' has no tool definitions: {error}") from error
    except InvalidSettings as error:
        raise UnreadableInput(place, f"'tools': {error}") from error
