"""An evaluator for Strands Evals, which compares the trajectories of a case.

Tested with the version in `requirements/stacks/strands.txt`.
"""

from __future__ import annotations

from typing import Any, Unpack

from callscore.adapters.scored import (
    AdapterOptions,
    Places,
    SampleScorer,
    reference_in,
    sample_scorer,
    score_output,
)
from callscore.errors import MissingExtra

try:
    from strands_evals.evaluators import Evaluator
    from strands_evals.types.evaluation import EvaluationOutput
    from strands_evals.types.trace import Session, ToolExecutionSpan
except ImportError as error:
    raise MissingExtra("The evaluator for Strands", package="strands-agents-evals") from error


__all__ = ["ToolCallsEvaluator", "tool_calls"]

_PLACES = Places("case", "'expected_trajectory'", "its metadata")
_ADVICE = (
    "Return the messages of the agent, its session or its calls from the task as 'trajectory', or [] "
    "if no tool was called."
)


class ToolCallsEvaluator(Evaluator):  # type: ignore[misc]  # Strands is not installed here
    """How well the calls of a trajectory match those expected: F1."""

    def __init__(self, score_sample: SampleScorer, name: str, expected_key: str | None) -> None:
        super().__init__(name=name)
        self._score_sample = score_sample
        self._expected_key = expected_key

    def evaluate(self, evaluation_case: Any) -> list[Any]:
        """One output for a case.

        Raises:
            InvalidCall: a trajectory is missing, or has no calls in a known format. Strands shows
                this as the reason of the case, which fails.
        """
        expected = _calls_in(evaluation_case.expected_trajectory)
        if expected is None or self._expected_key is not None:
            expected = reference_in(
                expected, evaluation_case.metadata, key=self._expected_key, places=_PLACES
            )
        actual = evaluation_case.actual_trajectory
        if actual is None:
            actual = evaluation_case.actual_output
        scored = score_output(self._score_sample, expected, _calls_in(actual), _ADVICE)
        return [
            EvaluationOutput(
                score=scored.value,
                test_pass=scored.passed,
                reason=scored.explanation,
                label=scored.label,
                metadata=dict(scored.numbers),
            )
        ]

    async def evaluate_async(self, evaluation_case: Any) -> list[Any]:
        """One output for a case; nothing in it waits."""
        return self.evaluate(evaluation_case)


def _calls_in(trajectory: Any) -> Any:
    """The calls of a session, in the order of its spans; any other trajectory as it is."""
    if isinstance(trajectory, Session):
        return [
            {"name": span.tool_call.name, "arguments": span.tool_call.arguments}
            for trace in trajectory.traces
            for span in trace.spans
            if isinstance(span, ToolExecutionSpan)
        ]
    if isinstance(trajectory, list) and trajectory and all(map(_is_message, trajectory)):
        # As in a snapshot of an agent, so that they are messages of Strands even without a call.
        return {"scope": "agent", "schema_version": "1", "data": {"messages": trajectory}}
    return trajectory


def _is_message(item: Any) -> bool:
    """Whether it is a message of Strands, whose blocks have no type."""
    content = item.get("content") if isinstance(item, dict) and "role" in item else None
    return isinstance(content, list) and not any("type" in block for block in content)


def tool_calls(
    *,
    name: str = "tool_calls",
    expected_key: str | None = None,
    **options: Unpack[AdapterOptions],
) -> ToolCallsEvaluator:
    """An evaluator for an `Experiment`: the F1 that `callscore.score` gives.

    It compares `expected_trajectory` of a case with the trajectory that the task returns.

    Args:
        name: the name in reports.
        expected_key: the key of the expected calls in `metadata` of a case, instead of
            `expected_trajectory`.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    return ToolCallsEvaluator(sample_scorer(expected_key, **options), name, expected_key)
