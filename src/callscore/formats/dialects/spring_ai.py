"""Spring AI chat responses, prompts and messages (Jackson JSON)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import at, dicts, first, list_of
from callscore.formats.signs import Signs
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool

ORDER = 580
EXAMPLE = {
    "messageType": "ASSISTANT",
    "metadata": {"messageType": "ASSISTANT"},
    "toolCalls": [
        {
            "id": "call_1",
            "type": "function",
            "name": "get_weather",
            "arguments": '{"city": "Paris"}',
        }
    ],
    "text": "",
}
_TYPES = ("USER", "ASSISTANT", "SYSTEM", "TOOL")
# Every message, response and prompt has one of these.
_MARKS = frozenset(("messageType", "results", "result", "messages", "instructions"))
SIGNS = Signs(
    keys=tuple(_MARKS - {"messages"}),
    item_keys=("messageType",),
    message_keys=("messageType",),
)


def recognizes(document: Any) -> bool:
    """Whether all messages in it say of which type they are, as Spring AI names the types."""
    if isinstance(document, dict) and _MARKS.isdisjoint(document):
        return False
    messages = _messages_in(document, DEFAULT_READ_OPTIONS)
    return messages != [] and all(map(joins_lines, messages))


def _messages_in(document: Any, options: ReadOptions) -> list[Any]:
    """The messages of a prompt or a list; the one that a response has for a candidate."""
    if not isinstance(document, dict):
        return list_of(document)
    if joins_lines(document):
        return [document]
    results = list_of(document.get("results"))
    generation = at(results, options.choose(range(len(results))))
    if generation is None:
        generation = document.get("result")
    if at(generation, "output") is not None:
        return [at(generation, "output")]
    return list_of(first(document, "messages", "instructions"))


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a conversation."""
    return isinstance(line, dict) and line.get("messageType") in _TYPES


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the chosen answer of a response, or all messages of a conversation."""
    transcript = Transcript(options)
    for message in dicts(_messages_in(document, options)):
        calls = dicts(message.get("toolCalls"))
        transcript.role(message.get("messageType"))
        if calls:
            transcript.step()
        for call in calls:
            transcript.call(call.get("name"), call.get("arguments"), call.get("id"))
        for response in dicts(message.get("responses")):
            fields = response.get("responseData"), response.get("id")
            transcript.result(*fields, name=response.get("name"))
    return [transcript.trace()]


def read_tools(document: Any) -> list[Tool]:
    """The tools that the options of a prompt offer."""
    options = first(document, "options", "chatOptions")
    callbacks = dicts(at(options, "toolCallbacks"))
    return read_definitions([callback.get("toolDefinition") for callback in callbacks])
