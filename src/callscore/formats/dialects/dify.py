"""Dify messages, agent logs, node executions and streams.

The thoughts of an agent have the names of their tools in one text, and the arguments by name. The
agents in workflows write a log, with one entry per call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED
from callscore.formats.shape import at, dicts, first, integer_of, json_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 370
EXAMPLE = {
    "data": [
        {
            "id": "m1",
            "query": "How is the weather in Paris?",
            "agent_thoughts": [
                {
                    "id": "t1",
                    "position": 1,
                    "tool": "get_weather",
                    "tool_input": '{"get_weather": {"city": "Paris"}}',
                    "observation": '{"get_weather": "18 degrees"}',
                }
            ],
        }
    ]
}
_EVENTS = frozenset(
    (
        *("agent_thought", "agent_message", "agent_log", "message", "message_end", "message_file"),
        *("message_replace", "error", "ping", "tts_message", "tts_message_end", "text_chunk"),
        *("workflow_started", "workflow_finished", "node_started", "node_finished", "node_retry"),
        *("iteration_started", "iteration_next", "iteration_completed"),
        *("loop_started", "loop_next", "loop_completed", "text_replace", "workflow_paused"),
    )
)
_CALL_LABEL = "CALL "
_FAILURES = ("tool invoke error", "there is not a tool named", "tool parameters validation error")
_MAX_SAMPLED = 20
SIGNS = Signs(
    keys=("data", "agent_thoughts", "iterations", "event", "execution_metadata"),
    item_keys=("agent_thoughts", "event", "execution_metadata"),
)


def recognizes(document: Any) -> bool:
    """Whether it has messages with thoughts, the log of an agent, or events of a stream."""
    if _iterations_in(document):
        return True
    items = _items_in(document)[:_MAX_SAMPLED]
    if not items:
        return False
    is_listed = all(isinstance(at(item, "agent_thoughts"), list) for item in items)
    is_stream = all(map(joins_lines, items)) and any(at(item, "event") != "ping" for item in items)
    return is_listed or is_stream


def _items_in(document: Any) -> list[Any]:
    if isinstance(document, dict):
        held = document.get("data")
        return held if isinstance(held, list) else [document]
    return list_of(document)


def _iterations_in(document: Any) -> list[dict[str, Any]]:
    """The iterations of the log of an agent."""
    found = dicts(at(document, "iterations"))
    return found if all(isinstance(each.get("tool_calls"), list) for each in found) else []


def _is_execution(item: Any) -> bool:
    """Whether it is the execution of a node in a workflow."""
    return isinstance(at(item, "node_type"), str) and ("node_id" in item or "title" in item)


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a stream, or the execution of one node."""
    event = at(line, "event")
    is_event = isinstance(event, str) and event in _EVENTS
    return (
        is_event and (event == "ping" or isinstance(line.get("task_id"), str))
    ) or _is_execution(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per message, or per workflow."""
    iterations = _iterations_in(document)
    if iterations:
        return [_read_iterations(iterations, options)]
    items = dicts(_items_in(document))
    if any("agent_thoughts" in item for item in items):
        return [_read_message(item, options) for item in items]
    return _read_events(items, options)


def _read_iterations(iterations: list[dict[str, Any]], options: ReadOptions) -> Trace:
    transcript = Transcript(options)
    for iteration in iterations:
        transcript.step()
        for call in dicts(iteration.get("tool_calls")):
            name = call.get("tool_name")
            transcript.call(name, call.get("tool_input"))
            error = call.get("error")
            failed = bool(error) or call.get("status") == "error"
            result = error or call.get("tool_output")
            if result is not None:
                transcript.result(result, name=name, failed=failed or None)
    return transcript.trace()


def _read_message(message: dict[str, Any], options: ReadOptions) -> Trace:
    transcript = Transcript(options)
    for thought in _in_order(dicts(message.get("agent_thoughts"))):
        _take_thought(thought, transcript)
    return transcript.trace(input=message.get("query"))


def _in_order(thoughts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    places: list[Any] = [integer_of(thought.get("position")) for thought in thoughts]
    if None in places:
        return thoughts
    return [thoughts[at_] for at_ in sorted(range(len(thoughts)), key=places.__getitem__)]


def _take_thought(thought: dict[str, Any], transcript: Transcript) -> None:
    """Add the calls of a thought.

    Of several calls of the same tool, only the arguments and the result of the last are there.
    """
    names = [name for name in (text_of(thought.get("tool")) or "").split(";") if name]
    if not names:
        return
    transcript.step()
    given, seen = json_of(thought.get("tool_input")), json_of(thought.get("observation"))
    for place, name in enumerate(names):
        if name in names[place + 1 :]:
            transcript.call(name, None, error=NOT_CAPTURED)
            transcript.result(None, name=name)  # so that it does not get that of the last one
            continue
        arguments = _of_tool(given, name, names)
        transcript.call(name, arguments)
        result = _of_tool(seen, name, names)
        if result not in (None, ""):
            transcript.result(result, name=name, failed=True if _is_failure(result) else None)


def _of_tool(value: Any, name: str, names: list[str]) -> Any:
    """What belongs to one of the tools: under its name, or all of it if there is no other."""
    if isinstance(value, dict) and name in value:
        return value[name]
    return value if len(names) == 1 else None


def _is_failure(result: Any) -> bool:
    return isinstance(result, str) and result.lower().startswith(_FAILURES)


def _read_events(items: list[dict[str, Any]], options: ReadOptions) -> list[Trace]:
    """The runs of a stream: each thought and each entry of a log counts as it was sent last."""
    runs: dict[str | None, dict[Any, dict[str, Any]]] = {}
    for item in items:
        run = text_of(first(item, "message_id", "workflow_run_id", "task_id"))
        if item.get("event") == "ping":
            continue
        parts = runs.setdefault(run, {})
        if item.get("event") == "agent_thought":
            parts["thought", text_of(item.get("id"))] = item
        for entry in _log_entries(item):
            id_ = text_of(first(entry, "message_id", "id"))
            parts["entry", id_] = entry
    return [_read_parts(parts, options) for parts in runs.values()] or [Transcript(options).trace()]


def _log_entries(item: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of the log of an agent, in an event or in the execution of a node."""
    held = item["data"] if isinstance(item.get("data"), dict) else item
    if item.get("event") == "agent_log":
        return [held]
    entries = dicts(at(held, "execution_metadata", "agent_log")) or dicts(
        at(held, "outputs", "json")
    )
    return [entry for entry in entries if isinstance(entry.get("label"), str)]


def _read_parts(parts: dict[Any, dict[str, Any]], options: ReadOptions) -> Trace:
    transcript = Transcript(options)
    around: Any = None
    for (kind, _), part in parts.items():
        if kind == "thought":
            _take_thought(part, transcript)
        elif str(part.get("label")).startswith(_CALL_LABEL):
            if part.get("parent_id") is None or part.get("parent_id") != around:
                transcript.step()
            around = part.get("parent_id")
            _take_entry(part, transcript)
    return transcript.trace()


def _take_entry(entry: dict[str, Any], transcript: Transcript) -> None:
    """Add the call that an entry of a log records; strategies of agents differ in the names."""
    output = at(entry, "data", "output")
    name = first(output, "tool_call_name", "tool_name") or entry["label"].removeprefix(_CALL_LABEL)
    value = first(output, "tool_call_input", "tool_call_args", "tool_input")
    id_ = first(output, "tool_call_id")
    transcript.call(name, value, id_, error=NOT_CAPTURED if value is None else None)
    error = entry.get("error")
    result = error or first(output, "tool_response", "output")
    if result is not None:
        failed = bool(error) or entry.get("status") == "error" or _is_failure(result)
        transcript.result(result, id_, name=name, failed=failed or None)
