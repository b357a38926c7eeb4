"""A scorer for Braintrust and autoevals: the tool calls in the output of a task, or in its spans.

Tested with the versions in `requirements/stacks/braintrust.txt`. Either of the two packages is enough.
"""

from __future__ import annotations

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
    try:
        from braintrust import Score
        from braintrust.score import Scorer
    except ImportError:
        from autoevals import Score, Scorer
except ImportError as error:
    raise MissingExtra("The scorer for Braintrust", package="braintrust") from error


__all__ = ["tool_calls"]

_NAME = "tool_calls"
_PLACES = Places("row", "'expected'", "its metadata")
_ADVICE = (
    "Let the task return the messages of the run or its calls, or log the tools that it calls as "
    "spans, with @traced(type='tool') for example, and pass calls_from='trace'."
)
_TOOL = "tool"


def tool_calls(
    *,
    name: str = _NAME,
    expected_key: str | None = None,
    calls_from: CallsFrom = "output",
    **options: Unpack[AdapterOptions],
) -> Scorer:
    """A scorer for `Eval` of Braintrust, or to call as those of autoevals: F1 of the calls.

    Args:
        name: the name of the score.
        expected_key: the key of the expected calls in `expected` or in the metadata; by default one
            of `REFERENCE_KEYS`, and without these keys they are `expected` itself.
        calls_from: `output` for what the task returned, `trace` for its spans of the type `tool`.
            Braintrust may ask its server for these.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    check_calls_from(calls_from, options)
    return _ToolCalls(name, expected_key, calls_from, sample_scorer(expected_key, **options))


class _ToolCalls(Scorer):  # type: ignore[misc]  # unknown to mypy, which does not see the library
    """A scorer as both libraries define it: with a trace it is asynchronous."""

    def __init__(
        self,
        name: str,
        expected_key: str | None,
        calls_from: CallsFrom,
        score_sample: SampleScorer,
    ) -> None:
        self._score_name = name
        self._expected_key = expected_key
        self._calls_from = calls_from
        self._score_sample = score_sample

    def _name(self) -> str:
        return self._score_name

    def _run_eval_sync(
        self, output: Any, expected: Any = None, metadata: Any = None, **_others: Any
    ) -> Score:
        if self._calls_from == "trace":
            raise InvalidCall("actual: a trace is read by 'eval_async' only. Call it, or use Eval.")
        return self._scored(output, expected, metadata, None)

    async def _run_eval_async(
        self,
        output: Any,
        expected: Any = None,
        metadata: Any = None,
        trace: Any = None,
        **_others: Any,
    ) -> Score:
        calls = None
        if self._calls_from == "trace":
            if trace is None:
                raise InvalidCall("actual: there is no trace. Use Eval, and let it send its logs.")
            spans = sorted(await trace.get_spans(span_type=[_TOOL]), key=_start)
            calls = [_call(span) for span in spans]
        return self._scored(output, expected, metadata, calls)

    def _scored(self, output: Any, expected: Any, metadata: Any, calls: list[Any] | None) -> Score:
        reference = reference_in(expected, metadata, key=self._expected_key, places=_PLACES)
        scored: Scored = (
            score_output(self._score_sample, reference, output, _ADVICE)
            if calls is None
            else self._score_sample(reference, calls)
        )
        return Score(
            name=self._score_name,
            score=scored.value,
            metadata={
                **scored.numbers,
                "passed": scored.passed,
                "explanation": scored.explanation,
            },
        )


def _start(span: Any) -> float:
    return float((span.metrics or {}).get("start") or 0)


def _call(span: Any) -> dict[str, Any]:
    call = {
        "name": (span.span_attributes or {}).get("name"),
        "arguments": {} if span.input is None else span.input,
        "result": span.output,
    }
    return call if span.error is None else {**call, "failed": True}
