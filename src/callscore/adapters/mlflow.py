"""A scorer for MLflow: the tool calls in the trace of a row, or in its outputs.

Tested with the version in `requirements/stacks/mlflow.txt`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from callscore.adapters.scored import (
    AdapterOptions,
    CallsFrom,
    Places,
    check_calls_from,
    reference_in,
    sample_scorer,
    score_output,
    settings_of,
)
from callscore.errors import InvalidCall, MissingExtra

try:
    from mlflow.entities import Feedback
    from mlflow.genai.scorers import scorer
except ImportError as error:
    raise MissingExtra("The scorer for MLflow", package="mlflow") from error

if TYPE_CHECKING:
    from mlflow.genai.scorers import Scorer


__all__ = ["tool_calls"]

_NAME = "tool_calls"
_PLACES = Places("row", keyed="'expectations'")
_ADVICE = (
    "Let the function return the messages of the run or its calls, or trace the model and the tools "
    "that it calls, with mlflow.openai.autolog() or @mlflow.trace(span_type='TOOL') for example."
)
_TOOL = "TOOL"
_STEPS = ("CHAT_MODEL", "LLM", _TOOL)


def tool_calls(
    *,
    name: str = _NAME,
    expected_key: str | None = None,
    calls_from: CallsFrom | None = None,
    **options: Unpack[AdapterOptions],
) -> Scorer:
    """A scorer for `mlflow.genai.evaluate`: F1 of the calls of a row.

    The expected calls are in the expectations of a row.

    Args:
        name: the name of the assessment and of the metric.
        expected_key: the key of the expected calls; by default one of `REFERENCE_KEYS`.
        calls_from: `output` for the outputs of the row, `trace` for the spans of its trace; by default
            the spans if a model or a tool is among them, and otherwise the outputs.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    check_calls_from(calls_from, options)
    score_sample = sample_scorer(expected_key, **options)
    pass_mark = settings_of(options).pass_mark

    def evaluate(outputs: Any, expectations: Any, trace: Any) -> Feedback:
        reference = reference_in(expectations or None, key=expected_key, places=_PLACES)
        spans = None if calls_from == "output" else _spans(trace, is_required=calls_from == "trace")
        if spans is None:
            scored = score_output(score_sample, reference, outputs, _ADVICE)
        else:
            scored = score_sample(reference, spans)
        return Feedback(
            name=name,
            value=scored.value,
            rationale=scored.explanation,
            metadata={key: str(value) for key, value in scored.numbers.items()},
        )

    made: Scorer = scorer(
        evaluate,
        name=name,
        description="F1 of the tool calls, by callscore",
        pass_if=lambda value: value >= pass_mark,
    )
    return made


def _spans(trace: Any, *, is_required: bool) -> Any:
    """The trace of a row, if the calls are in its spans; None if they are in its outputs."""
    if trace is None:
        if is_required:
            raise InvalidCall(f"actual: the row has no trace. {_ADVICE}")
        return None
    spans = trace.data.spans
    if any(span.span_type == _TOOL and span.parent_id is None for span in spans):
        # Every call has a trace of its own then, and MLflow takes the last one for that of the row.
        raise InvalidCall(
            "actual: the trace begins with the call of a tool, and other calls may be in other traces. "
            "Trace the function that calls the tools, too, with @mlflow.trace."
        )
    is_traced = any(span.span_type in _STEPS for span in spans)
    return trace.to_dict() if is_traced or is_required else None
