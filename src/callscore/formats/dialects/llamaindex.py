"""LlamaIndex chat messages, chat stores, agent outputs and workflow events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.calls import is_empty_call
from callscore.formats.shape import at, dicts, first, text_in
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 530
_EXAMPLE_CALL = {
    "block_type": "tool_call",
    "tool_call_id": "call_1",
    "tool_name": "get_weather",
    "tool_kwargs": {"city": "Paris"},
}
EXAMPLE = [{"role": "assistant", "additional_kwargs": {}, "blocks": [_EXAMPLE_CALL]}]
_CONVERSATIONS = ("messages", "chat_history")
# Every message, call, output of an agent, end of a run and envelope has one of these.
_MARKS = frozenset(("additional_kwargs", "tool_kwargs", "response", "result", "__is_pydantic"))
SIGNS = Signs(
    keys=("store", "chat_store", "chat_history", "message", *_MARKS),
    item_keys=tuple(_MARKS),
    message_keys=tuple(_MARKS),
)


def recognizes(document: Any) -> bool:
    """Whether there is a message with extra arguments, a call, or an agent's output in it."""
    if isinstance(document, list):
        return any(map(_may_be_known, document)) and any(map(_is_known, _items_in(document)))
    stores = _conversations_in(document)
    if stores is None:
        return any(map(_is_known, _items_in(document)))
    return any(_is_message(item) for messages in stores.values() for item in dicts(messages))


def _may_be_known(item: Any) -> bool:
    return isinstance(item, dict) and not _MARKS.isdisjoint(item)


def _is_known(item: dict[str, Any]) -> bool:
    if _MARKS.isdisjoint(item):
        return False
    return _is_message(item) or _is_call(item) or _is_output(_last_output(item))


def _is_message(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("additional_kwargs"), dict)
        and isinstance(item.get("role"), str)
        and (isinstance(item.get("blocks"), list) or ("content" in item and "type" not in item))
    )


def _is_call(item: dict[str, Any]) -> bool:
    return "tool_kwargs" in item and "tool_id" in item and isinstance(item.get("tool_name"), str)


def _is_output(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("tool_calls"), list)
        and _is_message(item.get("response"))
    )


def _is_end(item: dict[str, Any]) -> bool:
    return len(item) == 1 and "result" in item


def _last_output(item: dict[str, Any]) -> Any:
    """The output of an agent that the last event of a run repeats; otherwise the item itself."""
    return item["result"] if _is_end(item) else item


def joins_lines(line: Any) -> bool:
    """Whether a line is one message, or one event of a workflow."""
    item = _unwrapped(line)
    return isinstance(item, dict) and (_is_known(item) or "current_agent_name" in item)


def _unwrapped(item: Any) -> Any:
    """The event in the envelope that the serializer of a workflow adds."""
    return item.get("value") if isinstance(item, dict) and "__is_pydantic" in item else item


def _conversations_in(document: Any) -> dict[str, Any] | None:
    """The conversations in a store, by name; None if the document is not a store."""
    if not isinstance(document, dict):
        return None
    store = document.get("store") or at(document.get("chat_store"), "store")
    return store if isinstance(store, dict) else None


