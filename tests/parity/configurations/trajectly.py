"""Configurations of Trajectly: `default`, `allow_new_tool_names`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.parity import trajectly

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["measure_for"]

_OPTIONS = {"default": False, "allow_new_tool_names": True}


def measure_for(configuration: str) -> Measure | None:
    """What gives the answer of this configuration; None where it is not known."""
    if configuration not in _OPTIONS:
        return None
    allow_new_tool_names = _OPTIONS[configuration]

    def measure(expected: Calls, actual: Calls) -> Any:
        found = trajectly.refinement(expected, actual, allow_new_tool_names=allow_new_tool_names)
        return {"pass": found.passes, "vacuous": found.vacuous, "codes": list(found.codes)}

    return measure
