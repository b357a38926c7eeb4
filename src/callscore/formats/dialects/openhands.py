"""OpenHands trajectories, before version 1 (exported events, evaluation and resolver output).

Every action of the agent that a tool call caused has the call beside it, in the answer of the
model. That answer is repeated in all its actions and results, so only the call of the action is
read. Old versions have only actions: their names and fields are then those of the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, at, dicts, first, integer_of, name_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 365
EXAMPLE = [
    {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "I look."}},
    {"id": 2, "source": "agent", "cause": 1, "observation": "run", "content": "a.py", "extras": {}},
]
_MAX_SAMPLED = 20
_SOURCES = ("agent", "user", "environment")
_CONTAINERS = ("trajectory", "history", "events", "data")
_CALLS = (
    *("run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive"),
    *("call_tool_mcp", "delegate", "think", "finish", "reject", "task_tracking"),
)
# All other actions; nothing is added to this version of the format any more.
_NO_CALLS = (
    *("change_agent_state", "condensation", "condensation_request", "loop_recovery", "message"),
    *("null", "pause", "recall", "resume", "start", "stop", "system"),
)
_MCP = "call_tool_mcp"
# What the program adds to the fields of an action.
_BOOKKEEPING = frozenset(
    (
        *("action", "action_risk", "agent_state", "blocking", "cause", "confirmation_state", "cwd"),
        *("hidden", "id", "impl_source", "is_confirmed", "is_input", "is_static", "keep_prompt"),
        *("kernel_init_code", "llm_metrics", "message", "security_risk", "source", "thought"),
        *("timeout", "timestamp", "tool_call_metadata", "translated_ipython_code"),
        "include_extra",
    )
)
# Observations that answer no call.
_NOTES = ("agent_state_changed", "recall", "condense", "null", "user_message", "loop_detection")
_FAILURES = ("error", "user_rejected")
_UNKNOWN_CODE = -1  # the command still runs
SIGNS = Signs(
    keys=(*_CONTAINERS, "action", "observation", "instance_id"),
    item_keys=("action", "observation"),
)


def recognizes(document: Any) -> bool:
    """Whether it is an event, a list of events, or has such a list."""
    if isinstance(document, dict) and (_is_event(document) or _is_empty_output(document)):
        return True
    events = _events_in(document)[:_MAX_SAMPLED]
    is_nested = isinstance(document, dict) and "action" not in document
    return any(_is_event(event) or (is_nested and _is_old_event(event)) for event in events)


def _is_empty_output(document: dict[str, Any]) -> bool:
    """Whether it is the line of an evaluation or of the resolver for a run without any event."""
    return document.get("history") in ([], None) and (
        {"instance_id", "instruction", "test_result"} <= document.keys()
        or {"issue", "git_patch", "history"} <= document.keys()
    )


def _is_event(value: Any) -> bool:
    """Whether it is an action or an observation, with its source."""
    return (
        isinstance(value, dict)
        and value.get("source") in _SOURCES
        and (
            (isinstance(value.get("action"), str) and isinstance(value.get("args"), dict))
            or (isinstance(value.get("observation"), str) and "content" in value)
        )
    )


def _is_old_event(value: dict[str, Any]) -> bool:
    """Whether it is an action of the versions whose events had no source."""
    action = value.get("action")
    return action in (*_CALLS, *_NO_CALLS) and not ("role" in value or "observation" in value)


def _events_in(document: Any) -> list[dict[str, Any]]:
    """The events of a document; the oldest histories have pairs of an action and its result."""
    if not isinstance(document, dict):
        return dicts(document)
    lists = [document[key] for key in _CONTAINERS if isinstance(document.get(key), list)]
    flat: list[Any] = []
    for item in lists[0] if lists else [document]:
        flat += as_list(item)
    return dicts(flat)


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a run."""
    return _is_event(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all events."""
    run = _Run(options)
    events = _events_in(document)
    for event in events:
        run.take(event)
    name = name_of(at(document, "instance_id"))
    return [run.transcript.trace(id=name, input=_question_in(events))]


def _question_in(events: list[dict[str, Any]]) -> str | None:
    asked = [
        text_of(first(event.get("args"), "content") or event.get("content"))
        for event in events
        if event.get("action") == "message" and event.get("source", "user") == "user"
    ]
    return asked[0] if asked else None


class _Run:
    """A run, as far as its events have been read."""

    def __init__(self, options: ReadOptions) -> None:
        self.transcript = Transcript(options, once=True)
        self._made: set[str] = set()  # ids of the events that are calls
        self._answer: Any = None

    def take(self, event: dict[str, Any]) -> None:
        if event.get("action") == "message":
            self.transcript.role(event.get("source", "user"))
        if isinstance(event.get("observation"), str):
            self._take_result(event)
        elif event.get("source") != "user" and _is_call(event):
            self._take_call(event)

    def _take_call(self, event: dict[str, Any]) -> None:
        answer = at(event, "tool_call_metadata", "model_response", "id")
        if answer is None or answer != self._answer:
            self.transcript.step()
        self._answer = answer
        name, arguments, call_id = _call_of(event)
        kind = "mcp" if event.get("action") == _MCP else None
        self.transcript.call(name, arguments, call_id, kind=kind)
        if (event_id := name_of(event.get("id"))) is not None:
            self._made.add(event_id)

    def _take_result(self, event: dict[str, Any]) -> None:
        call_id = at(event, "tool_call_metadata", "tool_call_id")
        cause = name_of(event.get("cause"))
        if call_id is None and (
            event["observation"] in _NOTES or (cause is not None and cause not in self._made)
        ):
            return
        self.transcript.result(event.get("content"), call_id, failed=_failed(event))


def _is_call(event: dict[str, Any]) -> bool:
    action = event.get("action")
    return isinstance(action, str) and action not in _NO_CALLS


def _call_of(event: dict[str, Any]) -> tuple[Any, Any, Any]:
    """The name, the arguments and the id of the call that caused an action."""
    fields = event["args"] if isinstance(event.get("args"), dict) else event
    own = {key: value for key, value in fields.items() if key not in _BOOKKEEPING}
    if own.get("outputs") == {}:
        del own["outputs"]  # of every end of a run
    recorded = event.get("tool_call_metadata")
    if not isinstance(recorded, dict):
        is_mcp = event.get("action") == _MCP
        name = own.get("name") if is_mcp else event.get("action")
        return name, own.get("arguments") if is_mcp else own, None
    call_id = recorded.get("tool_call_id")
    for choice in dicts(at(recorded, "model_response", "choices")):
        for call in dicts(at(choice, "message", "tool_calls")):
            if call.get("id") == call_id:
                return recorded.get("function_name"), at(call, "function", "arguments"), call_id
    return recorded.get("function_name"), own, call_id


def _failed(event: dict[str, Any]) -> bool | None:
    """Whether an observation is that of a failed call; None if it does not say."""
    if event["observation"] in _FAILURES:
        return True
    if isinstance(event.get("success"), bool):
        return not event["success"]
    places = (at(event, "extras", "metadata"), event.get("extras"), event)
    codes = [integer_of(at(place, "exit_code")) for place in places]
    known = [code for code in codes if code not in (None, _UNKNOWN_CODE)]
    return known[0] != 0 if known else None


def read_tools(document: Any) -> list[Tool]:
    """The tools that the agent had, which newer versions list in their first event."""
    events = [event for event in _events_in(document) if event.get("action") == "system"]
    return [tool for event in events for tool in read_definitions(at(event, "args", "tools"))]
