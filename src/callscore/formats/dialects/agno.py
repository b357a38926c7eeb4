"""Agno and phidata runs (of agents and teams), sessions and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 535
EXAMPLE = {
    "run_id": "r1",
    "agent_id": "weather-agent",
    "tools": [
        {
            "tool_call_id": "call_1",
            "tool_name": "get_weather",
            "tool_args": {"city": "Paris"},
            "tool_call_error": False,
            "result": "18 degrees",
        }
    ],
}
_OWNERS = ("agent_id", "team_id", "workflow_id", "agent_name", "team_name", "session_id")
_CONTENTS = frozenset(("tools", "messages", "content", "events", "member_responses"))
_STARTED = ("ToolCallStarted", "TeamToolCallStarted")
_ENDED = ("ToolCallCompleted", "TeamToolCallCompleted", "ToolCallError", "TeamToolCallError")
_MAX_SAMPLED = 20
SIGNS = Signs(keys=("run_id", "runs"), item_keys=("run_id", "runs"))


def recognizes(document: Any) -> bool:
    """Whether it is a run, a session with runs, or a list of events of a run."""
    if isinstance(document, dict):
        return joins_lines(document) or _is_run(document) or bool(_runs_in(document))
    items = list_of(document)[:_MAX_SAMPLED]
    return bool(items) and (all(map(_is_run, items)) or all(map(joins_lines, items)))


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("run_id"), str):
        return False
    if joins_lines(value) or _CONTENTS.isdisjoint(value):
        return False
    tools = list_of(value.get("tools"))
    is_own = any("tool_name" in tool for tool in dicts(tools)) or not tools
    return is_own and any(isinstance(value.get(key), str) for key in _OWNERS)


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a run."""
    if not isinstance(line, dict) or not isinstance(line.get("run_id"), str):
        return False
    event = line.get("event")
    is_event = isinstance(event, str) and event not in ("RunResponse", "TeamRunResponse")
    has_calls = isinstance(line.get("tools"), list) or isinstance(line.get("messages"), list)
    return is_event and not has_calls and any(key in line for key in _OWNERS)


def _runs_in(document: Any) -> list[dict[str, Any]]:
    """The runs of a session, or of several, or of a list."""
    if isinstance(document, list):
        return [run for item in document for run in ([item] if _is_run(item) else _runs_in(item))]
    if isinstance(document, dict) and _is_run(document):
        return [document]
    runs = dicts(first(document, "runs") or at(document, "memory", "runs"))
    # A session of phidata has the answer of a run beside what the user said.
    inner = [run["response"] if isinstance(run.get("response"), dict) else run for run in runs]
    return inner if inner and all(map(_is_run, inner)) else []


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run of Agno each, with the runs of the members of a team in it."""
    events = dicts(document if isinstance(document, list) else [document])
    if any(map(joins_lines, events)):
        return _read_events(events, options)
    runs = {_id_of(run): run for run in _runs_in(document)}
    traces = []
    for id_, run in runs.items():
        if isinstance(run.get("tools"), dict):
            options.note_unread("'tools' is not a list.")
        if _parent_of(run) in runs:
            continue
        transcript = Transcript(options)
        _take_run(run, transcript, None)
        inner = {_id_of(each): each for each in dicts(run.get("member_responses"))}
        inner.update((key, each) for key, each in runs.items() if _parent_of(each) == id_)
        for member in inner.values():
            _take_run(member, transcript, "subagent")
        traces.append(transcript.trace(input=_question(run)))
    return traces or [Transcript(options).trace()]


def _id_of(run: dict[str, Any]) -> str | int:
    return text_of(run.get("run_id")) or id(run)


def _parent_of(run: dict[str, Any]) -> str | None:
    return text_of(run.get("parent_run_id"))


def _question(run: dict[str, Any]) -> Any:
    asked = run.get("input")
    return first(asked, "input_content") if isinstance(asked, dict) else asked


def _take_run(run: dict[str, Any], transcript: Transcript, caller: str | None) -> None:
    """Add the calls in the messages, and those of the tools that no message has."""
    tools, messages = dicts(run.get("tools")), dicts(run.get("messages"))
    ran = {text_of(tool.get("tool_call_id")): tool for tool in tools}
    known: set[Any] = set()
    for message in messages:
        calls = dicts(message.get("tool_calls")) if _is_answer(message) else []
        known.update(text_of(call.get("id")) for call in calls)
        if message.get("from_history") is True:  # that of an earlier run
            continue
        transcript.role(None if caller else message.get("role"))
        _take_calls(calls, ran, transcript, caller)
    for tool in tools:
        id_ = text_of(tool.get("tool_call_id"))
        if not id_ or id_ not in known:
            transcript.step()
            transcript.call(tool.get("tool_name"), tool.get("tool_args"), id_, caller=caller)
            _take_result(tool, transcript)
    for message in messages:
        if message.get("role") == "tool" and message.get("from_history") is not True:
            _take_result(message, transcript)


def _take_calls(
    calls: list[dict[str, Any]],
    ran: dict[str | None, dict[str, Any]],
    transcript: Transcript,
    caller: str | None,
) -> None:
    """Add the calls of a message, with the results of those that were run."""
    if calls:
        transcript.step()
    for call in calls:
        _take_call(call, transcript, caller)
        _take_result(ran.get(text_of(call.get("id"))), transcript)


def _is_answer(message: dict[str, Any]) -> bool:
    return message.get("role") in ("assistant", "model")


def _take_call(call: dict[str, Any], transcript: Transcript, caller: str | None) -> None:
    function = call["function"] if isinstance(call.get("function"), dict) else call
    name, arguments = function.get("name"), function.get("arguments")
    transcript.call(name, arguments, text_of(call.get("id")), caller=caller)


def _take_result(tool: Any, transcript: Transcript) -> None:
    """Add the result of a tool; one that waits for a confirmation has none yet."""
    result = first(tool, "result", "content")
    if result is not None:
        failed = tool.get("tool_call_error")
        transcript.result(
            result, tool.get("tool_call_id"), name=tool.get("tool_name"), failed=failed
        )


def _read_events(events: list[dict[str, Any]], options: ReadOptions) -> list[Trace]:
    transcript = Transcript(options, once=True)
    outer = first(events[0], "run_id")
    for event in events:
        tool = event.get("tool")
        if not isinstance(tool, dict):
            transcript.close_step()
            continue
        caller = None if event.get("run_id") == outer else "subagent"
        if event.get("event") in _STARTED:
            transcript.open_step()
            name, id_ = tool.get("tool_name"), tool.get("tool_call_id")
            transcript.call(name, tool.get("tool_args"), id_, caller=caller)
        elif event.get("event") in _ENDED:
            _take_result(
                {**tool, "result": first(tool, "result") or event.get("error")}, transcript
            )
            transcript.close_step()
        else:
            transcript.unknown(event.get("event"))
    return [transcript.trace()]
