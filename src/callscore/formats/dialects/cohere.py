"""Cohere Chat API (versions 1 and 2: responses, requests, streams)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.dialects.openai_chat import take_message
from callscore.formats.shape import as_list, at, dicts, first, integer_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 690
EXAMPLE = {
    "id": "c1",
    "finish_reason": "TOOL_CALL",
    "message": {
        "role": "assistant",
        "tool_plan": "I will look up the weather.",
        "tool_calls": [
            {
                "id": "get_weather_abc",
                "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
            }
        ],
    },
}
_FINISHES = ("COMPLETE", "STOP_SEQUENCE", "MAX_TOKENS", "TOOL_CALL", "ERROR", "TIMEOUT")
_ROLES = ("USER", "CHATBOT", "SYSTEM", "TOOL")  # of version 1
_FIRST_CALL = ("tool_results", 0, "call")
_ANSWERS = ("generation_id", "response_id", "is_search_required")
_EVENTS = (
    *("stream-start", "stream-end"),
    *("search-queries-generation", "search-results"),
    *("text-generation", "citation-generation"),
    *("tool-calls-chunk", "tool-calls-generation"),
)
_EVENTS_2 = (
    *("message-start", "message-end"),
    *("content-start", "content-delta", "content-end"),
    *("tool-plan-delta", "tool-call-start", "tool-call-delta", "tool-call-end"),
    *("citation-start", "citation-end"),
)
_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}
SIGNS = Signs(
    keys=(
        *(*_ANSWERS, "message", "event_type", "delta", "index"),
        *("chat_history", "tool_results"),
    ),
    item_keys=("event_type", "delta", "index", "role", "tool_plan"),
    message_keys=("role", "tool_plan"),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is an answer, a request or a stream, each with what only Cohere writes."""
    if isinstance(document, list):
        return bool(document) and (
            all(map(joins_lines, document)) or _is_history(document) or _are_marked(document)
        )
    return isinstance(document, dict) and (
        _is_answer(document)
        or _is_answer_2(document)
        or joins_lines(document)
        or _is_history(document.get("chat_history"))
        or ("tool_results" in document and isinstance(at(document, *_FIRST_CALL), dict))
        or _are_marked(document.get("messages"))
    )


def _is_answer(document: dict[str, Any]) -> bool:
    """Whether it is an answer of version 1: text and calls side by side."""
    if "text" not in document or not any(key in document for key in _ANSWERS):
        return False
    calls = document.get("tool_calls")
    return not calls or isinstance(at(calls, 0, "name"), str)


def _is_answer_2(document: dict[str, Any]) -> bool:
    message = document.get("message")
    return (
        isinstance(message, dict)
        and message.get("role") == "assistant"
        and "done" not in document
        and (document.get("finish_reason") in _FINISHES or _is_marked(message))
    )


def _is_history(messages: Any) -> bool:
    return isinstance(messages, list) and bool(messages) and all(map(_is_old_message, messages))


def _is_old_message(item: Any) -> bool:
    return isinstance(item, dict) and item.get("role") in _ROLES


def _are_marked(messages: Any) -> bool:
    return isinstance(messages, list) and any(map(_is_marked, messages))


