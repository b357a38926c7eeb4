"""SWE-agent trajectories (`.traj` files, demonstrations).

The model calls tools, or writes a command line in its text. Such a line is a call of `bash`. Every
step repeats the messages before it, and a call of a tool is repeated as a command line: only one of
these is read. The messages of a demonstration in the prompt are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.dialects.openai_chat import EXAMPLE_CALL, take_message
from callscore.formats.shape import at, dicts, json_of, list_of, name_of, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 361
EXAMPLE = {
    "history": [
        {"role": "user", "content": "Fix it.", "agent": "main", "message_type": "observation"},
        {
            "role": "assistant",
            "content": "",
            "agent": "main",
            "tool_calls": [EXAMPLE_CALL],
            "message_type": "action",
        },
    ]
}
_MAX_SAMPLED = 20
_STEP_KEYS = ("thought", "response", "state")
# What old versions wrote in place of an action when they gave up; the model wrote none of these.
_GIVEN_UP = (
    *("exit_api", "exit_context", "exit_cost", "exit_environment_error", "exit_error"),
    *("exit_format", "early_exit"),
)
_COMMAND_TOOL = "bash"
_ENTRY_KEYS = frozenset(("tool_calls", "tool_call_ids"))
SIGNS = Signs(keys=("history", "trajectory", "attempts"), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it has the messages or the steps of a run, or several attempts that have them."""
    if not isinstance(document, dict):
        return False
    return _is_run(document) or any(map(_is_run, dicts(document.get("attempts"))[:_MAX_SAMPLED]))


def _is_run(document: dict[str, Any]) -> bool:
    history, steps = document.get("history"), document.get("trajectory")
    if history == [] and steps == []:
        return "info" in document  # it ended before the first step
    return any(map(_is_entry, dicts(history)[:_MAX_SAMPLED])) or any(
        map(_is_step, dicts(steps)[:_MAX_SAMPLED])
    )


def _is_entry(entry: dict[str, Any]) -> bool:
    """Whether it is a message with the name of the agent that saw or wrote it."""
    return isinstance(entry.get("role"), str) and isinstance(entry.get("agent"), str)


def _is_step(step: dict[str, Any]) -> bool:
    return (
        isinstance(step.get("action"), str)
        and "observation" in step
        and any(key in step for key in _STEP_KEYS)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run; of several attempts the chosen one, or all if none is chosen yet."""
    attempts = dicts(at(document, "attempts"))
    if not isinstance(document, dict) or (attempts and not _is_run(document)):
        return [_read_run(attempt, options, trial) for trial, attempt in enumerate(attempts)]
    return [_read_run(document, options)]


def _read_run(document: dict[str, Any], options: ReadOptions, trial: int | None = None) -> Trace:
    history = [e for e in dicts(document.get("history")) if e.get("is_demo") is not True]
    transcript = Transcript(options)
    if any(entry.get("tool_calls") for entry in history):
        for entry in history:
            _take_entry(entry, transcript)
    else:
        steps = dicts(document.get("trajectory"))
        if steps and not any("action" in step for step in steps):
            options.note_unread("No step of the trajectory has an 'action'.")
        for step in steps or history:
            _take_step(step, transcript)
        for entry in history:
            transcript.unknown_keys(entry, _ENTRY_KEYS)
    asked = [text_in(entry.get("content")) for entry in history if entry.get("role") == "user"]
    problem = at(json_of(document.get("replay_config")), "problem_statement", "id")
    name = name_of(document.get("instance_id")) or name_of(problem)
    return transcript.trace(id=name, trial=trial, input=asked[0] if asked else None)


def _take_entry(entry: dict[str, Any], transcript: Transcript) -> None:
    """Add the calls of a message, or its result, which names the calls that it answers."""
    ids = list_of(entry.get("tool_call_ids"))
    if entry.get("role") != "tool" or not ids:
        take_message(entry, transcript)
    for call_id in ids:
        transcript.result(entry.get("content"), call_id)


def _take_step(step: dict[str, Any], transcript: Transcript) -> None:
    """Add the command of a step or of a message."""
    action = (text_of(step.get("action")) or "").strip()
    if not action or action in _GIVEN_UP:
        return
    transcript.step()
    transcript.call(_COMMAND_TOOL, {"command": action})
    if "observation" in step:
        transcript.result(step["observation"])
