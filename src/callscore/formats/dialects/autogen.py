"""AutoGen results, events, messages and saved states.

Summaries of tool calls, and the result that ends a stream, repeat earlier messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import at, dicts, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 550
EXAMPLE = [
    {
        "type": "ToolCallRequestEvent",
        "source": "assistant",
        "content": [{"id": "call_1", "name": "get_weather", "arguments": '{"city": "Paris"}'}],
    },
    {
        "type": "ToolCallExecutionEvent",
        "source": "assistant",
        "content": [
            {"call_id": "call_1", "name": "get_weather", "content": "18", "is_error": False}
        ],
    },
]
_REQUEST = "ToolCallRequestEvent"
_REQUESTS = (_REQUEST, "AssistantMessage")
_RESULTS = ("ToolCallExecutionEvent", "FunctionExecutionResultMessage")
_OTHERS = (
    *("TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage"),
    *("SystemMessage", "UserMessage", "ToolCallSummaryMessage"),
    *("CodeGenerationEvent", "CodeExecutionEvent", "UserInputRequestedEvent"),
    *("MemoryQueryEvent", "ModelClientStreamingChunkEvent", "ThoughtEvent"),
    *("SelectSpeakerEvent", "SelectorEvent"),
)
_TYPES = frozenset((*_REQUESTS, *_RESULTS, *_OTHERS))
# Every result, message, state of a team and wrapper of messages has one of these.
_STATE_MARKS = ("cached", "type", "agent_states", "agent_state", "llm_context")
_MESSAGE_MARKS = ("messages", "message_thread", "inner_messages", "chat_message")
_MARKS = frozenset((*_STATE_MARKS, *_MESSAGE_MARKS))
# Where the messages are: in a result, in the thread of a team, in the state of an agent, and in
# that of an agent of a team.
_PLACES = (
    ("messages",),
    ("message_thread",),
    ("llm_context", "messages"),
    ("agent_state", "llm_context", "messages"),
)
SIGNS = Signs(keys=tuple(_MARKS - {"messages"}), item_keys=("type",), message_keys=("type",))


def recognizes(document: Any) -> bool:
    """Whether it is made of AutoGen's messages, by the names of their types, or is a state."""
    if isinstance(document, dict):
        if _MARKS.isdisjoint(document):
            return False
        if _is_result(document):
            return True
    messages = _messages_in(document)
    # Users can add types of their own to the known ones.
    return any(map(_is_message, messages)) and all(
        "messages" in item or (isinstance(item.get("type"), str) and "content" in item)
        for item in messages
    )


def _is_message(item: dict[str, Any]) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and kind in _TYPES and "content" in item


def _is_result(document: dict[str, Any]) -> bool:
    """Whether it is the answer of a model client: the calls, without a type."""
    return (
        "cached" in document
        and "finish_reason" in document
        and "usage" in document
        and isinstance(document.get("content"), str | list)
    )


def joins_lines(line: Any) -> bool:
    """Whether a line is one message, or one event, of a run."""
    return isinstance(line, dict) and _is_message(line)


def _messages_in(document: Any) -> list[dict[str, Any]]:
    """The messages in a list, a result, a response, or the state of an agent or a team."""
    if not isinstance(document, dict):
        return dicts(document)
    if "type" in document and "content" in document:
        return [document]
    states = document.get("agent_states")
    if isinstance(states, dict):
        return _messages_of_team(list(states.values()))
    return _messages_of_one(document)


def _messages_of_one(document: Any) -> list[dict[str, Any]]:
    for path in _PLACES:
        found = dicts(at(document, *path))
        if found:
            return found
    return [*dicts(at(document, "inner_messages")), *dicts([at(document, "chat_message")])]


def _messages_of_team(states: list[Any]) -> list[dict[str, Any]]:
    """The thread of the manager, if it has the calls; otherwise the messages of each agent."""
    for state in states:
        thread = dicts(at(state, "message_thread"))
        if any(message.get("type") == _REQUEST for message in thread):
            return thread
    return [message for state in states for message in _messages_of_one(state)]


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages."""
    transcript = Transcript(options)
    if isinstance(document, dict) and _is_result(document):
        _take_calls(document, transcript)
        return [transcript.trace()]
    messages = _messages_in(document)
    heard: list[Any] = []
    for message in messages:
        # Each agent of a team has what the user said.
        if "agent_states" not in document or message not in heard:
            _note_speaker(message, transcript)
            heard.append(message)
        if message.get("type") in _REQUESTS:
            _take_calls(message, transcript)
        elif message.get("type") in _RESULTS:
            for result in dicts(message.get("content")):
                fields = result.get("content"), result.get("call_id")
                transcript.result(*fields, failed=result.get("is_error"))
        elif message.get("type") not in _OTHERS:
            transcript.unknown(message.get("type"), message)
    asked = [message.get("content") for message in messages if message.get("source") == "user"]
    return [transcript.trace(input=text_of(asked[0]) if asked else None)]


def _note_speaker(message: dict[str, Any], transcript: Transcript) -> None:
    """Note who wrote a message: to an agent, the other agents are users, too, but by other names."""
    if message.get("source") == "user":
        transcript.speaker(is_user=True)
    elif message.get("type") in ("TextMessage", "MultiModalMessage", "AssistantMessage"):
        transcript.speaker(is_user=False)


def _take_calls(message: dict[str, Any], transcript: Transcript) -> None:
    calls = dicts(message.get("content"))
    if calls:
        transcript.step()
    for call in calls:
        transcript.call(call.get("name"), call.get("arguments"), call.get("id"))
