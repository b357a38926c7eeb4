"""What stands for a configuration of another tool: a function of both sides of a case.

A tool is called as its module in `callscore.parity`; only the recorded files have other names for
some of them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["Calls", "Measure", "measure_for", "module_of", "recorded_as"]

Calls = list[dict[str, Any]]
Measure = Callable[[Calls, Calls], Any]


# What the recorded files of a tool are called, where that is not as its module.
_OTHER_NAMES = {
    "google_adk": "adk",
    "spring_ai_ragas": "spring-ai-ragas",
    "tool_scorer": "toolscore",
}
_MODULES = {other: name for name, other in _OTHER_NAMES.items()}


def recorded_as(tool: str) -> str:
    """What the recorded file of a tool is called, without its ending."""
    return _OTHER_NAMES.get(tool, tool)


def module_of(recorded: str) -> str:
    """What the tool of a recorded file is called here."""
    return _MODULES.get(recorded, recorded.replace("-", "_"))


def measure_for(tool: str, configuration: str) -> Measure | None:
    """What gives our number for a configuration of a tool; None where either is not known.

    Args:
        tool: the name of the tool, here or in the recorded files.
        configuration: what it is called there.
    """
    try:
        module = import_module(f"tests.parity.configurations.{module_of(tool)}")
    except ModuleNotFoundError:
        return None
    try:
        found: Measure | None = module.measure_for(configuration)
    except ValueError:  # what should be a number in its name is none
        return None
    return found
