"""The items of OpenAI's Responses API, in all documents that contain them.

A run is a list of items: calls of the model, results of tools, messages. A result has the `call_id`
of its call; the `id` of an item does not help to match them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from callscore.core.call import TRUNCATED, Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.families.hosted_items import (
    HOSTED_RESULTS,
    is_hosted_item,
    is_hosted_search,
    take_hosted_item,
    take_hosted_result,
)
from callscore.formats.shape import dicts, first, list_of, text_in

if TYPE_CHECKING:
    from callscore.formats.transcript import Transcript

_RESULTS = ("function_call_output", "custom_tool_call_output", "function_call_result")
_LISTINGS = ("mcp_list_tools", "additional_tools", "tool_search_output")
_OTHER_ITEMS = {*HOSTED_RESULTS, "mcp_approval_response"}.difference(_LISTINGS)
# A request for approval is no call: if it is approved, the call follows.
_APPROVAL = "mcp_approval_request"
# What the Agents SDK writes to the model if a tool raised; nothing else shows it.
_SDK_ERROR = "^An error occurred while running the tool"
_PARTS = ("input_text", "output_text", "input_image", "input_file", "refusal")
_ROLES = ("user", "assistant", "system", "developer")


def is_item(value: Any) -> bool:
    """Whether a value is an item, and not of another format with the same types."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        return False
    if kind == "function_call":
        # The function calls of Gemini's interactions have an object for arguments and an `id`.
        return isinstance(value.get("call_id"), str) or isinstance(value.get("arguments"), str)
    if kind in _RESULTS or kind in ("custom_tool_call", "program_output"):
        return isinstance(first(value, "call_id", "callId"), str)
    return is_hosted_item(value) or kind in _OTHER_ITEMS or _is_marked(value)


def _is_marked(item: dict[str, Any]) -> bool:
    """Whether an item of an ambiguous type has the fields that only this format has."""
    kind = item.get("type")
    if kind in ("mcp_call", _APPROVAL, "mcp_list_tools"):
        return "server_label" in item
    if kind == "reasoning":
        return isinstance(item.get("summary"), list)
    if kind in _LISTINGS:
        return isinstance(item.get("tools"), list)
    return kind == "message" and any(
        part.get("type") in _PARTS for part in dicts(item.get("content"))
    )


def is_item_list(value: Any) -> bool:
    """Whether a value is a list of items and messages, with at least one definite item."""
    return (
        isinstance(value, list)
        and any(map(is_item, value))
        and all(
            isinstance(item, dict)
            and (isinstance(item.get("type"), str) or item.get("role") in _ROLES)
            for item in value
        )
    )


@lru_cache(maxsize=8)
def with_sdk_errors(failure: re.Pattern[str]) -> re.Pattern[str]:
    """A failure pattern that also matches the Agents SDK's text for a tool that raised."""
    with warnings.catch_warnings(action="ignore"):  # the user chose the pattern
        return re.compile(f"{failure.pattern}|{_SDK_ERROR}", failure.flags)


def take_items(items: Any, transcript: Transcript) -> None:
    """Add the calls and the results of a run of items.

    The calls up to the next result, or to the next message that is not the model's, belong together.
    """
    for item in map(_unwrapped, dicts(items)):
        take = _taker_for(item)
        kind = item.get("type")
        if take is not None:
            transcript.open_step()
            take(item, transcript)
        elif kind in _RESULTS:
            transcript.close_step()
            output = item.get("output")
            # Agents SDK for JavaScript: {"type": "text", "text": ...}
            if isinstance(output, dict) and output.get("type") == "text":
                output = output.get("text")
            transcript.result(output, first(item, "call_id", "callId"))
        elif kind in HOSTED_RESULTS:
            transcript.close_step()
            take_hosted_result(item, transcript)
        elif item.get("role") in ("user", "system", "developer"):
            transcript.role(item["role"])
            transcript.close_step()
        elif item.get("role") == "assistant":
            transcript.speaker(is_user=False)
        else:
            transcript.unknown(kind, item)
    transcript.close_step()


def _taker_for(item: dict[str, Any]) -> Callable[[dict[str, Any], Transcript], None] | None:
    """The function that adds the call that an item is; None if it is not one."""
    kind = item.get("type")
    if not isinstance(kind, str):
        return None
    if kind in _CALLS:
        return _CALLS[kind]
    # xAI names the tools in items of further types, and has their arguments as text.
    is_named = kind.endswith("_call") and isinstance(item.get("name"), str) and "status" in item
    if is_hosted_item(item) or (is_named and isinstance(item.get("arguments"), str)):
        return _take_hosted_call
    return None


def _caller_of(item: dict[str, Any]) -> str | None:
    caller = item.get("caller")
    return "code" if isinstance(caller, dict) and caller.get("type") == "program" else None


def _take_function_call(item: dict[str, Any], transcript: Transcript) -> None:
    arguments = item.get("arguments")
    # Arguments that are present are complete, or do not parse.
    is_cut = item.get("status") == "incomplete" and not arguments
    transcript.call(
        item.get("name"),
        arguments,
        first(item, "call_id", "callId", "id"),
        caller=_caller_of(item),
        error=TRUNCATED if is_cut else None,
    )


def _take_custom_call(item: dict[str, Any], transcript: Transcript) -> None:
    if is_hosted_search(item):
        _take_hosted_call(item, transcript)
        return
    transcript.call(
        item.get("name"),
        {"input": item.get("input")},
        first(item, "call_id", "id"),
        caller=_caller_of(item),
        error=TRUNCATED if item.get("status") == "incomplete" else None,
    )


def _take_mcp_call(item: dict[str, Any], transcript: Transcript) -> None:
    transcript.call(item.get("name"), item.get("arguments"), item.get("id"), kind="mcp")
    output, error = item.get("output"), item.get("error")
    if error is not None or item.get("status") == "failed":
        transcript.result(output if error is None else error, item.get("id"), failed=True)
    elif output is not None:
        transcript.result(output, item.get("id"), failed=False)


def _take_hosted_call(item: dict[str, Any], transcript: Transcript) -> None:
    take_hosted_item(item, transcript, caller=_caller_of(item))


def _unwrapped(item: dict[str, Any]) -> dict[str, Any]:
    """The call that the provider ran, if the Agents SDK for JavaScript wraps it in an item."""
    provided, kind = item.get("providerData"), item.get("name")
    if item.get("type") != "hosted_tool_call" or not isinstance(provided, dict):
        return item
    return {**item, "name": None, **provided, "type": kind}


_CALLS = {
    "function_call": _take_function_call,
    "custom_tool_call": _take_custom_call,
    "mcp_call": _take_mcp_call,
}


def question_in(value: Any) -> str | None:
    """What the user asked first, in a text or in a list of items."""
    if isinstance(value, str):
        return value
    asked = [item.get("content") for item in dicts(value) if item.get("role") == "user"]
    return text_in(asked[0]) if asked else None


def read_item_tools(items: Any) -> list[Tool]:
    """The tools that are listed among items: those of MCP servers, and those added later."""
    tools: list[Tool] = []
    for item in dicts(items):
        if item.get("type") in _LISTINGS:
            tools += read_flat_tools(item.get("tools"))
    return tools


def read_flat_tools(entries: Any) -> list[Tool]:
    """The tools of a list in which some are grouped in namespaces."""
    tools: list[Tool] = []
    for entry in list_of(entries):
        if isinstance(entry, dict) and entry.get("type") == "namespace":
            tools += read_definitions(list_of(entry.get("tools")))
        else:
            tools += read_definitions([entry])
    return tools