def _items_in(document: Any) -> list[dict[str, Any]]:
    document = _unwrapped(document)
    if isinstance(document, list):
        return dicts(list(map(_unwrapped, document)))
    if not isinstance(document, dict):
        return []
    for name in _CONVERSATIONS:
        if isinstance(document.get(name), list):
            return dicts(document[name])
    message = document.get("message")  # in the response of a model
    return [message] if isinstance(message, dict) and _is_message(message) else [document]


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for each conversation in a store, or for each run in a list of events."""
    stores = _conversations_in(document)
    if stores is not None:
        return [_read_messages(dicts(stores[key]), options, key) for key in stores]
    items = _items_in(document)
    if not items or _is_message(items[0]):
        return [_read_messages(items, options)]
    return [_read_run(run, options) for run in _runs_in(items)]


def _runs_in(events: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    runs: list[list[dict[str, Any]]] = [[]]
    for event in events:
        runs[-1].append(event)
        if _is_end(event):
            runs.append([])
    return [run for run in runs if run]


def _read_messages(
    items: list[dict[str, Any]], options: ReadOptions, key: str | None = None
) -> Trace:
    transcript = Transcript(options)
    for item in items:
        transcript.role(item.get("role"))
        _take_message(item, transcript)
    return transcript.trace(id=key, input=_input_in(items))


def _read_run(events: list[dict[str, Any]], options: ReadOptions) -> Trace:
    transcript = Transcript(options)
    has_outputs = any(map(_is_output, events))
    has_calls = any(map(_is_call, events))
    was_run = False
    if has_calls and (options.view == "executed" or not has_outputs):
        _take_executions(events, transcript)
        # The choices of a model look like the calls of a workflow, without the results.
        was_run = has_outputs or any("tool_output" in event for event in events)
    elif has_outputs:
        _take_outputs(events, transcript)
    elif _is_output(_last_output(events[-1])):
        _take_output(_last_output(events[-1]), transcript)
    return transcript.trace(input=_input_in(events), view="executed" if was_run else "requested")


def _input_in(items: list[dict[str, Any]]) -> Any:
    for item in items:
        for message in (item, *dicts(item.get("input"))):
            if message.get("role") == "user":
                return _text_of(message)
    return None


def _text_of(holder: Any) -> Any:
    text = text_in(at(holder, "blocks"))
    return first(holder, "content", "raw_output") if text is None else text


def _take_executions(events: list[dict[str, Any]], transcript: Transcript) -> None:
    """Add the calls that a workflow ran; those with a result, if there are no others."""
    has_starts = any(_is_call(event) and "tool_output" not in event for event in events)
    for event in events:
        if _is_call(event) and not (has_starts and "tool_output" in event):
            transcript.open_step()  # calls that come one after another belong together
            _take_selection(event, transcript)
            continue
        transcript.close_step()
        if "tool_output" in event:
            _take_result(event, transcript)


def _take_outputs(events: list[dict[str, Any]], transcript: Transcript) -> None:
    """Add the requests of the agent, without the summary in its last output."""
    last_call = max([place for place, event in enumerate(events) if _is_call(event)], default=-1)
    made: list[dict[str, Any]] = []
    for position, event in enumerate(events):
        if _is_output(event):
            calls = dicts(event["tool_calls"])
            if not made or calls != made or position < last_call:
                _take_output(event, transcript)
                made += calls
        elif _is_call(event) and "tool_output" in event:
            _take_result(event, transcript)


def _take_output(output: dict[str, Any], transcript: Transcript) -> None:
    calls = dicts(output["tool_calls"])
    if not calls:
        _take_message(output["response"], transcript)
        return
    transcript.step()
    for call in calls:
        _take_selection(call, transcript)


def _take_selection(call: dict[str, Any], transcript: Transcript) -> None:
    transcript.call(call.get("tool_name"), call.get("tool_kwargs"), call.get("tool_id"))
    if "tool_output" in call:
        _take_result(call, transcript)


def _take_result(call: dict[str, Any], transcript: Transcript) -> None:
    output = call.get("tool_output")
    transcript.result(_text_of(output), call.get("tool_id"), failed=at(output, "is_error"))


def _take_message(message: dict[str, Any], transcript: Transcript) -> None:
    extra = message.get("additional_kwargs")
    if message.get("role") in ("tool", "function"):
        name = at(extra, "name")
        transcript.result(_text_of(message), at(extra, "tool_call_id"), name=name)
        return
    blocks = dicts(message.get("blocks"))
    calls = [block for block in blocks if block.get("block_type") == "tool_call"]
    for block in blocks:
        if block.get("block_type") != "tool_call":
            transcript.unknown(block.get("block_type"), block)
    if not calls:
        _take_extra(extra, transcript)
        return
    transcript.step()
    for call in calls:
        id_ = call.get("tool_call_id")
        transcript.call(call.get("tool_name"), call.get("tool_kwargs"), id_)


def _take_extra(extra: Any, transcript: Transcript) -> None:
    """Add calls in the format of the provider: older versions passed them through."""
    legacy = at(extra, "function_call")
    is_empty = is_empty_call(at(legacy, "name"), at(legacy, "arguments"))
    calls = [*dicts(at(extra, "tool_calls")), *dicts([] if is_empty else [legacy])]
    if calls:
        transcript.step()
    for call in calls:
        function = call.get("function")
        inner = function if isinstance(function, dict) else call
        transcript.call(
            first(inner, "name", "tool_name"),
            first(inner, "arguments", "input", "tool_kwargs"),
            first(call, "id", "tool_id"),
        )
