"""OpenAI Responses: responses, requests, input and output items, and streams of events.

A response with an earlier conversation beside it (`request` and `response`) gives what the model
called in the response: the conversation is on record elsewhere, or was made up for the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.response_events import event_of, gather_items, is_event
from callscore.formats.families.response_items import (
    is_item,
    is_run_of_items,
    knowing_sdk_errors,
    read_flat_tools,
    read_item_tools,
    take_items,
)
from callscore.formats.shape import at, dicts, list_of, text_in
from callscore.formats.trace import Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.tool import Tool
    from callscore.formats.trace import Wanted

__all__ = ["EXAMPLE", "ORDER", "joins_lines", "read", "read_tools", "recognises"]

ORDER = 630
EXAMPLE = {
    "object": "response",
    "output": [
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "get_weather",
            "arguments": '{"city": "Paris"}',
            "status": "completed",
        }
    ],
}
_RESPONSES = ("response", "realtime.response")
_UNANSWERED = ("failed", "cancelled", "queued", "in_progress")


def recognises(document: Any) -> bool:
    """Whether it is a response, a request for one, a list of items, or the events of a stream."""
    if isinstance(document, list):
        return is_run_of_items(document) or _is_stream(document)
    if not isinstance(document, dict):
        return False
    return (
        is_item(document)
        or is_event(document)
        or _is_response(document)
        or _is_request(document)
        or _is_exchange(document)
        or _is_page(document)
    )


def _is_stream(values: list[Any]) -> bool:
    return bool(values) and isinstance(values[0], dict) and any(map(is_event, values[:20]))


def _is_response(document: dict[str, Any]) -> bool:
    if document.get("object") in _RESPONSES:
        return isinstance(document.get("output"), list)
    return "object" not in document and is_run_of_items(document.get("output"))


def _is_request(document: dict[str, Any]) -> bool:
    """Whether something is asked for; what has an output that is no response is another's."""
    given = document.get("input")
    if given is None or document.get("output") is not None or "messages" in document:
        return False
    if isinstance(given, str):
        return "model" in document and _are_tools(document.get("tools"))
    return is_run_of_items(given) or (
        isinstance(document.get("model"), str)
        and isinstance(given, list)
        and bool(given)
        and all(isinstance(item, dict) and "role" in item for item in given)
    )


def _are_tools(tools: Any) -> bool:
    return isinstance(tools, list) and any(isinstance(at(tool, "type"), str) for tool in tools)


def _is_exchange(document: dict[str, Any]) -> bool:
    response = document.get("response")
    return isinstance(response, dict) and _is_response(response)


def _is_page(document: dict[str, Any]) -> bool:
    return document.get("object") == "list" and is_run_of_items(document.get("data"))


def joins_lines(line: Any) -> bool:
    """Whether a line is one item of a run, or one event of a stream."""
    return is_item(line) or is_event(line)


def read(document: Any, wanted: Wanted) -> list[Trace]:
    """One run: the items of a response, of a request, or of a list."""
    response = _response_in(document)
    if response is not None and not response["output"] and response.get("status") in _UNANSWERED:
        return [Trace(calls=None)]  # no answer, which is another thing than one without calls
    transcript = Transcript(wanted, failure=knowing_sdk_errors(wanted.failure))
    take_items(_items_in(document), transcript)
    return [transcript.trace(input=_question_in(document))]


def _response_in(document: Any) -> dict[str, Any] | None:
    if isinstance(document, dict):
        for candidate in (document, document.get("response")):
            if isinstance(candidate, dict) and isinstance(candidate.get("output"), list):
                return candidate
    return None


def _items_in(document: Any) -> list[Any]:
    response = _response_in(document)
    if response is not None:
        return list_of(response["output"])
    if isinstance(at(document, "data"), list):
        return _in_order(dicts(document["data"]))
    given = at(document, "input")
    items = given if isinstance(given, list) else document
    items = items if isinstance(items, list) else [items]
    return gather_items(items) if _is_stream(items) else items


def _in_order(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A page of items, oldest first: it lists the newest first unless asked otherwise.

    Items have no time, but a result comes after its call.
    """
    answered = set()
    for item in items:
        id = item.get("call_id")  # noqa: A001  (as the field is called)
        if not isinstance(id, str):
            continue
        if str(item.get("type")).endswith("_output"):
            answered.add(id)
        elif id in answered:
            return items[::-1]
    return items


def _question_in(document: Any) -> Any:
    request = at(document, "request")
    given = at(request if isinstance(request, dict) else document, "input")
    if isinstance(given, str):
        return given
    items = document if isinstance(document, list) else given
    for item in dicts(items):
        if item.get("role") == "user":
            return text_in(item.get("content"))
    return None


def read_tools(document: Any) -> list[Tool]:
    """The tools that a request offers, that a response repeats, and that are listed on the way."""
    tools = read_flat_tools(at(document, "request", "tools"))
    response = _response_in(document)
    tools += read_flat_tools(at(response if response is not None else document, "tools"))
    if isinstance(document, list) and _is_stream(document):
        for value in document:
            tools += read_flat_tools(at(event_of(value), "response", "tools"))
    return tools + read_item_tools(_items_in(document))
