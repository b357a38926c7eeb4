"""Vercel AI SDK results of generateText and streamText (versions 4 to 7).

The steps are read. The other fields repeat all of them, or the last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.vercel_parts import is_tool_part, take_call, take_part
from callscore.formats.shape import dicts, list_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 585
_EXAMPLE_CALL = {
    "type": "tool-call",
    "toolCallId": "call_1",
    "toolName": "get_weather",
    "input": {"city": "Paris"},
}
EXAMPLE = {"steps": [{"content": [_EXAMPLE_CALL], "finishReason": "tool-calls"}]}
SIGNS = Signs(
    keys=("steps", "content", "toolCalls"),
    item_keys=("toolCallId", "content", "stepType"),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it has steps or calls, is a step, or is a list of steps or of parts about calls."""
    if isinstance(document, list):
        return bool(document) and (all(map(is_tool_part, document)) or all(map(_is_step, document)))
    if not isinstance(document, dict):
        return False
    steps = document.get("steps")
    if isinstance(steps, list) and steps:
        return _is_step(steps[0])
    return _is_step(document) or _has_calls(document)


def _is_step(value: Any) -> bool:
    if not isinstance(value, dict) or "steps" in value or "role" in value:
        return False
    content = value.get("content")
    if isinstance(content, list):
        return "finishReason" in value or any(is_tool_part(part) for part in content)
    return "stepType" in value and isinstance(value.get("toolCalls"), list)


def _has_calls(document: dict[str, Any]) -> bool:
    """Whether it has a list of calls; an empty one is not enough."""
    calls = document.get("toolCalls")
    if not isinstance(calls, list):
        return False
    if not calls:
        return "finishReason" in document and "text" in document
    return all(isinstance(call, dict) and "toolName" in call for call in calls)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: its steps, one after another."""
    transcript = Transcript(options)
    for step in _steps_in(document):
        transcript.step()
        content = step.get("content")
        if isinstance(content, list):
            for part in dicts(content):
                take_part(part, transcript)
        else:
            for call in dicts(step.get("toolCalls")):
                take_call(call, transcript)
            for part in dicts(step.get("toolResults")):
                take_part({"type": "tool-result", **part}, transcript)
    return [transcript.trace()]


def _steps_in(document: Any) -> list[dict[str, Any]]:
    if isinstance(document, list):
        parts = [item for item in document if is_tool_part(item)]
        return [{"content": parts}] if parts else dicts(document)
    if not isinstance(document, dict):
        return []
    return dicts(list_of(document.get("steps"))) or [document]
