"""Confident AI traces (spans of DeepEval's tracing).

The spans are sorted by kind. `toolsCalled` of a trace and of the spans around a model repeat the
calls of the models and the tools.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.tool_executions import executed_call, requested_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import as_list, at, dicts, first, json_of, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 268
EXAMPLE = {
    "uuid": "ed269ccb",
    "llmSpans": [],
    "toolSpans": [
        {
            "uuid": "37fcd7bb",
            "name": "get_weather",
            "type": "tool",
            "input": {"city": "Paris"},
            "output": "18 degrees",
        }
    ],
}
_MODELS, _TOOLS = "llmSpans", "toolSpans"
_SPANS = ("baseSpans", "agentSpans", _MODELS, "retrieverSpans", _TOOLS)
_PREFIX = "Function tool: "  # before the names of the tools of the OpenAI Agents SDK
_FAILED = ("ERRORED", "ERROR", "FAILED")
_LISTED = ("toolsCalled", "expectedTools")
_ARGUMENTS = frozenset(("inputParameters", "call_id", "args"))
SIGNS = Signs(keys=(_MODELS, _TOOLS, "testCases"), item_keys=(_MODELS, _TOOLS))


def recognizes(document: Any) -> bool:
    """Whether it is a trace, a list of traces, or a test run whose cases only have traces."""
    traces = _traces_in(document)
    return bool(traces) and all(map(joins_lines, traces))


def _traces_in(document: Any) -> list[Any]:
    cases = at(document, "testCases") if isinstance(document, dict) else None
    if isinstance(cases, list):
        is_listed = any(key in case for case in dicts(cases) for key in _LISTED)
        return [] if is_listed else [at(case, "trace") for case in cases]
    return as_list(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is a trace."""
    return isinstance(at(line, _MODELS), list) and isinstance(at(line, _TOOLS), list)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace."""
    outputs = ModelOutputs(options)
    runs = []
    for trace in dicts(_traces_in(document)):
        steps = [_observe(span, outputs, options) for span in _spans_of(trace)]
        runs.append(ObservedRun(steps, trace.get("input")))
    return traces_of(runs or [ObservedRun([])], options)


def _spans_of(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """The spans in the order in which they began; in the given order, if some have no start."""
    spans = [span for key in _SPANS for span in dicts(trace.get(key))]
    starts = [start for span in spans if isinstance(start := span.get("startTime"), str)]
    if len(starts) < len(spans):
        return spans
    return [spans[place] for place in sorted(range(len(spans)), key=starts.__getitem__)]


def _observe(span: dict[str, Any], outputs: ModelOutputs, options: ReadOptions) -> ObservedStep:
    id_, parent, kind = text_of(span.get("uuid")), text_of(span.get("parentUuid")), span.get("type")
    if kind == "llm":
        requests = _requests(span, outputs)
        answers = partial(outputs.answers, span.get("input"))
        turn = partial(count_turns, span.get("input"))
        is_recorded = span.get("output") is not None
        return ObservedStep(
            id=id_,
            parent=parent,
            requests=requests,
            answers=answers,
            turn=turn,
            is_recorded=is_recorded,
        )
    execution = _execution(span, options) if kind == "tool" else None
    return ObservedStep(id=id_, parent=parent, execution=execution)


def _requests(span: dict[str, Any], outputs: ModelOutputs) -> tuple[ToolCall, ...]:
    """The calls in an answer, in the notation of DeepEval or in that of the model."""
    value = json_of(span.get("output"))
    listed = dicts(span.get("toolsCalled") or at(value, "tool_calls") or as_list(value))
    own = [call for call in listed if not _ARGUMENTS.isdisjoint(call) and "function" not in call]
    if own and len(own) == len(listed):
        return tuple(
            [
                requested_call(
                    call.get("name"),
                    first(call, "inputParameters", "args", "arguments"),
                    first(call, "call_id", "id"),
                )
                for call in own
            ]
        )
    return outputs.calls(span.get("output"))


def _execution(span: dict[str, Any], options: ReadOptions) -> ToolCall:
    name, error = span.get("name"), span.get("error")
    return executed_call(
        name.removeprefix(_PREFIX) if isinstance(name, str) else name,
        span.get("input"),
        None,
        result=span.get("output") if error is None else error,
        failed=error is not None or span.get("status") in _FAILED,
        options=options,
    )


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    return [
        tool
        for trace in dicts(_traces_in(document))
        for span in dicts(trace.get(_MODELS))
        for tool in read_definitions(at(span, "metadata", "invocation_params", "tools"))
    ]
