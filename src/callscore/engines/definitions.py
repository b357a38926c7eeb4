"""What is known of the tools of each case, read once for all cases that have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.api import tools_by_name
from callscore.checks.schema import require_usable
from callscore.errors import InvalidCall, InvalidSettings, UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.tool import Tool

__all__ = ["Definitions"]

_MOST_REMEMBERED = 256

_Tools = dict[str, "Tool"]


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
        self._known: dict[bytes, _Tools] = {}

    def of(self, tools: Any, place: str) -> Mapping[str, Tool]:
        """The tools of a case by name, from what stands in its field `tools`.

        Raises:
            UnreadableInput: that is no definitions.
        """
        if self.of_run is not None or tools is None:
            return self.of_run or {}
        try:
            key = msgspec.json.encode(tools)
        except (TypeError, ValueError, RecursionError):  # objects of an SDK, say
            return _read(tools, place)
        found = self._known.get(key)
        if found is None:
            found = _read(tools, place)
            if len(self._known) == _MOST_REMEMBERED:
                self._known.clear()
            self._known[key] = found
        return found


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
