"""What a LangGraph streams or keeps, item by item, whichever mode it was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.formats.families.langchain_messages import fields_of, is_message
from callscore.formats.shape import at, first, integer_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Part", "grows", "is_snapshot", "part_of"]

_EVENTS = (
    "on_chain_",
    "on_chat_model_",
    "on_custom_",
    "on_llm_",
    "on_parser_",
    "on_prompt_",
    "on_retriever_",
    "on_tool_",
)
_MODES = frozenset(
    ("updates", "values", "messages", "debug", "tasks", "checkpoints", "custom", "events")
)
# What a server sends besides, of which nothing is needed.
_OTHERS = frozenset(
    ("metadata", "end", "error", "feedback", "messages/partial", "messages/metadata")
)
_RUN = frozenset(("run_id", "thread_id", "attempt"))  # what a server begins a stream with
_OF_STATES = frozenset(("checkpoint", "values", "channel_values", "messages"))
_HOLDERS = (dict, list, type(None))
# What stands beside each other in records of other kinds, and is what no node is called.
_NO_NODES = frozenset(
    (
        "messages",
        "input",
        "inputs",
        "output",
        "outputs",
        "expected",
        "reference_outputs",
        "request",
        "response",
        "metadata",
    )
)
_PAIR, _TRIPLE = 2, 3
_SNAPSHOT = (7, 8)  # how many fields a StateSnapshot has


class Part(Struct, frozen=True, gc=False):
    """One item of a stream, or one state.

    Attributes:
        kind: `updates` for what nodes have added, `values` for all there is, `state` for the same
            without a sign that it is of a graph, `messages` for what models stream, `events` for
            an event of `astream_events`, `other` for what tells nothing about messages.
        data: the messages; of an event, the event.
        is_nested: whether it comes from a graph within the graph.
        step: how far the graph was, where a state says so.
        thread: the name of the thread that a state belongs to.
    """

    kind: str
    data: Any = ()
    is_nested: bool = False
    step: int | None = None
    thread: str | None = None


def part_of(item: Any) -> Part | None:
    """What an item of a stream tells; None where it is nothing that a graph streams."""
    if isinstance(item, list):
        return _from_tuple(item)
    if not isinstance(item, dict):
        return None
    return _from_event(item) or _told_by(item)


def _from_tuple(item: list[Any]) -> Part | None:
    """A tuple: of a namespace, a mode and what they are about, or of a message and its metadata."""
    if is_snapshot(item):
        return _state(item[0], item[2], item[3])
    if len(item) == _TRIPLE and isinstance(item[0], list):
        return _placed(_in_mode(item[1], item[2]), is_nested=bool(item[0]))
    return _from_pair(*item) if len(item) == _PAIR else None


def is_snapshot(item: Any) -> bool:
    """Whether it is a state with all that is known of it, as a tuple."""
    return (
        isinstance(item, list)
        and len(item) in _SNAPSHOT
        and isinstance(item[0], dict)
        and isinstance(at(item[2], "configurable"), dict)
    )


def _from_pair(head: Any, tail: Any) -> Part | None:
    part = None
    if isinstance(head, str):
        part = _in_mode(head, tail)
    elif isinstance(tail, dict) and isinstance(head, list):
        part = _placed(_told_by(tail), is_nested=bool(head))
    elif isinstance(tail, dict) and is_message(head) and not is_message(tail):
        part = Part("messages", [head], _is_below(tail))
    return part


def _in_mode(mode: Any, data: Any) -> Part | None:
    """What was streamed in a mode; a server adds the namespace to it: `updates|agent:1`."""
    if not isinstance(mode, str):
        return None
    name, _, namespace = mode.partition("|")
    part = None
    if name in _OTHERS:
        part = Part("other")
    elif name == "values":
        part = Part("values", _messages_in(data)) if isinstance(data, dict) else None
    elif name == "messages/complete":
        part = Part("updates", _messages_in(data))
    elif name in _MODES:
        part = _streamed(data) or Part("other")
    return _placed(part, is_nested=True) if namespace else part


def _placed(part: Part | None, *, is_nested: bool) -> Part | None:
    """The part, with where it comes from."""
    if part is None or part.is_nested is is_nested:
        return part
    return replace(part, is_nested=is_nested)


def _streamed(data: Any) -> Part | None:
    if is_message(data):
        return Part("messages", [data])
    if isinstance(data, list):
        return _from_pair(*data) if len(data) == _PAIR and is_message(data[0]) else None
    return _told_by(data) if isinstance(data, dict) else None


def _from_event(item: dict[str, Any]) -> Part | None:
    """An event of `astream_events`, or of a server, or a part that says its own mode."""
    event, data = item.get("event"), item.get("data")
    if isinstance(event, str) and "data" in item:
        if event.startswith(_EVENTS) and isinstance(data, dict):
            return Part("events", item, _is_below(item.get("metadata")))
        return _in_mode(event, data)
    if "ns" in item and "data" in item:
        return _placed(_in_mode(item.get("type"), data), is_nested=bool(item["ns"]))
    return None


def _is_below(metadata: Any) -> bool:
    """Whether the place in the graph, as the metadata has it, is within a graph in it."""
    return "|" in (text_of(first(metadata, "langgraph_checkpoint_ns", "checkpoint_ns")) or "")


def _told_by(item: dict[str, Any]) -> Part | None:
    """What an item tells that has nothing around it; `debug` puts a little around others."""
    payload = item.get("payload")
    if isinstance(payload, dict) and item.get("type") in ("task", "task_result", "checkpoint"):
        item = payload
    part = _from_task(item) if "name" in item and "id" in item else None
    if part is None and not _OF_STATES.isdisjoint(item):
        part = _from_state(item)
    if part is None:
        part = _from_update(item)
    if part is None and "run_id" in item and _RUN.issuperset(item):
        part = Part("other")
    return part


def _from_task(item: dict[str, Any]) -> Part | None:
    """A task that was begun or has ended."""
    if "result" in item and "interrupts" in item:
        return Part("updates", _messages_in(item["result"]))
    return Part("other") if "input" in item and "triggers" in item else None


def _from_state(item: dict[str, Any]) -> Part | None:
    inner = item.get("checkpoint")
    holder = inner if isinstance(inner, dict) and "channel_values" in inner else item
    held = holder.get("values")
    if held is None:
        held = holder.get("channel_values")
    if isinstance(held, dict):
        is_state = _messages_in(held) or "next" in item
        return _state(held, item, item.get("metadata")) if is_state else None
    messages = item.get("messages")
    if isinstance(messages, list) and all(is_message(message) for message in messages):
        return Part("state", messages)
    return None


def _state(held: dict[str, Any], owner: Any, metadata: Any) -> Part:
    config = first(owner, "config") or owner
    thread = text_of(first(owner, "thread_id")) or text_of(
        at(first(config, "configurable") or config, "thread_id")
    )
    step = integer_of(at(metadata, "step"))
    return Part("values", _messages_in(held), step=step, thread=thread)


def _from_update(item: dict[str, Any]) -> Part | None:
    """What nodes have added: each under its name, or nothing."""
    if not item or not _NO_NODES.isdisjoint(item):
        return None
    messages: list[Any] = []
    for value in item.values():
        if not isinstance(value, _HOLDERS):
            return None
        messages += _messages_in(value)
    return Part("updates", messages) if messages else Part("other")


def _messages_in(value: Any) -> list[Any]:
    """The messages that a node has added, or a state has.

    A node can be run several times in a step, and can write to several channels.
    """
    if isinstance(value, list) and not _is_channel(value):
        return [message for item in value for message in _added(item)]
    return [] if value is None else _added(value)


def _added(value: Any) -> list[Any]:
    if isinstance(value, dict):
        may_be_one = "type" in value or "content" in value
        return [value] if may_be_one and is_message(value) else _listed(value.get("messages"))
    return _listed(value[1]) if _is_channel(value) else []


def _is_channel(value: Any) -> bool:
    """Whether it is a channel and what was written to it."""
    return isinstance(value, list) and len(value) == _PAIR and value[0] == "messages"


def _listed(held: Any) -> list[Any]:
    """The messages, where these are all there is; a graph takes those of a provider, too."""
    messages = held if isinstance(held, list) else [held]
    for message in messages:
        kind, fields = fields_of(message)
        if not kind or "content" not in fields:
            return []
    return messages


def grows(states: Iterable[Part]) -> bool:
    """Whether each state goes on from the one before it, and at least two do: it is one run."""
    steps = 0
    before: list[Any] | None = None
    for state in states:
        messages = state.data
        if before is not None:
            if not _goes_on(before, messages):
                return False
            steps += 1
        before = messages
    return steps > 0


def _goes_on(before: list[Any], messages: list[Any]) -> bool:
    size = len(before)
    if not size or size > len(messages):
        return not size
    try:
        return bool(before[0] == messages[0] and before[-1] == messages[size - 1])
    except RecursionError:
        return False
