"""A custom metric for evaluations of Google ADK: the calls of actual and expected invocations.

An evaluation config names the function of a metric. `metric` reads its options from the criterion in
that config, so that no code is needed. `tool_calls` makes a function with options of its own.
Tested with the version in `requirements/stacks/google_adk.txt`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from msgspec import Struct

from callscore.adapters.scored import AdapterOptions, SampleScorer, Scored, sample_scorer
from callscore.errors import InvalidCall, InvalidSettings, MissingExtra

try:
    from google.adk.evaluation.eval_rubrics import RubricScore
    from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult
except ImportError as error:
    raise MissingExtra("The metric for Google ADK", package="'google-adk[eval]'") from error

if TYPE_CHECKING:
    Metric = Callable[..., EvaluationResult]

__all__ = ["metric", "tool_calls"]

_NAME = "tool_calls"


def tool_calls(
    *, name: str = _NAME, expected_key: str | None = None, **options: Unpack[AdapterOptions]
) -> Metric:
    """A function for `custom_metrics`: the F1 that `callscore.score` gives for a conversation.

    ADK calls it with the metric, the actual and the expected invocations, and the scenario. Each
    invocation is a turn of the conversation. The criterion of the metric has the threshold.

    Args:
        name: what ADK shows before the explanation.
        expected_key: None; the expected calls are always in `intermediate_data` of an invocation.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    if expected_key is not None:
        raise InvalidSettings(
            "expected_key: ADK passes no more than the invocations. Put the expected calls into their "
            "'intermediate_data'."
        )
    score_sample = sample_scorer(**options)

    def evaluate(
        eval_metric: Any, actual: list[Any], expected: list[Any] | None = None, _: Any = None
    ) -> EvaluationResult:
        return _Conversation(score_sample, name, eval_metric).evaluated(expected, actual)

    evaluate.__name__ = name
    return evaluate


def metric(
    eval_metric: Any, actual: list[Any], expected: list[Any] | None = None, _: Any = None
) -> EvaluationResult:
    """A metric whose options are in its criterion, beside the threshold.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value. ADK logs it, and does not
            evaluate the metric.
    """
    options = getattr(eval_metric.criterion, "model_extra", None) or {}
    return tool_calls(**options)(eval_metric, actual, expected)


class _Conversation(Struct, frozen=True):
    """Scores the invocations of one eval case."""

    score_sample: SampleScorer
    name: str
    eval_metric: Any

    def evaluated(self, expected: list[Any] | None, actual: list[Any]) -> EvaluationResult:
        """The result of the conversation, and of each of its invocations alone."""
        if expected is None:
            raise InvalidCall(
                "expected: the eval case has a scenario, and no conversation. Add the invocations "
                "that are expected."
            )
        if len(expected) != len(actual):
            raise InvalidCall(
                f"expected: {len(expected)} invocations, but the agent has {len(actual)}."
            )
        scored = self._scored(expected, actual)
        return EvaluationResult(
            overall_score=scored.value,
            overall_eval_status=self._status(scored),
            overall_rubric_scores=[self._explained(scored)],
            per_invocation_results=list(map(self._of_invocation, expected, actual)),
        )

    def _of_invocation(self, expected: Any, actual: Any) -> PerInvocationResult:
        scored = self._scored([expected], [actual])
        return PerInvocationResult(
            actual_invocation=actual,
            expected_invocation=expected,
            score=scored.value,
            eval_status=self._status(scored),
            rubric_scores=[self._explained(scored)],
        )

    def _scored(self, expected: list[Any], actual: list[Any]) -> Scored:
        return self.score_sample(_expected_document(expected), _actual_document(actual))

    def _status(self, scored: Scored) -> EvalStatus:
        criterion = self.eval_metric.criterion
        if criterion is None:
            passes = scored.passed
        else:
            passes = not scored.score.forbidden and scored.value >= criterion.threshold
        return EvalStatus.PASSED if passes else EvalStatus.FAILED

    def _explained(self, scored: Scored) -> RubricScore:
        """The explanation, in the only place that ADK shows text of a metric."""
        return RubricScore(
            rubric_id=self.name, score=scored.value, rationale=f"\n{scored.explanation}"
        )


def _expected_document(invocations: list[Any]) -> dict[str, Any]:
    """An eval case as in a file of ADK.

    Raises:
        InvalidCall: an invocation does not say what is expected.
    """
    for number, invocation in enumerate(invocations):
        if invocation.intermediate_data is None:
            raise InvalidCall(
                f"expected: invocation {number + 1} has no 'intermediate_data'. Put the expected calls "
                "into its 'tool_uses', or [] if no tool should be called."
            )
    return {"eval_id": "", "conversation": list(map(_plain, invocations))}


def _actual_document(invocations: list[Any]) -> dict[str, Any]:
    """A result as in a file of ADK."""
    pairs = [{"actual_invocation": _plain(invocation)} for invocation in invocations]
    return {"eval_id": "", "eval_metric_result_per_invocation": pairs}


def _plain(invocation: Any) -> Any:
    return invocation.model_dump(mode="json", exclude_none=True)
