"""Configurations of MCPJam: order, arguments and options, `superset/exact/maxExtraToolCalls=0`.

What is compared is whether the case passes, and how many calls are missing, extra and mismatched.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from callscore.parity import mcpjam

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["measure_for"]


def measure_for(configuration: str) -> Measure | None:
    """What gives the answer of this configuration; None where it is not known."""
    order, matching, *others = [*configuration.split("/"), ""][:4]
    if order not in get_args(mcpjam.Order) or matching not in get_args(mcpjam.ArgumentMatching):
        return None
    options: dict[str, Any] = {"tool_call_order": order, "argument_matching": matching}
    for other in filter(None, others):
        name, _, value = other.partition("=")
        if name == "maxExtraToolCalls":
            options["max_extra_tool_calls"] = int(value)
        elif name == "isNegativeTest":
            options["is_negative_test"] = bool(int(value))
        else:
            return None
    return partial(_counts, options)


def _counts(options: dict[str, Any], expected: Calls, actual: Calls) -> dict[str, Any]:
    match = mcpjam.evaluate_tool_calls(expected, actual, **options)
    return {
        "passed": match.passed,
        "missing": len(match.missing),
        "extra": len(match.extra),
        "argumentMismatches": len(match.mismatched),
    }
