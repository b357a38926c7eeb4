"""A scorer for Weave: an op that compares the output of a model with the row of the dataset.

Tested with the version in `requirements/stacks/weave.txt`.
"""

from __future__ import annotations

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
    import weave
except ImportError as error:
    raise MissingExtra("The scorer for Weave", package="weave") from error


__all__ = ["tool_calls"]

_PLACES = Places("row", keyed="the columns")
_ADVICE = (
    "Return the messages of the agent, its response or its calls from the model, or [] if no tool was "
    "called."
)


def tool_calls(
    *,
    name: str = "tool_calls",
    expected_key: str | None = None,
    **options: Unpack[AdapterOptions],
) -> Any:
    """An op for `scorers` of an `Evaluation`: the F1 that `callscore.score` gives.

    The result has the keys `score`, `passed` and `explanation`, and precision, recall and the counts
    of calls. Weave shows the mean of the numbers.

    Args:
        name: the name of the scorer in Weave.
        expected_key: the column of the expected calls; by default one of `REFERENCE_KEYS`.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    score_sample = sample_scorer(expected_key, **options)

    def score(*, output: Any, **row: Any) -> dict[str, Any]:
        expected = reference_in(None, row, key=expected_key, places=_PLACES)
        scored = score_output(score_sample, expected, output, _ADVICE)
        return {
            "score": scored.value,
            "passed": scored.passed,
            "explanation": scored.explanation,
            **scored.numbers,
        }

    return weave.op(name=name)(score)
