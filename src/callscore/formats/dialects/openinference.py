"""OpenInference spans (Arize Phoenix and other instrumentation).

The attributes are flat, or nested as Phoenix exports them. The output messages of a model's span
have the requests; the spans of tools have the results.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.call import NOT_CAPTURED, Tool, ToolCall
from callscore.formats.calls import is_empty_call
from callscore.formats.definitions import read_definitions
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
    is_span_line,
    items_at,
    items_of,
    read_spans,
    spans_by_trace,
    value_at_path,
)
from callscore.formats.families.tool_executions import exception_in, executed_call, requested_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import at, first, json_of, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 210
_KIND = "openinference.span.kind"
_MESSAGE = "llm.output_messages.0.message"
EXAMPLE = [
    {
        "name": "ChatCompletion",
        "context": {"trace_id": "0x1f", "span_id": "0x2a"},
        "start_time": "2026-01-01T09:00:00Z",
        "attributes": {
            _KIND: "LLM",
            f"{_MESSAGE}.role": "assistant",
            f"{_MESSAGE}.tool_calls.0.tool_call.id": "call_1",
            f"{_MESSAGE}.tool_calls.0.tool_call.function.name": "get_weather",
            f"{_MESSAGE}.tool_calls.0.tool_call.function.arguments": '{"city": "Paris"}',
        },
    }
]
_REDACTED = "__REDACTED__"
_IDS = ("tool_call.id", "tool.id", "gen_ai.tool.call.id")
_OTHER_INPUTS = ("input", "tool.input", "tool.arguments")
_WRAPPER_KEYS = {"input", "options"}
SIGNS = Signs(kind=(convention_of, "openinference"))

joins_lines = is_span_line


def recognizes(document: Any) -> bool:
    """Whether its spans have the attributes of OpenInference."""
    return convention_of(document) == "openinference"


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace."""
    outputs = ModelOutputs(options)
    runs = [
        ObservedRun(
            [_observe(span, outputs, options) for span in spans],
            _question(spans),
            origin=origin_of_spans(spans),
        )
        for spans in spans_by_trace(read_spans(document))
    ]
    return traces_of(runs, options)


def _question(spans: list[Span]) -> Any:
    """The input of the first span that is not a tool's."""
    others = [span.attributes for span in spans if span.attributes.get(_KIND) != "TOOL"]
    return next((found["input.value"] for found in others if "input.value" in found), None)


def _observe(span: Span, outputs: ModelOutputs, options: ReadOptions) -> ObservedStep:
    kind = span.attributes.get(_KIND)
    if kind == "TOOL":
        return ObservedStep(id=span.id, parent=span.parent, execution=_execution(span, options))
    if kind is None and any(key.startswith("llm.output_messages") for key in span.attributes):
        kind = "LLM"
    if kind != "LLM":
        return ObservedStep(id=span.id, parent=span.parent)
    return ObservedStep(
        id=span.id,
        parent=span.parent,
        requests=requests_in(span, outputs, options),
        answers=partial(_answers, span),
        turn=lambda: count_turns(items_at(span.attributes, "llm.input_messages")),
    )


def requests_in(span: Span, outputs: ModelOutputs, options: ReadOptions) -> tuple[ToolCall, ...]:
    """The calls in the output messages of a model."""
    attributes = span.attributes
    messages = items_at(attributes, "llm.output_messages")
    if not messages:
        return outputs.calls(attributes.get("output.value"))
    if len(messages) > 1 or options.candidate:
        settings = json_of(attributes.get("llm.invocation_parameters"))
        if first(settings, "n") not in (None, 1):  # each message is an answer of its own
            chosen = options.choose(range(len(messages)))
            messages = messages[chosen : chosen + 1]
    return tuple([call for message in messages for call in _calls_in(message)])


