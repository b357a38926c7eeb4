"""LangGraph streams, thread states and checkpoints.

A stream can have the same messages in several ways. The first that is there is read: updates, which
are the additions of each node; the newest state, which repeats all before it; events; chunks.
"""

from __future__ import annotations

from functools import partial
from itertools import groupby, pairwise, starmap
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.formats.dialects import langchain
from callscore.formats.families.langchain_messages import (
    ToolRun,
    call_of_tool_run,
    fields_of,
    goes_on,
    is_message,
    take_messages,
    tool_results_in,
)
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import as_list, at, first, integer_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 510
EXAMPLE = [{"agent": {"messages": [langchain.EXAMPLE]}}]
_MAX_SAMPLED = 10
_MODEL, _TOOL = "on_chat_model_", "on_tool_"
_EVENTS = (
    *("on_chain_", "on_chat_model_", "on_llm_", "on_tool_"),
    *("on_custom_", "on_parser_", "on_prompt_", "on_retriever_"),
)
_STREAM_MODES = frozenset(
    ("updates", "values", "messages", "debug", "tasks", "checkpoints", "custom", "events")
)
# Other events of a server, which are ignored.
_OTHER_EVENTS = frozenset(
    ("metadata", "end", "error", "feedback", "messages/partial", "messages/metadata")
)
_RUN_KEYS = frozenset(("run_id", "thread_id", "attempt"))  # of the first event of a server
_STATE_KEYS = frozenset(("checkpoint", "values", "channel_values", "messages"))
_CONTAINER_TYPES = (dict, list, type(None))
# Keys of other records, which are not the names of nodes.
_NON_NODE_KEYS = frozenset(
    (
        *("messages", "metadata", "expected", "request", "response"),
        *("input", "inputs", "output", "outputs", "reference_outputs"),
    )
)
_PAIR, _TRIPLE = 2, 3
_SNAPSHOT_LENGTHS = (7, 8)  # how many fields a StateSnapshot has

_EVENT_KEYS = ("event", "ns", "payload", "interrupts")
SIGNS = Signs(
    keys=(*_EVENT_KEYS, "checkpoint", "values", "channel_values"),
    item_keys=(*_EVENT_KEYS, *_STATE_KEYS, "triggers", "run_id"),
    value_types=_CONTAINER_TYPES,  # of the additions of nodes, each under its name
    has_other_items=True,
)


def recognizes(document: Any) -> bool:
    """Whether it is a state, or a list of items that a graph streams."""
    if isinstance(document, str):
        return False
    known = []
    for item in _items_in(document)[:_MAX_SAMPLED]:
        part = _part_of(item)
        if part is None:
            return False
        known.append(part)
    if any(map(_is_unambiguous, known)):
        return True
    # There are lists of conversations, too. Of states, each continues the one before.
    states = [part.data for part in known if part.kind == "state"]
    return len(states) > 1 and all(starmap(_goes_on, pairwise(states)))


def _is_unambiguous(part: _Part) -> bool:
    """Whether a part alone is enough: with messages of LangChain, or a thread."""
    if part.kind in ("updates", "values", "messages"):
        return part.thread is not None or any(is_message(message) for message in part.data)
    return part.kind == "events"


