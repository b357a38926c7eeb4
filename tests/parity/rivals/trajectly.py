"""The real Trajectly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajectly.core.refinement.checker import RefinementPolicy, check_skeleton_refinement
from trajectly.core.refinement.skeleton import SkeletonStep

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "trajectly"


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    return {
        "default": _measure(RefinementPolicy()),
        "allow_new_tool_names": _measure(RefinementPolicy(allow_new_tool_names=True)),
    }


def _measure(policy: Any) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        found = check_skeleton_refinement(
            baseline_steps=_steps(expected),
            current_steps=_steps(actual),
            policy=policy,
            side_effect_tools=set(),
        )
        return {
            "pass": not found.violations,
            "vacuous": found.refinement_skeleton_vacuous,
            "codes": [violation.code for violation in found.violations],
        }

    return measure


def _steps(calls: Calls) -> list[Any]:
    return [SkeletonStep(index, call["name"]) for index, call in enumerate(calls)]