def _calls_in(message: Any) -> list[ToolCall]:
    entries = _items_in(message, "message.tool_calls")
    name = value_at_path(message, "message.function_call_name")
    arguments = value_at_path(message, "message.function_call_arguments_json")
    if entries or name is None or is_empty_call(name, arguments):
        return [_call_in(entry) for entry in entries]
    return [_call(name, arguments, None)]


def _items_in(message: Any, path: str) -> list[Any]:
    """The items of a list in a message, nested or flat."""
    held = value_at_path(message, path)
    if held is None and isinstance(message, dict):
        return items_at(message, path)
    return items_of(held)


def _call_in(entry: Any) -> ToolCall:
    function = value_at_path(entry, "tool_call.function")
    if isinstance(function, dict):
        name, value = function.get("name"), function.get("arguments")
    else:
        name = value_at_path(entry, "tool_call.function.name")
        value = value_at_path(entry, "tool_call.function.arguments")
    return _call(name, value, value_at_path(entry, "tool_call.id"))


def _call(name: Any, value: Any, id_: Any) -> ToolCall:
    if value == _REDACTED:
        return replace(requested_call(name, None, id_), arguments=None, error=NOT_CAPTURED)
    return requested_call(name, value, id_)


def _execution(span: Span, options: ReadOptions) -> ToolCall:
    attributes = span.attributes
    parameters = json_of(attributes.get("tool.parameters"))
    return executed_call(
        first(attributes, "tool.name") or span.name,
        unwrapped(arguments_in(attributes)),
        first(attributes, *_IDS),
        result=first(attributes, "output.value") or exception_in(span),
        failed=span.failed,
        names=parameters,
        options=options,
    )


def arguments_in(attributes: dict[str, Any]) -> Any:
    """The input of a tool, from whichever attribute has it; None if none does."""
    value = attributes.get("input.value")
    if value is not None:
        return value
    parameters = json_of(attributes.get("tool.parameters"))
    if parameters is not None and not _is_schema(parameters):
        return parameters
    return first(attributes, *_OTHER_INPUTS)


def unwrapped(value: Any) -> Any:
    """The arguments of a tool of BeeAI, without its options beside them; other values as they are."""
    held = json_of(value) if isinstance(value, str) and '"options"' in value else value
    is_wrapper = isinstance(held, dict) and held.keys() == _WRAPPER_KEYS
    return held["input"] if is_wrapper and isinstance(held["input"], dict) else value


def _is_schema(parameters: Any) -> bool:
    """Whether it is a schema: some record the tool's parameters there, others its arguments."""
    if not isinstance(parameters, dict) or not parameters:
        return False
    return isinstance(parameters.get("properties"), dict) or all(
        isinstance(value, dict) and "type" in value for value in parameters.values()
    )


def _answers(span: Span) -> list[ToolResult]:
    """The results that the model received, in messages of the role `tool`."""
    found = []
    for message in items_at(span.attributes, "llm.input_messages"):
        if value_at_path(message, "message.role") == "tool":
            name = text_of(value_at_path(message, "message.name"))
            id_ = text_of(value_at_path(message, "message.tool_call_id"))
            found.append(ToolResult(_content(message), id_, name))
    return found


def _content(message: Any) -> Any:
    content = value_at_path(message, "message.content")
    if content is not None:
        return content
    parts = _items_in(message, "message.contents")
    texts = [value_at_path(part, "message_content.text") for part in parts]
    return "\n".join([text for text in texts if isinstance(text, str)]) if texts else None


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    offered = [offered_tools_in(span.attributes) for span in read_spans(document)]
    return [tool for tools in offered for tool in read_definitions(tools)]


def offered_tools_in(attributes: dict[str, Any]) -> Any:
    """The definitions of the tools that a model was offered."""
    offered = items_at(attributes, "llm.tools")
    if offered:
        return [value_at_path(entry, "tool.json_schema") for entry in offered]
    return at(json_of(attributes.get("llm.invocation_parameters")), "tools")
