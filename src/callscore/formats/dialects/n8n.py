"""n8n executions, and the answers of its AI agents.

A tool is a node of its own, so a call has the name of the node. If an agent returns its intermediate
steps, these are the calls instead, with the names that the model saw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.call import NOT_CAPTURED
from callscore.formats.shape import at, dicts, first, integer_of, json_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 375
_EXAMPLE_ACTION = {"tool": "get_weather", "toolInput": {"city": "Paris"}, "toolCallId": "call_1"}
EXAMPLE = {
    "output": "It is warm in Paris.",
    "intermediateSteps": [{"action": _EXAMPLE_ACTION, "observation": "18 degrees"}],
}
_STEPS = "intermediateSteps"
_MAX_SAMPLED = 20
_WRAPPER_KEYS = frozenset(("query", "tool", "toolCallId"))
SIGNS = Signs(
    keys=("data", "resultData", "json", _STEPS), item_keys=("data", "resultData", "json", _STEPS)
)


class _Run(Struct, frozen=True, gc=False):
    """One run of a node."""

    node: str
    record: dict[str, Any]


def recognizes(document: Any) -> bool:
    """Whether all are executions with the runs of their nodes, or answers of agents."""
    items = _items_in(document)[:_MAX_SAMPLED]
    return bool(items) and all(
        _runs_of(item) is not None or _steps_in(item) is not None for item in items
    )


def _items_in(document: Any) -> list[Any]:
    if isinstance(document, dict) and isinstance(document.get("data"), list):
        return list_of(document["data"])
    return document if isinstance(document, list) else [document]


def _runs_of(item: Any) -> dict[str, Any] | None:
    """The runs of an execution by the names of the nodes."""
    held = json_of(at(item, "data")) if isinstance(at(item, "data"), str) else at(item, "data")
    for data in (held, item):
        runs = at(data, "resultData", "runData")
        if isinstance(runs, dict):
            return runs
    return None


def _steps_in(item: Any) -> list[dict[str, Any]] | None:
    """The steps of an agent's answer; None if it has none."""
    answer = item["json"] if isinstance(at(item, "json"), dict) else item
    steps = at(answer, _STEPS)
    is_own = isinstance(steps, list) and all(isinstance(at(step, "action"), dict) for step in steps)
    return dicts(steps) if is_own else None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per execution, or per answer of an agent."""
    traces = []
    for item in dicts(_items_in(document)):
        transcript = Transcript(options)
        runs = _runs_of(item)
        if runs is None:
            _take_steps(_steps_in(item) or [], transcript)
        else:
            _take_execution(item, _in_order(runs), transcript)
        traces.append(transcript.trace())
    return traces or [Transcript(options).trace()]


def _in_order(nodes: dict[str, Any]) -> list[_Run]:
    """All runs of all nodes, in the order in which they began."""
    runs = [_Run(str(node), record) for node, held in nodes.items() for record in dicts(held)]
    starts: list[Any] = [
        (integer_of(run.record.get("startTime")), integer_of(run.record.get("executionIndex")) or 0)
        for run in runs
    ]
    if any(start[0] is None for start in starts):
        return runs
    return [runs[place] for place in sorted(range(len(runs)), key=starts.__getitem__)]


def _take_execution(execution: dict[str, Any], runs: list[_Run], transcript: Transcript) -> None:
    """Add the steps of the agents that return them, and the runs of the tools of the others."""
    kinds = _kinds_of_nodes(execution)
    agents = {run.node for run in runs if _steps_of_run(run)}
    tools = {run.node for run in runs if _is_tool(run.record)}
    for run in runs:
        _take_steps(_steps_of_run(run), transcript)
        if not _is_tool(run.record):
            continue
        agent = text_of(at(run.record, "source", 0, "previousNode"))
        is_recorded = agent in agents if agent is not None else bool(agents)
        if not is_recorded:
            caller = "subagent" if agent in tools else None  # an agent can be a tool of another
            _take_tool(run, kinds.get(run.node), caller, transcript)


def _kinds_of_nodes(execution: dict[str, Any]) -> dict[Any, str]:
    """The kind of each node whose tools are those of MCP servers."""
    nodes = dicts(at(execution, "workflowData", "nodes"))
    of_mcp = [node for node in nodes if "mcpClient" in str(node.get("type"))]
    return {text_of(node.get("name")): "mcp" for node in of_mcp}


def _steps_of_run(run: _Run) -> list[dict[str, Any]]:
    outputs = list_of(at(run.record, "data", "main"))
    found = [_steps_in(item) or [] for output in outputs for item in dicts(output)]
    return [step for steps in found for step in steps]


def _is_tool(record: dict[str, Any]) -> bool:
    return isinstance(at(record, "inputOverride", "ai_tool"), list) or isinstance(
        at(record, "data", "ai_tool"), list
    )


def _take_tool(run: _Run, kind: str | None, caller: str | None, transcript: Transcript) -> None:
    """Add the run of a tool; a node for the tools of a server says which of them ran."""
    record = run.record
    given = at(record, "inputOverride", "ai_tool", 0, 0, "json")
    named = text_of(at(given, "tool", "name"))
    transcript.step()
    if given is None:
        transcript.call(run.node, None, kind=kind, caller=caller, error=NOT_CAPTURED)
    else:
        name = run.node if named is None else named
        transcript.call(name, _arguments_in(given), kind=kind, caller=caller)
    error = record.get("error")
    output = at(record, "data", "ai_tool", 0, 0, "json")
    if record.get("executionStatus") == "error" or error is not None:
        transcript.result(first(error, "message", "description") or output, failed=True)
    elif output is not None:
        response = first(output, "response")
        transcript.result(output if response is None else response)


def _arguments_in(given: Any) -> Any:
    """The input of a tool, without what n8n puts around it."""
    if not isinstance(given, dict):
        return given
    if "query" in given and given.keys() <= _WRAPPER_KEYS:
        query = json_of(given["query"])
        return query if isinstance(query, dict) else {"query": given["query"]}
    is_named = isinstance(at(given, "tool", "name"), str)
    return {key: value for key, value in given.items() if not (is_named and key == "tool")}


def _take_steps(steps: list[dict[str, Any]], transcript: Transcript) -> None:
    """Add the steps of an agent; those of one message have the same log of messages."""
    log: Any = None
    for step in steps:
        action = step["action"]
        messages = action.get("messageLog")
        if not messages or messages != log:
            transcript.step()
        log = messages
        value, id_ = action.get("toolInput", action.get("tool_input")), action.get("toolCallId")
        if isinstance(value, str) and not isinstance(json_of(value), dict):
            value = {"input": value}  # the text that a tool with one input got
        transcript.call(action.get("tool"), value, id_)
        if step.get("observation") is not None:
            transcript.result(step["observation"], id_, name=action.get("tool"))
