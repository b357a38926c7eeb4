"""What stands for a configuration of another tool: a function of both sides of a case."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["Calls", "Measure", "measure_for"]

Calls = list[dict[str, Any]]
Measure = Callable[[Calls, Calls], Any]


def measure_for(tool: str, configuration: str) -> Measure | None:
    """What gives our number for a configuration of a tool; None where either is not known."""
    try:
        module = import_module(f"tests.parity.configurations.{tool.replace('-', '_')}")
    except ModuleNotFoundError:
        return None
    found: Measure | None = module.measure_for(configuration)
    return found
