"""Vercel AI SDK telemetry spans (versions 4 to 6).

The requests of a model are in `ai.response.toolCalls` of its span, and again of the span around it;
the spans of tools have the results.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.span_origin import origin_of_spans
from callscore.formats.families.span_records import convention_of
from callscore.formats.families.spans import Span, is_span_line, read_spans, spans_by_trace
from callscore.formats.families.tool_executions import exception_in, executed_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.families.vercel_parts import take_call
from callscore.formats.shape import dicts, first, json_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 200
_CALLS = "ai.response.toolCalls"
EXAMPLE = [
    {
        "traceId": "b9483a92bcbbdc35245516432852d361",
        "id": "7a5df4ec9a4b3790",
        "name": "ai.generateText.doGenerate",
        "timestamp": 1794740488753000,
        "attributes": {
            "ai.operationId": "ai.generateText.doGenerate",
            _CALLS: (
                '[{"toolCallId": "call_1", "toolName": "get_weather", '
                '"input": "{\\"city\\": \\"Paris\\"}"}]'
            ),
        },
    }
]
_MODELS = (".doGenerate", ".doStream")
SIGNS = Signs(kind=(convention_of, "vercel"))

joins_lines = is_span_line


def recognizes(document: Any) -> bool:
    """Whether its spans have the attributes of the AI SDK."""
    return convention_of(document) == "vercel"


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace.

    Inputs and outputs can be recorded for some runs only, so the view is chosen for each run. If
    each span is a trace of its own, those of the tools only repeat the requests of the models.
    """
    outputs = ModelOutputs(options)
    runs = [_run(spans, outputs, options) for spans in spans_by_trace(read_spans(document))]
    if options.view == "executed":
        return traces_of(runs, options)
    with_models = [run for run in runs if any(step.requests is not None for step in run.steps)]
    return [traces_of([run], options)[0] for run in with_models or runs]


def _run(spans: list[Span], outputs: ModelOutputs, options: ReadOptions) -> ObservedRun:
    """The run of a trace. A span around a model repeats its last calls."""
    operations = [text_of(span.attributes.get("ai.operationId")) or span.name for span in spans]
    are_models = [operation.endswith(_MODELS) for operation in operations]
    if not any(are_models):
        are_models = [_CALLS in span.attributes for span in spans]
    steps = [
        _observe(span, outputs, options, is_model=is_model)
        for span, is_model in zip(spans, are_models, strict=True)
    ]
    prompts = [json_of(span.attributes.get("ai.prompt")) for span in spans]
    asked = next((prompt for prompt in prompts if prompt is not None), None)
    question = first(asked, "prompt", "messages") or asked
    return ObservedRun(steps, question, origin=origin_of_spans(spans))


def _observe(
    span: Span, outputs: ModelOutputs, options: ReadOptions, *, is_model: bool
) -> ObservedStep:
    attributes = span.attributes
    requests = execution = None
    if is_model:
        transcript = Transcript(options)
        for call in dicts(json_of(attributes.get(_CALLS))):
            take_call(call, transcript)
        requests = transcript.calls()
    elif "ai.toolCall.name" in attributes:
        execution = _execution(span, options)
    return ObservedStep(
        id=span.id,
        parent=span.parent,
        requests=requests,
        execution=execution,
        answers=partial(outputs.answers, attributes.get("ai.prompt.messages")),
        turn=partial(count_turns, attributes.get("ai.prompt.messages")),
    )


def _execution(span: Span, options: ReadOptions) -> ToolCall:
    attributes = span.attributes
    result = json_of(attributes.get("ai.toolCall.result"))
    return executed_call(
        attributes["ai.toolCall.name"],
        attributes.get("ai.toolCall.args"),
        attributes.get("ai.toolCall.id"),
        result=exception_in(span) if result is None else result,
        failed=span.failed,
        options=options,
    )


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    offered = [span.attributes.get("ai.prompt.tools") for span in read_spans(document)]
    return [tool for tools in offered for tool in read_definitions(tools)]
