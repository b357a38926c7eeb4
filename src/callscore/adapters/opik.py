"""A metric for Opik, which compares the output of a task with an item of the dataset.

Tested with the version in `requirements/stacks/opik.txt`.
"""

from __future__ import annotations

from typing import Any, Unpack

from callscore.adapters.scored import (
    REFERENCE_KEYS,
    AdapterOptions,
    Places,
    SampleScorer,
    reference_in,
    sample_scorer,
    score_output,
)
from callscore.errors import MissingExtra

try:
    from opik.evaluation.metrics import base_metric, score_result
except ImportError as error:
    raise MissingExtra("The metric for Opik", package="opik") from error


__all__ = ["ToolCallsMetric", "tool_calls"]

# Opik mixes the item with what the task returned, and its `tool_calls` are those of the agent.
_KEYS = tuple(key for key in REFERENCE_KEYS if key != "tool_calls")
_PLACES = Places("item", keyed="the item", keys=_KEYS)
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
        expected = reference_in(None, item, key=self._expected_key, places=_PLACES)
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
