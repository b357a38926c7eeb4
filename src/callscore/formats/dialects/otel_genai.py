"""OpenTelemetry GenAI spans (OTLP, SDK exports).

Also those of Pydantic AI, Logfire, Google ADK, Strands, Microsoft Agent Framework and any-agent.
The requests of the models count; if content was not captured, the executions of the tools do.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.call import NOT_CAPTURED, Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.families.genai_spans import (
    observe_span,
    offered_tools_in,
    question_of,
    whole_conversation,
)
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.span_origin import origin_of_spans
from callscore.formats.families.span_records import convention_of
from callscore.formats.families.spans import Span, is_span_line, read_spans, spans_by_trace
from callscore.formats.shape import text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 220
_EXAMPLE_ATTRIBUTES = [
    {"key": "gen_ai.tool.name", "value": {"stringValue": "get_weather"}},
    {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": '{"city": "Paris"}'}},
]
_EXAMPLE_SPAN = {"name": "execute_tool get_weather", "attributes": _EXAMPLE_ATTRIBUTES}
EXAMPLE = {"resourceSpans": [{"scopeSpans": [{"spans": [_EXAMPLE_SPAN]}]}]}
SIGNS = Signs(kind=(convention_of, "gen_ai"))
_OPERATION = "gen_ai.operation.name"
_CONVERSATION = "gen_ai.conversation.id"
_MIN_AGENTS = 2  # for different messages of the user

joins_lines = is_span_line


def recognizes(document: Any) -> bool:
    """Whether it has spans, and none with the attributes of another stack."""
    return convention_of(document) == "gen_ai"


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace."""
    outputs = ModelOutputs(options)
    runs = [_run_of(spans, outputs, options) for spans in spans_by_trace(read_spans(document))]
    return traces_of(runs, options)


def _run_of(spans: list[Span], outputs: ModelOutputs, options: ReadOptions) -> ObservedRun:
    steps = [observe_span(span, outputs, options) for span in spans]
    if not any(step.requests for step in steps):
        steps = [
            step if step.execution else whole_conversation(span, step, outputs)
            for span, step in zip(spans, steps, strict=True)
        ]
    steps = _in_turns(spans, _without_blanks(steps))
    return ObservedRun(steps, question_of(spans), _conversation_of(spans), origin_of_spans(spans))


def _conversation_of(spans: list[Span]) -> str | None:
    """The conversation that a trace is a part of, if all its spans that name one name the same."""
    named = [span.attributes for span in spans if _CONVERSATION in span.attributes]
    names = {text_of(attributes[_CONVERSATION]) for attributes in named}
    return names.pop() if len(names) == 1 else None


def _in_turns(spans: list[Span], steps: list[ObservedStep]) -> list[ObservedStep]:
    """The steps with their turns, if an agent was invoked for each message of a conversation."""
    agents = {span.id for span in spans if span.attributes.get(_OPERATION) == "invoke_agent"}
    if len(agents) < _MIN_AGENTS:
        return steps
    numbers: list[int] = []
    questions: list[str] = []
    for span in spans:
        is_outer = span.id in agents and span.parent not in agents
        asked = question_of([span]) if is_outer and _CONVERSATION in span.attributes else None
        if asked is not None and asked not in questions[-1:]:
            questions.append(asked)
        numbers.append(max(len(questions) - 1, 0))
    if not numbers[-1]:
        return steps
    return [replace(each, turn=partial(int, n)) for each, n in zip(steps, numbers, strict=True)]


def _without_blanks(steps: list[ObservedStep]) -> list[ObservedStep]:
    """The steps, with empty arguments as not captured if the executions have arguments.

    any-agent records the calls of LlamaIndex before their arguments are streamed.
    """
    asked = [call for step in steps for call in step.requests or ()]
    if not asked or any(call.arguments != {} for call in asked):
        return steps
    done = [step.execution for step in steps if step.execution is not None]
    has_arguments = any(call.arguments for call in done)
    if not has_arguments or [call.name for call in asked] != [call.name for call in done]:
        return steps
    blanked = []
    for step in steps:
        calls = [replace(c, arguments=None, error=NOT_CAPTURED) for c in step.requests or ()]
        blanked.append(replace(step, requests=tuple(calls)) if calls else step)
    return blanked


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models and the agents were offered."""
    offered = [offered_tools_in(span.attributes) for span in read_spans(document)]
    return [tool for tools in offered for tool in read_definitions(tools)]
