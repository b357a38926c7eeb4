"""Strands Agents (messages, session files, snapshots, stream events).

The messages have the format of Amazon Bedrock, for every model. A list of the tools' specifications
is read, too.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.dialects.bedrock import has_blocks, take_message
from callscore.formats.shape import as_list, at, dicts, integer_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 675
_EXAMPLE_USE = {"toolUseId": "tooluse_1", "name": "get_weather", "input": {"city": "Paris"}}
EXAMPLE = [
    {"role": "user", "content": [{"text": "How is the weather in Paris?"}]},
    {"role": "assistant", "content": [{"toolUse": _EXAMPLE_USE}]},
]
SIGNS = Signs(
    keys=("message_id", "init_event_loop", "scope"),
    item_keys=("content", "message", "redact_message", "inputSchema"),
    value_types=(dict,),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is messages with calls, a session's message, a snapshot or specifications."""
    if isinstance(document, list):
        return (any(map(_has_blocks, document)) or _are_specifications(document)) and all(
            isinstance(item, dict) for item in document
        )
    return isinstance(document, dict) and (
        joins_lines(document)
        or isinstance(_snapshot_in(document), list)
        or _are_specifications(document.values())
    )


def _has_blocks(item: Any) -> bool:
    return isinstance(item, dict) and has_blocks(_message_of(item))


def joins_lines(line: Any) -> bool:
    """Whether a line is the file of one message of a session, or begins the events of a run."""
    if not isinstance(line, dict):
        return False
    if "message_id" in line:
        return isinstance(at(line, "message", "content"), list)
    return line.get("init_event_loop") is True


def _snapshot_in(document: Any) -> Any:
    is_snapshot = at(document, "scope") == "agent" and "schema_version" in document
    return at(document, "data", "messages") if is_snapshot else None


def _are_specifications(values: Collection[Any]) -> bool:
    return len(values) > 0 and all(map(_is_specification, values))


def _is_specification(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and isinstance(at(value.get("inputSchema"), "json"), dict)
    )


def _message_of(item: dict[str, Any]) -> Any:
    """The message in an item, or its redacted version, or the item itself."""
    if "message" in item or "redact_message" in item:
        for key in ("redact_message", "message"):
            if isinstance(item.get(key), dict):
                return item[key]
    return item


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run."""
    transcript = Transcript(options)
    for message in _messages_in(document):
        if isinstance(at(message, "role"), str):
            take_message(message, transcript)
    return [transcript.trace()]


def _messages_in(document: Any) -> list[Any]:
    items = _snapshot_in(document)
    found = dicts(items if isinstance(items, list) else as_list(document))
    numbers = [integer_of(item.get("message_id")) for item in found]
    known = [number for number in numbers if number is not None]
    if len(known) == len(found):
        # One file per message: their names were sorted as text, 10 before 2.
        found = [found[place] for place in sorted(range(len(found)), key=known.__getitem__)]
    return [_message_of(item) for item in found]


def read_tools(document: Any) -> list[Tool]:
    """The tools of a list, or of a registry, of specifications."""
    values = list(document.values()) if isinstance(document, dict) else document
    return read_definitions(values) if _are_specifications(dicts(values)) else []
