"""Gemini Live API messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.gemini_content import ContentReader, read_declarations
from callscore.formats.shape import as_list, at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 650
EXAMPLE = {
    "toolCall": {"functionCalls": [{"id": "f1", "name": "get_weather", "args": {"city": "Paris"}}]}
}
_WRAPPERS = ("serverMessage", "server_message", "clientMessage", "client_message")
_WRAPPED = frozenset(_WRAPPERS)
_CALL = ("toolCall", "tool_call")
_CALLS = ("functionCalls", "function_calls")
_CANCELLATION = ("toolCallCancellation", "tool_call_cancellation")
_RESPONSE = ("toolResponse", "tool_response")
_RESPONSES = ("functionResponses", "function_responses")
_CONTENT = ("serverContent", "server_content")
_ANYTHING = (
    *("setupComplete", "setup_complete"),
    *_CONTENT,
    *("sessionResumptionUpdate", "session_resumption_update"),
    *("goAway", "go_away"),
    *("clientContent", "client_content"),
    *("realtimeInput", "realtime_input"),
)
# The keys of messages, and the keys of which the value must have one.
_HELD: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_CALL, _CALLS),
    **dict.fromkeys(_RESPONSE, _RESPONSES),
    **dict.fromkeys(_CANCELLATION, ("ids",)),
    "setup": ("model",),
    **dict.fromkeys(_ANYTHING, ()),
}
_MARKS = frozenset((*_HELD, *_WRAPPERS))
# Alone, a message with one of these may be of another API.
_NOTICES = ("usageMetadata", "usage_metadata", "voiceActivity", "voice_activity")
SIGNS = Signs(keys=tuple(_MARKS))


def recognizes(document: Any) -> bool:
    """Whether it is a message of a session, or a list of messages."""
    if isinstance(document, list):
        return any(map(joins_lines, document)) and all(
            joins_lines(item) or first(_unwrapped(item), *_NOTICES) is not None for item in document
        )
    return joins_lines(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a session."""
    if not isinstance(line, dict) or _MARKS.isdisjoint(line):
        return False
    for key, value in _unwrapped(line).items():
        held = _HELD.get(key)
        if held is not None and isinstance(value, dict):
            return not held or first(value, *held) is not None
    return False


def _unwrapped(item: Any) -> Any:
    """The message itself, without the wrapper in which a log names the sender."""
    if not isinstance(item, dict) or _WRAPPED.isdisjoint(item):
        return item
    inner = first(item, *_WRAPPERS)
    return inner if isinstance(inner, dict) else item


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One session. A call that the server cancels was still made, and has failed."""
    contents = ContentReader(options)
    for item in dicts(as_list(document)):
        contents.begin()
        for key, value in _unwrapped(item).items():
            _take(key, value, contents)
    return [contents.finish().trace()]


def _take(key: str, value: Any, contents: ContentReader) -> None:
    if key in _RESPONSE:
        for response in as_list(first(value, *_RESPONSES)):
            contents.take_response(response)
    elif key in _CANCELLATION:
        for id_ in filter(text_of, list_of(at(value, "ids"))):
            contents.transcript.result(None, id_, failed=True)
    elif key in _HELD:
        for call in list_of(first(value, *_CALLS)):
            contents.take_call(call)
        # Code that was run, or what the user said.
        for content in as_list(first(value, "modelTurn", "model_turn", "turns")):
            contents.take(content)
    else:
        contents.transcript.unknown(key, value)


def read_tools(document: Any) -> list[Tool]:
    """The functions that are declared when the session is set up."""
    offered = [at(_unwrapped(item), "setup", "tools") for item in dicts(as_list(document))]
    return read_declarations(next((tools for tools in offered if tools is not None), None))
