"""OpenAI Agents SDK result items and run states (Python, JavaScript).

A run state repeats its items in `session_items`, `model_responses` and `last_*`; those in
`generated_items` are taken. A handoff is a call of the model, and counts as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.response_items import (
    question_in,
    read_item_tools,
    take_items,
    with_sdk_errors,
)
from callscore.formats.shape import dicts, first
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 600
_EXAMPLE_CALL = {
    "type": "function_call",
    "call_id": "call_1",
    "name": "get_weather",
    "arguments": '{"city": "Paris"}',
}
EXAMPLE = [{"type": "tool_call_item", "raw_item": _EXAMPLE_CALL}]
_GENERATED = ("generated_items", "generatedItems")
_NEW = ("new_items", "newItems")
SIGNS = Signs(
    keys=("$schemaVersion", *_NEW, "raw_item", "rawItem"),
    item_keys=("raw_item", "rawItem", "callId"),
)


def recognizes(document: Any) -> bool:
    """Whether it is a list of items with the raw one inside, or a state that has such a list."""
    if isinstance(document, list):
        return bool(document) and (
            all(map(_is_run_item, document)) or any(map(_is_of_javascript, document))
        )
    if not isinstance(document, dict):
        return False
    if "$schemaVersion" in document and _is_state(document):
        return True
    items = first(document, *_NEW)
    return _is_run_item(document) or (isinstance(items, list) and all(map(_is_run_item, items)))


def _is_state(document: dict[str, Any]) -> bool:
    has_version = document["$schemaVersion"] is not None
    return has_version and isinstance(first(document, *_GENERATED), list)


def _is_run_item(item: Any) -> bool:
    kind = item.get("type") if isinstance(item, dict) else None
    return (
        isinstance(kind, str)
        and kind.endswith("_item")
        and isinstance(first(item, "raw_item", "rawItem"), dict)
    )


def _is_of_javascript(item: Any) -> bool:
    """Whether it is a call, or the result of one, in a history of the SDK for JavaScript."""
    return (
        isinstance(item, dict)
        and item.get("type") in ("function_call", "function_call_result")
        and isinstance(item.get("callId"), str)
    )


def joins_lines(line: Any) -> bool:
    """Whether a line is one item of a run."""
    return _is_run_item(line) or _is_of_javascript(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: its items from first to last."""
    transcript = Transcript(options, failure=with_sdk_errors(options.failure))
    take_items(_raw_items(document), transcript)
    asked = first(document, "original_input", "originalInput", "input")
    return [transcript.trace(input=question_in(asked))]


def _raw_items(document: Any) -> list[Any]:
    if isinstance(document, dict):
        items = first(document, *_GENERATED, *_NEW)
        document = items if isinstance(items, list) else [document]
    return [
        first(item, "raw_item", "rawItem") or item
        for item in dicts(document)
        # Calls that need approval are listed as calls, too.
        if item.get("type") != "tool_approval_item"
    ]


def read_tools(document: Any) -> list[Tool]:
    """The tools that MCP servers have listed; of the others only the names are kept."""
    return read_item_tools(_raw_items(document))
