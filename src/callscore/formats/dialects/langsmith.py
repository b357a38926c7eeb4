"""LangSmith runs (SDK, API, exports, batches; flat or nested).

The SDK sends a run twice, in batches: when it starts, under `post`, and when it ends, under `patch`.
Both may be in one batch or in different ones.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.case import Origin
from callscore.formats.definitions import read_definitions, unique_tools
from callscore.formats.dialects import langchain
from callscore.formats.families.langchain_messages import (
    ToolRun,
    call_of_tool_run,
    fields_of,
    take_messages,
    tool_results_in,
)
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.response_items import is_item_list, take_items
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 260
EXAMPLE = [
    {
        "id": "7c1f0f2e-6a5e-4a1c-9d55-2f8f3c0b7a11",
        "trace_id": "7c1f0f2e-6a5e-4a1c-9d55-2f8f3c0b7a11",
        "name": "ChatOpenAI",
        "run_type": "llm",
        "start_time": "2026-11-15T06:37:27.153025",
        "inputs": {"messages": [{"role": "user", "content": "How is the weather in Paris?"}]},
        "outputs": {
            "message": {"type": "ai", "content": "", "tool_calls": langchain.EXAMPLE["tool_calls"]}
        },
        "error": None,
    }
]
_TYPES = frozenset(
    ("llm", "tool", "chain", "retriever", "embedding", "prompt", "parser", "agent", "runnable")
)
_PLACES = frozenset(("inputs", "outputs", "trace_id", "dotted_order", "start_time", "child_runs"))
_MAX_SAMPLED = 20
_MAX_WRAPPERS = 3
_BATCH_PARTS = frozenset(("post", "patch"))
_OTHER_KINDS = ("chain", "retriever", "embedding", "prompt", "parser")  # than models and tools
_BATCH_MARKS = frozenset(("trace_id", "dotted_order", "run_type"))
SIGNS = Signs(
    keys=("run_type", "run", "runs", *_BATCH_PARTS), item_keys=("run_type", "run", *_BATCH_PARTS)
)


class _Record(Struct, frozen=True, gc=False):
    """A run, its id and the id of its parent."""

    run: dict[str, Any]
    id: str | None
    parent: str | None


def recognizes(document: Any) -> bool:
    """Whether it is a run or a batch of runs, or a list of either, with inputs or outputs."""
    items = _items_in(document)[:_MAX_SAMPLED]
    return bool(items) and all(map(joins_lines, items))


def _items_in(document: Any) -> list[Any]:
    if isinstance(document, list):
        return document
    runs = document.get("runs") if isinstance(document, dict) else None
    return runs if isinstance(runs, list) else [document]


def _unwrapped(item: Any) -> Any:
    """The run in a row of an experiment, which also has the example."""
    is_row = isinstance(item, dict) and "run" in item and _is_run(item["run"])
    return item["run"] if is_row else item


def _is_run(value: Any) -> bool:
    kind = value.get("run_type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind in _TYPES and not _PLACES.isdisjoint(value)


def joins_lines(line: Any) -> bool:
    """Whether a line is one run of many, or a batch of them."""
    return _is_run(_unwrapped(line)) or _is_batch(line)


def _is_batch(value: Any) -> bool:
    """Whether it is a batch of runs that began, or ended, or both."""
    if not isinstance(value, dict) or not value or not _BATCH_PARTS.issuperset(value):
        return False
    return all(
        isinstance(part, list)
        and all(
            isinstance(run, dict) and not _BATCH_MARKS.isdisjoint(run)
            for run in part[:_MAX_SAMPLED]
        )
        for part in value.values()
    )


def _whole_runs(items: list[Any]) -> list[Any]:
    """The runs among the items, and those of batches: each completed by all that follows of it.

    The end of a run can be in an earlier line than its start, because batches are sent in parallel.
    """
    if not any(map(_is_batch, items)):
        return items
    runs: list[Any] = []
    ends: list[dict[str, Any]] = []
    for item in items:
        is_batch = _is_batch(item)
        runs += map(_started, dicts(item.get("post"))) if is_batch else [item]
        ends += dicts(item.get("patch")) if is_batch else []
    places = {_id_of(run): place for place, run in enumerate(runs) if isinstance(run, dict)}
    for end in ends:
        id_ = _id_of(end)
        place = None if id_ is None else places.get(id_)
        if place is None:
            places[id_] = len(runs)
            runs.append({"id": id_, **end})
        else:
            said = {key: value for key, value in end.items() if value is not None}
            runs[place] = {**runs[place], **said}
    return runs


def _started(run: dict[str, Any]) -> dict[str, Any]:
    """A run as it was sent first, without the empty outputs of one that has not ended."""
    is_open = run.get("end_time") is None and not run.get("outputs")
    return {**run, "id": _id_of(run), **({"outputs": None} if is_open else {})}


def _id_of(run: dict[str, Any]) -> str | None:
    """The id of a run, which is also the end of its place in the trace."""
    order = text_of(run.get("dotted_order")) or ""
    return text_of(run.get("id")) or order.rpartition(".")[2].partition("Z")[2] or None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run of the agent per trace, named after the example that it was run on, if any."""
    groups = _grouped(_in_order(_records_in(document)))
    if len(groups) == 1:
        return [_named(_read_group(groups[0], options), _example_of(groups[0]))]
    names = [_example_of(group) or _trace_of(group[0], {}) for group in groups]
    often = Counter(names)
    trials: Counter[str | None] = Counter()
    traces = []
    for group, name in zip(groups, names, strict=True):
        trial = trials[name] if name is not None and often[name] > 1 else None
        trials[name] += 1
        traces.append(_named(_read_group(group, options), name, trial))
    return traces or [Transcript(options).trace()]


