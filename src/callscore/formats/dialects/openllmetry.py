"""OpenLLMetry spans (Traceloop, before the OpenTelemetry conventions).

Each message has flat attributes of its own: `gen_ai.completion.0.tool_calls.0.name`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.formats.calls import is_empty_call
from callscore.formats.definitions import read_definitions
from callscore.formats.families.genai_spans import observe_span
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import (
    ObservedRun,
    ObservedStep,
    ToolResult,
    traces_of,
)
from callscore.formats.families.span_origin import origin_of_spans
from callscore.formats.families.span_records import convention_of
from callscore.formats.families.spans import (
    Span,
    build_tree,
    is_span_line,
    items_at,
    items_of,
    read_spans,
    spans_by_trace,
    value_at_path,
)
from callscore.formats.families.tool_executions import exception_in, executed_call, requested_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import at, dicts, first, json_of, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 230
EXAMPLE = [
    {
        "name": "openai.chat",
        "attributes": {
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.finish_reason": "tool_calls",
            "gen_ai.completion.0.tool_calls.0.id": "call_1",
            "gen_ai.completion.0.tool_calls.0.name": "get_weather",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"city": "Paris"}',
        },
    }
]
_COMPLETIONS = ("gen_ai.completion", "llm.completions")
_PROMPTS = ("gen_ai.prompt", "llm.prompts")
_KIND = "traceloop.span.kind"
SIGNS = Signs(kind=(convention_of, "openllmetry"))

joins_lines = is_span_line


def recognizes(document: Any) -> bool:
    """Whether its spans have a flat attribute for each part of a message."""
    return convention_of(document) == "openllmetry"


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace."""
    outputs = ModelOutputs(options)
    runs = [
        ObservedRun(
            [_observe(span, outputs, options) for span in spans], origin=origin_of_spans(spans)
        )
        for spans in spans_by_trace(read_spans(document))
    ]
    return traces_of(runs, options)


def _observe(span: Span, outputs: ModelOutputs, options: ReadOptions) -> ObservedStep:
    if span.attributes.get(_KIND) == "tool":
        return ObservedStep(id=span.id, parent=span.parent, execution=_execution(span, options))
    completions = _messages(span, _COMPLETIONS)
    if not completions:
        return observe_span(span, outputs, options)
    return ObservedStep(
        id=span.id,
        parent=span.parent,
        requests=_requests(completions, outputs, options),
        answers=partial(_answers, span),
        turn=lambda: count_turns(_messages(span, _PROMPTS)),
    )


def _messages(span: Span, prefixes: tuple[str, ...]) -> list[Any]:
    found = (items_at(span.attributes, prefix) for prefix in prefixes)
    return next(filter(None, found), [])


def _requests(
    completions: list[Any], outputs: ModelOutputs, options: ReadOptions
) -> tuple[ToolCall, ...]:
    chosen = at(completions, options.choose(range(len(completions))))
    entries = items_of(first(chosen, "tool_calls"))
    if first(chosen, "tool_calls") is None and isinstance(chosen, dict):
        entries = items_at(chosen, "tool_calls")
    calls = [
        requested_call(at(entry, "name"), at(entry, "arguments"), at(entry, "id"))
        for entry in entries
    ]
    name = value_at_path(chosen, "function_call.name")
    arguments = value_at_path(chosen, "function_call.arguments")
    if not calls and name is not None and not is_empty_call(name, arguments):
        calls.append(requested_call(name, arguments, None))
    return tuple(calls) or outputs.calls([_whole(message) for message in completions])


def _whole(message: Any) -> Any:
    """The message as a tree, as in other formats, if its keys are dotted."""
    is_flat = isinstance(message, dict) and any("." in str(key) for key in message)
    return build_tree(message) if is_flat else message


def _answers(span: Span) -> list[ToolResult]:
    return [
        ToolResult(message.get("content"), text_of(message.get("tool_call_id")))
        for message in dicts(_messages(span, _PROMPTS))
        if message.get("role") == "tool"
    ]


def _execution(span: Span, options: ReadOptions) -> ToolCall:
    attributes = span.attributes
    value = json_of(attributes.get("traceloop.entity.input"))
    result = json_of(attributes.get("traceloop.entity.output"))
    # LangChain wraps inputs and outputs.
    inputs, output = first(value, "inputs", "input_str"), first(result, "output")
    if result is None:
        result = exception_in(span)
    return executed_call(
        first(attributes, "traceloop.entity.name") or span.name,
        value if inputs is None else inputs,
        None,
        result=at(output, "kwargs", "content") or output or result,
        failed=span.failed,
        options=options,
    )


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    offered = [items_at(span.attributes, "llm.request.functions") for span in read_spans(document)]
    return [tool for tools in offered for tool in read_definitions(tools)]
