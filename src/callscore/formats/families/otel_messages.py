"""Messages as OTel's conventions for generative AI write them: a role, and typed parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.malformed import NOT_CAPTURED
from callscore.formats.families.runs import Answer
from callscore.formats.shape import dicts, first, json_of, list_of, text_in, text_of

if TYPE_CHECKING:
    from callscore.formats.transcript import Transcript

__all__ = ["are_otel_messages", "question_in", "responses_in", "take_otel_messages"]

_CALLS = ("tool_call", "server_tool_call")
_RESULTS = ("tool_call_response", "server_tool_call_response")


def are_otel_messages(value: Any) -> bool:
    """Whether it is a message, or a list of messages, that have parts with a type."""
    if isinstance(value, list):
        return any(map(_is_otel_message, value))
    return _is_otel_message(value)


def _is_otel_message(message: Any) -> bool:
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list) or not parts:
        return False
    return isinstance(parts[0], dict) and isinstance(parts[0].get("type"), str)


def take_otel_messages(value: Any, transcript: Transcript) -> None:
    """Write down the calls and the results in the parts of messages."""
    for message in value if isinstance(value, list) else (value,):
        has_begun = False
        for part in list_of(message.get("parts")) if isinstance(message, dict) else ():
            kind = part.get("type") if isinstance(part, dict) else None
            if kind in _CALLS:
                if not has_begun:
                    transcript.step()
                    has_begun = True
                _take_call(part, transcript)
            elif kind in _RESULTS:
                transcript.result(_response(part), part.get("id"), name=part.get("name"))


def _response(part: dict[str, Any]) -> Any:
    return first(part, "response", "result", "server_tool_call_response", "content")


def responses_in(value: Any) -> list[Answer]:
    """The results in the parts of messages, whether or not the calls are there, too."""
    return [
        Answer(_response(part), text_of(part.get("id")), text_of(part.get("name")))
        for message in dicts(value)
        for part in dicts(message.get("parts"))
        if part.get("type") in _RESULTS
    ]


def _take_call(part: dict[str, Any], transcript: Transcript) -> None:
    name, id_ = part.get("name"), part.get("id")
    if part["type"] == "server_tool_call":
        held = part.get("server_tool_call")
        if isinstance(held, dict):
            held = {key: value for key, value in held.items() if key != "type"}
        transcript.call(name, held, id_, kind="server")
    elif "arguments" in part:
        transcript.call(name, part["arguments"], id_)
    else:
        transcript.call(name, None, id_, error=NOT_CAPTURED)


def question_in(value: Any) -> str | None:
    """What the user said last in a list of messages, if that is text."""
    for message in reversed(dicts(json_of(value))):
        if message.get("role") == "user":
            texts = [part.get("content") for part in dicts(message.get("parts"))]
            found = [text for text in texts if isinstance(text, str)]
            return "\n".join(found) if found else text_in(message.get("content"))
    return None
