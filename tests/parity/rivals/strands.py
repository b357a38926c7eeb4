"""The real Strands Agents Evals."""

from __future__ import annotations

import json  # noqa: TID251  (what a caller of the package would write)
from typing import TYPE_CHECKING, Any

from strands_evals.tools import evaluation_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "strands-agents-evals"

_ITEMS: dict[str, Callable[[Calls], list[Any]]] = {
    "names": lambda calls: [call["name"] for call in calls],
    "call strings": lambda calls: [json.dumps(call, sort_keys=True) for call in calls],
    "dict items": lambda calls: calls,
}


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    scorers = {
        "exact": evaluation_tools.exact_match_scorer,
        "in_order": evaluation_tools.in_order_match_scorer,
        "any_order": evaluation_tools.any_order_match_scorer,
    }
    return {
        f"{name}/{kind}": _measure(scorer, items)
        for name, scorer in scorers.items()
        for kind, items in _ITEMS.items()
    }


def _measure(scorer: Any, items: Callable[[Calls], list[Any]]) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        return scorer(items(actual), items(expected))

    return measure
