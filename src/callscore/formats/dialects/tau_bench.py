"""tau-bench results and tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.dialects.openai_chat import take_message
from callscore.formats.shape import as_list, at, dicts, json_of, name_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

ORDER = 400
_EXAMPLE_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "cancel_order", "arguments": '{"order_id": "#W1"}'},
}
EXAMPLE = {
    "task_id": 0,
    "trial": 0,
    "reward": 1.0,
    "info": {
        "task": {
            "user_id": "mia_li_3668",
            "instruction": "You want to cancel your order.",
            "actions": [{"name": "cancel_order", "kwargs": {"order_id": "#W1"}}],
        }
    },
    "traj": [
        {"role": "user", "content": "Please cancel my order #W1."},
        {"role": "assistant", "content": None, "tool_calls": [_EXAMPLE_CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Error: order not found"},
    ],
}
_ACTION = "Action:"
_OUTPUT = "API output: "
_ANSWER = "respond"  # a message to the user, not a tool
SIGNS = Signs(keys=("traj", "actions"))


def recognizes(document: Any) -> bool:
    """Whether it is a result or a task, or a list of either."""
    if isinstance(document, list):
        return bool(document) and (all(map(_is_result, document)) or all(map(_is_task, document)))
    return isinstance(document, dict) and (_is_result(document) or _is_task(document))


def _is_result(item: Any) -> bool:
    return (
        isinstance(at(item, "traj"), list)
        and isinstance(item.get("task_id"), int | str)
        and ("info" in item or "reward" in item)
    )


def _is_task(item: Any) -> bool:
    """Whether it is a task: an instruction for the user, and the correct actions."""
    actions = at(item, "actions")
    return (
        isinstance(actions, list)
        and isinstance(at(item, "instruction"), str)
        and all(isinstance(at(action, "kwargs"), dict) for action in actions)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One trace for each result or task. A list of tasks has no ids: tasks go by their places."""
    return [
        _read_item(item, options, str(position) if isinstance(document, list) else None)
        for position, item in enumerate(as_list(document))
        if isinstance(item, dict)
    ]


def _read_item(item: dict[str, Any], options: ReadOptions, place: str | None) -> Trace:
    name = name_of(item.get("task_id"))
    if "traj" not in item:
        expected = _actions_in(item, options)
        return Trace(expected=expected, id=name or place, input=item.get("instruction"))
    transcript = Transcript(options)
    for message in dicts(item["traj"]):
        _take_message(message, transcript)
    trial = item.get("trial")
    task = at(item, "info", "task")
    return transcript.trace(
        expected=_actions_in(task, options),
        id=name,
        trial=trial if isinstance(trial, int | str) else None,
        input=text_of(at(task, "instruction")),
    )


def _take_message(message: dict[str, Any], transcript: Transcript) -> None:
    """Add a message; agents without function calling write actions, and get output, as text.

    The benchmark itself takes an action that cannot be parsed for an answer.
    """
    content = message.get("content")
    text = content if isinstance(content, str) and not message.get("tool_calls") else ""
    is_output = message.get("role") == "user" and text.startswith(_OUTPUT)
    if not is_output:
        transcript.role(message.get("role"))
    if message.get("role") == "assistant" and _ACTION in text:
        action = json_of(text.rpartition(_ACTION)[2].strip())
        if isinstance(at(action, "name"), str) and action["name"] != _ANSWER:
            transcript.step()
            transcript.call(action["name"], action.get("arguments"))
    elif is_output:
        transcript.result(text.removeprefix(_OUTPUT))
    else:
        take_message(message, transcript)


def _actions_in(task: Any, options: ReadOptions) -> tuple[ToolCall, ...] | None:
    """The calls that a task expects; None if the run ended before they were recorded."""
    if not isinstance(at(task, "actions"), list):
        return None
    transcript = Transcript(options)
    for action in dicts(task["actions"]):
        if action.get("name") != _ANSWER:
            transcript.call(action.get("name"), action.get("kwargs"))
    return transcript.calls()
