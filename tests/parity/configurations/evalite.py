"""Configurations of Evalite: `exact`, `flexible`, and weights: `exact/nameOnly=0.3`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.parity import evalite

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

__all__ = ["measure_for"]

_WEIGHTS = {
    "exact": "exact",
    "nameOnly": "name_only",
    "extraPenalty": "extra_penalty",
    "wrongPenalty": "wrong_penalty",
}


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    mode, *weights = configuration.split("/")
    options: dict[str, Any] = {"mode": mode}
    for weight in weights:
        name, _, value = weight.partition("=")
        if name not in _WEIGHTS:
            return None
        options[_WEIGHTS[name]] = float(value)
    if mode not in {"exact", "flexible"}:
        return None
    return partial(evalite.tool_call_accuracy, **options)
