"""ATIF agent trajectories (Harbor; versions 1.0 to 1.8).

Steps that are copied from an earlier trajectory are left out, because that trajectory has them.
The calls of sub-agents follow those of the agent, and are marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import at, dicts, first, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 300
_EXAMPLE_CALL = {
    "tool_call_id": "call_1",
    "function_name": "get_weather",
    "arguments": {"city": "Paris"},
}
EXAMPLE = {
    "schema_version": "ATIF-v1.7",
    "agent": {"name": "weatherman", "version": "1.0"},
    "steps": [{"step_id": 1, "source": "agent", "message": "", "tool_calls": [_EXAMPLE_CALL]}],
}
SIGNS = Signs(keys=("schema_version",), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether its schema version is one of ATIF."""
    version = at(document, "schema_version")
    return isinstance(version, str) and version.startswith("ATIF-")


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run."""
    transcript = Transcript(options)
    _take_trajectory(document, transcript, None)
    name = text_of(first(document, "session_id", "trajectory_id"))
    asked = [step.get("message") for step in _own_steps(document) if step.get("source") == "user"]
    return [transcript.trace(id=name, input=text_in(asked[0]) if asked else None)]


def _take_trajectory(trajectory: Any, transcript: Transcript, caller: str | None) -> None:
    for step in _own_steps(trajectory):
        _take_step(step, transcript, caller)
    for subagent in dicts(at(trajectory, "subagent_trajectories")):
        _take_trajectory(subagent, transcript, "subagent")


def _own_steps(trajectory: Any) -> list[dict[str, Any]]:
    steps = dicts(at(trajectory, "steps"))
    return [step for step in steps if step.get("is_copied_context") is not True]


def _take_step(step: dict[str, Any], transcript: Transcript, caller: str | None) -> None:
    calls = dicts(step.get("tool_calls"))
    if calls:
        transcript.step()
    if at(step, "extra", "is_sidechain") is True:  # as Harbor marks sub-agents of Claude Code
        caller = "subagent"
    if caller is None:
        transcript.role(step.get("source"))
    for call in calls:
        fields = call.get("function_name"), call.get("arguments"), call.get("tool_call_id")
        transcript.call(*fields, caller=caller)
    for result in dicts(at(step, "observation", "results")):
        call_id = result.get("source_call_id")
        if isinstance(call_id, str):  # without one it belongs to no call
            failed = at(result, "extra", "is_error")
            transcript.result(result.get("content"), call_id, failed=failed)


def read_tools(document: Any) -> list[Tool]:
    """The tools that the agent was given."""
    return read_definitions(at(document, "agent", "tool_definitions"))
