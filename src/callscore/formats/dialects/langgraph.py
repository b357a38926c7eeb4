"""LangGraph: streams of updates, values, messages and events, states of threads, checkpoints.

A stream can say the same thing in several ways. Updates, what each node has added, are taken where
there are any; then the newest of the states, each of which repeats all before it; then what the
events tell; then what the models have streamed.
"""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from callscore.formats.dialects.langchain import generated_message
from callscore.formats.families.langchain_messages import fields_of, is_message, take_messages
from callscore.formats.families.langchain_tools import ToolRun, answers_in, run_call
from callscore.formats.families.langgraph_parts import Part, grows, is_snapshot, part_of
from callscore.formats.families.runs import Observed, Run, traces_of
from callscore.formats.shape import at, list_of, text_of
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.model import ToolCall
    from callscore.formats.trace import Trace, Wanted

__all__ = ["EXAMPLE", "ORDER", "joins_lines", "read", "recognises"]

ORDER = 510
EXAMPLE = [
    {
        "agent": {
            "messages": [
                {
                    "type": "ai",
                    "content": "",
                    "tool_calls": [
                        {
                            "name": "get_weather",
                            "args": {"city": "Paris"},
                            "id": "call_1",
                            "type": "tool_call",
                        }
                    ],
                    "invalid_tool_calls": [],
                }
            ]
        }
    }
]
_MOST_LOOKED_AT = 10
_MODEL, _TOOL = "on_chat_model_", "on_tool_"


def recognises(document: Any) -> bool:
    """Whether it is a state, or a list of what such a graph streams."""
    if isinstance(document, str):
        return False
    known = []
    for item in _items_in(document)[:_MOST_LOOKED_AT]:
        part = part_of(item)
        if part is None:
            return False
        known.append(part)
    if any(map(_is_sure, known)):
        return True
    # Conversations stand in a list, too. Of states, each goes on from the one before.
    return grows([part for part in known if part.kind == "state"])


def _is_sure(part: Part) -> bool:
    """Whether a part alone tells: by messages as LangChain has them, or by a thread."""
    if part.kind in ("updates", "values", "messages"):
        return part.thread is not None or any(is_message(message) for message in part.data)
    return part.kind == "events"


def _items_in(document: Any) -> list[Any]:
    if isinstance(document, dict) or is_snapshot(document):
        return [document]
    return list_of(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is one item of a stream; a state is a document by itself."""
    part = part_of(line)
    return part is not None and part.kind != "values" and _is_sure(part)


def read(document: Any, wanted: Wanted) -> list[Trace]:
    """One run; of states, one a thread."""
    found = [part_of(item) for item in _items_in(document)]
    parts = [part for part in found if part is not None]
    kinds = {part.kind for part in parts}
    if "updates" in kinds:
        return [_read_updates(parts, wanted)]
    if "values" in kinds or "state" in kinds:
        return _read_states([part for part in parts if part.kind in ("values", "state")], wanted)
    if "events" in kinds:
        return _read_events([part for part in parts if part.kind == "events"], wanted)
    return [_read_streamed([part for part in parts if part.kind == "messages"], wanted)]


def _caller_of(part: Part) -> str | None:
    return "subagent" if part.is_nested else None


def _read_updates(parts: list[Part], wanted: Wanted) -> Trace:
    """What the nodes have added; what a graph within the graph has added comes once more."""
    transcript = Transcript(wanted, once=True)
    seen: set[str] = set()
    for caller, group in groupby(parts, _caller_of):
        fresh: list[Any] = []
        for part in group:
            if part.kind == "updates":
                fresh += _unseen(part.data, seen)
        take_messages(fresh, transcript, caller=caller)
    return transcript.trace()


def _unseen(messages: list[Any], seen: set[str]) -> list[Any]:
    """The messages that did not come before, by their ids; and note these."""
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


def _read_states(states: list[Part], wanted: Wanted) -> list[Trace]:
    threads: dict[str | None, list[Part]] = {}
    for state in states:
        threads.setdefault(state.thread, []).append(state)
    traces = []
    for thread, kept in threads.items():
        transcript = Transcript(wanted)
        take_messages(_newest(kept).data, transcript)
        traces.append(transcript.trace(id=thread))
    return traces


def _newest(states: list[Part]) -> Part:
    """The state in which the graph was furthest; where they do not say, the last."""
    whole = [state for state in states if not state.is_nested] or states
    # A history begins with the newest, a stream ends with it.
    return max(whole[::-1], key=lambda state: -2 if state.step is None else state.step)


def _read_streamed(parts: list[Part], wanted: Wanted) -> Trace:
    transcript = Transcript(wanted, once=True)
    for caller, group in groupby(parts, _caller_of):
        messages = [message for part in group for message in part.data]
        take_messages(messages, transcript, caller=caller)
    return transcript.trace()


def _read_events(parts: list[Part], wanted: Wanted) -> list[Trace]:
    """What the events tell of each model and each tool, in the order in which they began."""
    by_run: dict[str, list[Part]] = {}
    for part in parts:
        by_run.setdefault(text_of(part.data.get("run_id")) or "", []).append(part)
    steps = []
    for run_id, told in by_run.items():
        around = [id_ for id_ in list_of(told[0].data.get("parent_ids")) if isinstance(id_, str)]
        # Who asks for the events of models and tools gets none of those between them.
        parent = next((id_ for id_ in reversed(around) if id_ in by_run), None)
        steps.append(_observed((run_id, parent), told, wanted))
    return traces_of([Run(steps)], wanted)


def _observed(ids: tuple[str, str | None], told: list[Part], wanted: Wanted) -> Observed:
    run_id, parent = ids
    events = [part.data for part in told]
    if any(event["event"].startswith(_MODEL) for event in events):
        return Observed(
            id=run_id,
            parent=parent,
            requests=_requests(events, wanted, _caller_of(told[0])),
            answers=partial(answers_in, at(events[0], "data", "input")),
        )
    is_tool = any(event["event"].startswith(_TOOL) for event in events)
    execution = run_call(_execution(events), wanted) if is_tool else None
    return Observed(id=run_id, parent=parent, execution=execution)


def _requests(
    events: list[dict[str, Any]], wanted: Wanted, caller: str | None
) -> tuple[ToolCall, ...]:
    """The calls in what a model gave out in the end; otherwise, in what it has streamed."""
    outputs = [at(event, "data", "output") for event in events if event["event"] == f"{_MODEL}end"]
    messages = [
        output if fields_of(output)[0] else generated_message(output, wanted) for output in outputs
    ]
    transcript = Transcript(wanted)
    take_messages(
        messages or [at(event, "data", "chunk") for event in events], transcript, caller=caller
    )
    return transcript.calls()


def _execution(events: list[dict[str, Any]]) -> ToolRun:
    told: dict[str, Any] = {}
    for event in events:
        told.update({key: held for key, held in event["data"].items() if held is not None})
    error = told.get("error")
    output = told.get("output") if error is None else error
    name, id_ = events[0].get("name"), told.get("tool_call_id")
    return ToolRun(name, told.get("input"), id_, output, failed=error is not None)
