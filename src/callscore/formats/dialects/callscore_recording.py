"""Recordings of agent runs (callscore.recorders).

Each run has the document of its library, which is read by the dialect that recognizes it. The runs
of one recording are one conversation. A run within a tool is that of a sub-agent: its calls follow
those of the message that called the tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.formats.reading import inner_finder
from callscore.formats.shape import at, dicts, integer_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace, join_exchanges

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.dialect import Dialect

    _Calls = tuple[ToolCall, ...]
    _Inner = tuple[str | None, _Calls]  # the id of the call that ran an agent, and its calls

ORDER = 475
_KEY = "callscore_recording"
_EXAMPLE_CALL = {
    "type": "function_call",
    "call_id": "call_1",
    "name": "get_weather",
    "arguments": '{"city": "Paris"}',
}
EXAMPLE = {_KEY: 1, "runs": [{"document": [_EXAMPLE_CALL]}]}
SIGNS = Signs(keys=(_KEY,), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it is a recording: it says so."""
    return (
        isinstance(document, dict) and _KEY in document and isinstance(document.get("runs"), list)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: those that were recorded, one after the other."""
    runs = dicts(at(document, "runs"))
    traces = [_read_run(run, options) for run in runs]
    inner: dict[int, list[_Inner]] = {}
    outermost: list[Trace] = []
    for place in range(len(runs) - 1, -1, -1):  # a run is recorded after the one around it
        calls = _with_inner(traces[place].calls or (), inner.pop(place, []))
        around = integer_of(at(runs[place], "within", "run"))
        if around is not None and 0 <= around < place:
            asked = text_of(at(runs[place], "within", "call"))
            inner.setdefault(around, []).append((asked, calls))
        else:
            outermost.append(replace(traces[place], calls=calls))
    return [join_exchanges(outermost[::-1]) if outermost else Trace(calls=())]


def _read_run(run: dict[str, Any], options: ReadOptions) -> Trace:
    document = run.get("document")
    dialect = _dialect_of(document, options)
    if dialect is None:
        if document:
            options.note_unread("A recorded run has an unknown format.")
        return Trace(calls=())
    return join_exchanges(dialect.read(document, options))


def _dialect_of(document: Any, options: ReadOptions) -> Dialect | None:
    return None if recognizes(document) else inner_finder(options)(document)


def _with_inner(calls: _Calls, inner: list[_Inner]) -> _Calls:
    """The calls of a run, and those of the runs within its tools, last one first."""
    if not inner:
        return calls
    following: dict[int, list[tuple[int, ToolCall]]] = {}
    for number, (id_, own) in enumerate(reversed(inner), 1):
        place = _end_of_message(calls, id_)
        turn = calls[place].turn if calls else None
        marked = [replace(call, caller=call.caller or "subagent", turn=turn) for call in own]
        following.setdefault(place, []).extend([(number, call) for call in marked])
    merged = following.get(-1, [])  # of a run without calls of its own
    for place, call in enumerate(calls):
        merged += [(0, call), *following.get(place, [])]
    steps = [(number, call.step) for number, call in merged]
    known = dict.fromkeys([step for step in steps if step[1] is not None])
    numbers = {step: count for count, step in enumerate(known)}
    return tuple([replace(call, step=numbers.get((number, call.step))) for number, call in merged])


def _end_of_message(calls: _Calls, id_: str | None) -> int:
    """The place of the last call in the message of a call; of all calls, if it is not there."""
    found = [place for place, call in enumerate(calls) if id_ is not None and call.id == id_]
    place = found[-1] if found else len(calls) - 1
    while found and place + 1 < len(calls) and calls[place + 1].step == calls[place].step:
        place += 1
    return place


def read_tools(document: Any) -> list[Tool]:
    """The tools in the documents of the runs."""
    tools: list[Tool] = []
    for run in dicts(at(document, "runs")):
        dialect = _dialect_of(run.get("document"), DEFAULT_READ_OPTIONS)
        if dialect is not None:
            tools += dialect.read_tools(run["document"])
    return tools
