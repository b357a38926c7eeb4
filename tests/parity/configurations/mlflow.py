"""Configurations of MLflow: `exact_unordered`, `exact_ordered/names` ..."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from callscore.parity import mlflow

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

__all__ = ["measure_for"]

_ORDERING = {"exact_unordered": False, "exact_ordered": True}
_ARGUMENTS = {"": True, "names": False}


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    ordering, _, compared = configuration.partition("/")
    if ordering not in _ORDERING or compared not in _ARGUMENTS:
        return None
    return partial(
        mlflow.tool_call_correctness,
        should_consider_ordering=_ORDERING[ordering],
        include_arguments=_ARGUMENTS[compared],
    )
