"""Google ADK events and sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.gemini_content import ContentReader, text_in_content
from callscore.formats.shape import as_list, at, dicts, first, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace
    from callscore.formats.transcript import Transcript

ORDER = 598
_EXAMPLE_CALL = {"id": "adk-1", "name": "get_weather", "args": {"city": "Paris"}}
EXAMPLE = [
    {
        "author": "weather_agent",
        "invocationId": "e-1",
        "content": {"role": "model", "parts": [{"functionCall": _EXAMPLE_CALL}]},
    }
]
_INVOCATION = ("invocationId", "invocation_id")
_APP = ("appName", "app_name")
_CALLS = ("functionCall", "function_call")
_RESPONSES = ("functionResponse", "function_response")
# The framework asks its user for these in the form of calls. No model has made them.
_REQUESTS = ("adk_request_credential", "adk_request_confirmation", "adk_request_input")
SIGNS = Signs(keys=("author", "events"))


def recognizes(document: Any) -> bool:
    """Whether it is an event with its author and its invocation, a session, or a list of these."""
    if isinstance(document, list):
        return bool(document) and (
            all(map(joins_lines, document)) or all(map(_is_session, document))
        )
    return joins_lines(document) or _is_session(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a run."""
    return (
        isinstance(line, dict)
        and isinstance(line.get("author"), str)
        and isinstance(first(line, *_INVOCATION), str)
    )


def _is_session(item: Any) -> bool:
    events = item.get("events") if isinstance(item, dict) else None
    if not isinstance(events, list):
        return False
    is_named = isinstance(first(item, *_APP), str)
    is_first = "pending_events" in item and events != []  # before sessions named their app
    return all(map(joins_lines, events[:1])) and (is_named or is_first)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run for each session, or one for all events."""
    items = as_list(document)
    if any(map(joins_lines, items)):
        return [_read_events(items, options)]
    return [
        _read_events(session.get("events"), options, text_of(session.get("id")))
        for session in dicts(items)
    ]


def _read_events(events: Any, options: ReadOptions, name: str | None = None) -> Trace:
    contents = ContentReader(options)
    take_events(events, contents)
    asked = next((event for event in dicts(events) if event.get("author") == "user"), None)
    return contents.finish().trace(id=name, input=text_in_content(at(asked, "content")))


def take_events(events: Any, contents: ContentReader) -> None:
    """Add the calls and responses of events; agents on a branch are sub-agents.

    The pieces of a streamed answer are left out: the whole follows. A tool that runs for long, or
    waits for a permission, responds several times; the last response counts.
    """
    whole = [event for event in dicts(events) if event.get("partial") is not True]
    parts = [dicts(at(event, "content", "parts")) for event in whole]
    responses = [first(part, *_RESPONSES) for own_parts in parts for part in own_parts]
    last = {_id_of(response): response for response in responses}
    for event, own_parts in zip(whole, parts, strict=True):
        contents.begin()
        caller = "subagent" if text_of(event.get("branch")) else None
        _note_speaker(event, own_parts, contents.transcript)
        for part in own_parts:
            call, response = first(part, *_CALLS), first(part, *_RESPONSES)
            id_ = _id_of(response)
            if call is not None and at(call, "name") not in _REQUESTS:
                contents.take_call(call, caller)
            elif response is not None and (id_ is None or last[id_] is response):
                if at(response, "name") not in _REQUESTS:  # else of what is not a call
                    contents.take_response(response)
            elif call is None and response is None:
                contents.take_hosted(part, caller)
        reason = first(event, "errorCode", "error_code", "finishReason", "finish_reason")
        contents.take_loss(reason, first(event, "errorMessage", "error_message"))


def _note_speaker(
    event: dict[str, Any], parts: list[dict[str, Any]], transcript: Transcript
) -> None:
    """Note who an event is from; one of the user with a response in it is the program's."""
    is_user = event.get("author") == "user"
    if not is_user or not any(first(part, *_RESPONSES) for part in parts):
        transcript.speaker(is_user=is_user)


def _id_of(response: Any) -> str | None:
    return text_of(at(response, "id")) or None
