"""CrewAI events, crew outputs and tool calls.

The events have the calls that were run, retries included, and those that the crew could not run.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.formats.definitions import read_definitions
from callscore.formats.dialects.openai_chat import take_message
from callscore.formats.families.written_calls import take_written_calls
from callscore.formats.shape import as_list, at, dicts, first
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 570
EXAMPLE = [
    {
        "type": "tool_usage_started",
        "event_id": "event_1",
        "tool_name": "get_weather",
        "tool_args": {"city": "Paris"},
    },
    {
        "type": "tool_usage_finished",
        "started_event_id": "event_1",
        "tool_name": "get_weather",
        "tool_args": {"city": "Paris"},
        "output": "18 degrees",
    },
]
_STARTED = "tool_usage_started"
_FINISHED = "tool_usage_finished"
_ERROR = "tool_usage_error"
_FAILURE = "tool_failure_detected"
_ENDED = (_FINISHED, _ERROR)
_TOOL_EVENTS = (_STARTED, *_ENDED, _FAILURE)
_RUN_EVENTS = ("crew_kickoff_started", "agent_execution_started", "lite_agent_execution_started")
_EVENTS = frozenset((*_TOOL_EVENTS, *_RUN_EVENTS))
_ERROR_TEXT = "^I encountered an error"  # in the text for the agent
_CALLING = {"tool_name", "arguments"}
SIGNS = Signs(keys=("type", "tool_name", "tasks_output"), item_keys=("type", "tool_name"))


def recognizes(document: Any) -> bool:
    """Whether it has events of a crew, is the output of one, or is a tool calling."""
    if isinstance(document, dict):
        return (
            _is_event(document)
            or _is_calling(document)
            or isinstance(document.get("tasks_output"), list)
        )
    items = dicts(document)
    return (items != [] and len(items) == len(document)) and (
        any(map(_is_event, items)) or all(map(_is_calling, items))
    )


def _is_event(item: dict[str, Any]) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and kind in _EVENTS


def _is_calling(item: dict[str, Any]) -> bool:
    return item.keys() == _CALLING and isinstance(item["tool_name"], str)


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a run."""
    return isinstance(line, dict) and (
        _is_event(line) or ("source_fingerprint" in line and "event_id" in line)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls that a crew made."""
    tasks = dicts(at(document, "tasks_output"))
    if tasks:
        return [_read_tasks(tasks, options)]
    transcript = Transcript(options)
    items = dicts(as_list(document))
    if any(map(_is_event, items)):
        _take_events(items, transcript)
        return [transcript.trace(view="executed")]
    for calling in items:
        transcript.call(calling.get("tool_name"), calling.get("arguments"))
    return [transcript.trace()]


def _read_tasks(tasks: list[dict[str, Any]], options: ReadOptions) -> Trace:
    """The calls of all tasks; a model without tool calls writes its actions as text."""
    transcript = Transcript(structs.replace(options, failure=_with_crew_errors(options.failure)))
    for task in tasks:
        for message in dicts(task.get("messages")):
            before = len(transcript)
            take_message(message, transcript)
            if message.get("role") == "assistant" and len(transcript) == before:
                take_written_calls(message.get("content"), transcript)
    return transcript.trace()


@lru_cache(maxsize=8)
def _with_crew_errors(failure: re.Pattern[str]) -> re.Pattern[str]:
    """A failure pattern that also matches the text for the agent if a tool raised."""
    with warnings.catch_warnings(action="ignore"):  # the user chose the pattern
        return re.compile(f"{failure.pattern}|{_ERROR_TEXT}", failure.flags)


def _take_events(events: list[dict[str, Any]], transcript: Transcript) -> None:
    """Add the calls that were started; if no starts are recorded, those that ended."""
    usages = [event for event in events if event.get("type") in _TOOL_EVENTS]
    for event in events:
        transcript.unknown(event.get("type"))
    is_call = [_STARTED] if any(event["type"] == _STARTED for event in usages) else [*_ENDED]
    failures: list[tuple[Any, Any]] = []
    previous = None
    for event in usages:
        kind, traced = event["type"], event.get("event_data")  # of a traced crew
        usage = traced if isinstance(traced, dict) and "tool_name" in traced else event
        tool = (usage.get("tool_name"), usage.get("tool_args"))
        if kind == _FAILURE and tool in failures:  # of a call that is known to have failed
            failures = [other for other in failures if other != tool]
            continue
        if kind in is_call or kind == _FAILURE:
            if kind != _STARTED or previous != _STARTED:  # calls started together belong together
                transcript.step()
            transcript.call(*tool, usage.get("event_id") if kind == _STARTED else None)
        if kind != _STARTED:
            value, failed = _outcome(kind, usage)
            transcript.result(value, usage.get("started_event_id"), name=tool[0], failed=failed)
            failures += [tool] if failed else []
        previous = kind


def _outcome(kind: str, usage: dict[str, Any]) -> tuple[Any, bool | None]:
    """The result of a call, and whether it failed; None if older versions do not say."""
    failure = usage.get("failure")
    if kind == _FINISHED:
        return usage.get("output"), failure is not None if "failure" in usage else None
    return usage.get("error") if kind == _ERROR else first(failure, "message"), True


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    started = [event for event in dicts(document) if event.get("type") == "llm_call_started"]
    offered = [first(event.get("event_data", event), "tools") for event in started]
    return [tool for tools in offered for tool in read_definitions(tools)]
