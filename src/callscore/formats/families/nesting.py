"""What stands around what in an observed run: models and tools within tools, and within others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from callscore.core.model import ToolCall
    from callscore.formats.families.runs import Observed, Run

__all__ = ["Nesting", "is_repeated", "nesting_of", "steps_above", "steps_by_id", "tool_around"]


class Nesting(Struct, frozen=True):
    """What has tools around it.

    Attributes:
        steps: all steps by their ids; none where no step is a part of a tool.
        delegating: the ids of the tools that have models at work within them.
    """

    steps: dict[str | None, Any] = {}
    delegating: frozenset[str | None] = frozenset()


_FLAT = Nesting()


def steps_by_id(run: Run) -> dict[str | None, Observed]:
    """The steps by their ids; the last one, where several have the same."""
    return {step.id: step for step in run.steps if step.id is not None}


def steps_above(step: Observed, steps: dict[str | None, Observed]) -> list[Observed]:
    """The steps that a step is a part of, from the inside out.

    Args:
        step: one of them.
        steps: all, by their ids.
    """
    found: list[Observed] = []
    seen = {step.id}
    parent = step.parent
    while parent in steps and parent not in seen:
        seen.add(parent)
        found.append(steps[parent])
        parent = steps[parent].parent
    return found


def nesting_of(run: Run) -> Nesting:
    """What has tools around it in a run."""
    tools = {step.id for step in run.steps if step.execution is not None and step.id is not None}
    for step in run.steps if tools else ():
        if step.parent in tools:  # if no step is a part of a tool directly, then none is at all
            steps = steps_by_id(run)
            return Nesting(steps, _delegating(run, steps))
    return _FLAT


def _delegating(run: Run, steps: dict[str | None, Observed]) -> frozenset[str | None]:
    return frozenset(
        [
            above.id
            for step in run.steps
            if step.requests is not None
            for above in steps_above(step, steps)
            if above.execution is not None
        ]
    )


def tool_around(step: Observed, nesting: Nesting) -> Observed | None:
    """The innermost tool that a step is a part of."""
    if nesting is not _FLAT:
        for above in steps_above(step, nesting.steps):
            if above.execution is not None:
                return above
    return None


def is_repeated(done: ToolCall, around: Observed | None, nesting: Nesting) -> bool:
    """Whether a tool is within the same tool, as it is over MCP: that is one call, not two."""
    if around is None or around.execution is None:
        return False
    return around.execution.name == done.name and around.id not in nesting.delegating
