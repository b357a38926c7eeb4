"""DSPy predictions (trajectories of ReAct, tool calls) and the history of a language model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.formats.shape import at, dicts, first, json_of, list_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 575
EXAMPLE = {
    "trajectory": {
        "thought_0": "I need the weather.",
        "tool_name_0": "get_weather",
        "tool_args_0": {"city": "Paris"},
        "observation_0": "18 degrees",
    },
    "answer": "It is warm.",
}
_NAME = re.compile(r"tool_name_(\d{1,9})")
_FAILURE = re.compile(r"(?:Execution error in|Failed to execute)\b")
_END = "finish"  # the tool that ReAct itself adds
_CALL_LISTS = frozenset(("tool_calls", "tool_call_results"))
_CALL_KEYS = frozenset(("name", "args", "id"))
_OLD_CALL_KEYS = frozenset(("type", "function"))
_HISTORY_KEYS = frozenset(("model_type", "response_model", "uuid", "timestamp"))
_FIELD = re.compile(r"\[\[ ## (\w+) ## \]\]")  # a field of an answer
_MAX_SAMPLED = 20
SIGNS = Signs(
    keys=("trajectory", *[f"tool_name_{number}" for number in range(100)], *_HISTORY_KEYS),
    item_keys=("trajectory", *_HISTORY_KEYS),
    value_types=(dict,),  # of the fields of a prediction
)


def recognizes(document: Any) -> bool:
    """Whether it is a prediction with calls, or the history of a model."""
    if isinstance(document, list):
        sampled = document[:_MAX_SAMPLED]
        return bool(sampled) and all(map(joins_lines, sampled))
    return _trajectory_in(document) is not None or joins_lines(document) or bool(_listed(document))


def joins_lines(line: Any) -> bool:
    """Whether a line is one entry of the history of a model."""
    return (
        isinstance(line, dict)
        and isinstance(line.get("outputs"), list)
        and ("messages" in line or "prompt" in line)
        and "kwargs" in line
        and not _HISTORY_KEYS.isdisjoint(line)
    )


def _trajectory_in(document: Any) -> dict[str, Any] | None:
    """The trajectory of a prediction, which may have lost its first steps."""
    for held in (at(document, "trajectory"), document):
        if isinstance(held, dict) and any(map(_NAME.fullmatch, map(str, held))):
            return held
    return None


def _listed(document: Any) -> list[dict[str, Any]]:
    """The calls in the fields of a prediction that have nothing else."""
    fields = list(document.values()) if isinstance(document, dict) else []
    found = [held for held in fields if isinstance(held, dict) and held.keys() <= _CALL_LISTS]
    calls = [call for held in found for call in list_of(held.get("tool_calls"))]
    return calls if all(map(_is_own_call, calls)) else []


def _is_own_call(call: Any) -> bool:
    """Whether it is a call as DSPy writes it; older versions write an object of arguments too."""
    if not isinstance(call, dict):
        return False
    if isinstance(at(call, "function", "arguments"), dict):
        return call.keys() <= _OLD_CALL_KEYS
    return isinstance(call.get("args"), dict) and call.keys() <= _CALL_KEYS


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: a prediction, or all that a model answered."""
    transcript = Transcript(options)
    trajectory = _trajectory_in(document)
    if trajectory is not None:
        _take_trajectory(trajectory, transcript)
    elif isinstance(document, list) or joins_lines(document):
        for entry in dicts(document if isinstance(document, list) else [document]):
            transcript.step()
            _take_answer(at(entry.get("outputs"), 0), transcript)
    else:
        transcript.step()
        _take_calls(_listed(document), transcript)
    return [transcript.trace()]


def _take_trajectory(trajectory: dict[str, Any], transcript: Transcript) -> None:
    found = [_NAME.fullmatch(key) for key in trajectory]
    for number in sorted(int(match[1]) for match in found if match):
        name = trajectory.get(f"tool_name_{number}")
        if name == _END:
            continue
        transcript.step()
        transcript.call(name, trajectory.get(f"tool_args_{number}"))
        seen = trajectory.get(f"observation_{number}")
        if seen is not None:
            is_failure = isinstance(seen, str) and _FAILURE.match(seen) is not None
            transcript.result(seen, failed=True if is_failure else None)


def _take_answer(answer: Any, transcript: Transcript) -> None:
    """Add the calls of an answer: a message, an object as text, or text with fields."""
    _take_calls(dicts(at(answer, "tool_calls")), transcript)
    text = at(answer, "text") if isinstance(answer, dict) else answer
    fields = json_of(text) if isinstance(text, str) else None
    if isinstance(text, str) and not isinstance(fields, dict):
        pieces = _FIELD.split(text)
        fields = {key: value.strip() for key, value in zip(pieces[1::2], pieces[2::2], strict=True)}
    name = first(fields, "next_tool_name")
    if isinstance(name, str) and name.strip("\"'") != _END:
        transcript.call(name.strip("\"'"), first(fields, "next_tool_args"))


def _take_calls(calls: list[dict[str, Any]], transcript: Transcript) -> None:
    for call in calls:
        function = call["function"] if isinstance(call.get("function"), dict) else call
        arguments = first(function, "arguments", "args")
        transcript.call(function.get("name"), arguments, call.get("id"))
