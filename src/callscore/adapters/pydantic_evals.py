"""An evaluator for Pydantic Evals: the tool calls that a task returned, or its spans show.

Tested with the version in `requirements/stacks/pydantic_evals.txt`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Unpack

from callscore.adapters.scored import (
    AdapterOptions,
    CallsFrom,
    Places,
    check_calls_from,
    reference_in,
    sample_scorer,
    score_output,
)
from callscore.errors import InvalidCall, MissingExtra

try:
    from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext
    from pydantic_evals.otel import SpanTreeRecordingError
except ImportError as error:
    raise MissingExtra("The evaluator for Pydantic Evals", package="pydantic-evals") from error


__all__ = ["ToolCalls", "tool_calls"]

_NAME = "tool_calls"
_PLACES = Places("case", "'expected_output'", "its metadata")
_ADVICE = (
    "Let the task return the messages of the run or its calls, or record spans: install "
    "opentelemetry-sdk, set a tracer provider and instrument the agent."
)
_CONVENTION = "gen_ai."  # of the attributes of spans of models and tools


def tool_calls(
    *,
    name: str = _NAME,
    expected_key: str | None = None,
    calls_from: CallsFrom | None = None,
    **options: Unpack[AdapterOptions],
) -> ToolCalls:
    """An evaluator for a dataset of Pydantic Evals: F1 of the calls of a case.

    The expected calls are the expected output of a case, or are in its metadata.

    Args:
        name: how the score is called in reports.
        expected_key: the key of the expected calls in the expected output or in the metadata; by
            default one of `REFERENCE_KEYS`, and without these keys they are the expected output.
        calls_from: `output` for what the task returned, `trace` for its spans; by default the spans
            if they show a model or a tool, and otherwise the output.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    return ToolCalls(name, expected_key, calls_from, dict(options))


@dataclass(repr=False)
class ToolCalls(Evaluator):  # type: ignore[misc]  # unknown to mypy, which does not see the library
    """What `tool_calls` makes; in files of a dataset, `ToolCalls: {options: {preset: flexible}}`.

    Attributes:
        name: see `tool_calls`.
        expected_key: likewise.
        calls_from: likewise.
        options: those of `callscore.score`.
    """

    name: str = _NAME
    expected_key: str | None = None
    calls_from: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_calls_from(self.calls_from, self.options)
        self._score_sample = sample_scorer(self.expected_key, **self.options)

    def get_default_evaluation_name(self) -> str:
        """The name in reports."""
        return self.name

    def evaluate(self, ctx: EvaluatorContext) -> EvaluationReason:
        """The score of one case, and both sides of every call."""
        reference = reference_in(
            ctx.expected_output, ctx.metadata, key=self.expected_key, places=_PLACES
        )
        spans = None if self.calls_from == "output" else self._spans(ctx)
        if spans is None:
            scored = score_output(self._score_sample, reference, ctx.output, _ADVICE)
        else:
            scored = self._score_sample(reference, spans)
        return EvaluationReason(value=scored.value, reason=scored.explanation)

    def _spans(self, ctx: EvaluatorContext) -> list[Any] | None:
        """The spans of the task, if the calls are there; None if they are in its output."""
        is_required = self.calls_from == "trace"
        try:
            nodes = list(ctx.span_tree)
        except SpanTreeRecordingError as error:
            if is_required:
                raise InvalidCall(f"actual: the task has no spans. {error}") from error
            return None
        spans = [_record(node) for node in nodes if _is_of_agent(node)]
        return spans if spans or is_required else None


def _is_of_agent(node: Any) -> bool:
    """Whether a span is of a model, a tool or an agent."""
    return any(key.startswith(_CONVENTION) for key in node.attributes)


def _record(node: Any) -> dict[str, Any]:
    """A span as exporters write it."""
    return {
        "name": node.name,
        "trace_id": f"{node.trace_id:032x}",
        "span_id": f"{node.span_id:016x}",
        "parent_id": None if node.parent_span_id is None else f"{node.parent_span_id:016x}",
        "start_time": node.start_timestamp.isoformat(),
        "end_time": node.end_timestamp.isoformat(),
        "status": {"status_code": node.status.upper()},
        "attributes": dict(node.attributes),
    }