def _items_in(document: Any) -> list[Any]:
    if isinstance(document, dict) or _is_snapshot(document):
        return [document]
    return list_of(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is one item of a stream; a state is a document by itself."""
    part = _part_of(line)
    return part is not None and part.kind != "values" and _is_unambiguous(part)


def continues(before: Any, document: Any) -> bool:
    """Whether a streamed state repeats the messages of the one before it."""
    parts = _part_of(before), _part_of(document)
    earlier, later = (
        {"messages": part.data, "thread_id": part.thread}
        if part and part.kind == "values"
        else None
        for part in parts
    )
    return goes_on(earlier, later)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run; of states, one per thread."""
    found = [_part_of(item) for item in _items_in(document)]
    parts = [part for part in found if part is not None]
    kinds = {part.kind for part in parts}
    if "updates" in kinds:
        return [_read_updates(parts, options)]
    if "values" in kinds or "state" in kinds:
        return _read_states([part for part in parts if part.kind in ("values", "state")], options)
    if "events" in kinds:
        return _read_events([part for part in parts if part.kind == "events"], options)
    return [_read_streamed([part for part in parts if part.kind == "messages"], options)]


def _caller_of(part: _Part) -> str | None:
    return "subagent" if part.is_nested else None


def _read_updates(parts: list[_Part], options: ReadOptions) -> Trace:
    """The additions of the nodes; those of a graph within the graph are repeated."""
    transcript = Transcript(options, once=True)
    seen: set[str] = set()
    for caller, group in groupby(parts, _caller_of):
        fresh: list[Any] = []
        for part in group:
            if part.kind == "updates":
                fresh += _new_messages(part.data, seen)
        take_messages(fresh, transcript, caller=caller)
    return transcript.trace()


def _new_messages(messages: list[Any], seen: set[str]) -> list[Any]:
    """The messages whose ids were not seen before; adds their ids to the seen ones."""
    unseen, ids = [], []
    for message in messages:
        id_ = fields_of(message)[1].get("id")
        if isinstance(id_, str) and id_:
            if id_ in seen:
                continue
            ids.append(id_)
        unseen.append(message)
    seen.update(ids)
    return unseen


def _read_states(states: list[_Part], options: ReadOptions) -> list[Trace]:
    threads: dict[str | None, list[_Part]] = {}
    for state in states:
        threads.setdefault(state.thread, []).append(state)
    traces = []
    for thread, kept in threads.items():
        whole = [state for state in kept if not state.is_nested] or kept
        # A history begins with the newest, a stream ends with it; it has the most messages.
        newest = max(whole[::-1], key=_age_of)
        transcript = Transcript(options)
        take_messages(newest.data, transcript)
        traces.append(transcript.trace(id=thread))
    return traces


def _age_of(state: _Part) -> tuple[int, int]:
    return (-2 if state.step is None else state.step), len(state.data)


def _read_streamed(parts: list[_Part], options: ReadOptions) -> Trace:
    transcript = Transcript(options, once=True)
    for caller, group in groupby(parts, _caller_of):
        messages = [message for part in group for message in part.data]
        take_messages(messages, transcript, caller=caller)
    return transcript.trace()


def _read_events(parts: list[_Part], options: ReadOptions) -> list[Trace]:
    """The runs of models and tools, in the order in which they began."""
    by_run: dict[str, list[_Part]] = {}
    for part in parts:
        by_run.setdefault(text_of(part.data.get("run_id")) or "", []).append(part)
    steps = []
    for run_id, own_parts in by_run.items():
        parents = list_of(own_parts[0].data.get("parent_ids"))
        around = [id_ for id_ in reversed(parents) if isinstance(id_, str)]
        # The events of models and tools may have been streamed without those around them.
        parent = next((id_ for id_ in around if id_ in by_run), None)
        steps.append(_observed((run_id, parent), own_parts, options))
    return traces_of([ObservedRun(steps)], options)


def _observed(
    ids: tuple[str, str | None], parts: list[_Part], options: ReadOptions
) -> ObservedStep:
    run_id, parent = ids
    events = [part.data for part in parts]
    if any(event["event"].startswith(_MODEL) for event in events):
        return ObservedStep(
            id=run_id,
            parent=parent,
            requests=_requests(events, options, _caller_of(parts[0])),
            answers=partial(tool_results_in, at(events[0], "data", "input")),
            turn=partial(count_turns, at(events[0], "data", "input")),
        )
    is_tool = any(event["event"].startswith(_TOOL) for event in events)
    execution = call_of_tool_run(_execution(events), options) if is_tool else None
    return ObservedStep(id=run_id, parent=parent, execution=execution)


def _requests(
    events: list[dict[str, Any]], options: ReadOptions, caller: str | None
) -> tuple[ToolCall, ...]:
    """The calls in the final output of a model; otherwise, in its stream."""
    outputs = [at(event, "data", "output") for event in events if event["event"] == f"{_MODEL}end"]
    messages = [
        output if fields_of(output)[0] else langchain.generated_message(output, options)
        for output in outputs
    ]
    transcript = Transcript(options)
    take_messages(
        messages or [at(event, "data", "chunk") for event in events], transcript, caller=caller
    )
    return transcript.calls()


def _execution(events: list[dict[str, Any]]) -> ToolRun:
    data: dict[str, Any] = {}
    for event in events:
        data.update({key: value for key, value in event["data"].items() if value is not None})
    error = data.get("error")
    output = data.get("output") if error is None else error
    name, id_ = events[0].get("name"), data.get("tool_call_id")
    return ToolRun(name, data.get("input"), id_, output, failed=error is not None)


# --- the items that a graph streams or stores, in any mode -------------------------------------


class _Part(Struct, frozen=True, gc=False):
    """One item of a stream, or one state.

    The kind is `updates` for additions of nodes, `values` for a state, `state` for one without a
    sign that it is of a graph, `messages` for chunks, `events` for an event of `astream_events`,
    and `other` for an item without messages. The data are the messages; of an event, the event. A
    part is nested if it comes from a graph within the graph.
    """

    kind: str
    data: Any = ()
    is_nested: bool = False
    step: int | None = None
    thread: str | None = None


def _part_of(item: Any) -> _Part | None:
    """The part that an item of a stream is; None if no graph streams such an item."""
    if isinstance(item, dict):
        return _from_event(item) or _from_bare_item(item)
    return _from_tuple(item) if isinstance(item, list) else None


def _from_tuple(item: list[Any]) -> _Part | None:
    """A tuple: a namespace, a mode and the data, or a message and its metadata."""
    if _is_snapshot(item):
        return _state(item[0], item[2], item[3])
    if len(item) == _TRIPLE and isinstance(item[0], list):
        return _placed(_in_mode(item[1], item[2]), is_nested=bool(item[0]))
    return _from_pair(*item) if len(item) == _PAIR else None


def _is_snapshot(item: Any) -> bool:
    """Whether it is a `StateSnapshot`, as a tuple."""
    return (
        isinstance(item, list)
        and len(item) in _SNAPSHOT_LENGTHS
        and isinstance(item[0], dict)
        and isinstance(at(item[2], "configurable"), dict)
    )


def _from_pair(head: Any, tail: Any) -> _Part | None:
    part = None
    if isinstance(head, str):
        part = _in_mode(head, tail)
    elif isinstance(tail, dict) and isinstance(head, list):
        part = _placed(_from_bare_item(tail), is_nested=bool(head))
    elif isinstance(tail, dict) and is_message(head) and not is_message(tail):
        part = _Part("messages", [head], _is_below(tail))
    return part


def _in_mode(mode: Any, data: Any) -> _Part | None:
    """A part of a mode; a server adds the namespace to the mode: `updates|agent:1`."""
    if not isinstance(mode, str):
        return None
    name, _, namespace = mode.partition("|")
    part = None
    if name in _OTHER_EVENTS:
        part = _Part("other")
    elif name == "values":
        part = _Part("values", _messages_in(data)) if isinstance(data, dict) else None
    elif name == "messages/complete":
        part = _Part("updates", _messages_in(data))
    elif name in _STREAM_MODES:
        part = _streamed(data) or _Part("other")
    return _placed(part, is_nested=True) if namespace else part


def _placed(part: _Part | None, *, is_nested: bool) -> _Part | None:
    if part is None or part.is_nested is is_nested:
        return part
    return replace(part, is_nested=is_nested)


def _streamed(data: Any) -> _Part | None:
    if is_message(data):
        return _Part("messages", [data])
    if isinstance(data, list):
        return _from_pair(*data) if len(data) == _PAIR and is_message(data[0]) else None
    return _from_bare_item(data) if isinstance(data, dict) else None


def _from_event(item: dict[str, Any]) -> _Part | None:
    """An event of `astream_events`, or of a server, or a part with its mode."""
    event, data = item.get("event"), item.get("data")
    if isinstance(event, str) and "data" in item:
        if event.startswith(_EVENTS) and isinstance(data, dict):
            return _Part("events", item, _is_below(item.get("metadata")))
        return _in_mode(event, data)
    if "ns" in item and "data" in item:
        return _placed(_in_mode(item.get("type"), data), is_nested=bool(item["ns"]))
    return None


def _is_below(metadata: Any) -> bool:
    """Whether the metadata is of a graph within the graph."""
    return "|" in (text_of(first(metadata, "langgraph_checkpoint_ns", "checkpoint_ns")) or "")


def _from_bare_item(item: dict[str, Any]) -> _Part | None:
    """The part that an item without a mode is; `debug` wraps others."""
    payload = item.get("payload")
    if isinstance(payload, dict) and item.get("type") in ("task", "task_result", "checkpoint"):
        item = payload
    part = _from_task(item) if "name" in item and "id" in item else None
    if part is None and not _STATE_KEYS.isdisjoint(item):
        part = _from_state(item)
    if part is None:
        part = _from_update(item)
    if part is None and "run_id" in item and _RUN_KEYS.issuperset(item):
        part = _Part("other")
    return part


def _from_task(item: dict[str, Any]) -> _Part | None:
    if "result" in item and "interrupts" in item:
        return _Part("updates", _messages_in(item["result"]))
    return _Part("other") if "input" in item and "triggers" in item else None


def _from_state(item: dict[str, Any]) -> _Part | None:
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
        return _Part("state", messages)
    return None


def _state(content: dict[str, Any], owner: Any, metadata: Any) -> _Part:
    config = first(owner, "config") or owner
    thread = text_of(first(owner, "thread_id")) or text_of(
        at(first(config, "configurable") or config, "thread_id")
    )
    step = integer_of(at(metadata, "step"))
    return _Part("values", _messages_in(content), step=step, thread=thread)


def _from_update(item: dict[str, Any]) -> _Part | None:
    """The additions of nodes, each under its name."""
    if not item or not _NON_NODE_KEYS.isdisjoint(item):
        return None
    messages: list[Any] = []
    for value in item.values():
        if not isinstance(value, _CONTAINER_TYPES):
            return None
        messages += _messages_in(value)
    return _Part("updates", messages) if messages else _Part("other")


def _messages_in(value: Any) -> list[Any]:
    """The messages of a state, or of a node, which can run several times and write to channels."""
    if isinstance(value, list) and not _is_channel(value):
        return [message for item in value for message in _added(item)]
    return [] if value is None else _added(value)


def _added(value: Any) -> list[Any]:
    if isinstance(value, dict):
        may_be_one = "type" in value or "content" in value
        return [value] if may_be_one and is_message(value) else _listed(value.get("messages"))
    return _listed(value[1]) if _is_channel(value) else []


def _is_channel(value: Any) -> bool:
    """Whether it is a pair of a channel and its content."""
    return isinstance(value, list) and len(value) == _PAIR and value[0] == "messages"


def _listed(content: Any) -> list[Any]:
    """The messages, if all are messages; a graph accepts those of a provider, too."""
    messages = as_list(content)
    for message in messages:
        kind, fields = fields_of(message)
        if not kind or "content" not in fields:
            return []
    return messages


def _goes_on(before: list[Any], messages: list[Any]) -> bool:
    size = len(before)
    if not size or size > len(messages):
        return not size
    try:
        return bool(before[0] == messages[0] and before[-1] == messages[size - 1])
    except RecursionError:
        return False
