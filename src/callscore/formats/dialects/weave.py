"""W&B Weave calls (exports, API responses, JSON lines).

What Weave calls a call is one run of a function. Those of models have requests in their output, in
the format of the provider; those of tools have a kind, or the name that an integration gives them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.formats.definitions import read_definitions
from callscore.formats.families.langchain_messages import ToolRun, call_of_tool_run
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.spans import parse_time
from callscore.formats.families.tool_executions import executed_call, requested_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 265
EXAMPLE = [
    {
        "id": "c1",
        "op_name": "weave:///acme/agent/op/get_weather:Xy9",
        "trace_id": "t1",
        "started_at": "2026-01-01T09:00:00.000000Z",
        "attributes": {"weave": {"kind": "tool"}},
        "inputs": {"city": "Paris"},
        "output": "18 degrees",
    }
]
_MAX_SAMPLED = 20
_AGENTS_FUNCTION = "openai_agent_function"
_CLAUDE_TOOL = "claude_agent_sdk.tool_use."
_LANGCHAIN_TOOL = "langchain.Tool."
# The beginnings of the names of functions that call models, in the integrations of Weave.
_MODELS = (
    *("openai.", "anthropic.", "litellm.", "mistralai.", "mistral.", "cohere.", "groq."),
    *("google.", "vertexai.", "cerebras.", "huggingface_hub.", "Instructor.", "BedrockRuntime."),
    *("openai_agent_response", "openai_agent_generation", "langchain.Llm.", "langchain.Chat"),
)
_NON_ARGUMENTS = ("self",)
SIGNS = Signs(keys=("op_name", "calls", "data"), item_keys=("op_name",))


class _Call(Struct, frozen=True, gc=False):
    """A record, the name of its function, and whether it is a tool's or a model's."""

    record: dict[str, Any]
    name: str
    is_tool: bool
    is_model: bool


def recognizes(document: Any) -> bool:
    """Whether it is, or has, a list of calls of functions."""
    records = _records_in(document)[:_MAX_SAMPLED]
    return bool(records) and all(map(joins_lines, records))


def _records_in(document: Any) -> list[Any]:
    if isinstance(document, dict):
        held = first(document, "calls", "data")
        return held if isinstance(held, list) else [document]
    return list_of(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is one call of a function."""
    return (
        isinstance(at(line, "op_name"), str)
        and isinstance(line.get("inputs"), dict)
        and ("started_at" in line or "trace_id" in line)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace."""
    groups: dict[str | None, list[_Call]] = {}
    for record in _in_order(dicts(_records_in(document))):
        call = _call_of(record)
        groups.setdefault(text_of(record.get("trace_id")), []).append(call)
    outputs = ModelOutputs(options)
    runs = [
        ObservedRun(_steps_of(calls, outputs, options), calls[0].record.get("inputs"))
        for calls in groups.values()
    ]
    return traces_of(runs or [ObservedRun([])], options)


def _in_order(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records, once each, in the order in which they began, if each has a start."""
    unique = list({text_of(each.get("id")) or id(each): each for each in records}.values())
    starts: list[Any] = [parse_time(each.get("started_at")) for each in unique]
    if None in starts:
        return unique
    return [unique[place] for place in sorted(range(len(unique)), key=starts.__getitem__)]


def _call_of(record: dict[str, Any]) -> _Call:
    name = _op_of(record)
    attributes = record.get("attributes")
    kind = at(attributes, "weave", "kind") or at(attributes, "kind")
    shown = text_of(record.get("display_name")) or ""
    is_tool = (
        kind == "tool"
        or name == _AGENTS_FUNCTION
        or name.startswith((_CLAUDE_TOOL, _LANGCHAIN_TOOL))
        or shown.startswith(_LANGCHAIN_TOOL)
    )
    is_model = kind == "llm" or name.startswith(_MODELS) or shown.startswith(_MODELS)
    return _Call(record, name, is_tool, is_model and not is_tool)


def _op_of(record: dict[str, Any]) -> str:
    """The name of a function, without the address around it."""
    name = text_of(record.get("op_name")) or ""
    _, _, op = name.rpartition("/op/")
    return op.rpartition(":")[0] or op if name.startswith("weave:") else name


def _steps_of(
    calls: list[_Call], outputs: ModelOutputs, options: ReadOptions
) -> list[ObservedStep]:
    """The steps of a run; if no function is known to be a model, any can be."""
    has_models = any(call.is_model for call in calls)
    steps: list[ObservedStep] = []
    for call in calls:
        id_, parent = text_of(call.record.get("id")), text_of(call.record.get("parent_id"))
        if call.is_tool:
            asked, done = _tool_steps(call, options)
            if asked is not None:
                steps.append(ObservedStep(parent=parent, requests=(asked,)))
            steps.append(ObservedStep(id=id_, parent=parent, execution=done))
            continue
        requests = None
        if call.is_model or not has_models:
            requests = outputs.calls(call.record.get("output")) or (() if call.is_model else None)
        answers = partial(outputs.answers, call.record.get("inputs"))
        turn = partial(count_turns, call.record.get("inputs"))
        steps.append(
            ObservedStep(id=id_, parent=parent, requests=requests, answers=answers, turn=turn)
        )
    return steps


def _tool_steps(call: _Call, options: ReadOptions) -> tuple[ToolCall | None, ToolCall]:
    """What was requested, if the record of a tool says that, and what was executed."""
    record, inputs, output = call.record, call.record.get("inputs"), call.record.get("output")
    exception = text_of(record.get("exception"))
    has_failed = exception is not None or at(record, "summary", "weave", "status") == "error"
    if call.name.startswith(_CLAUDE_TOOL):
        block = _claude_block(call)
        name, value, id_ = block.get("name"), block.get("input"), block.get("id")
        failed = has_failed or at(output, "is_error") is True
        result = first(output, "content") if exception is None else exception
        done = executed_call(name, value, id_, result=result, failed=failed, options=options)
        return requested_call(name, value, id_) if "input" in block else None, done
    if call.name == _AGENTS_FUNCTION:
        error = at(output, "error") or exception
        done = executed_call(
            first(inputs, "name") or record.get("display_name"),
            first(inputs, "input"),
            None,
            result=first(output, "output") if error is None else error,
            failed=has_failed or error is not None,
            options=options,
        )
        return None, done
    result = output if exception is None else exception
    run = ToolRun(_tool_name(call), _arguments_in(inputs), None, result, has_failed)
    return None, call_of_tool_run(run, options)


def _claude_block(call: _Call) -> dict[str, Any]:
    """The request of a tool: its record has the whole message, which can have several."""
    record = call.record
    content = dicts(at(record, "inputs", "message", "content"))
    blocks = [block for block in content if block.get("type") == "tool_use"]
    id_ = at(record, "output", "tool_use_id")
    name = call.name.removeprefix(_CLAUDE_TOOL)
    own = [block for block in blocks if block.get("id") == id_]
    return next(
        iter(own or [block for block in blocks if block.get("name") == name]), {"name": name}
    )


def _tool_name(call: _Call) -> str:
    shown = text_of(call.record.get("display_name")) or ""
    is_shown = shown.startswith(_LANGCHAIN_TOOL)
    return (shown if is_shown else call.name).removeprefix(_LANGCHAIN_TOOL)


def _arguments_in(inputs: Any) -> Any:
    """The inputs of a function, without the object that it is a method of."""
    if not isinstance(inputs, dict):
        return inputs
    return {key: value for key, value in inputs.items() if key not in _NON_ARGUMENTS}


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    calls = [_call_of(record) for record in _in_order(dicts(_records_in(document)))]
    offered = [first(call.record.get("inputs"), "tools", "functions") for call in calls]
    return [tool for each in offered for tool in read_definitions(each)]
