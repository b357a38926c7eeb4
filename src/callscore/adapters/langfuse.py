"""An evaluator for experiments of Langfuse: the tool calls in the output of a task.

Tested with the version in `requirements/stacks/langfuse.txt`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from callscore.adapters.scored import (
    AdapterOptions,
    Places,
    reference_in,
    sample_scorer,
    score_output,
)
from callscore.errors import MissingExtra

try:
    from langfuse import Evaluation
except ImportError as error:
    raise MissingExtra("The evaluator for Langfuse", package="langfuse") from error


__all__ = ["tool_calls"]

_NAME = "tool_calls"
_PLACES = Places("item", "'expected_output'", "its metadata")
_ADVICE = "Let the task return the messages of the run or its calls."


def tool_calls(
    *, name: str = _NAME, expected_key: str | None = None, **options: Unpack[AdapterOptions]
) -> Callable[..., Evaluation]:
    """An evaluator for `run_experiment` of Langfuse: F1 of the calls of an item.

    The expected calls are the expected output of an item, or are in its metadata.

    Args:
        name: the name of the score.
        expected_key: the key of the expected calls in the expected output or in the metadata; by
            default one of `REFERENCE_KEYS`, and without these keys they are the expected output.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    score_sample = sample_scorer(expected_key, **options)

    def evaluate(
        *, output: Any, expected_output: Any = None, metadata: Any = None, **_others: Any
    ) -> Evaluation:
        reference = reference_in(expected_output, metadata, key=expected_key, places=_PLACES)
        scored = score_output(score_sample, reference, output, _ADVICE)
        return Evaluation(
            name=name,
            value=scored.value,
            comment=scored.explanation,
            metadata={**scored.numbers, "passed": scored.passed},
        )

    evaluate.__name__ = name  # Langfuse shows it when the evaluator fails
    return evaluate
