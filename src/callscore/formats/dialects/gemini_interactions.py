"""Gemini Interactions: interactions, their steps, and the events of their streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import at, dicts, first, integer_of, text_of
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import Trace, Wanted

__all__ = ["EXAMPLE", "ORDER", "joins_lines", "read", "read_tools", "recognises"]

ORDER = 640
EXAMPLE = {
    "id": "int_1",
    "object": "interaction",
    "status": "requires_action",
    "steps": [
        {
            "type": "function_call",
            "id": "f1",
            "name": "get_weather",
            "arguments": {"city": "Paris"},
        }
    ],
}
_CALLS = {"function_call": None, "mcp_server_tool_call": "mcp"}  # with the kind of the tool
_RESULTS = ("function_result", "mcp_server_tool_result")
_OWN = ("user_input", "model_output", "mcp_server_tool_call", *_RESULTS)  # unique to this format
_SERVER_TOOLS = (
    "code_execution",
    "file_search",
    "google_maps",
    "google_search",
    "processing",
    "retrieval",
    "url_context",
)
_STEPS = (
    *_OWN,
    "function_call",
    "thought",
    *(f"{tool}_{end}" for tool in _SERVER_TOOLS for end in ("call", "result")),
)
_CONTENTS = ("text", "image", "audio", "document", "video")
_EVENTS = ("interaction.", "step.", "content.")
_STARTS = ("step.start", "content.start")
_DELTAS = ("step.delta", "content.delta")


def recognises(document: Any) -> bool:
    """Whether it is an interaction, a request for one, a list of steps, or a list of events."""
    if isinstance(document, list):
        return _are_steps(document) or (bool(document) and all(map(_is_event, document)))
    return isinstance(document, dict) and (
        document.get("object") == "interaction"
        or _is_event(document)
        or (isinstance(document.get("status"), str) and _has_steps(document))
        or (isinstance(document.get("model"), str) and _are_steps(document.get("input")))
    )


def _has_steps(document: dict[str, Any]) -> bool:
    return _are_steps(document.get("steps")) or _are_outputs(document.get("outputs"))


def _are_steps(value: Any) -> bool:
    """Whether they are all steps, and not those items of other stacks that have the same names."""
    return (
        isinstance(value, list)
        and all(map(_may_be_step, value))
        and any(step["type"] in _OWN or _is_call_with_object(step) for step in value)
    )


def _may_be_step(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in _STEPS


def _are_outputs(value: Any) -> bool:
    """Whether they are what an interaction had before it had steps."""
    kinds = (*_STEPS, *_CONTENTS)
    return (
        isinstance(value, list)
        and all(isinstance(item, dict) and item.get("type") in kinds for item in value)
        and any(map(_is_call_with_object, value))
    )


def _is_call_with_object(step: dict[str, Any]) -> bool:
    return (
        step.get("type") in _CALLS
        and isinstance(step.get("arguments"), dict)
        and "call_id" not in step
    )


def _is_event(item: Any) -> bool:
    kind = item.get("event_type") if isinstance(item, dict) else None
    return isinstance(kind, str) and kind.startswith(_EVENTS)


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a stream."""
    return _is_event(line)


def read(document: Any, wanted: Wanted) -> list[Trace]:
    """One run: the steps of an interaction, or those that a stream has sent piece by piece."""
    transcript = Transcript(wanted)
    steps = _steps_in(document)
    goes_on = False  # whether the model has seen nothing new since its last call
    for step in dicts(steps):
        kind = step.get("type")
        if kind in ("function_call", "mcp_server_tool_call"):
            if not goes_on:
                transcript.step()
                goes_on = True
            fields = step.get("name"), step.get("arguments"), step.get("id")
            transcript.call(*fields, kind=_CALLS[kind])
        elif kind in _RESULTS:
            is_error = step.get("is_error")
            failed = is_error if isinstance(is_error, bool) else None
            transcript.result(step.get("result"), step.get("call_id"), failed=failed)
            goes_on = False
        elif kind == "user_input":
            goes_on = False
    return [transcript.trace()]


def _steps_in(document: Any) -> Any:
    if _is_event(document) or (isinstance(document, list) and any(map(_is_event, document))):
        events = dicts(document if isinstance(document, list) else [document])
        return _streamed_steps(events) or _final_steps(events)
    return document if isinstance(document, list) else first(document, "steps", "outputs", "input")


def _streamed_steps(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps whose pieces the events of a stream are."""
    steps: dict[int, dict[str, Any]] = {}
    texts: dict[int, list[str]] = {}
    for event in events:
        index, kind = integer_of(event.get("index")) or 0, event.get("event_type")
        if kind in _STARTS:
            started = first(event, "step", "content")
            steps[index] = dict(started) if isinstance(started, dict) else {}
        elif kind in _DELTAS and isinstance(event.get("delta"), dict):
            delta = event["delta"]
            if delta.get("type") == "arguments_delta":
                texts.setdefault(index, []).append(text_of(delta.get("arguments")) or "")
            elif delta.get("type") in (*_CALLS, *_RESULTS):  # the rest of the step, all at once
                steps.setdefault(index, {}).update(delta)
    for index, pieces in texts.items():
        steps.setdefault(index, {})["arguments"] = "".join(pieces)
    return list(steps.values())


def _final_steps(events: list[dict[str, Any]]) -> Any:
    """The steps of the interaction that the last event may carry as a whole."""
    return first(at(events[-1], "interaction"), "steps", "outputs")


def read_tools(document: Any) -> list[Tool]:
    """The functions that were offered; a server of tools is offered by its name alone."""
    tools = at(document, "tools")
    return read_definitions([tool for tool in dicts(tools) if tool.get("type") == "function"])
