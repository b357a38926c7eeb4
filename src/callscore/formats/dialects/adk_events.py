"""Google ADK events: what a runner yields, and the sessions that keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.gemini_content import ContentReader, text_in_content
from callscore.formats.shape import at, dicts, first, text_of

if TYPE_CHECKING:
    from callscore.formats.trace import Trace, Wanted

__all__ = ["EXAMPLE", "ORDER", "joins_lines", "read", "recognises", "take_events"]

ORDER = 598
EXAMPLE = [
    {
        "author": "weather_agent",
        "invocationId": "e-1",
        "content": {
            "role": "model",
            "parts": [
                {"functionCall": {"id": "adk-1", "name": "get_weather", "args": {"city": "Paris"}}}
            ],
        },
    }
]
_INVOCATION = ("invocationId", "invocation_id")
_APP = ("appName", "app_name")
_CALLS = ("functionCall", "function_call")
_RESPONSES = ("functionResponse", "function_response")
# The framework asks its user for these in the form of calls. No model has made them.
_REQUESTS = ("adk_request_credential", "adk_request_confirmation", "adk_request_input")


def recognises(document: Any) -> bool:
    """Whether it is an event with its author and its invocation, a session, or a list of such."""
    if isinstance(document, list):
        return bool(document) and (all(map(_is_event, document)) or all(map(_is_session, document)))
    return _is_event(document) or _is_session(document)


def _is_event(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("author"), str)
        and isinstance(first(item, *_INVOCATION), str)
    )


def _is_session(item: Any) -> bool:
    events = item.get("events") if isinstance(item, dict) else None
    return (
        isinstance(events, list)
        and isinstance(first(item, *_APP), str)
        and all(map(_is_event, events[:1]))
    )


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a run."""
    return _is_event(line)


def read(document: Any, wanted: Wanted) -> list[Trace]:
    """One run for each session, or one for all events."""
    items = document if isinstance(document, list) else [document]
    if any(map(_is_event, items)):
        return [_read_events(items, wanted)]
    return [
        _read_events(session.get("events"), wanted, id=text_of(session.get("id")))
        for session in dicts(items)
    ]


def _read_events(
    events: Any,
    wanted: Wanted,
    *,
    id: str | None = None,  # noqa: A002  (as the field is called)
) -> Trace:
    contents = ContentReader(wanted)
    take_events(events, contents)
    asked = next((event for event in dicts(events) if event.get("author") == "user"), None)
    return contents.finish().trace(id=id, input=text_in_content(at(asked, "content")))


def take_events(events: Any, contents: ContentReader) -> None:
    """Write down the calls and responses of events; agents on a branch are sub-agents.

    The pieces of a streamed answer are left out: the whole follows. Of several responses to one
    call, as a tool gives them that runs for long or waits for a permission, the last one counts.
    """
    whole = [event for event in dicts(events) if event.get("partial") is not True]
    parts = [dicts(at(event, "content", "parts")) for event in whole]
    last = _last_responses(parts)
    for event, own_parts in zip(whole, parts, strict=True):
        contents.begin()
        caller = "subagent" if text_of(event.get("branch")) else None
        for part in own_parts:
            call, response = first(part, *_CALLS), first(part, *_RESPONSES)
            if call is not None and at(call, "name") not in _REQUESTS:
                contents.take_call(call, caller)
            elif response is not None and last.get(_id_of(response), response) is response:
                contents.take_response(response)
        reason = first(event, "errorCode", "error_code", "finishReason", "finish_reason")
        contents.take_loss(reason, first(event, "errorMessage", "error_message"))


def _last_responses(parts: list[list[dict[str, Any]]]) -> dict[str | None, Any]:
    """The last response to the call with each id."""
    responses = [first(part, *_RESPONSES) for own_parts in parts for part in own_parts]
    by_id = {_id_of(response): response for response in responses}
    by_id.pop(None, None)
    return by_id


def _id_of(response: Any) -> str | None:
    return text_of(at(response, "id")) or None