def _named(trace: Trace, name: str | None, trial: int | None = None) -> Trace:
    return trace if name is None else replace(trace, id=name, trial=trial)


def _records_in(document: Any) -> list[_Record]:
    """Every run, once; the parent of a nested run is the run around it."""
    found: list[_Record] = []
    seen: set[str] = set()
    waiting: list[tuple[Any, str | None]] = [
        (_unwrapped(item), None) for item in reversed(_whole_runs(_items_in(document)))
    ]
    while waiting:
        value, around = waiting.pop()
        if not isinstance(value, dict):
            continue
        id_ = text_of(value.get("id"))
        waiting += [(child, id_) for child in reversed(list_of(value.get("child_runs")))]
        if id_ not in seen:
            found.append(_Record(value, id_, text_of(value.get("parent_run_id")) or around))
        if id_ is not None:
            seen.add(id_)
    return found


def _in_order(records: list[_Record]) -> list[_Record]:
    """The runs in the order of their start; in the given order, if some have no start."""
    orders: list[Any] = [_order_of(record.run) for record in records]
    starts: list[Any] = [text_of(record.run.get("start_time")) for record in records]
    for moments in (orders, starts):
        if None not in moments:
            places = sorted(range(len(records)), key=moments.__getitem__)
            return [records[place] for place in places]
    return records


def _order_of(run: dict[str, Any]) -> str | None:
    """The start and then the depth of a run: nested runs can start at the same time."""
    order = run.get("dotted_order")
    if not isinstance(order, str):
        return None
    return order.rpartition(".")[2].partition("Z")[0] + "." * order.count(".")


def _grouped(records: list[_Record]) -> list[list[_Record]]:
    """The runs of each trace.

    Each model and each tool with nothing around it is a trace of its own. If there are both, they
    are one run of an agent.
    """
    by_id = {record.id: record for record in records if record.id is not None}
    groups: dict[str | None, list[_Record]] = {}
    for record in records:
        groups.setdefault(_trace_of(record, by_id), []).append(record)
    if len(groups) == 1:
        return [records]
    loose = [group for group in groups.values() if _is_loose(group[0])]
    kinds = [group[0].run.get("run_type") for group in loose]
    if "llm" not in kinds or "tool" not in kinds:
        return list(groups.values())
    others = [group for group in groups.values() if not _is_loose(group[0])]
    return [[record for group in loose for record in group], *others]


def _trace_of(record: _Record, by_id: dict[str, _Record]) -> str | None:
    """The id of the trace, or of the outermost run."""
    named = text_of(record.run.get("trace_id"))
    if not named:
        order = text_of(record.run.get("dotted_order")) or ""
        named = order.partition(".")[0].partition("Z")[2]
    if named:
        return named
    seen = []
    while record.parent in by_id and record.parent not in seen:
        seen.append(record.parent)
        record = by_id[record.parent]
    return record.parent or record.id


def _is_loose(root: _Record) -> bool:
    is_alone = root.parent is None and not root.run.get("reference_example_id")
    return is_alone and root.run.get("run_type") in ("llm", "tool")