def _is_marked(message: Any) -> bool:
    """Whether a message has the plan of the model, or is a result that is given as documents."""
    if not isinstance(message, dict):
        return False
    if "tool_plan" in message and isinstance(message["tool_plan"], str):
        return True
    return message.get("role") == "tool" and at(message, "content", 0, "type") == "document"


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a stream; other stacks have events of these names, too."""
    if not isinstance(line, dict):
        return False
    if "event_type" in line and line["event_type"] in _EVENTS:
        return True
    kind = line.get("type")
    if not isinstance(kind, str) or kind not in _EVENTS_2:
        return False
    return isinstance(line.get("delta"), dict) or (
        kind.endswith("-end") and integer_of(line.get("index")) is not None
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: an answer after the history before it, or all messages of a conversation."""
    transcript = Transcript(options)
    events = dicts(as_list(document))
    if any(map(joins_lines, events)):
        _take_events(events, transcript)
    elif isinstance(at(document, "message"), dict):
        take_message(document["message"], transcript)
    elif isinstance(document, dict) and "messages" not in document:
        history = dicts(document.get("chat_history"))
        for message in history:
            transcript.role(message.get("role"))
            _take_old_message(message, transcript)
        if document.get("tool_calls") == at(history, -1, "tool_calls"):
            document = {**document, "tool_calls": None}  # the history ends with the answer
        _take_old_message(document, transcript)
    else:
        for message in dicts(at(document, "messages") or document):
            transcript.role(message.get("role"))
            take = _take_old_message if message.get("role") in _ROLES else take_message
            take(message, transcript)
    return [transcript.trace()]


def _take_old_message(message: dict[str, Any], transcript: Transcript) -> None:
    """Add the calls and the results of a message, or of an answer, of version 1."""
    _take_calls(message.get("tool_calls"), transcript)
    _take_results(message.get("tool_results"), transcript)


def _take_calls(calls: Any, transcript: Transcript) -> None:
    if calls:
        transcript.step()
    for call in dicts(calls):
        transcript.call(call.get("name"), call.get("parameters"))
        if call.get("name") is None:
            transcript.unknown(call.get("type"), call, is_call=True)


def _take_results(results: Any, transcript: Transcript) -> None:
    """Add results, and the calls in them if there are no others."""
    has_calls = len(transcript) > 0
    if results and not has_calls:
        transcript.step()
    for result in dicts(results):
        call = result.get("call")
        if not has_calls:
            transcript.call(at(call, "name"), at(call, "parameters"))
        transcript.result(result.get("outputs"), name=at(call, "name"))


def _take_events(events: list[dict[str, Any]], transcript: Transcript) -> None:
    """Add the calls of a stream: whole ones in version 1, pieces in version 2."""
    entries: dict[int, dict[str, Any]] = {}
    texts: dict[int, list[str]] = {}
    for event in events:
        if event.get("event_type") == "tool-calls-generation":
            _take_calls(event.get("tool_calls"), transcript)
        elif event.get("event_type") == "stream-end" and not len(transcript):
            _take_calls(at(event, "response", "tool_calls"), transcript)
        elif event.get("type") in ("tool-call-start", "tool-call-delta"):
            value = at(event, "delta", "message", "tool_calls")
            call = at(value, 0) if isinstance(value, list) else value
            index = integer_of(event.get("index")) or 0
            if event["type"] == "tool-call-start":
                entries[index] = call if isinstance(call, dict) else {}
                texts[index] = []
            text = text_of(at(call, "function", "arguments"))
            texts.setdefault(index, []).append(text or "")
    if entries:
        transcript.step()
    for index, entry in entries.items():
        name = at(entry, "function", "name")
        transcript.call(name, "".join(texts[index]), entry.get("id"))


def read_tools(document: Any) -> list[Tool]:
    """The tools that a request offers."""
    tools = at(document, "tools")
    old = [tool for tool in dicts(tools) if "parameter_definitions" in tool]
    named = [tool for tool in old if isinstance(tool.get("name"), str)]
    return [_read_tool(tool) for tool in named] or read_definitions(tools)


def _read_tool(tool: dict[str, Any]) -> Tool:
    """A definition of version 1 as JSON Schema; it has the names of Python's types."""
    definitions = tool["parameter_definitions"]
    properties: dict[str, Any] = {}
    required = []
    for name, entry in definitions.items() if isinstance(definitions, dict) else ():
        kind = str(first(entry, "type")).lower().partition("[")[0]
        schema = {"type": _TYPES.get(kind), "description": first(entry, "description")}
        properties[name] = {key: value for key, value in schema.items() if value is not None}
        if first(entry, "required") is True:
            required.append(name)
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    return Tool(tool["name"], text_of(tool.get("description")), parameters)
