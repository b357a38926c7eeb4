"""Configurations of Strands Agents Evals: `exact/names`, `any_order/call strings` ..."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from callscore.parity import strands

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

__all__ = ["measure_for"]

_METRICS = {
    "exact": strands.exact,
    "in_order": strands.in_order,
    "any_order": strands.any_order,
}
_SCORERS: dict[str, Measure] = {
    "exact": strands.exact_match_scorer,
    "in_order": strands.in_order_match_scorer,
    "any_order": strands.any_order_match_scorer,
}


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    scorer, _, items = configuration.partition("/")
    if scorer not in _METRICS:
        return None
    known: dict[str, Measure] = {
        "names": partial(_METRICS[scorer], items="names"),
        "call strings": partial(_METRICS[scorer], items="calls"),
        "dict items": _SCORERS[scorer],
    }
    return known.get(items)
