"""OpenHands conversations, from version 1 on (events of the agent SDK and its server).

An event of an action has the tool call of the model, and its validated form, which repeats the
arguments. The agent may be another program that reports its calls: these have a kind, but not the
name of a tool, and are written again whenever their state changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import at, dicts, first, integer_of, name_of, text_in
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 367
EXAMPLE = [
    {
        "kind": "ActionEvent",
        "id": "fa7668e4",
        "source": "agent",
        "tool_name": "terminal",
        "tool_call_id": "call_1",
        "tool_call": {"id": "call_1", "name": "terminal", "arguments": '{"command": "ls"}'},
        "llm_response_id": "chatcmpl-1",
    }
]
_MAX_SAMPLED = 20
_SOURCES = ("agent", "user", "environment", "hook")
_CONTAINERS = ("events", "items", "history", "trajectory", "data")
_OTHER_KINDS = ("UserRejectObservation", "Condensation", "CondensationRequest")
_REPORTED = "ACPToolCallEvent"
_FAILURES = {"AgentErrorEvent": "error", "UserRejectObservation": "rejection_reason"}
_UNKNOWN_CODE = -1  # the command still runs
SIGNS = Signs(keys=(*_CONTAINERS, "kind"), item_keys=("kind",))


def recognizes(document: Any) -> bool:
    """Whether it is an event, a list of events, or has such a list."""
    return any(map(_is_event, _events_in(document)[:_MAX_SAMPLED]))


def _is_event(value: Any) -> bool:
    kind = value.get("kind") if isinstance(value, dict) else None
    return (
        isinstance(kind, str)
        and (kind.endswith("Event") or kind in _OTHER_KINDS)
        and value.get("source") in _SOURCES
    )


def _events_in(document: Any) -> list[dict[str, Any]]:
    if isinstance(document, dict):
        lists = [document[key] for key in _CONTAINERS if isinstance(document.get(key), list)]
        return dicts(lists[0]) if lists else [document]
    return dicts(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a conversation."""
    return _is_event(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all events."""
    events = _events_in(document)
    transcript = Transcript(options, once=True)
    reported = _reported_calls(events)
    answer = None
    for event in events:
        kind = event.get("kind")
        if kind == "MessageEvent":
            transcript.role(event.get("source"))
        if kind == "ActionEvent":
            if answer is None or event.get("llm_response_id") != answer:
                transcript.step()
            answer = event.get("llm_response_id")
            _take_action(event, transcript)
        elif kind == _REPORTED:
            call_id = name_of(event.get("tool_call_id"))
            _take_reported(reported.pop(call_id, None), transcript)
        else:
            _take_result(event, transcript)
    asked = [at(e, "llm_message", "content") for e in events if e.get("source") == "user"]
    name = name_of(at(document, "instance_id"))
    return [transcript.trace(id=name, input=text_in(asked[0]) if asked else None)]


def _take_action(event: dict[str, Any], transcript: Transcript) -> None:
    call, action = event.get("tool_call"), event.get("action")
    function = at(call, "function")  # the first versions kept the call in the form of the API
    if isinstance(call, dict):
        arguments = first(function if isinstance(function, dict) else call, "arguments")
    else:
        fields = action.items() if isinstance(action, dict) else ()
        arguments = {key: value for key, value in fields if key != "kind"}
    is_mcp = at(action, "kind") == "MCPToolAction"
    transcript.call(
        first(event, "tool_name") or first(call, "name") or at(function, "name"),
        arguments,
        event.get("tool_call_id") or at(call, "id"),
        kind="mcp" if is_mcp else None,
    )


def _take_result(event: dict[str, Any], transcript: Transcript) -> None:
    kind, call_id = event.get("kind"), event.get("tool_call_id")
    if call_id is None or not isinstance(kind, str):
        transcript.unknown(kind, event)
        return
    if kind in _FAILURES:
        transcript.result(event.get(_FAILURES[kind]), call_id, failed=True)
    elif kind == "ObservationEvent":
        observation = event.get("observation")
        content = first(observation, "content", "output")
        transcript.result(content, call_id, failed=_failed(observation))
    else:
        transcript.unknown(kind, event)


def _failed(observation: Any) -> bool | None:
    flag = at(observation, "is_error")
    code = integer_of(at(observation, "exit_code"))
    if flag is True or code not in (None, 0, _UNKNOWN_CODE):
        return True
    return False if flag is False or code == 0 else None


def _reported_calls(events: list[dict[str, Any]]) -> dict[str | None, dict[str, Any]]:
    """The calls of another program, by id, each with the last value of every field."""
    calls: dict[str | None, dict[str, Any]] = {}
    for event in events:
        if event.get("kind") == _REPORTED:
            known = {key: value for key, value in event.items() if value is not None}
            calls.setdefault(name_of(event.get("tool_call_id")), {}).update(known)
    return calls


def _take_reported(call: dict[str, Any] | None, transcript: Transcript) -> None:
    if call is None:
        return
    call_id = call.get("tool_call_id")
    transcript.step()
    transcript.call(first(call, "tool_kind", "title"), call.get("raw_input"), call_id)
    if call.get("status") in ("completed", "failed"):
        failed = call.get("is_error") is True or call["status"] == "failed"
        transcript.result(first(call, "raw_output", "content"), call_id, failed=failed)


def read_tools(document: Any) -> list[Tool]:
    """The tools with a schema that the first event lists; newer versions list no schemas."""
    events = [e for e in _events_in(document) if e.get("kind") == "SystemPromptEvent"]
    listed = [tool for event in events for tool in dicts(event.get("tools"))]
    return read_definitions([tool for tool in listed if "function" in tool or "parameters" in tool])
