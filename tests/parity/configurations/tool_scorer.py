"""Configurations of Toolscore: `evaluate(default)`, `evaluate(strict=True)`, and single metrics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.parity import tool_scorer

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["measure_for"]

_STRICT = {
    "evaluate(default)": False,
    "evaluate(strict=False)": False,
    "evaluate(strict=True)": True,
}
# What is an option there, and part of the name in the records.
_OPTIONS: dict[str, Measure] = {
    "partial_trajectory_name_variations": partial(
        tool_scorer.partial_trajectory, allow_tool_name_variations=True
    ),
    "tool_correctness_strict_order": partial(tool_scorer.tool_correctness, strict_order=True),
}


def measure_for(configuration: str) -> Measure | None:
    """What gives the answer of this configuration; None where it is not known."""
    if configuration in _STRICT:
        return partial(_everything, strict=_STRICT[configuration])
    metrics: dict[str, Measure] = {metric.__name__: metric for metric in tool_scorer.METRICS}
    return (metrics | _OPTIONS).get(configuration)


def _everything(expected: Calls, actual: Calls, *, strict: bool) -> Any:
    return msgspec.to_builtins(tool_scorer.evaluate(expected, actual, strict=strict))
