"""Configurations of Spring AI Ragas: `STRICT`, and `FLEXIBLE@0.8` with any threshold."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from callscore.parity import spring_ai_ragas

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

__all__ = ["measure_for"]


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    mode, _, threshold = configuration.partition("@")
    if mode not in {"STRICT", "FLEXIBLE"}:
        return None
    options = {"argument_match_threshold": float(threshold)} if threshold else {}
    name = mode.lower()
    return partial(spring_ai_ragas.tool_call_accuracy, mode=name, **options)  # type: ignore[arg-type]  # one of the words
