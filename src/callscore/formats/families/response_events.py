"""The events in which OpenAI's Responses and Realtime APIs send an answer piece by piece."""

from __future__ import annotations

from typing import Any

from callscore.formats.shape import at, dicts, first

__all__ = ["event_of", "gather_items", "is_event"]

_STARTS = ("response.", "conversation.item.")
_DONE = ("response.completed", "response.incomplete", "response.failed", "response.done")
# What each fragment is of: the type of the item, and its field.
_FRAGMENTS = {
    f"{event}.{end}": (item, field)
    for event, item, field in (
        ("response.function_call_arguments", "function_call", "arguments"),
        ("response.mcp_call_arguments", "mcp_call", "arguments"),
        ("response.custom_tool_call_input", "custom_tool_call", "input"),
    )
    for end in ("delta", "done")
}


def event_of(value: Any) -> dict[str, Any] | None:
    """The event that a value is, or that it wraps as `{"event": ..., "data": {...}}`."""
    if not is_event(value):
        return None
    event: dict[str, Any] = value if "type" in value else value["data"]
    return event


def is_event(value: Any) -> bool:
    """Whether a value is one event of such a stream."""
    if isinstance(value, dict) and "type" not in value:
        value = value.get("data")
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind.startswith(_STARTS)


def gather_items(events: list[Any]) -> list[dict[str, Any]]:
    """The items that a stream has sent, whole again; a cut one keeps what came of it."""
    gathered: list[dict[str, Any]] = []
    answer = _Answer()
    for value in events:
        event = event_of(value)
        if event is None:
            continue
        answer.take(event)
        if event["type"] in _DONE:
            gathered += answer.items(first(event, "response"))
            answer = _Answer()
        elif event["type"].startswith("conversation.item."):
            gathered += _said_by_the_client(event.get("item"))
    return gathered + answer.items(None)


def _said_by_the_client(item: Any) -> list[dict[str, Any]]:
    """The result of a call, as it is sent to a live session; the calls are sent by the answer."""
    if isinstance(item, dict) and item.get("type") == "function_call_output":
        return [item]
    return []


class _Answer:
    """One answer as far as it has been sent: its items by their place, or by their id."""

    def __init__(self) -> None:
        self._items: dict[Any, dict[str, Any]] = {}
        self._texts: dict[Any, list[str]] = {}  # what has come of the arguments of each

    def take(self, event: dict[str, Any]) -> None:
        """Add what an event has sent."""
        kind = event["type"]
        item = event.get("item")
        if kind in _FRAGMENTS:
            self._add_fragment(event, *_FRAGMENTS[kind])
        elif isinstance(item, dict) and kind == "response.output_item.added":
            self._items[_place(event, item.get("id"))] = {**item, "status": "incomplete"}
        elif isinstance(item, dict) and kind == "response.output_item.done":
            place = _place(event, item.get("id"))
            self._items[place] = item
            self._texts.pop(place, None)

    def _add_fragment(self, event: dict[str, Any], type_: str, key: str) -> None:
        place = _place(event, event.get("item_id"))
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
        return [self._whole(place, item) for place, item in self._items.items()]

    def _whole(self, place: Any, item: dict[str, Any]) -> dict[str, Any]:
        if place not in self._texts:
            return item
        key = "input" if item.get("type") == "custom_tool_call" else "arguments"
        return {**item, key: "".join(self._texts[place])}


def _place(event: dict[str, Any], id: Any) -> Any:  # noqa: A002  (as the field is called)
    place = event.get("output_index")
    if isinstance(place, int):
        return place
    return id if isinstance(id, str) else None
