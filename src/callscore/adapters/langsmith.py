"""An evaluator for LangSmith: the tool calls in the outputs of a target, or in its child runs.

Tested with the version in `requirements/stacks/langsmith.txt`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from callscore.adapters.scored import (
    AdapterOptions,
    CallsFrom,
    Places,
    SampleScorer,
    Scored,
    check_calls_from,
    reference_in,
    sample_scorer,
    score_output,
)
from callscore.errors import InvalidCall, MissingExtra

try:
    from langsmith.evaluation import EvaluationResult
    from langsmith.evaluation.evaluator import DynamicRunEvaluator
except ImportError as error:
    raise MissingExtra("The evaluator for LangSmith", package="langsmith") from error


__all__ = ["tool_calls"]

_NAME = "tool_calls"
_PLACES = Places("example", keyed="its outputs or its metadata")
_ADVICE = (
    "Let the target return the messages of the run or its calls, or trace the model and the tools "
    "that it calls, with @traceable(run_type='tool') for example."
)
_STEPS = ("llm", "tool")
_OUTPUT = "output"  # the key that LangSmith gives to an output that is not an object


def tool_calls(
    *,
    name: str = _NAME,
    expected_key: str | None = None,
    calls_from: CallsFrom | None = None,
    **options: Unpack[AdapterOptions],
) -> DynamicRunEvaluator:
    """An evaluator for `evaluate` of LangSmith: F1 of the calls of an example.

    The expected calls are in the reference outputs of an example, or in its metadata.

    Args:
        name: the key of the feedback.
        expected_key: the key of the expected calls; by default one of `REFERENCE_KEYS`.
        calls_from: `output` for what the target returned, `trace` for its child runs; by default the
            child runs if a model or a tool is among them, and otherwise the output.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    check_calls_from(calls_from, options)
    score_sample = sample_scorer(expected_key, **options)

    def evaluate(outputs: dict[str, Any], run: Any, example: Any) -> EvaluationResult:
        reference = reference_in(
            getattr(example, "outputs", None) or None,
            getattr(example, "metadata", None),
            key=expected_key,
            places=_PLACES,
        )
        trace = None if calls_from == "output" else _trace(run, is_required=calls_from == "trace")
        if trace is not None:
            scored = score_sample(reference, trace)
        else:
            scored = _score_outputs(score_sample, reference, outputs, getattr(run, "error", None))
        return EvaluationResult(
            key=name,
            score=scored.value,
            comment=scored.explanation,
            metadata={**scored.numbers, "passed": scored.passed},
        )

    evaluate.__name__ = name
    return _Evaluator(evaluate, name)


class _Evaluator(DynamicRunEvaluator):  # type: ignore[misc]  # unknown to mypy, which does not see the library
    """A function as an evaluator that knows its key, under which LangSmith shows its errors."""

    def __init__(self, evaluate: Callable[..., EvaluationResult], name: str) -> None:
        super().__init__(evaluate)
        self._name_of_feedback = name

    @property
    def feedback_keys(self) -> list[str]:
        """The key of the feedback, which cannot be found in the source of the function."""
        return [self._name_of_feedback]


def _trace(run: Any, *, is_required: bool) -> Any:
    """The run, if the calls are in its child runs; None if they are in its outputs."""
    return run if is_required or _has_steps(run) else None


def _has_steps(run: Any) -> bool:
    waiting = list(getattr(run, "child_runs", None) or ())
    while waiting:
        child = waiting.pop()
        if child.run_type in _STEPS:
            return True
        waiting += child.child_runs or ()
    return False


def _score_outputs(
    score_sample: SampleScorer, reference: Any, outputs: dict[str, Any], problem: str | None
) -> Scored:
    if problem is not None and all(value is None for value in outputs.values()):
        raise InvalidCall(f"actual: the target failed, so that there are no outputs: {problem}")
    output = outputs[_OUTPUT] if outputs.keys() == {_OUTPUT} else outputs
    return score_output(score_sample, reference, output, _ADVICE)
