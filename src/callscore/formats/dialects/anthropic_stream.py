"""Anthropic Messages API streams.

The arguments of a call come as fragments of JSON text, which are put together and never completed.
No fragment means no arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.dialects.anthropic import take_blocks
from callscore.formats.shape import as_list, at, dicts, integer_of, json_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 680
EXAMPLE = [
    {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": '{"city": '},
    },
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": '"Paris"}'},
    },
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    {"type": "message_stop"},
]
_MAX_SAMPLED = 20
# The key that an event of each type has; other types are not specific enough.
_MARKS = {
    "message_start": "message",
    "content_block_start": "content_block",
    "content_block_delta": "delta",
    "message_delta": "delta",
}
SIGNS = Signs(keys=("message", "content_block", "delta", "data"))


def recognizes(document: Any) -> bool:
    """Whether it is an event, or a list of events."""
    lines = document[:_MAX_SAMPLED] if isinstance(document, list) else [document]
    return any(map(joins_lines, lines))


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a stream."""
    if not isinstance(line, dict):
        return False
    event = _event_of(line)
    kind = event.get("type")
    mark = _MARKS.get(kind) if isinstance(kind, str) else None
    return mark is not None and isinstance(event.get(mark), dict)


def _event_of(line: dict[str, Any]) -> dict[str, Any]:
    """The event in a line: some write the name of the event beside its data."""
    if "type" in line or "data" not in line:
        return line
    data = json_of(line["data"])
    return data if isinstance(data, dict) else line


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the messages, in the order of their starts."""
    transcript = Transcript(options, once=True)
    message = _Message()
    for line in dicts(as_list(document)):
        event = _event_of(line)
        if event.get("type") == "message_start":
            message.write(transcript)
            message = _Message()
        message.take(event)
    message.write(transcript)
    return [transcript.trace()]


class _Message:
    """A message, as far as it was streamed."""

    def __init__(self) -> None:
        self._blocks: list[tuple[dict[str, Any], list[str]]] = []
        self._open: dict[int | None, int] = {}
        self._stop_reason: Any = None

    def take(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        index, block = integer_of(event.get("index")), event.get("content_block")
        if kind == "message_start":
            self._blocks = [(block, []) for block in dicts(at(event, "message", "content"))]
        elif kind == "content_block_start" and isinstance(block, dict):
            started = self._blocks[self._open[index]] if index in self._open else None
            if started != (block, []):  # a proxy may repeat events
                self._open[index] = len(self._blocks)
                self._blocks.append((block, []))
        elif kind == "content_block_delta":
            fragment = at(event, "delta", "partial_json")
            if isinstance(fragment, str) and index in self._open:
                self._blocks[self._open[index]][1].append(fragment)
        elif kind == "message_delta":
            self._stop_reason = at(event, "delta", "stop_reason") or self._stop_reason

    def write(self, transcript: Transcript) -> None:
        if not self._blocks:
            return
        transcript.step()
        blocks = [
            {**block, "input": "".join(fragments)} if fragments else block
            for block, fragments in self._blocks
        ]
        take_blocks(blocks, transcript, stop_reason=self._stop_reason)
