"""Vercel AI SDK UI messages (useChat, stored chats; versions 4 to 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.vercel_parts import hosted_kind, take_success
from callscore.formats.shape import dicts, first, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 590
_EXAMPLE_CALL = {
    "type": "tool-get_weather",
    "toolCallId": "call_1",
    "state": "input-available",
    "input": {"city": "Paris"},
}
EXAMPLE = [
    {"id": "1", "role": "user", "parts": [{"type": "text", "text": "How is the weather?"}]},
    {"id": "2", "role": "assistant", "parts": [{"type": "step-start"}, _EXAMPLE_CALL]},
]
_ROLES = ("system", "user", "assistant", "data")
# Other types of parts; a part of type `text` of another format has no key `text`.
_OTHER_PARTS = ("reasoning", "file", "source", "source-url", "source-document", "step-start")
_TOOL = "tool-"
# States of calls that the model has not finished.
_UNFINISHED = ("input-streaming", "partial-call")
SIGNS = Signs(keys=("parts", "toolInvocations"), message_keys=("parts", "toolInvocations"))


def recognizes(document: Any) -> bool:
    """Whether it is a message, or a list of messages, made up of parts that have a type."""
    if isinstance(document, str):
        return False
    messages = _messages_in(document)
    return any(map(_is_unambiguous, messages)) and all(map(_is_message, messages))


def _messages_in(document: Any) -> list[Any]:
    if isinstance(document, list):
        return document
    inner = document.get("messages") if isinstance(document, dict) else None
    return inner if isinstance(inner, list) else [document]


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("role") not in _ROLES:
        return False
    parts = value.get("parts")
    if isinstance(parts, list):
        return all(map(_is_part, parts))
    return "content" in value  # version 4 needs no parts


def _is_part(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "text":
        return "text" in value
    return isinstance(kind, str) and (
        kind in _OTHER_PARTS or kind == "dynamic-tool" or kind.startswith((_TOOL, "data-"))
    )


def _is_unambiguous(message: Any) -> bool:
    """Whether a message has parts or invocations, which few other formats have."""
    if not isinstance(message, dict) or not ("parts" in message or "toolInvocations" in message):
        return False
    return bool(message.get("parts") or list_of(message.get("toolInvocations")))


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a chat."""
    return _is_message(line) and _is_unambiguous(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per chat: messages from a database have the id of their chat."""
    chats: dict[str | None, Transcript] = {}
    is_chat = isinstance(document, dict) and "messages" in document
    name = text_of(first(document, "chatId", "id")) if is_chat else None
    for message in dicts(_messages_in(document)):
        chat = text_of(message.get("chatId")) or name
        transcript = chats.setdefault(chat, Transcript(options))
        transcript.role(message.get("role"))
        if message.get("role") == "assistant":
            _take_message(message, transcript)
    chats = chats or {None: Transcript(options)}
    return [transcript.trace(id=chat) for chat, transcript in chats.items()]


def _take_message(message: dict[str, Any], transcript: Transcript) -> None:
    parts = dicts(message.get("parts"))
    if not parts:  # version 4 has the calls beside the parts as well
        parts = [{"toolInvocation": item} for item in dicts(message.get("toolInvocations"))]
    is_new, step = True, None
    for part in parts:
        is_new = is_new or part.get("type") == "step-start"
        invocation = part.get("toolInvocation")
        call = invocation if isinstance(invocation, dict) else part
        name = _tool_of(part, call)
        if name is None or call.get("state") in _UNFINISHED:
            transcript.unknown(None if name is not None else part.get("type"), part)
            continue
        if is_new or call.get("step") != step:
            transcript.step()
        is_new, step = False, call.get("step")
        _take_invocation(name, call, transcript)


def _tool_of(part: dict[str, Any], call: dict[str, Any]) -> Any:
    """The name of the tool: the end of the type, or a field; None for a part about no tool."""
    kind = part.get("type")
    if call is not part or kind == "dynamic-tool":
        return call.get("toolName", "")
    return kind[len(_TOOL) :] if isinstance(kind, str) and kind.startswith(_TOOL) else None


def _take_invocation(name: Any, call: dict[str, Any], transcript: Transcript) -> None:
    id_, state = call.get("toolCallId"), call.get("state")
    # Versions 5 and 6 have what could not be parsed in `rawInput`, as text.
    arguments = first(call, "input", "rawInput", "args")
    transcript.call(name, arguments, id_, kind=hosted_kind(call))
    if state == "output-error":
        transcript.result(call.get("errorText"), id_, failed=True)
    elif state in ("output-available", "result"):
        take_success(first(call, "output", "result"), id_, transcript)
