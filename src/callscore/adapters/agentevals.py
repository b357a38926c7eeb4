"""An evaluator for agentevals, openevals and LangSmith: a function of outputs and references.

It needs none of these packages. Tested with the versions in `requirements/stacks/agentevals.txt`.
"""

from __future__ import annotations

from typing import Any, Protocol, TypedDict, Unpack

from callscore.adapters.scored import (
    AdapterOptions,
    Places,
    reference_in,
    sample_scorer,
    score_output,
)

__all__ = ["EvaluatorResult", "ToolCallsEvaluator", "tool_calls"]

_PLACES = Places("sample", "'reference_outputs'")
_ADVICE = (
    "Pass the messages of the agent, its response or its calls as 'outputs', or [] if no tool was "
    "called."
)


class EvaluatorResult(TypedDict):
    """The result of an evaluator, with the keys that agentevals and openevals have."""

    key: str
    score: float
    comment: str
    metadata: dict[str, Any]


class ToolCallsEvaluator(Protocol):
    """What `tool_calls` returns: an evaluator as agentevals and openevals make them."""

    def __call__(
        self, *, outputs: Any, reference_outputs: Any = None, **kwargs: Any
    ) -> EvaluatorResult:
        """The score of one sample."""


def tool_calls(
    *,
    name: str = "tool_calls",
    expected_key: str | None = None,
    **options: Unpack[AdapterOptions],
) -> ToolCallsEvaluator:
    """An evaluator `(*, outputs, reference_outputs)`: the F1 that `callscore.score` gives.

    The result has the name under `key`, F1 under `score`, the explanation under `comment`, and
    precision, recall and the counts of calls under `metadata`.

    Args:
        name: the key of the results.
        expected_key: the key of the expected calls in `reference_outputs`; by default one of
            `REFERENCE_KEYS`, and without these keys they are read as they are.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    score_sample = sample_scorer(expected_key, **options)

    def evaluator(
        *, outputs: Any, reference_outputs: Any = None, **_kwargs: Any
    ) -> EvaluatorResult:
        reference = reference_in(reference_outputs, key=expected_key, places=_PLACES)
        scored = score_output(score_sample, reference, outputs, _ADVICE)
        return {
            "key": name,
            "score": scored.value,
            "comment": scored.explanation,
            "metadata": {**scored.numbers, "passed": scored.passed},
        }

    evaluator.__name__ = name
    return evaluator
