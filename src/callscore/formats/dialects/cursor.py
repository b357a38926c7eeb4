"""Cursor agent transcripts (`agent-transcripts/*.jsonl`).

A line is a role and a message with blocks, as Anthropic writes them. The calls have no ids, and
their results are mostly left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.dialects.anthropic import note_speaker, take_blocks
from callscore.formats.shape import as_list, at, dicts, name_of, text_in
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 346
EXAMPLE = [
    {
        "role": "assistant",
        "message": {
            "content": [{"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}],
        },
    }
]
_MAX_SAMPLED = 20
_ROLES = ("user", "assistant")
SIGNS = Signs(keys=("message",))


def recognizes(document: Any) -> bool:
    """Whether it is a line with a role and a message, or a list of such lines."""
    if isinstance(document, list):
        lines = document[:_MAX_SAMPLED]
        return bool(lines) and all(map(joins_lines, lines))
    return joins_lines(document)


def joins_lines(line: Any) -> bool:
    """Whether a line has its role beside the message, and not in it."""
    message = at(line, "message")
    content = at(message, "content")
    return (
        at(line, "role") in _ROLES
        and "type" not in line
        and "role" not in (message if isinstance(message, dict) else ())
        and isinstance(content, list)
        and all(isinstance(at(block, "type"), str) for block in content)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all lines."""
    transcript = Transcript(options)
    question = None
    ids: set[str | None] = set()
    for line in dicts(as_list(document)):
        blocks = dicts(at(line, "message", "content"))
        if line.get("role") == "assistant":
            transcript.step()
        elif question is None:
            question = text_in(blocks)
        note_speaker({"role": line.get("role"), "content": blocks}, transcript)
        ids |= {name_of(block.get("id")) for block in blocks}
        take_blocks([_paired(block, ids) for block in blocks], transcript)
    return [transcript.trace(input=question)]


def _paired(block: dict[str, Any], ids: set[str | None]) -> dict[str, Any]:
    """The block; a result loses an id that no call has, so that it is the result of the last one."""
    if "tool_use_id" not in block or name_of(block["tool_use_id"]) in ids:
        return block
    return {**block, "tool_use_id": None}
