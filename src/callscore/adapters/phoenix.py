"""An evaluator for Phoenix evals: the tool calls in a column of a data frame, or in an output.

Tested with the version in `requirements/stacks/phoenix.txt`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from callscore.adapters.scored import (
    AdapterOptions,
    Places,
    reference_in,
    sample_scorer,
    score_output,
)
from callscore.errors import MissingExtra

try:
    from phoenix.evals import Score, create_evaluator
except ImportError as error:
    raise MissingExtra("The evaluator for Phoenix", package="arize-phoenix-evals") from error

if TYPE_CHECKING:
    from phoenix.evals import Evaluator


__all__ = ["tool_calls"]

_NAME = "tool_calls"
_PLACES = Places("row", "'expected', or what bind_evaluator maps to it")
_ADVICE = (
    "Let 'output' be the messages of the run or its calls: bind_evaluator names the column or the "
    "field that has them."
)


def tool_calls(
    *, name: str = _NAME, expected_key: str | None = None, **options: Unpack[AdapterOptions]
) -> Evaluator:
    """An evaluator of Phoenix with the inputs `output` and `expected`: F1 of the calls.

    `bind_evaluator` names the columns or fields with these inputs, if they have other names.

    Args:
        name: the name of the score.
        expected_key: the key of the expected calls in `expected`, if that is an object; by default
            one of `REFERENCE_KEYS`, and without these keys it is read as it is.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    score_sample = sample_scorer(expected_key, **options)

    def evaluate(output: Any, expected: Any) -> Score:
        reference = reference_in(_given(expected), key=expected_key, places=_PLACES)
        scored = score_output(score_sample, reference, _given(output), _ADVICE)
        return Score(
            name=name,
            score=scored.value,
            label=scored.label,
            explanation=scored.explanation,
            metadata=dict(scored.numbers),
        )

    evaluate.__annotations__ = {"output": Any, "expected": Any}  # not as text: pydantic reads them
    made: Evaluator = create_evaluator(name=name, kind="code")(evaluate)
    return made


def _given(value: Any) -> Any:
    """A value of a data frame: a cell without one has NaN, and one from Parquet may have an array."""
    if isinstance(value, float) and value != value:  # noqa: PLR0124  (only NaN is not itself)
        return None
    return value.tolist() if hasattr(value, "tolist") else value
