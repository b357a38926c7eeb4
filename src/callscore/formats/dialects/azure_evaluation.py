"""Azure AI Evaluation (rows for evaluators, conversations).

In a row, the calls of the response count. The column of tool calls is read if the response has none, and
the query, which repeats earlier turns, is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, at, dicts, first, json_of, name_of, text_in, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 426
_EXAMPLE_CALL = {
    "type": "tool_call",
    "tool_call_id": "call_1",
    "name": "get_weather",
    "arguments": {"city": "Paris"},
}
EXAMPLE = {
    "query": "How warm is it in Paris?",
    "response": [
        {"role": "assistant", "content": [_EXAMPLE_CALL]},
        {
            "role": "tool",
            "tool_call_id": "call_1",
            "content": [{"type": "tool_result", "tool_result": "18C"}],
        },
    ],
    "tool_definitions": [],
}
_CALLS = ("tool_call", "function_call", "openapi_call")
_RESULTS = ("tool_result", "function_call_output", "openapi_call_output")
_DEFINITIONS = "tool_definitions"
# What the provider runs; the converter of agents gives these calls the type of the tool for a name.
_HOSTED = frozenset(
    (
        *("azure_ai_search", "bing_custom_search", "bing_grounding", "code_interpreter"),
        *("fabric_dataagent", "file_search", "sharepoint_grounding"),
    )
)
SIGNS = Signs(
    keys=(_DEFINITIONS, "tool_calls", "response", "conversation"),
    item_keys=("content",),
    message_keys=("content",),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is a row with a query, or messages with calls or results among their parts."""
    if isinstance(document, list):
        return _are_messages(document)
    if not isinstance(document, dict):
        return False
    if _is_row(document):
        return True
    return _are_messages(document.get("messages")) or _are_messages(
        at(document, "conversation", "messages")
    )


def _is_row(document: dict[str, Any]) -> bool:
    if "query" not in document or "expected" in document:
        return False
    if _are_messages(json_of(document.get("response"))):
        return True
    return _DEFINITIONS in document and ("response" in document or "tool_calls" in document)


def _are_messages(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(message, dict) and "role" in message for message in value)
        and any(_is_part(part) for message in value for part in dicts(message.get("content")))
    )


def _is_part(part: dict[str, Any]) -> bool:
    """Whether it is a call or a result, and not that of another format."""
    kind = part.get("type")
    if kind in _RESULTS:
        return kind in part
    if kind not in _CALLS:
        return False
    return isinstance(part.get(kind), dict) or (
        "tool_call_id" in part and "name" in part and "arguments" in part
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the response of a row, or all messages of a conversation."""
    transcript = Transcript(options)
    for message in _messages_in(document):
        _take_message(message, transcript)
    if not len(transcript):
        for call in dicts(as_list(json_of(at(document, "tool_calls")))):
            transcript.open_step()
            _take_call({"type": "tool_call", **call}, transcript)
    task = name_of(at(document, "id"))
    return [transcript.trace(id=task, input=_question_in(document))]


def _messages_in(document: Any) -> list[dict[str, Any]]:
    if isinstance(document, dict):
        messages = first(document, "messages") or at(document, "conversation", "messages")
        document = json_of(document.get("response")) if "response" in document else messages
    return dicts(document)


def _question_in(document: Any) -> str | None:
    query = json_of(at(document, "query"))
    if isinstance(query, str):
        return query
    messages = dicts(query) or _messages_in(document)
    asked = [message for message in messages if message.get("role") == "user"]
    return text_in(asked[-1 if query else 0].get("content")) if asked else None


def _take_message(message: dict[str, Any], transcript: Transcript) -> None:
    """Add the calls or the result of a message; each call has a message of its own in some rows."""
    transcript.role(message.get("role"))
    if message.get("role") == "user":
        transcript.close_step()
    for part in dicts(message.get("content")):
        kind = part.get("type")
        if kind in _CALLS:
            transcript.open_step()
            _take_call(part, transcript)
        elif kind in _RESULTS:
            transcript.close_step()
            id_ = first(message, "tool_call_id") or part.get("tool_call_id")
            transcript.result(part.get(kind), id_, failed=part.get("is_error"))
        else:
            transcript.unknown(kind, part)


def _take_call(part: dict[str, Any], transcript: Transcript) -> None:
    nested = part.get(text_of(part.get("type")) or "")
    call = nested if isinstance(nested, dict) else part
    function = call.get("function")
    if isinstance(function, dict):
        name, arguments = function.get("name"), function.get("arguments")
    else:
        kind = call.get("type")
        details = call.get(kind) if isinstance(kind, str) else None
        name = first(call, "name") or (kind if isinstance(details, dict) else None)
        arguments = first(call, "arguments") if "arguments" in call else details
    id_ = first(call, "tool_call_id", "id", "call_id") or part.get("tool_call_id")
    hosted = "hosted" if text_of(name) in _HOSTED else None
    transcript.call(name, arguments, id_, kind=hosted)


def read_tools(document: Any) -> list[Tool]:
    """The tools that the agent had."""
    given = json_of(first(document, _DEFINITIONS, "tools"))
    entries: list[Any] = []
    for entry in as_list(given):
        functions = at(entry, "functions")  # of an API
        entries += functions if isinstance(functions, list) else [entry]
    return read_definitions(entries)
