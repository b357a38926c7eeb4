"""Calls of built-in tools among the items of the Responses API, of OpenAI and xAI.

Such a tool has no definition of the user. Its item has a type instead of a name, and its arguments
are in fields that differ from tool to tool. Servers that name the tool also have its arguments as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import TRUNCATED
from callscore.formats.shape import at, dicts, first, json_of

if TYPE_CHECKING:
    from callscore.formats.transcript import Transcript

# The fields with the arguments of each tool, and the field that is the whole argument object.
_ARGUMENT_FIELDS = {
    "code_interpreter_call": ("code",),
    "computer_call": ("actions",),
    "file_search_call": ("queries",),
    "image_generation_call": ("prompt", "revised_prompt"),
    "program": ("code",),
}
_ARGUMENT_OBJECTS = {
    "apply_patch_call": "operation",
    "computer_call": "action",
    "local_shell_call": "action",
    "shell_call": "action",
    "web_search_call": "action",
}
# Types whose items always have arguments under that name.
_PLAIN_TYPES = (
    *("attachment_search_call", "code_execution_call", "collections_search_call"),
    *("multi_agent_call", "tool_search_call", "view_image_call", "view_x_video_call"),
    "x_search_call",
)
_TYPES = frozenset((*_ARGUMENT_FIELDS, *_ARGUMENT_OBJECTS, *_PLAIN_TYPES))
# Gemini's interactions have steps of the same types.
_AMBIGUOUS = {"file_search_call": ("queries", "status"), "code_execution_call": ("status",)}
_SEARCHES = ("x_keyword_search", "x_semantic_search", "x_user_search", "x_thread_fetch")
_SEARCH_ID = "xs_"
HOSTED_RESULTS = (
    *("apply_patch_call_output", "computer_call_output", "computer_call_result"),
    *("local_shell_call_output", "multi_agent_call_output", "program_output"),
    *("shell_call_output", "tool_search_output"),
)


def is_hosted_item(item: dict[str, Any]) -> bool:
    """Whether an item is the call of a built-in tool."""
    kind = item.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return False
    if kind == "program":
        return isinstance(item.get("call_id"), str)
    marks = _AMBIGUOUS.get(kind)
    return marks is None or any(mark in item for mark in marks)


def is_hosted_search(item: dict[str, Any]) -> bool:
    """Whether the call of a custom tool is one of xAI's searches, which have JSON for input."""
    name, id_ = item.get("name"), item.get("call_id")
    is_search = isinstance(id_, str) and id_.startswith(_SEARCH_ID)
    return (is_search or name in _SEARCHES) and isinstance(json_of(item.get("input")), dict)


def take_hosted_item(
    item: dict[str, Any], transcript: Transcript, *, caller: str | None = None
) -> None:
    """Add the call of a built-in tool, and its result if the item has it."""
    kind = str(item.get("type"))
    arguments = _arguments_of(kind, item)
    id_ = item.get("call_id") or item.get("callId") or item.get("id")
    has_any = any(arguments.values()) if isinstance(arguments, dict) else bool(arguments)
    is_cut = item.get("status") == "incomplete" and not has_any
    transcript.call(
        _name_of(kind, item),
        arguments,
        id_,
        kind="hosted",
        caller=caller,
        error=TRUNCATED if is_cut else None,
    )
    if not isinstance(id_, str):
        return
    error, has_failed = item.get("error"), item.get("status") == "failed"
    result = first(item, "results", "outputs", "result", "output")
    if result is None and kind == "web_search_call":
        result = at(item, "action", "sources")
    if error is not None or has_failed:
        transcript.result(result if error is None else error, id_, failed=True)
    elif result is not None:
        transcript.result(result, id_, failed=False)


def _name_of(kind: str, item: dict[str, Any]) -> Any:
    name = item.get("action" if kind == "multi_agent_call" else "name")
    return name if isinstance(name, str) else kind.removesuffix("_call")


def _arguments_of(kind: str, item: dict[str, Any]) -> Any:
    given = first(item, "arguments", "input", _ARGUMENT_OBJECTS.get(kind, "arguments"))
    if kind == "web_search_call" and isinstance(given, dict):
        # The sources are what was found, and an SDK writes the fields of other actions as null.
        return {
            key: value for key, value in given.items() if key != "sources" and value is not None
        }
    if given is not None:
        return given
    fields = _ARGUMENT_FIELDS.get(kind, ())
    return {field: item[field] for field in fields if item.get(field) is not None}


def take_hosted_result(item: dict[str, Any], transcript: Transcript) -> None:
    """Add the result of a built-in tool that another item has."""
    kind, id_ = item.get("type"), first(item, "call_id", "callId")
    if kind == "tool_search_output":
        # A search of the server has no id.
        name = None if id_ else "tool_search"
        transcript.result(item.get("tools"), id_, name=name, failed=False)
        return
    if kind == "local_shell_call_output":
        id_ = first(item, "call_id", "callId", "id")
    output = first(item, "output", "result")
    transcript.result(output, id_, failed=_has_failed(item, output))


def _has_failed(item: dict[str, Any], output: Any) -> bool | None:
    """Whether an output says that the tool failed; None if it does not say."""
    if item.get("type") == "apply_patch_call_output":
        return item.get("status") == "failed"
    outcomes = [
        entry["outcome"] for entry in dicts(output) if isinstance(entry.get("outcome"), dict)
    ]
    if not outcomes:
        return None
    return any(
        outcome.get("type") == "timeout" or bool(first(outcome, "exit_code", "exitCode"))
        for outcome in outcomes
    )
