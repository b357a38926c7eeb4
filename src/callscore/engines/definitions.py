"""What is known of the tools of each case, read once for all cases that have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.api import tools_by_name
from callscore.checks.schema import require_usable, usable_tools
from callscore.core.tool import Tool
from callscore.errors import InvalidCall, InvalidSettings, UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Definitions"]

_MOST_REMEMBERED = 256

_Tools = dict[str, Tool]


class Definitions:
    """The definitions of the tools: those of the run, or else those that a case brings itself.

    Args:
        given: those of the run, in any form that `read_tools` takes; None where there are none.

    Raises:
        InvalidCall: they cannot be read.
        InvalidSettings: one of them has a schema that cannot be used.
        UnreadableInput: they are a file that cannot be read.
    """

    def __init__(self, given: Any = None) -> None:
        self.of_run: Mapping[str, Tool] | None = None if given is None else _usable(given)
        self._known: dict[tuple[bool, bytes], _Tools] = {}
        self._latest: tuple[Any, _Tools] = (None, {})  # a case is asked for more than once

    def of(self, tools: Any, place: str) -> Mapping[str, Tool] | None:
        """The tools of a case by name, from what it brings; None where nobody knows them.

        Tools that were read from a trace are taken as they are: where a schema cannot be used, nothing
        is said about the arguments. What stands in the field `tools` of a case must be right.

        Raises:
            UnreadableInput: it is no definitions.
        """
        if self.of_run is not None or tools is None:
            return self.of_run
        if tools is not self._latest[0]:
            self._latest = tools, self._remembered(tools, place)
        return self._latest[1]

    def _remembered(self, tools: Any, place: str) -> _Tools:
        from_trace = _is_of_trace(tools)
        read = _read_of_trace if from_trace else _read
        try:
            key = from_trace, msgspec.json.encode(tools)
        except (TypeError, ValueError, RecursionError):  # objects of an SDK, say
            return read(tools, place)
        found = self._known.get(key)
        if found is None:
            found = read(tools, place)
            if len(self._known) == _MOST_REMEMBERED:
                self._known.clear()
            self._known[key] = found
        return found


def _is_of_trace(tools: Any) -> bool:
    return bool(tools) and isinstance(tools, list) and all(isinstance(each, Tool) for each in tools)


def _read_of_trace(tools: list[Tool], _: str) -> _Tools:
    return usable_tools(tools)[0]


def _usable(given: Any) -> _Tools:
    """The tools by name, none of them with a schema that would break off the run later."""
    tools = tools_by_name(given)
    for tool in tools.values():
        require_usable(tool)
    return tools


def _read(tools: Any, place: str) -> _Tools:
    try:
        return _usable(tools)
    except InvalidCall as error:
        raise UnreadableInput(place, f"`tools` holds no definitions of tools: {error}") from error
    except InvalidSettings as error:
        raise UnreadableInput(place, f"`tools`: {error}") from error
