"""A metric for Opik, which compares the output of a task with an item of the dataset.

Tested with the version in `requirements/stacks/opik.txt`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.adapters.scored import reference_in, sample_scorer, score_output
from callscore.errors import MissingExtra

try:
    from opik.evaluation.metrics import base_metric, score_result
except ImportError as error:
    raise MissingExtra("The metric for Opik", package="opik") from error

if TYPE_CHECKING:
    from typing import Unpack

    from callscore.adapters.scored import AdapterOptions, SampleScorer

__all__ = ["ToolCallsMetric", "tool_calls"]

_OF_AGENT = "tool_calls"
_ADVICE = (
    "Return the messages of the agent, its response or its calls as 'output' of the task, or [] if no "
    "tool was called."
)


class ToolCallsMetric(base_metric.BaseMetric):  # type: ignore[misc]  # Opik is not installed here
    """How well the calls in an output match those expected: F1."""

    def __init__(self, score_sample: SampleScorer, name: str, expected_key: str | None) -> None:
        super().__init__(name=name, track=False)  # tracked, every score would be sent as a span
        self._score_sample = score_sample
        self._expected_key = expected_key

    def score(self, output: Any, **item: Any) -> Any:
        """Score one output.

        Args:
            output: what the task returned as `output`.
            **item: the item of the dataset, and what else the task returned.

        Raises:
            InvalidCall: the calls cannot be read. Opik shows this as a failed score.
        """
        # Opik mixes the item with what the task returned, and those are calls of the agent.
        known = {key: value for key, value in item.items() if key != _OF_AGENT}
        expected = reference_in(None, item if self._expected_key else known, key=self._expected_key)
        scored = score_output(self._score_sample, expected, output, _ADVICE)
        return score_result.ScoreResult(
            name=self.name,
            value=scored.value,
            reason=scored.explanation,
            metadata={**scored.numbers, "passed": scored.passed},
        )


def tool_calls(
    *,
    name: str = "tool_calls",
    expected_key: str | None = None,
    **options: Unpack[AdapterOptions],
) -> ToolCallsMetric:
    """A metric for `scoring_metrics` of `evaluate`: the F1 that `callscore.score` gives.

    Args:
        name: the name of the score in Opik.
        expected_key: the key of the expected calls in an item of the dataset; by default one of
            `REFERENCE_KEYS`, but `tool_calls`.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    return ToolCallsMetric(sample_scorer(expected_key, **options), name, expected_key)
