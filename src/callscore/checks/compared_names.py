"""Which definition a call is held against where less than the whole names of tools is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.naming import comparable_name
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from callscore.core.settings import Settings
    from callscore.core.tool import Tool

__all__ = ["tools_by_call"]


def tools_by_call(
    names: Iterable[str], tools: Mapping[str, Tool], settings: Settings
) -> dict[str, Tool]:
    """The tools, also by those names of calls that are one of theirs as the settings compare them.

    A name that a tool has just so means that tool, whatever others it is compared alike with.

    Args:
        names: what the calls name, as the trace has it.
        tools: the tools that were offered, by name.
        settings: how names are compared.

    Raises:
        InvalidSettings: a name can mean several tools, and these differ.
    """
    alike: dict[str, list[str]] = {}
    for name in tools:
        alike.setdefault(comparable_name(name, settings), []).append(name)
    found = dict(tools)
    for name in set(names) - tools.keys():
        meant = alike.get(comparable_name(name, settings), [])
        if meant:
            _refuse_several(name, meant, tools)
            found[name] = tools[meant[0]]
    return found


def _refuse_several(name: str, meant: list[str], tools: Mapping[str, Tool]) -> None:
    first = tools[meant[0]]
    other = next((each for each in meant if tools[each].parameters != first.parameters), None)
    if other is not None:
        problem = f"the tools {first.name!r} and {other!r} have different schemas, and {name!r} can"
        raise InvalidSettings(f"{problem} mean either as names are compared here")
