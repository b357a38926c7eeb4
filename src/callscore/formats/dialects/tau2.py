"""tau2-bench results, simulations and tasks."""

from __future__ import annotations

from typing import Any

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.rules import Matcher
from callscore.formats.shape import as_list, at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

ORDER = 410
_EXAMPLE_CALL = {
    "id": "c1",
    "name": "get_weather",
    "arguments": {"city": "Paris"},
    "requestor": "assistant",
}
EXAMPLE = {
    "id": "s1",
    "task_id": "1",
    "trial": 0,
    "messages": [
        {"role": "user", "content": "How is Paris?"},
        {"role": "assistant", "content": None, "tool_calls": [_EXAMPLE_CALL]},
        {"role": "tool", "id": "c1", "content": "18", "requestor": "assistant", "error": False},
    ],
}
_ACTIONS = ("evaluation_criteria", "actions")
_NO_USER = "dummy_user"  # the implementation of a user that does nothing
_BOTH = ("agent", "user")
_INSTRUCTIONS = ("user_scenario", "instructions")
SIGNS = Signs(
    keys=("simulations", "termination_reason", "user_scenario", "evaluation_criteria"),
    item_keys=(
        *("user_scenario", "evaluation_criteria", "termination_reason", "messages"),
        *("requestor", "tool_calls"),
    ),
    message_keys=("requestor", "tool_calls"),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is a results file, a simulation, a task, a conversation, or a list of these."""
    if isinstance(document, list):
        return bool(document) and (
            all(map(_is_task, document))
            or all(map(_is_simulation, document))
            or _is_conversation(document)
        )
    return isinstance(document, dict) and (
        (isinstance(document.get("simulations"), list) and isinstance(document.get("tasks"), list))
        or _is_simulation(document)
        or _is_task(document)
    )


def _is_task(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    if isinstance(item.get("user_scenario"), dict) and isinstance(item.get("id"), str):
        return True
    criteria = item.get("evaluation_criteria")
    return isinstance(criteria, dict) and isinstance(criteria.get("actions"), list)


def _is_simulation(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    if isinstance(item.get("task_id"), str) and isinstance(item.get("termination_reason"), str):
        return True
    return _is_conversation(item.get("messages"))


def _is_conversation(messages: Any) -> bool:
    return isinstance(messages, list) and any(map(_names_requestor, messages))


def _names_requestor(message: Any) -> bool:
    """Whether a call or a result names its requestor."""
    if not isinstance(message, dict) or not ("requestor" in message or "tool_calls" in message):
        return False
    if message.get("role") == "tool":
        return "requestor" in message
    return at(message, "tool_calls", 0, "requestor") is not None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One trace for each simulation, with what its task expects, and for each task not run."""
    if isinstance(document, dict) and isinstance(document.get("simulations"), list):
        return _read_results(document, options)
    if isinstance(document, list) and _is_conversation(document):
        return [_read_simulation({"messages": document}, options)]
    return [
        _read_task(item, options) if _is_task(item) else _read_simulation(item, options)
        for item in dicts(as_list(document))
    ]


def _is_solo(run: dict[str, Any], info: Any) -> bool:
    """Whether the agent acts alone: no user is simulated, and the agent has the user's tools, too.

    A run that was taken out of its file does not say so: it has calls, and no message of a user.
    """
    user = at(info, "user_info", "implementation")
    if isinstance(user, str):
        return user == _NO_USER
    messages = _messages_of(run)
    return any(list_of(message.get("tool_calls")) for message in messages) and not any(
        message.get("role") == "user" or _is_by_user(message) for message in messages
    )


def _is_by_user(message: dict[str, Any]) -> bool:
    calls = dicts(message.get("tool_calls"))
    return any(item.get("requestor") == "user" for item in (message, *calls))


def _read_results(document: dict[str, Any], options: ReadOptions) -> list[Trace]:
    info = document.get("info")
    tasks = {text_of(task.get("id")): task for task in dicts(document.get("tasks"))}
    runs = dicts(document["simulations"])
    played = [text_of(run.get("task_id")) for run in runs]
    traces = [
        _read_simulation(run, options, tasks.get(name), info)
        for run, name in zip(runs, played, strict=True)
    ]
    return traces + [
        _read_task(task, options) for name, task in tasks.items() if name not in played
    ]


def _read_task(task: dict[str, Any], options: ReadOptions) -> Trace:
    expected = _calls_of(at(task, *_ACTIONS), options)
    return Trace(expected=expected, id=text_of(task.get("id")), input=at(task, *_INSTRUCTIONS))


def _calls_of(
    actions: Any, options: ReadOptions, *, is_solo: bool = False
) -> tuple[ToolCall, ...] | None:
    """The actions that are expected of the agent and of the user; None if there is no list."""
    if actions is None:
        return None
    transcript = Transcript(options)
    for action in dicts(actions):
        # If no argument of an action is compared, any are accepted.
        error = NOT_CAPTURED if action.get("compare_args") == [] else None
        arguments = _compared_arguments(action.get("arguments"), action.get("compare_args"))
        _take_call({**action, "arguments": arguments}, transcript, is_solo=is_solo, error=error)
    return transcript.calls()


def _compared_arguments(arguments: Any, compared: Any) -> Any:
    """The arguments of an action, with rules for those that are not compared or must be absent.

    If nothing says what is compared, all are.
    """
    if not isinstance(arguments, dict) or not isinstance(compared, list) or not compared:
        return arguments
    free = Matcher("$optional", Matcher("$any"))
    kept = {key: value if key in compared else free for key, value in arguments.items()}
    refused = [key for key in compared if isinstance(key, str) and key not in arguments]
    return kept | {key: Matcher("$absent") for key in refused}


def _take_call(
    call: dict[str, Any],
    transcript: Transcript,
    *,
    is_solo: bool = False,
    error: str | None = None,
) -> None:
    caller = "user" if call.get("requestor") == "user" and not is_solo else None
    id_ = first(call, "id", "action_id")
    transcript.call(call.get("name"), call.get("arguments"), id_, caller=caller, error=error)


def _read_simulation(
    run: dict[str, Any],
    options: ReadOptions,
    task: dict[str, Any] | None = None,
    info: Any = None,
) -> Trace:
    transcript = Transcript(options)
    for message in _messages_of(run):
        _take_message(message, transcript)
    trial = run.get("trial")
    # A run without its task has the actions that it was checked against.
    checks = dicts(at(run, "reward_info", "action_checks"))
    checked = [check.get("action") for check in checks] if checks else None
    expected = _calls_of(
        at(task, *_ACTIONS) if task else checked, options, is_solo=_is_solo(run, info)
    )
    # The reward of such a task depends on what the user does, too.
    is_shared = any(call.caller == "user" for call in expected or ())
    return transcript.trace(
        expected=expected,
        callers=_BOTH if is_shared else None,
        id=text_of(run.get("task_id")),
        trial=trial if isinstance(trial, int) else None,
        input=at(task, *_INSTRUCTIONS),
    )


def _messages_of(run: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a run, or the calls and results in each tick of a spoken one."""
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
            failed = result.get("error")
            transcript.result(result.get("content"), result.get("id"), failed=failed)
        return
    calls = list_of(message.get("tool_calls"))
    if not _is_by_user(message):  # the user acts on the answer before it
        transcript.role(message.get("role"))
    if calls:
        transcript.step()
    for call in dicts(calls):
        _take_call(call, transcript)
