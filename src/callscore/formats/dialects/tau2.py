"""tau2-bench: simulations, tasks, and results files with both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED
from callscore.formats.shape import at, dicts, first, list_of, text_of
from callscore.formats.trace import Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.formats.trace import Wanted

__all__ = ["EXAMPLE", "ORDER", "read", "recognises"]

ORDER = 410
EXAMPLE = {
    "id": "s1",
    "task_id": "1",
    "trial": 0,
    "messages": [
        {"role": "user", "content": "How is Paris?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "name": "get_weather",
                    "arguments": {"city": "Paris"},
                    "requestor": "assistant",
                }
            ],
        },
        {"role": "tool", "id": "c1", "content": "18", "requestor": "assistant", "error": False},
    ],
}
_Calls = tuple["ToolCall", ...]


def recognises(document: Any) -> bool:
    """Whether it is a results file, a simulation, a task, a conversation, or a list of these."""
    if isinstance(document, list):
        return bool(document) and (
            all(map(_is_task, document))
            or all(map(_is_simulation, document))
            or _is_conversation(document)
        )
    return (
        isinstance(at(document, "simulations"), list) and isinstance(document.get("tasks"), list)
    ) or (_is_simulation(document) or _is_task(document))


def _is_task(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    criteria = item.get("evaluation_criteria")
    return (criteria is not None and isinstance(at(criteria, "actions"), list)) or (
        isinstance(item.get("user_scenario"), dict) and isinstance(item.get("id"), str)
    )


def _is_simulation(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    if isinstance(item.get("task_id"), str) and isinstance(item.get("termination_reason"), str):
        return True
    return _is_conversation(item.get("messages"))


def _is_conversation(messages: Any) -> bool:
    return isinstance(messages, list) and any(map(_names_requestor, messages))


def _names_requestor(message: Any) -> bool:
    """Whether a call or a result says who has asked for it."""
    if not isinstance(message, dict) or not ("requestor" in message or "tool_calls" in message):
        return False
    if message.get("role") == "tool":
        return "requestor" in message
    return at(message, "tool_calls", 0, "requestor") is not None


def read(document: Any, wanted: Wanted) -> list[Trace]:
    """One trace for each simulation, with what its task expects, and for each task not run."""
    if isinstance(document, dict) and isinstance(document.get("simulations"), list):
        return _read_results(document, wanted)
    if isinstance(document, list) and _is_conversation(document):
        return [_read_simulation({"messages": document}, wanted)]
    return [
        _read_task(item, wanted) if _is_task(item) else _read_simulation(item, wanted)
        for item in dicts(document if isinstance(document, list) else [document])
    ]


def _read_results(document: dict[str, Any], wanted: Wanted) -> list[Trace]:
    tasks = {text_of(task.get("id")): task for task in dicts(document.get("tasks"))}
    runs = dicts(document["simulations"])
    played = [text_of(run.get("task_id")) for run in runs]
    return [
        *(
            _read_simulation(run, wanted, tasks.get(id_))
            for run, id_ in zip(runs, played, strict=True)
        ),
        *(_read_task(task, wanted) for id_, task in tasks.items() if id_ not in played),
    ]


def _read_task(task: dict[str, Any], wanted: Wanted) -> Trace:
    return Trace(
        expected=_actions_of(task, wanted), id=text_of(task.get("id")), input=_instructions(task)
    )


def _instructions(task: Any) -> Any:
    return at(task, "user_scenario", "instructions")


def _actions_of(task: Any, wanted: Wanted) -> _Calls | None:
    """The actions that a task expects, of the agent and of the user; None where it has none."""
    actions = at(task, "evaluation_criteria", "actions")
    return None if actions is None else _calls_of(actions, wanted)


def _calls_of(actions: Any, wanted: Wanted) -> _Calls:
    transcript = Transcript(wanted)
    for action in dicts(actions):
        _take_call(action, transcript)
    return transcript.calls()


def _take_call(call: dict[str, Any], transcript: Transcript) -> None:
    caller = "user" if call.get("requestor") == "user" else None
    id_ = first(call, "id", "action_id")
    # An action that is to be compared in no argument accepts any.
    error = NOT_CAPTURED if call.get("compare_args") == [] else None
    transcript.call(call.get("name"), call.get("arguments"), id_, caller=caller, error=error)


def _read_simulation(
    run: dict[str, Any], wanted: Wanted, task: dict[str, Any] | None = None
) -> Trace:
    transcript = Transcript(wanted)
    for message in _messages_of(run):
        _take_message(message, transcript)
    trial = run.get("trial")
    return transcript.trace(
        expected=_actions_of(task, wanted) if task else _checked_actions(run, wanted),
        id=text_of(run.get("task_id")),
        trial=trial if isinstance(trial, int) else None,
        input=_instructions(task),
    )


def _checked_actions(run: dict[str, Any], wanted: Wanted) -> _Calls | None:
    """The actions that a run was checked against, where it stands there without its task."""
    checks = dicts(at(run, "reward_info", "action_checks"))
    return _calls_of([check.get("action") for check in checks], wanted) if checks else None


def _messages_of(run: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a run, or what was said and called in each tick of a spoken one."""
    if isinstance(run.get("messages"), list):
        return dicts(run["messages"])
    messages: list[dict[str, Any]] = []
    for tick in dicts(run.get("ticks")):
        for side in ("agent", "user"):
            messages.append({"tool_calls": tick.get(f"{side}_tool_calls")})
            messages += dicts(tick.get(f"{side}_tool_results"))
    return messages


def _take_message(message: dict[str, Any], transcript: Transcript) -> None:
    if message.get("role") == "tool":
        for result in dicts(message.get("tool_messages")) or [message]:
            error = result.get("error")
            failed = error if isinstance(error, bool) else None
            transcript.result(result.get("content"), result.get("id"), failed=failed)
        return
    calls = list_of(message.get("tool_calls"))
    if calls:
        transcript.step()
    for call in dicts(calls):
        _take_call(call, transcript)
