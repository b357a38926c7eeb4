"""Configurations of Pydantic Evals.

`TrajectoryMatch(in_order)`, `ToolCorrectness(allow_extra=True)`,
`ArgumentCorrectness(subset) per expected call, occurrence=k` ...
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from callscore.parity import pydantic_evals

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.parity.configuration import Measure

__all__ = ["measure_for"]

_SHAPE = re.compile(r"(\w+)\((?:\w+=)?(\w+)\)( per expected call, occurrence=k)?")
# The function of an evaluator, its option, and what the words for the option stand for.
_EVALUATORS: dict[str, tuple[Callable[..., Any], str, dict[str, Any]]] = {
    "TrajectoryMatch": (
        pydantic_evals.trajectory_match,
        "order",
        {word: word for word in get_args(pydantic_evals.Order)},
    ),
    "ToolCorrectness": (
        pydantic_evals.tool_correctness,
        "allow_extra",
        {"False": False, "True": True},
    ),
    "ArgumentCorrectness": (
        pydantic_evals.argument_correctness_by_call,
        "match_mode",
        {word: word for word in get_args(pydantic_evals.MatchMode)},
    ),
}


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    found = _SHAPE.fullmatch(configuration)
    if found is None or found[1] not in _EVALUATORS:
        return None
    function, option, values = _EVALUATORS[found[1]]
    is_by_call = found[3] is not None
    if found[2] not in values or is_by_call != (found[1] == "ArgumentCorrectness"):
        return None
    return partial(function, **{option: values[found[2]]})
