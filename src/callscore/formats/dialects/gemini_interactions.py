"""Gemini Interactions API (interactions, steps, streams)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, at, dicts, first, integer_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 640
_EXAMPLE_CALL = {
    "type": "function_call",
    "id": "f1",
    "name": "get_weather",
    "arguments": {"city": "Paris"},
}
EXAMPLE = {
    "id": "int_1",
    "object": "interaction",
    "status": "requires_action",
    "steps": [_EXAMPLE_CALL],
}
_HOSTED_TOOLS = (
    *("code_execution", "file_search", "google_maps", "google_search"),
    *("processing", "retrieval", "url_context"),
)
_CALLS = {  # with the kind of the tool
    "function_call": None,
    "mcp_server_tool_call": "mcp",
    **{f"{tool}_call": "hosted" for tool in _HOSTED_TOOLS},
}
_OWN_RESULTS = ("function_result", "mcp_server_tool_result")
_RESULTS = (*_OWN_RESULTS, *(f"{tool}_result" for tool in _HOSTED_TOOLS))
_OWN = ("user_input", "model_output", "mcp_server_tool_call", *_OWN_RESULTS)  # of no other format
_STEPS = ("user_input", "model_output", "thought", *_CALLS, *_RESULTS)
_CONTENTS = ("text", "image", "audio", "document", "video")
_EVENTS = ("interaction.", "step.", "content.")
_STARTS = ("step.start", "content.start")
_DELTAS = ("step.delta", "content.delta")
SIGNS = Signs(
    keys=("steps", "outputs", "object", "event_type", "input"), item_keys=("type", "event_type")
)


def recognizes(document: Any) -> bool:
    """Whether it is an interaction, a request for one, a list of steps, or a list of events."""
    if isinstance(document, list):
        return _are_steps(document) or (bool(document) and all(map(joins_lines, document)))
    if not isinstance(document, dict):
        return False
    if isinstance(document.get("status"), str) and (
        _are_steps(document.get("steps")) or _are_outputs(document.get("outputs"))
    ):
        return True
    return (
        document.get("object") == "interaction"
        or joins_lines(document)
        or (isinstance(document.get("model"), str) and _are_steps(document.get("input")))
    )


def _are_steps(value: Any) -> bool:
    """Whether all are steps, and not the items of other stacks with the same names."""
    return (
        isinstance(value, list)
        and all(map(_may_be_step, value))
        and any(step["type"] in _OWN or _is_call_with_object(step) for step in value)
    )


def _may_be_step(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in _STEPS


def _are_outputs(value: Any) -> bool:
    """Whether they are the outputs of an interaction before there were steps."""
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


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a stream."""
    kind = line.get("event_type") if isinstance(line, dict) else None
    return isinstance(kind, str) and kind.startswith(_EVENTS)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the steps of an interaction, or those of a stream, put together."""
    transcript = Transcript(options)
    for step in dicts(_steps_in(document)):
        kind = step.get("type")
        if isinstance(kind, str) and kind in _CALLS:
            transcript.open_step()
            name = kind.removesuffix("_call") if _CALLS[kind] == "hosted" else step.get("name")
            transcript.call(name, step.get("arguments"), step.get("id"), kind=_CALLS[kind])
        elif kind in _RESULTS:
            failed = step.get("is_error")
            transcript.result(step.get("result"), step.get("call_id"), failed=failed)
            transcript.close_step()
        elif kind == "user_input":
            transcript.speaker(is_user=True)
            transcript.close_step()
        elif kind == "model_output":
            transcript.speaker(is_user=False)
        else:
            transcript.unknown(kind, step)
    return [transcript.trace()]


def _steps_in(document: Any) -> Any:
    if any(map(joins_lines, as_list(document))):
        events = dicts(as_list(document))
        # The last event may carry the interaction as a whole.
        whole = first(at(events[-1], "interaction"), "steps", "outputs")
        return _streamed_steps(events) or whole
    return document if isinstance(document, list) else first(document, "steps", "outputs", "input")


def _streamed_steps(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps, put together from the events of a stream."""
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


def read_tools(document: Any) -> list[Tool]:
    """The functions that were offered; of servers of tools, only the name is known."""
    tools = at(document, "tools")
    return read_definitions([tool for tool in dicts(tools) if tool.get("type") == "function"])
