"""Configurations of Google's ADK: `EXACT`, `ANY_ORDER/ignore_args` ..."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, get_args

from callscore.parity import google_adk

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

__all__ = ["measure_for"]

_IGNORES = {"": False, "ignore_args": True}


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    match, _, rest = configuration.partition("/")
    if match not in get_args(google_adk.MatchType) or rest not in _IGNORES:
        return None
    return partial(
        google_adk.trajectory,
        match_type=match,  # type: ignore[arg-type]  # one of the words
        ignore_args=_IGNORES[rest],
    )
