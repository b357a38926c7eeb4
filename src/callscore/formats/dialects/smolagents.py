"""smolagents memory steps and run results.

The code of a CodeAgent is one call of `python_interpreter`, with the code as its `input`; the calls
of tools in the code are not recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import at, dicts, first, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 540
_EXAMPLE_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": {"city": "Paris"}},
}
EXAMPLE = [
    {"task": "How is the weather in Paris?"},
    {"step_number": 1, "tool_calls": [_EXAMPLE_CALL], "observations": "18 degrees"},
]
_INTERPRETER = "python_interpreter"
SIGNS = Signs(keys=("step_number", "step", "steps"), item_keys=("step_number", "step"))


def recognizes(document: Any) -> bool:
    """Whether there are action steps: in a list, or under `steps`."""
    if isinstance(document, dict):
        return _is_step(document) or any(map(_is_step, dicts(document.get("steps"))))
    return any(map(_is_step, dicts(document)))


def _is_step(item: dict[str, Any]) -> bool:
    return (
        _has_number(item)
        and "tool_calls" in item
        and ("observations" in item or "model_output_message" in item)
    )


def _has_number(item: dict[str, Any]) -> bool:
    """Whether it has the number of a step, which older versions call `step`."""
    return "step_number" in item or ("step" in item and "action_output" in item)


def joins_lines(line: Any) -> bool:
    """Whether a line is one step: a task, a plan or an action."""
    return isinstance(line, dict) and (
        _is_step(line)
        or ("task" in line and "task_images" in line)
        or ("plan" in line and "model_output_message" in line)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the actions among the steps."""
    steps = document.get("steps", [document]) if isinstance(document, dict) else document
    transcript = Transcript(options)
    task = None
    for step in dicts(steps):
        task = first(step, "task") if task is None else task
        if "task" in step and not _has_number(step):
            transcript.speaker(is_user=True)
        if _has_number(step):
            _take_step(step, transcript)
    return [transcript.trace(input=task)]


def _take_step(step: dict[str, Any], transcript: Transcript) -> None:
    """Add the calls of a step and their results; if one failed, only the message has the calls."""
    calls = dicts(step.get("tool_calls")) or dicts(at(step, "model_output_message", "tool_calls"))
    if calls:
        transcript.step()
    for call in calls:
        name = at(call, "function", "name")
        arguments = at(call, "function", "arguments")
        code = text_of(step.get("code_action"))
        if name == _INTERPRETER and code is not None and not isinstance(arguments, dict):
            arguments = {"input": code}
        transcript.call(name, arguments, call.get("id"))
    error = step.get("error")
    # The observations of several calls are one text.
    observed = step.get("observations") if len(calls) == 1 else None
    outcome = observed if error is None else first(error, "message") or error
    for call in calls:
        transcript.result(outcome, call.get("id"), failed=error is not None)
