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
_VARIATIONS = "partial_trajectory_name_variations"


def measure_for(configuration: str) -> Measure | None:
    """What gives the answer of this configuration; None where it is not known."""
    if configuration in _STRICT:
        return partial(_everything, strict=_STRICT[configuration])
    if configuration == _VARIATIONS:
        return partial(tool_scorer.partial_trajectory, allow_tool_name_variations=True)
    metrics = {metric.__name__: metric for metric in tool_scorer.METRICS}
    return metrics.get(configuration)


def _everything(expected: Calls, actual: Calls, *, strict: bool) -> Any:
    return msgspec.to_builtins(tool_scorer.evaluate(expected, actual, strict=strict))
