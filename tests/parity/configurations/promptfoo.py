"""Configurations of promptfoo: `f1`, and whether it passes: `passes@0.8`, `not-passes@0.8`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from callscore.parity import promptfoo

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

__all__ = ["measure_for"]

_PASSES = {"passes": False, "not-passes": True}


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    name, _, threshold = configuration.partition("@")
    if name == "f1":
        return promptfoo.tool_call_f1
    if name not in _PASSES:
        return None
    least = float(threshold) if threshold else 1.0
    return partial(promptfoo.tool_call_f1_passes, threshold=least, inverse=_PASSES[name])
