"""OpenAI Responses API (responses, requests, items, streams).

If a request is beside a response, only the calls of the response are read: the conversation before
it is recorded elsewhere, or was made up for the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.response_items import (
    is_item,
    is_item_list,
    question_in,
    read_flat_tools,
    read_item_tools,
    take_items,
    with_sdk_errors,
)
from callscore.formats.families.span_origin import origin_of_response
from callscore.formats.shape import as_list, at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool

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
_MAX_SAMPLED = 20
_RESPONSES = ("response", "realtime.response")
_UNANSWERED = ("failed", "cancelled", "queued", "in_progress")
_EVENT_PREFIXES = ("response.", "conversation.item.")
_FINAL_EVENTS = ("response.completed", "response.incomplete", "response.failed", "response.done")
# The type of the item and the field that each fragment belongs to.
_FRAGMENTS = {
    f"{event}.{end}": (item, field)
    for event, item, field in (
        ("response.function_call_arguments", "function_call", "arguments"),
        ("response.mcp_call_arguments", "mcp_call", "arguments"),
        ("response.custom_tool_call_input", "custom_tool_call", "input"),
        ("response.code_interpreter_call_code", "code_interpreter_call", "code"),
    )
    for end in ("delta", "done")
}
_STREAMED_FIELDS = dict(_FRAGMENTS.values())
SIGNS = Signs(keys=("type", "data", "response", "output", "input"), item_keys=("type", "data"))


def recognizes(document: Any) -> bool:
    """Whether it is a response, a request for one, a list of items, or the events of a stream."""
    if isinstance(document, list):
        return is_item_list(document) or _is_stream(document)
    if not isinstance(document, dict):
        return False
    response = document.get("response")
    return (
        is_item(document)
        or _event_of(document) is not None
        or _is_response(document)
        or _is_request(document)
        or (isinstance(response, dict) and _is_response(response))
        or (document.get("object") == "list" and is_item_list(document.get("data")))
    )


def _is_stream(values: list[Any]) -> bool:
    return (
        bool(values) and isinstance(values[0], dict) and any(map(_event_of, values[:_MAX_SAMPLED]))
    )


def _is_response(document: dict[str, Any]) -> bool:
    if document.get("object") in _RESPONSES:
        return isinstance(document.get("output"), list)
    return "object" not in document and is_item_list(document.get("output"))


def _is_request(document: dict[str, Any]) -> bool:
    """Whether it is a request: it has an input, and no output of any kind."""
    value = document.get("input")
    if value is None or document.get("output") is not None or "messages" in document:
        return False
    if isinstance(value, str):
        tools = list_of(document.get("tools"))
        return "model" in document and any(isinstance(at(tool, "type"), str) for tool in tools)
    return is_item_list(value) or (
        isinstance(document.get("model"), str)
        and isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and "role" in item for item in value)
    )


def joins_lines(line: Any) -> bool:
    """Whether a line is one item of a run, or one event of a stream."""
    return is_item(line) or _event_of(line) is not None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the items of a response, of a request, or of a list."""
    response = _response_in(document)
    if response is not None and not response["output"] and response.get("status") in _UNANSWERED:
        return [Trace(calls=None)]  # no answer, which is not an answer without calls
    transcript = Transcript(options, failure=with_sdk_errors(options.failure))
    take_items(_items_in(document), transcript)
    request = at(document, "request")
    asked = at(request if isinstance(request, dict) else document, "input")
    question = question_in(document if isinstance(document, list) else asked)
    return [transcript.trace(input=question, origin=origin_of_response(response))]


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
    value = at(document, "input")
    items = value if isinstance(value, list) else as_list(document)
    return _assemble_items(items) if _is_stream(items) else items


def _in_order(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A page of items, oldest first: items have no time, but a result comes after its call."""
    answered = set()
    for item in items:
        call_id = text_of(item.get("call_id"))
        if str(item.get("type")).endswith("_output"):
            answered.add(call_id)
        elif call_id is not None and call_id in answered:
            return items[::-1]
    return items


def read_tools(document: Any) -> list[Tool]:
    """The tools that a request offers, that a response repeats, and that MCP servers list."""
    tools = read_flat_tools(at(document, "request", "tools"))
    tools += read_flat_tools(at(_response_in(document) or document, "tools"))
    if isinstance(document, list) and _is_stream(document):
        for value in document:
            tools += read_flat_tools(at(_event_of(value), "response", "tools"))
    return tools + read_item_tools(_items_in(document))


def _event_of(value: Any) -> dict[str, Any] | None:
    """The event that a value is, or that it wraps as `{"event": ..., "data": {...}}`."""
    if isinstance(value, dict) and "type" not in value:
        value = value.get("data")
    kind = value.get("type") if isinstance(value, dict) else None
    return value if isinstance(kind, str) and kind.startswith(_EVENT_PREFIXES) else None


def _assemble_items(events: list[Any]) -> list[dict[str, Any]]:
    """The items, put together from the events of a stream; an incomplete one has what was sent."""
    gathered: list[dict[str, Any]] = []
    answer = _StreamedAnswer()
    for value in events:
        event = _event_of(value)
        if event is None:
            continue
        answer.take(event)
        if event["type"] in _FINAL_EVENTS:
            gathered += answer.items(first(event, "response"))
            answer = _StreamedAnswer()
        elif (
            event["type"].startswith("conversation.item.")
            and at(event, "item", "type") == "function_call_output"
        ):
            gathered.append(event["item"])  # a client sends results, and the answer has the calls
    return gathered + answer.items(None)


class _StreamedAnswer:
    """One answer, as far as it was sent: its items by their place, or by their id."""

    def __init__(self) -> None:
        self._items: dict[Any, dict[str, Any]] = {}
        self._texts: dict[Any, list[str]] = {}  # the fragments of the arguments of each

    def take(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        item = event.get("item")
        if kind in _FRAGMENTS:
            self._add_fragment(event, *_FRAGMENTS[kind])
        elif isinstance(item, dict) and kind == "response.output_item.added":
            self._items[_item_key(event, item.get("id"))] = {**item, "status": "incomplete"}
        elif isinstance(item, dict) and kind == "response.output_item.done":
            place = _item_key(event, item.get("id"))
            self._items[place] = item
            self._texts.pop(place, None)

    def _add_fragment(self, event: dict[str, Any], type_: str, key: str) -> None:
        place = _item_key(event, event.get("item_id"))
        item = self._items.get(place, {"type": type_, "status": "incomplete"})
        if event["type"].endswith(".done"):
            whole = {key: event.get(key), "status": "completed"}
            name = event.get("name")
            self._items[place] = {**item, **whole, "name": name or item.get("name")}
            self._texts.pop(place, None)
        elif isinstance(event.get("delta"), str):
            self._items[place] = item
            self._texts.setdefault(place, []).append(event["delta"])

    def items(self, response: Any) -> list[dict[str, Any]]:
        """The items of the answer: as its last event repeats them, or else as they were sent."""
        repeated = dicts(at(response, "output"))
        if repeated:
            return repeated
        for place, texts in self._texts.items():
            item = self._items[place]
            key = _STREAMED_FIELDS.get(str(item.get("type")), "arguments")
            self._items[place] = {**item, key: "".join(texts)}
        return list(self._items.values())


def _item_key(event: dict[str, Any], item_id: Any) -> int | str | None:
    place = event.get("output_index")
    return place if isinstance(place, int) else text_of(item_id)
