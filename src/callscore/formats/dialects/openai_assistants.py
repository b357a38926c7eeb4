"""OpenAI Assistants (runs, run steps, events)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED, Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.dialects.openai_chat import EXAMPLE_CALL, take_call
from callscore.formats.shape import as_list, at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 610
EXAMPLE = {
    "object": "thread.run",
    "status": "requires_action",
    "required_action": {
        "type": "submit_tool_outputs",
        "submit_tool_outputs": {"tool_calls": [EXAMPLE_CALL]},
    },
}
_RUN, _STEP = "thread.run", "thread.run.step"
_CODE_TOOL = "code_interpreter"
_HOSTED = (_CODE_TOOL, "file_search", "retrieval")
_MAX_SAMPLED = 20
SIGNS = Signs(keys=("object", "event"))


def recognizes(document: Any) -> bool:
    """Whether it is a run, a step of one, a list of these, or the events that report them."""
    if isinstance(document, dict) and document.get("object") == "list":
        document = document.get("data")
    if isinstance(document, list):
        return any(map(joins_lines, document[:_MAX_SAMPLED])) and all(
            isinstance(item, dict) for item in document
        )
    return joins_lines(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is a run, a step of one, or an event that reports one."""
    if not isinstance(line, dict):
        return False
    if "event" not in line:
        return line.get("object") in (_RUN, _STEP)
    event = line["event"]
    if isinstance(event, str) and "data" in line:
        return event.startswith("thread.") or line["data"] == "[DONE]"
    return _reported(line).get("object") in (_RUN, _STEP)


def _reported(value: Any) -> dict[str, Any]:
    """The object that an event reports; any other object itself."""
    if isinstance(value, dict) and "event" in value and isinstance(value.get("data"), dict):
        value = value["data"]
    return value if isinstance(value, dict) else {}


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: its steps from the oldest on, then the calls that wait for an output."""
    # Calls that wait for an output may be in a step, too, and each event repeats all of them.
    transcript = Transcript(options, once=True)
    latest = _latest(document)
    run_id: Any = None
    for step in sorted((item for item in latest if item["object"] == _STEP), key=_time_of):
        if step.get("run_id") != run_id:  # a run answers what the user has added to the thread
            transcript.speaker(is_user=True)
            run_id = step.get("run_id")
        _take_step(step, transcript)
    for run in sorted((item for item in latest if item["object"] == _RUN), key=_time_of):
        calls = list_of(at(run, "required_action", "submit_tool_outputs", "tool_calls"))
        if calls:
            transcript.step()
        for call in calls:
            take_call(call, transcript)
    return [transcript.trace()]


def _latest(document: Any) -> list[dict[str, Any]]:
    """The runs and steps in a document, each as it was reported last."""
    if isinstance(document, dict) and document.get("object") == "list":
        document = document.get("data")
    found: dict[Any, dict[str, Any]] = {}
    for place, value in enumerate(as_list(document)):
        item = _reported(value)
        if item.get("object") in (_RUN, _STEP):
            id_ = text_of(item.get("id"))
            found[place if id_ is None else id_] = item
    return list(found.values())


def _time_of(item: dict[str, Any]) -> float:
    time = item.get("created_at")
    return time if isinstance(time, int | float) else 0


def _take_step(step: dict[str, Any], transcript: Transcript) -> None:
    transcript.step()
    for call in dicts(at(step, "step_details", "tool_calls")):
        function = call.get("function")
        if not isinstance(function, dict):
            _take_hosted(call, transcript)
            continue
        take_call(call, transcript)
        if function.get("output") is not None:
            transcript.result(function["output"], call.get("id"))


def _take_hosted(call: dict[str, Any], transcript: Transcript) -> None:
    """Add a call of a tool that the provider runs; what a file search asked for is not recorded."""
    kind, id_ = call.get("type"), call.get("id")
    if kind not in _HOSTED:
        transcript.unknown(kind, call, is_call=True)
        return
    details = call.get(kind)
    code = at(details, "input")
    arguments = {} if code is None else {"input": code}
    lost = None if kind == _CODE_TOOL else NOT_CAPTURED
    transcript.call(kind, arguments, id_, kind="hosted", error=lost)
    output = first(details, "outputs", "results")
    if output and id_:
        transcript.result(output, id_, failed=False)


def read_tools(document: Any) -> list[Tool]:
    """The tools that runs offer."""
    items = _latest(document)
    return [tool for item in items for tool in read_definitions(list_of(item.get("tools")))]