def _example_of(group: list[_Record]) -> str | None:
    examples = [text_of(record.run.get("reference_example_id")) for record in group]
    return next(filter(None, examples), None)


def _origin_of(group: list[_Record]) -> Origin | None:
    """The ids of the trace and of the outermost run; of runs of several traces, those of the last."""
    by_id = {record.id: record for record in group if record.id is not None}
    trace = _trace_of(group[-1], by_id)
    own = [record for record in group if _trace_of(record, by_id) == trace]
    root = next((record for record in own if record.parent not in by_id), own[0])
    project = text_of(root.run.get("session_id"))
    return None if trace is None else Origin(trace, root.id, project_id=project)


def _read_group(group: list[_Record], options: ReadOptions) -> Trace:
    root, origin = group[0].run, _origin_of(group)
    kinds = [record.run.get("run_type") for record in group]
    if "llm" not in kinds:
        transcript = Transcript(options)
        _take_output(root.get("outputs"), transcript, options)
        if transcript and not ("tool" in kinds and options.view == "executed"):
            return transcript.trace(input=root.get("inputs"), origin=origin)
    known = {record.id for record in group}
    steps = [_observed(record, _nearest(record, known), options) for record in group]
    return traces_of([ObservedRun(steps, root.get("inputs"), origin=origin)], options)[0]


def _nearest(record: _Record, known: set[str | None]) -> str | None:
    """The nearest known run around a run: exports can have only models and tools."""
    if record.parent in known:
        return record.parent
    order = record.run.get("dotted_order")
    if not isinstance(order, str) or "." not in order:
        return None
    around = [part.partition("Z")[2] for part in order.split(".")[:-1]]  # from the outside in
    return next((id_ for id_ in reversed(around) if id_ in known), None)


def _observed(record: _Record, parent: str | None, options: ReadOptions) -> ObservedStep:
    run = record.run
    if run.get("run_type") == "llm":
        transcript = Transcript(options)
        _take_output(run.get("outputs"), transcript, options)
        return ObservedStep(
            id=record.id,
            parent=parent,
            requests=transcript.calls(),
            answers=partial(tool_results_in, run.get("inputs")),
            turn=partial(count_turns, run.get("inputs")),
        )
    if run.get("run_type") != "tool":
        if run.get("run_type") not in _OTHER_KINDS:
            options.note_unread("A run has no known 'run_type'.")
        return ObservedStep(id=record.id, parent=parent)
    error, outputs = run.get("error"), run.get("outputs")
    output = outputs["output"] if isinstance(outputs, dict) and "output" in outputs else outputs
    tool_run = ToolRun(
        run.get("name"),
        run.get("inputs"),
        at(run, "extra", "tool_call_id"),
        output if error is None else error,
        failed=error is not None,
    )
    execution = call_of_tool_run(tool_run, options)
    return ObservedStep(id=record.id, parent=parent, execution=execution)


def _take_output(outputs: Any, transcript: Transcript, options: ReadOptions) -> None:
    """Add the calls in the output of a model, in the format of any integration."""
    for _ in range(_MAX_WRAPPERS):
        if not isinstance(outputs, dict) or fields_of(outputs)[0]:
            break
        outputs = _inner(outputs, options)
    if isinstance(outputs, list):
        if is_item_list(outputs):
            take_items(outputs, transcript)
        else:
            take_messages(outputs, transcript)
    elif isinstance(at(outputs, "tool_calls"), list) and fields_of(outputs)[0] == "":
        take_messages([{**outputs, "role": "assistant"}], transcript)
    else:
        take_messages([outputs], transcript)


def _inner(outputs: dict[str, Any], options: ReadOptions) -> Any:
    """The content of a wrapper that is not a message."""
    if isinstance(outputs.get("generations"), list):
        return langchain.generated_message(outputs, options)
    if isinstance(outputs.get("choices"), list):
        choices = outputs["choices"]
        return at(choices, options.choose(range(len(choices))), "message")
    inner = first(outputs, "message", "messages", "output")
    return outputs if inner is None else inner


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    tools: list[Tool] = []
    for record in _records_in(document):
        if record.run.get("run_type") == "llm":
            offered = first(at(record.run, "extra", "invocation_params"), "tools", "functions")
            tools += read_definitions(offered or at(record.run, "inputs", "tools"))
    return unique_tools(tools)
